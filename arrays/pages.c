/* Intercepted system calls on pages of arrays, for which the kernel treats shared memory unlike malloc's memory.
 * Programs expect malloc's behaviour: MADV_DONTNEED empties pages, and bytes that mremap adds are empty. */
#define _GNU_SOURCE
#include "arrays.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static void find(const char *name, void *into) {
  void *found = dlsym(RTLD_NEXT, name);
  memcpy(into, &found, sizeof found);
}

static size_t whole_pages(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

/* Empties pages of an array; returns false if the kernel is to handle the call. */
static bool emptied(uintptr_t at, size_t len) {
  struct mapping mapping;
  if (at % whole_pages(1) || !len || !space_has(at, len, &mapping)) return false;
  if (mapping.shared) return !madvise((void *)at, len, MADV_REMOVE);
  /* Locked pages stay. The result of msync says whether any page is locked. */
  if (msync((void *)at, len, MS_INVALIDATE)) return false;
  int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  return mmap((void *)at, len, mapping.access, kind, -1, 0) != MAP_FAILED;
}

EXPORTED int madvise(void *at, size_t len, int advice) {
  static int (*next)(void *, size_t, int);
  if (!next) find("madvise", &next);
  if (advice == MADV_DONTNEED || advice == MADV_FREE) {
    int saved = errno;
    if (emptied((uintptr_t)at, whole_pages(len))) {
      errno = saved;
      return 0;
    }
  }
  return next(at, len, advice);
}

/* Moves a part of an array to larger, ordinary memory. Returns MAP_FAILED and sets errno on failure. */
static void *moved(const struct mapping *mapping, void *at, size_t len, size_t new_len, void *to, int fixed) {
  void *larger = mmap(to, new_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
  if (larger == MAP_FAILED) return MAP_FAILED;
  if (!(mapping->access & PROT_READ)) mprotect(at, len, PROT_READ);
  memcpy(larger, at, len);
  if (mapping->access != (PROT_READ | PROT_WRITE)) mprotect(larger, new_len, mapping->access);
  /* The old pages are free; as after the kernel's own mremap, nothing stays mapped there. */
  if (mapping->shared && !mprotect(at, len, PROT_READ | PROT_WRITE)) madvise(at, len, MADV_REMOVE);
  munmap(at, len);
  return larger;
}

EXPORTED void *mremap(void *old, size_t len, size_t new_len, int flags, ...) {
  static void *(*next)(void *, size_t, size_t, int, ...);
  if (!next) find("mremap", &next);
  va_list rest;
  va_start(rest, flags);
  void *to = flags & (MREMAP_FIXED | MREMAP_DONTUNMAP) ? va_arg(rest, void *) : NULL;
  va_end(rest);
  struct mapping mapping;
  size_t whole = whole_pages(len);
  bool grows = len && new_len > whole && !(flags & MREMAP_DONTUNMAP) && (uintptr_t)old % whole_pages(1) == 0;
  if (!grows || !space_has((uintptr_t)old, whole, &mapping)) return next(old, len, new_len, flags, to);
  if (flags & MREMAP_MAYMOVE) return moved(&mapping, old, whole, new_len, to, flags & MREMAP_FIXED ? MAP_FIXED : 0);
  errno = ENOMEM;
  return MAP_FAILED;
}
