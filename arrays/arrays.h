/* Declarations shared by the files of libreblock_arrays.so. */
#ifndef REBLOCK_ARRAYS_H
#define REBLOCK_ARRAYS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum {
  /* Alignment of a block's start and end, in bytes: a multiple of every system's page size. The last GRAIN bytes of a
   * block lie behind the array, and the program never receives their address. So if a program changes pages of an
   * array (mprotect, madvise, mlock, ...), the kernel splits the block's mapping: the last grain is then in another
   * mapping. This is how changed blocks are detected. */
  GRAIN = 64 << 10,
  SPACES = 64       /* maximum number of spaces at a time; a fork ends each space that holds arrays */
};

/* State of a block; a space's addresses are divided into blocks. */
enum block_state {
  EMPTY, /* no pages */
  KEPT,  /* free, still with the pages of a freed array */
  USED,
  LOST /* freed, but its part of the object cannot be used again */
};
struct block {
  uintptr_t at;
  size_t len;
  uint64_t freed; /* kept blocks: time of the free, counted in freed arrays */
  enum block_state state;
};

/* The blocks of a space in address order, without holes. None of the functions allocates. */
struct blocks {
  struct block *all;
  size_t count;
  size_t kept; /* bytes of all kept blocks */
  uint64_t clock;
};
bool blocks_begin(struct blocks *blocks, uintptr_t at, size_t len);
void blocks_end(struct blocks *blocks);
struct block *blocks_used(const struct blocks *blocks, uintptr_t at); /* the used block that begins at `at`, or NULL */
struct block *blocks_around(const struct blocks *blocks, uintptr_t at); /* the used block that contains `at`, or NULL */
/* Returns the bounds of the block with all adjacent blocks that have pages. The kernel has one mapping of this range,
 * unless the program has changed pages. */
void blocks_run(const struct blocks *blocks, const struct block *block, uintptr_t *from, uintptr_t *to);
struct block *blocks_take(struct blocks *blocks, size_t len, size_t align, bool *clean); /* NULL: no room */
void blocks_keep(struct blocks *blocks, struct block *block);
void blocks_empty(struct blocks *blocks, struct block *block);
void blocks_lose(struct blocks *blocks, struct block *block);
struct block *blocks_oldest_kept(struct blocks *blocks, size_t most); /* at most `most` bytes of it */
bool blocks_shorten(struct blocks *blocks, struct block *block, size_t len);         /* keeps the remainder */
struct block *blocks_behind(const struct blocks *blocks, struct block *block, size_t len); /* if free and long enough */
void blocks_lengthen(struct blocks *blocks, struct block *block, size_t more);       /* takes bytes of the block behind */

/* One mapping of this process, as listed by the kernel. */
struct mapping {
  uintptr_t from, to;
  uint64_t offset; /* bytes from the start of the file */
  dev_t device;
  ino_t inode;
  int access; /* PROT_READ, ... */
  bool shared;
  /* Filled in only if the flags are read: */
  bool without_fork, locked;
  int advice[8], advices; /* advice values set by madvise */
};
struct maps {
  int fd;
  bool flags; /* read the flags, too; slow, because the kernel then counts the pages of each mapping */
  size_t at, end;
  char text[2048];
};
bool maps_open(struct maps *maps, bool flags);
bool maps_next(struct maps *maps, struct mapping *out);
void maps_close(struct maps *maps);

/* An unnamed memory object, mapped once. Unused parts are inaccessible and are left out of core files. */
struct object {
  uintptr_t base;
  size_t span; /* 0: no object */
  int fd;
  struct stat file;
};
bool object_open(struct object *object);
bool object_is_there(const struct object *object); /* false if the program has closed or reused the descriptor */
void object_close(struct object *object);          /* the mapping stays */
bool object_use(uintptr_t at, size_t len);
bool object_discard(uintptr_t at, size_t len); /* true if the system has taken the pages back */
bool object_is_of(const struct object *object, const struct mapping *mapping); /* a shared mapping of the object */
/* Checks whether [from, to) is exactly one mapping of the object. Fast; returns false, too, if the kernel gives no
 * answer. */
bool object_is_mapping(uintptr_t from, uintptr_t to);
/* Returns the number of mappings of the object that the bytes consist of. Returns 0 if some of the bytes do not show
 * their own part of the object. Sets `elsewhere` if other addresses show some of these bytes, too. */
int object_mappings(const struct object *object, uintptr_t at, size_t len, bool *elsewhere);
/* Maps the bytes anew, without pages, in place of the old mapping and of any changes that the program made to it. */
bool object_renew(const struct object *object, uintptr_t at, size_t len);
void object_hold(uintptr_t at, size_t len); /* reserves the addresses: nothing else is placed there */
size_t machine_memory(void);

/* Memory of this process that other processes can map. All functions are thread-safe. */
struct space {
  struct object object;
  uint64_t number;
  struct blocks blocks;
};
extern struct space spaces[SPACES];
extern struct space *current; /* the space that others can map */
bool space_enter(void);       /* false: this thread is inside already (in a fork or an intercepted system call) */
void space_leave(void);
void space_trim(struct space *space, size_t most);
void space_end_if_empty(struct space *space); /* for a space that is not current; nothing of it is mapped afterwards */

void *space_take(size_t bytes, size_t align, bool zero); /* NULL: use the usual allocator */
size_t space_size(void *array);                          /* 0: not an array of a space */
bool space_give(void *array);
/* Checks whether the bytes lie within a used block and the kernel maps the block's own object there. */
bool space_has(uintptr_t at, size_t len, struct mapping *mapping);
bool space_resize(void *array, size_t bytes); /* true if the array has been resized in place */
bool space_begin(void);                       /* called once, before all other functions */
bool fork_begin(void);

#endif
