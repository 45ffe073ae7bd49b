/* Allocates memory between guard pages, so that an access outside its bounds ends the program. */
#define _GNU_SOURCE
#include "transforms.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

char *place(struct arena *arena, size_t bytes, int flush) {
  size_t pages = (bytes + page() - 1) / page() * page();
  if (!arena->base || arena->bytes < pages) {
    if (arena->base) munmap(arena->base - page(), arena->bytes + 2 * page());
    char *all = mmap(NULL, pages + 2 * page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) { perror("transforms: mmap"); abort(); }
    arena->base = all + page(), arena->bytes = pages;
    protect(arena, 1);
  }
  return flush ? arena->base + (arena->bytes - bytes) : arena->base;
}

void protect(struct arena *arena, int writable) {
  if (arena->bytes && mprotect(arena->base, arena->bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ)) {
    perror("transforms: mprotect");
    abort();
  }
}
