/* Allocation, resizing and release of arrays in memory that other processes can map. Arrays lie side by side in one
 * object; blocks.c finds their places and keeps pages of freed arrays. */
#define _GNU_SOURCE
#include "arrays.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* Maximum bytes of pages kept for later arrays: as much as the usual allocator keeps. */
static const size_t KEPT_BYTES = (size_t)64 << 20;
/* Size in bytes from which arrays are aligned to huge pages. */
static const size_t HUGE_PAGE = (size_t)2 << 20;

struct space spaces[SPACES];
struct space *current;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread bool inside __attribute__((tls_model("initial-exec")));
static bool used;    /* large blocks of this process are allocated here */
static uint64_t numbers, taken, declined;
/* The number of declined arrays at which the system, after it had no memory for an object, is asked again. */
static uint64_t asked_again_at;

bool space_begin(void) { return used = fork_begin(); }

bool space_enter(void) {
  if (inside) return false;
  pthread_mutex_lock(&mutex);
  return inside = true;
}

void space_leave(void) {
  inside = false;
  pthread_mutex_unlock(&mutex);
}

static bool open_space(struct space *space) {
  if (!object_open(&space->object)) return false;
  if (blocks_begin(&space->blocks, space->object.base, space->object.span)) {
    space->number = ++numbers;
    return true;
  }
  munmap((void *)space->object.base, space->object.span);
  object_close(&space->object);
  space->object.span = 0;
  return false;
}

/* Returns the space for new arrays. */
static struct space *opened(void) {
  if (current || !used || declined < asked_again_at) return current;
  for (struct space *space = spaces; space < spaces + SPACES; space++) {
    if (space->object.span) continue;
    if (open_space(space)) return current = space;
    asked_again_at = 2 * declined + 1;
    break;
  }
  return NULL;
}

/* Returns the block of the array at `at`, and its space. */
static struct block *find(uintptr_t at, struct space **of) {
  for (struct space *space = spaces; space < spaces + SPACES; space++)
    if (space->object.span && at - space->object.base < space->object.span) {
      struct block *block = blocks_used(&space->blocks, at);
      if (block) {
        *of = space;
        return block;
      }
    }
  return NULL;
}

/* Gives back kept pages until at most `most` bytes are left. Blocks whose pages the system does not take stay kept. */
void space_trim(struct space *space, size_t most) {
  struct blocks *blocks = &space->blocks;
  struct block *oldest;
  while (blocks->kept > most && (oldest = blocks_oldest_kept(blocks, blocks->kept - most))) {
    if (!object_discard(oldest->at, oldest->len)) break;
    blocks_empty(blocks, oldest);
  }
}

/* Returns the bytes of a block for an array of `bytes` bytes: includes the grain behind it. */
static size_t grains(size_t bytes) { return (bytes ? (bytes + GRAIN - 1) / GRAIN * GRAIN : GRAIN) + GRAIN; }

/* Returns the number of mappings of the object that show the block, see `object_mappings`. 1: the program has changed
 * none of its pages. */
static int mappings(const struct space *space, const struct block *block, bool *elsewhere) {
  uintptr_t from, to;
  blocks_run(&space->blocks, block, &from, &to);
  *elsewhere = false;
  return object_is_mapping(from, to) ? 1 : object_mappings(&space->object, block->at, block->len, elsewhere);
}

/* Releases the block of a freed array. If the program has changed its pages (protection, locks, inheritance, other
 * files in their place), the block is mapped anew, so that the next array starts clean. If the program has moved its
 * pages to other addresses, the block's part of the object is never used again. */
static void release(struct space *space, struct block *block) {
  bool elsewhere;
  int parts = mappings(space, block, &elsewhere);
  if (parts == 1) {
    blocks_keep(&space->blocks, block);
    space_trim(space, KEPT_BYTES);
  } else if (!elsewhere && object_renew(&space->object, block->at, block->len)) {
    blocks_empty(&space->blocks, block);
  } else {
    if (parts && !elsewhere) madvise((void *)block->at, block->len, MADV_REMOVE);
    object_hold(block->at, block->len);
    blocks_lose(&space->blocks, block);
  }
}

void *space_take(size_t bytes, size_t align, bool zero) {
  int saved = errno;
  bool clean = true;
  struct block *block = NULL;
  if (align < GRAIN) align = GRAIN;
  if (bytes >= HUGE_PAGE && align < HUGE_PAGE) align = HUGE_PAGE;
  bool entered = space_enter();
  /* The usual allocator refuses sizes that the machine cannot hold. */
  struct space *space = entered && bytes <= machine_memory() ? opened() : NULL;
  if (space) block = blocks_take(&space->blocks, grains(bytes), align, &clean);
  if (block && clean && !object_use(block->at, block->len)) {
    blocks_empty(&space->blocks, block);
    block = NULL;
  }
  void *array = block ? (void *)block->at : NULL;
  if (array) taken++;
  else declined++;
  if (entered) space_leave();
  if (array && zero && !clean) memset(array, 0, bytes);
  errno = saved;
  return array;
}

