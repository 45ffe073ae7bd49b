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

/* Copies the bytes of a mapping into a new one at the same place; the program may read none of them. */
static bool copy_of(const struct mapping *mapping) {
  size_t len = mapping->to - mapping->from;
  void *at = (void *)mapping->from;
  /* The same pages once more. UCX, below MPICH, has an mremap that loses the last argument: the system is asked itself. */
  long second = syscall(SYS_mremap, at, 0, len, MREMAP_MAYMOVE, 0);
  void *copy = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool copied = second != -1 && copy != MAP_FAILED && !mprotect((void *)second, len, PROT_READ);
  if (copied) memcpy(copy, (void *)second, len);
  if (second != -1) munmap((void *)second, len);
  if (copied && !mprotect(copy, len, mapping->access) && syscall(SYS_mremap, copy, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at) != -1) return true;
  if (copy != MAP_FAILED) munmap(copy, len);
  return false;
}

/* Makes a mapping of the object this process's own, with all that the program has set on its pages. Those that no child gets stay as they
 * are: a network adapter may read them where they lie. */
static void privatize(const struct object *object, const struct mapping *mapping) {
  size_t len = mapping->to - mapping->from;
  void *at = (void *)mapping->from;
  if (mapping->without_fork) return;
  int fixed = MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED;
  bool done = object_is_there(object) && mmap(at, len, mapping->access, fixed, object->fd, (off_t)mapping->offset) != MAP_FAILED;
  /* If the program has closed the object, nothing but a copy is left to do. */
  if (!done && !copy_of(mapping)) {
    torn = true;
    return;
  }
  for (int k = 0; k < mapping->advices; k++) madvise(at, len, mapping->advice[k]);
  /* Pages are locked when they are used next: to lock all at once would copy all. */
  if (mapping->locked) syscall(SYS_mlock2, at, len, 1 /* MLOCK_ONFAULT */);
}

/* Whether no program has changed pages of the space. All blocks that are not used are no longer mapped. */
static bool is_unchanged(const struct space *space) {
  const struct blocks *blocks = &space->blocks;
  uintptr_t from, to = 0;
  for (const struct block *block = blocks->all; block < blocks->all + blocks->count; block++) {
    if (block->state != USED || block->at < to) continue;
    blocks_run(blocks, block, &from, &to);
    /* Where all memory is locked, the call says so. */
    if (!object_is_mapping(from, to) || msync((void *)from, to - from, MS_INVALIDATE)) return false;
  }
  return true;
}

/* Makes what is used of a space this process's own; addresses that are not used are given back. */
static void make_private(struct space *space) {
  struct blocks *blocks = &space->blocks;
  struct block *end = blocks->all + blocks->count;
  struct maps maps;
  struct mapping mapping = {.access = PROT_READ | PROT_WRITE};
  bool lost = false;
  for (struct block *block = blocks->all; block < end; block++) {
    if (block->state == USED) continue;
    munmap((void *)block->at, block->len);
    lost |= block->state == LOST;
  }
  if (!lost && is_unchanged(space)) {
    for (struct block *block = blocks->all; block < end; block++) {
      if (block->state != USED) continue;
      mapping.from = block->at, mapping.to = block->at + block->len, mapping.offset = block->at - space->object.base;
      privatize(&space->object, &mapping);
    }
  } else if (maps_open(&maps, true)) {
    while (maps_next(&maps, &mapping))
      if (object_is_of(&space->object, &mapping)) privatize(&space->object, &mapping);
    maps_close(&maps);
  } else {
    torn = true;
  }
  if (object_is_there(&space->object)) object_close(&space->object);
  for (size_t k = 0; k < blocks->count; k++) {
    if (blocks->all[k].state != LOST) continue;
    blocks_empty(blocks, blocks->all + k);
    k = 0;
  }
  space_end_if_empty(space);
}

/* Whether memory of the space is the program's. Pages that were lost may still be, at other addresses. */
static bool is_used(const struct space *space) {
  const struct blocks *blocks = &space->blocks;
  for (size_t k = 0; k < blocks->count; k++)
    if (blocks->all[k].state == USED || blocks->all[k].state == LOST) return true;
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
