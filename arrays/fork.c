/* WHAT becomes of arrays at a fork? A child must see its memory as it was, whatever the parent does afterwards. So before a fork
 * in which arrays live, the parent's own mapping becomes a private one: from then on nobody writes the object, and both processes
 * get copies of pages that they write, as with other memory. Arrays of such a space are no longer lent to others; new ones get a
 * new space. vfork and posix_spawn call nothing here: what they start sees the parent's memory until it runs another program.
 *
 * Others' functions around a fork may allocate and free, before and after these; meanwhile nothing is taken from a space. */
#define _GNU_SOURCE
#include "arrays.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool torn; /* a fork got no memory for its copies */
/* The fork is one in a signal that came while this thread was in a space: nothing is done then, neither here nor in the child. */
static __thread bool amid __attribute__((tls_model("initial-exec")));

/* Makes what is used of a space this process's own; addresses that are not used are given back. */
static void make_private(struct space *space) {
  struct blocks *blocks = &space->blocks;
  bool object = object_is_there(&space->object);
  for (struct block *block = blocks->all; block < blocks->all + blocks->count; block++) {
    void *at = (void *)block->at;
    if (block->state != USED) {
      munmap(at, block->len);
      continue;
    }
    off_t offset = (off_t)(block->at - space->object.base);
    int access = PROT_READ | PROT_WRITE, fixed = MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED;
    if (object && mmap(at, block->len, access, fixed, space->object.fd, offset) != MAP_FAILED) continue;
    /* The program has closed the object: nothing but a copy is left to do. */
    void *copy = mmap(NULL, block->len, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy != MAP_FAILED) memcpy(copy, at, block->len);
    /* UCX, below MPICH, has an mremap that loses the last argument: the system is asked itself. */
    if (copy == MAP_FAILED || syscall(SYS_mremap, copy, block->len, block->len, MREMAP_MAYMOVE | MREMAP_FIXED, at) == -1) torn = true;
  }
  if (object) object_close(&space->object);
}

static bool is_used(const struct space *space) {
  const struct blocks *blocks = &space->blocks;
  for (size_t k = 0; k < blocks->count; k++)
    if (blocks->all[k].state == USED) return true;
  return false;
}

static void before_fork(void) {
  int saved = errno;
  amid = !space_enter();
  if (!amid && current) {
    space_trim(current, 0);
    /* What the system did not take back is free all the same. */
    struct block *kept;
    bool used = is_used(current);
    while (used && (kept = blocks_oldest_kept(&current->blocks, SIZE_MAX))) blocks_empty(&current->blocks, kept);
    if (used) {
      make_private(current);
      current = NULL;
    }
  }
  errno = saved;
}

static void in_parent(void) {
  if (amid) return;
  torn = false;
  space_leave();
}

static void in_child(void) {
  if (amid) return;
  if (torn) {
    static const char why[] = "reblock: no memory for the arrays of a process that fork made\n";
    if (write(STDERR_FILENO, why, sizeof why - 1) < 0) _exit(126);
    _exit(126);
  }
  if (current) {
    /* The parent's, without arrays. */
    munmap((void *)current->object.base, current->object.span);
    blocks_end(&current->blocks);
    object_close(&current->object);
    current->object.span = 0;
    current = NULL;
  }
  space_leave();
}

bool fork_begin(void) { return !pthread_atfork(before_fork, in_parent, in_child); }
