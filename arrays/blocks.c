/* Table of the blocks of a space: finds room for an array, cuts blocks and joins them. Free blocks that still have
 * pages are taken first, because new pages are expensive. */
#define _GNU_SOURCE
#include "arrays.h"
#include <string.h>
#include <sys/mman.h>

/* Maximum number of blocks. The table takes memory only as far as it is used. */
enum { MAX_BLOCKS = 1 << 16 };

bool blocks_begin(struct blocks *blocks, uintptr_t at, size_t len) {
  void *table = mmap(NULL, MAX_BLOCKS * sizeof(struct block), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED) return false;
  *blocks = (struct blocks){.all = table, .count = 1};
  blocks->all[0] = (struct block){.at = at, .len = len, .state = EMPTY};
  return true;
}

void blocks_end(struct blocks *blocks) {
  munmap(blocks->all, MAX_BLOCKS * sizeof(struct block));
  *blocks = (struct blocks){0};
}

struct block *blocks_around(const struct blocks *blocks, uintptr_t at) {
  size_t low = 0, high = blocks->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (blocks->all[middle].at <= at) low = middle + 1;
    else high = middle;
  }
  struct block *found = blocks->all + low - 1;
  return low && at - found->at < found->len && found->state == USED ? found : NULL;
}

struct block *blocks_used(const struct blocks *blocks, uintptr_t at) {
  struct block *found = blocks_around(blocks, at);
  return found && found->at == at ? found : NULL;
}

static bool has_pages(const struct block *block) { return block->state == KEPT || block->state == USED; }

void blocks_run(const struct blocks *blocks, const struct block *block, uintptr_t *from, uintptr_t *to) {
  const struct block *first = block, *last = block, *end = blocks->all + blocks->count;
  while (first > blocks->all && has_pages(first - 1)) first--;
  while (last + 1 < end && has_pages(last + 1)) last++;
  *from = first->at;
  *to = last->at + last->len;
}

/* Shortens `block` to `len` bytes and inserts a block of the same state behind it. The table must have room. */
static void cut(struct blocks *blocks, struct block *block, size_t len) {
  if (block->len == len) return;
  size_t behind = blocks->count - (size_t)(block - blocks->all) - 1;
  memmove(block + 2, block + 1, behind * sizeof *block);
  blocks->count++;
  block[1] = *block;
  block[1].at += len;
  block[1].len -= len;
  block->len = len;
}

/* Joins `block` with the block behind it. */
static void join(struct blocks *blocks, struct block *block) {
  size_t behind = blocks->count - (size_t)(block - blocks->all) - 2;
  block->len += block[1].len;
  if (block->freed < block[1].freed) block->freed = block[1].freed;
  memmove(block + 1, block + 2, behind * sizeof *block);
  blocks->count--;
}

static void join_neighbours(struct blocks *blocks, struct block *block) {
  struct block *end = blocks->all + blocks->count;
  if (block + 1 < end && block[1].state == block->state) join(blocks, block);
  if (block > blocks->all && block[-1].state == block->state) join(blocks, block - 1);
}

static size_t before(const struct block *block, size_t align) { return (align - block->at % align) % align; }

static bool fits(const struct block *block, size_t len, size_t align) {
  size_t skipped = before(block, align);
  return skipped < block->len && block->len - skipped >= len;
}

struct block *blocks_take(struct blocks *blocks, size_t len, size_t align, bool *clean) {
  struct block *best = NULL;
  if (blocks->count + 2 > MAX_BLOCKS) return NULL;
  for (struct block *block = blocks->all; block < blocks->all + blocks->count; block++) {
    if (block->state == USED || block->state == LOST || !fits(block, len, align)) continue;
    bool better = !best || (block->state == KEPT && (best->state == EMPTY || block->len < best->len));
    if (better) best = block;
  }
  if (!best) return NULL;
  size_t skipped = before(best, align);
  if (skipped) {
    cut(blocks, best, skipped);
    best++;
  }
  cut(blocks, best, len);
  *clean = best->state == EMPTY;
  if (!*clean) blocks->kept -= len;
  best->state = USED;
  return best;
}

void blocks_keep(struct blocks *blocks, struct block *block) {
  block->state = KEPT;
  block->freed = ++blocks->clock;
  blocks->kept += block->len;
  join_neighbours(blocks, block);
}

void blocks_empty(struct blocks *blocks, struct block *block) {
  if (block->state == KEPT) blocks->kept -= block->len;
  block->state = EMPTY;
  join_neighbours(blocks, block);
}

void blocks_lose(struct blocks *blocks, struct block *block) {
  block->state = LOST;
  join_neighbours(blocks, block);
}

struct block *blocks_oldest_kept(struct blocks *blocks, size_t most) {
  struct block *oldest = NULL;
  for (struct block *block = blocks->all; block < blocks->all + blocks->count; block++)
    if (block->state == KEPT && (!oldest || block->freed < oldest->freed)) oldest = block;
  if (!oldest || oldest->len <= most || blocks->count + 1 > MAX_BLOCKS) return oldest;
  cut(blocks, oldest, oldest->len - most);
  return oldest + 1;
}

bool blocks_shorten(struct blocks *blocks, struct block *block, size_t len) {
  if (block->len == len) return true;
  if (blocks->count + 1 > MAX_BLOCKS) return false;
  cut(blocks, block, len);
  blocks_keep(blocks, block + 1);
  return true;
}

struct block *blocks_behind(const struct blocks *blocks, struct block *block, size_t len) {
  struct block *next = block + 1;
  return next < blocks->all + blocks->count && (next->state == EMPTY || next->state == KEPT) && next->len >= len && blocks->count + 1 <= MAX_BLOCKS ? next : NULL;
}

void blocks_lengthen(struct blocks *blocks, struct block *block, size_t more) {
  struct block *next = block + 1;
  cut(blocks, next, more);
  if (next->state == KEPT) blocks->kept -= more;
  next->state = USED;
  join(blocks, block);
}
