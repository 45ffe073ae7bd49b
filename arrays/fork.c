/* Fork handlers of the arrays. A child must see memory as it was at the fork, whatever the parent writes afterwards.
 * So before a fork, each space with arrays becomes a private mapping of the parent: the object is never written again,
 * and both processes copy the pages that they write, as usual. Arrays of such a space are no longer exposed to other
 * ranks; new arrays get a new space. vfork and posix_spawn call no handler: the child shares the parent's memory until
 * it runs another program.
 *
 * Fork handlers of other libraries may allocate and free before and after these handlers. During a fork no array is
 * taken from a space. */
#define _GNU_SOURCE
#include "arrays.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool torn; /* a fork found no memory for its copies */
/* True in a fork that a signal handler called while this thread was in a space. Then neither parent nor child changes
 * anything. */
static __thread bool amid __attribute__((tls_model("initial-exec")));

/* Copies the bytes of a mapping into a new mapping at the same address. The program may have no read access to them. */
static bool copy_of(const struct mapping *mapping) {
  size_t len = mapping->to - mapping->from;
  void *at = (void *)mapping->from;
  /* Maps the same pages a second time. UCX, which MPICH uses, intercepts mremap and drops the last argument: so call
   * the system itself. */
  long second = syscall(SYS_mremap, at, 0, len, MREMAP_MAYMOVE, 0);
  void *copy = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool copied = second != -1 && copy != MAP_FAILED && !mprotect((void *)second, len, PROT_READ);
  if (copied) memcpy(copy, (void *)second, len);
  if (second != -1) munmap((void *)second, len);
  if (copied && !mprotect(copy, len, mapping->access) && syscall(SYS_mremap, copy, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at) != -1) return true;
  if (copy != MAP_FAILED) munmap(copy, len);
  return false;
}

/* Makes a mapping of the object private, and restores all settings of its pages. Mappings that no child inherits stay
 * shared: a network adapter may be reading them. */
static void privatize(const struct object *object, const struct mapping *mapping) {
  size_t len = mapping->to - mapping->from;
  void *at = (void *)mapping->from;
  if (mapping->without_fork) return;
  int fixed = MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED;
  bool done = object_is_there(object) && mmap(at, len, mapping->access, fixed, object->fd, (off_t)mapping->offset) != MAP_FAILED;
  /* If the program has closed the object, only copying is left. */
  if (!done && !copy_of(mapping)) {
    torn = true;
    return;
  }
  for (int k = 0; k < mapping->advices; k++) madvise(at, len, mapping->advice[k]);
  /* Lock pages on their next use: locking all of them now would copy all of them. */
  if (mapping->locked) syscall(SYS_mlock2, at, len, 1 /* MLOCK_ONFAULT */);
}

/* Checks that the program has changed no pages of the space. Blocks that are not used are no longer mapped. */
static bool is_unchanged(const struct space *space) {
  const struct blocks *blocks = &space->blocks;
  uintptr_t from, to = 0;
  for (const struct block *block = blocks->all; block < blocks->all + blocks->count; block++) {
    if (block->state != USED || block->at < to) continue;
    blocks_run(blocks, block, &from, &to);
    /* msync fails if all memory is locked. */
    if (!object_is_mapping(from, to) || msync((void *)from, to - from, MS_INVALIDATE)) return false;
  }
  return true;
}

/* Makes the used parts of a space private and unmaps the rest. */
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

/* Checks whether the program uses memory of the space. Pages of a lost block may still be mapped at other addresses. */
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
    /* Pages that the system did not take back are free nevertheless. */
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
    /* The parent's space, which holds no arrays. */
    munmap((void *)current->object.base, current->object.span);
    blocks_end(&current->blocks);
    object_close(&current->object);
    current->object.span = 0;
    current = NULL;
  }
  space_leave();
}

bool fork_begin(void) { return !pthread_atfork(before_fork, in_parent, in_child); }
