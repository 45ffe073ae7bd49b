/* Between the files of libreblock_arrays.so. */
#ifndef REBLOCK_ARRAYS_H
#define REBLOCK_ARRAYS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum {
  GRAIN = 64 << 10, /* Arrays begin and end at multiples of this: of a page of any system. */
  SPACES = 64       /* at a time: each fork in which arrays live ends one */
};

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
struct block *blocks_take(struct blocks *blocks, size_t len, size_t align, bool *clean); /* NULL: there is none */
void blocks_keep(struct blocks *blocks, struct block *block);
void blocks_empty(struct blocks *blocks, struct block *block);
struct block *blocks_oldest_kept(struct blocks *blocks, size_t most); /* at most so much of it, if the table has room to cut */
bool blocks_shorten(struct blocks *blocks, struct block *block, size_t len);         /* the rest is kept */
struct block *blocks_behind(const struct blocks *blocks, struct block *block, size_t len); /* free, if it has as many bytes */
void blocks_lengthen(struct blocks *blocks, struct block *block, size_t more);       /* by some of the one behind */

/* One object without a name, mapped once. What is not used of it can be neither read nor written, and is in no core file. */
struct object {
  uintptr_t base;
  size_t span; /* 0: there is none */
  int fd;
  struct stat file;
};
bool object_open(struct object *object);
bool object_is_there(const struct object *object); /* whether the program has left its descriptor alone */
void object_close(struct object *object);          /* it stays mapped */
bool object_use(uintptr_t at, size_t len);
bool object_discard(uintptr_t at, size_t len); /* whether the system has taken the pages back */
size_t machine_memory(void);

/* Memory of this process that others can map. All functions may be called by any thread. */
struct space {
  struct object object;
  uint64_t number;
  struct blocks blocks;
};
extern struct space spaces[SPACES];
extern struct space *current; /* the one that others can map */
bool space_enter(void);       /* false: this thread is here already, in a fork or in a system call that somebody stands before */
void space_leave(void);
void space_trim(struct space *space, size_t most);

void *space_take(size_t bytes, size_t align, bool zero); /* NULL: ask the usual allocator */
size_t space_size(void *array);                          /* 0: it is not here */
bool space_give(void *array);
bool space_resize(void *array, size_t bytes); /* whether the array has as many bytes now, at the same address */
bool space_begin(void);                       /* once, before the first */
bool fork_begin(void);

#endif
