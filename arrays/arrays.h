/* Between the files of libreblock_arrays.so. */
#ifndef REBLOCK_ARRAYS_H
#define REBLOCK_ARRAYS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum {
  /* Arrays begin and end at multiples of this: of a page of any system. Each block ends with one such grain behind the array, which
   * the program never sees. So a block of which a program has changed pages (mprotect, madvise, mlock, ...) is never a mapping with its
   * last grain: that is how such a block is found. */
  GRAIN = 64 << 10,
  SPACES = 64       /* at a time: each fork in which arrays live ends one */
};

/* A space's addresses are divided into blocks. */
enum block_state {
  EMPTY, /* no pages */
  KEPT,  /* free, with the pages of an array that was freed */
  USED,
  LOST /* freed, but its part of the object cannot be used again */
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
struct block *blocks_around(const struct blocks *blocks, uintptr_t at); /* the used one in which that address is, or NULL */
/* The block and all neighbours with pages: as long as no program changes pages, the kernel has one mapping of them. */
void blocks_run(const struct blocks *blocks, const struct block *block, uintptr_t *from, uintptr_t *to);
struct block *blocks_take(struct blocks *blocks, size_t len, size_t align, bool *clean); /* NULL: there is none */
void blocks_keep(struct blocks *blocks, struct block *block);
void blocks_empty(struct blocks *blocks, struct block *block);
void blocks_lose(struct blocks *blocks, struct block *block);
struct block *blocks_oldest_kept(struct blocks *blocks, size_t most); /* at most so much of it, if the table has room to cut */
bool blocks_shorten(struct blocks *blocks, struct block *block, size_t len);         /* the rest is kept */
struct block *blocks_behind(const struct blocks *blocks, struct block *block, size_t len); /* free, if it has as many bytes */
void blocks_lengthen(struct blocks *blocks, struct block *block, size_t more);       /* by some of the one behind */

/* One of this process's mappings, as the kernel lists them. */
struct mapping {
  uintptr_t from, to;
  uint64_t offset; /* in the file */
  dev_t device;
  ino_t inode;
  int access; /* PROT_READ, ... */
  bool shared;
  /* With flags only: */
  bool without_fork, locked;
  int advice[8], advices; /* what madvise was called with */
};
struct maps {
  int fd;
  bool flags; /* read flags, too, which takes long: the kernel counts the pages of each mapping for them */
  size_t at, end;
  char text[2048];
};
bool maps_open(struct maps *maps, bool flags);
bool maps_next(struct maps *maps, struct mapping *out);
void maps_close(struct maps *maps);

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
bool object_is_of(const struct object *object, const struct mapping *mapping); /* a shared mapping of the object, anywhere */
/* Whether [from, to) is one mapping of the object by itself: fast, and false as well if the kernel does not say. */
bool object_is_mapping(uintptr_t from, uintptr_t to);
/* How many mappings of the object the bytes consist of; 0: not all of them show the object where they should. `elsewhere`: whether other
 * addresses show some of these bytes, too. */
int object_mappings(const struct object *object, uintptr_t at, size_t len, bool *elsewhere);
/* Maps the bytes anew, without pages, whatever the program has done with the old mapping. */
bool object_renew(const struct object *object, uintptr_t at, size_t len);
void object_hold(uintptr_t at, size_t len); /* maps nothing there, so that nothing else is placed there */
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
void space_end_if_empty(struct space *space); /* of one that is not current: nothing of it is mapped */

void *space_take(size_t bytes, size_t align, bool zero); /* NULL: ask the usual allocator */
size_t space_size(void *array);                          /* 0: it is not here */
bool space_give(void *array);
/* Whether these bytes are a part of a used block, and the kernel maps the block's own object there. */
bool space_has(uintptr_t at, size_t len, struct mapping *mapping);
bool space_resize(void *array, size_t bytes); /* whether the array has as many bytes now, at the same address */
bool space_begin(void);                       /* once, before the first */
bool fork_begin(void);

#endif