bool space_has(uintptr_t at, size_t len, struct mapping *mapping) {
  const struct object *object = NULL;
  bool entered = space_enter(), found = false;
  for (struct space *space = spaces; entered && space < spaces + SPACES; space++) {
    if (!space->object.span || at - space->object.base >= space->object.span) continue;
    struct block *block = blocks_around(&space->blocks, at);
    if (block && len <= block->at + block->len - at) object = &space->object;
  }
  struct maps maps;
  if (object && maps_open(&maps, false)) {
    while (!found && maps_next(&maps, mapping)) found = mapping->from <= at && at < mapping->to && len <= mapping->to - at;
    maps_close(&maps);
    found = found && mapping->inode == object->file.st_ino && mapping->device == object->file.st_dev;
  }
  if (entered) space_leave();
  return found;
}

size_t space_size(void *array) {
  struct space *space;
  if ((uintptr_t)array % GRAIN || !array) return 0;
  bool entered = space_enter();
  struct block *block = find((uintptr_t)array, &space);
  size_t len = block ? block->len - GRAIN : 0;
  if (entered) space_leave();
  return len;
}

void space_end_if_empty(struct space *space) {
  if (space->blocks.count > 1 || space->blocks.all->state != EMPTY) return;
  blocks_end(&space->blocks);
  space->object.span = 0;
}

/* Releases a block of a private space. Its pages go at once, and the last array ends the space. */
static void give_private(struct space *space, struct block *block) {
  munmap((void *)block->at, block->len);
  blocks_empty(&space->blocks, block);
  space_end_if_empty(space);
}

bool space_give(void *array) {
  struct space *space;
  if ((uintptr_t)array % GRAIN || !array) return false;
  int saved = errno;
  bool entered = space_enter();
  struct block *block = find((uintptr_t)array, &space);
  if (block && space == current) release(space, block);
  else if (block) give_private(space, block);
  if (entered) space_leave();
  errno = saved;
  return block;
}

static bool lengthen(struct space *space, struct block *block, size_t len) {
  size_t more = len - block->len;
  struct block *behind = blocks_behind(&space->blocks, block, more);
  if (!behind || (behind->state == EMPTY && !object_use(behind->at, more))) return false;
  blocks_lengthen(&space->blocks, block, more);
  return true;
}

/* A block whose pages the program has changed keeps its length until it is freed. */
static bool shorten(struct space *space, struct block *block, size_t len) {
  bool elsewhere;
  if (block->len == len || mappings(space, block, &elsewhere) != 1) return true;
  return blocks_shorten(&space->blocks, block, len);
}

bool space_resize(void *array, size_t bytes) {
  struct space *space;
  bool done = false;
  int saved = errno;
  bool entered = space_enter();
  struct block *block = bytes <= machine_memory() ? find((uintptr_t)array, &space) : NULL;
  size_t len = grains(bytes);
  if (block && block->len >= len && space != current) done = block->len / 2 <= len;
  else if (block && block->len >= len) done = shorten(space, block, len);
  else if (block && space == current) done = lengthen(space, block, len);
  if (done && space == current) space_trim(space, KEPT_BYTES);
  if (entered) space_leave();
  errno = saved;
  return done;
}

/* Functions that libreblock calls. */
#define ASKED __attribute__((visibility("default")))
struct reblock_arrays {
  uint64_t number, base, bytes, descriptor, device, inode;
};

/* Returns whether large blocks of this process come from here while there is memory. */
ASKED int reblock_arrays_used(void) { return used; }

/* Stores the memory in which new arrays of this process lie; returns whether there is such memory. */
ASKED int reblock_arrays_space(struct reblock_arrays *out) {
  int saved = errno;
  bool entered = space_enter();
  struct space *space = entered ? opened() : NULL;
  if (space) {
    const struct object *object = &space->object;
    *out = (struct reblock_arrays){space->number, object->base, object->span, (uint64_t)object->fd, object->file.st_dev, object->file.st_ino};
  }
  if (entered) space_leave();
  errno = saved;
  return space != NULL;
}

/* Stores two counts: arrays placed in such memory, and arrays for which there was none. */
ASKED void reblock_arrays_counts(uint64_t out[2]) {
  bool entered = space_enter();
  out[0] = taken;
  out[1] = declined;
  if (entered) space_leave();
}

/* Returns the number of the current space, which others can map; 0: none. */
ASKED uint64_t reblock_arrays_number(void) {
  bool entered = space_enter();
  uint64_t number = current ? current->number : 0;
  if (entered) space_leave();
  return number;
}

/* Checks whether a process that maps the object sees this process's data in these bytes. False if the program has
 * mapped something else over them or has moved their pages. */
ASKED int reblock_arrays_shown(uint64_t at, uint64_t bytes) {
  int saved = errno;
  bool entered = space_enter(), shown = false, elsewhere;
  struct block *block = entered && current ? blocks_around(&current->blocks, (uintptr_t)at) : NULL;
  if (block && bytes <= block->at + block->len - at) shown = mappings(current, block, &elsewhere) == 1
    || object_mappings(&current->object, (uintptr_t)at, bytes, &elsewhere) > 0;
  if (entered) space_leave();
  errno = saved;
  return shown;
}
