/* Between the files of libreblock_arrays.so. */
#ifndef REBLOCK_ARRAYS_H
#define REBLOCK_ARRAYS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE = 4096 };

/* A space's addresses are divided into blocks. */
enum block_state {
  EMPTY, /* no pages */
  KEPT,  /* free, with the pages of an array that was freed */
  USED
};
struct block {
  uintptr_t at;
  size_t len;
  uint64_t freed; /* of a kept one: when, counted in arrays that were freed */
  enum block_state state;
};

/* Blocks by address, which cover everything between the first and the last. No function allocates. */
struct blocks {
  struct block *all;
  size_t count;
  size_t kept; /* bytes */
  uint64_t clock;
};
bool blocks_begin(struct blocks *blocks, uintptr_t at, size_t len);
void blocks_end(struct blocks *blocks);
struct block *blocks_used(const struct blocks *blocks, uintptr_t at); /* the used one that begins there, or NULL */
uintptr_t blocks_take(struct blocks *blocks, size_t len, size_t align, bool *clean); /* 0: there is none */
void blocks_keep(struct blocks *blocks, struct block *block);
void blocks_empty(struct blocks *blocks, struct block *block);
struct block *blocks_oldest_kept(const struct blocks *blocks);
bool blocks_shorten(struct blocks *blocks, struct block *block, size_t len); /* the rest is kept */
bool blocks_lengthen(struct blocks *blocks, struct block *block, size_t len);

/* Memory of this process that others can map. All functions may be called by any thread. */
void *space_take(size_t bytes, size_t align, bool zero); /* NULL: ask the usual allocator */
size_t space_size(void *array);                          /* 0: it is not here */
bool space_give(void *array);
bool space_resize(void *array, size_t bytes); /* whether the array has as many bytes now, at the same address */
void space_begin(void);                       /* once, before the first */

#endif
