/* libreblock_arrays.so: malloc and its relatives for unmodified programs, in memory that other ranks of the node can
 * map. The library is preloaded and so precedes the C library's allocator. With REBLOCK_ARRAYS=node large blocks come
 * from `space`. All other blocks come from the next allocator; so do all blocks if the variable is not set.
 *
 * It is a separate library, in C, so that a program that links or preloads libreblock alone keeps its allocator.
 * Little code runs within malloc, also in shells and other programs that a launcher starts. No function here
 * allocates. */
#define _GNU_SOURCE
#include "arrays.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#define SELDOM(condition) __builtin_expect(!!(condition), 0)

/* Default and minimum of the size in bytes from which a block is large. REBLOCK_ARRAYS can set another size. */
static const size_t LARGE = (size_t)1 << 20, SMALLEST = 4096;
static size_t least = SIZE_MAX;
static bool asked, reached;

/* The next allocator's functions. Each is looked up by itself: a preloaded allocator may define only some of them, and
 * the C library the others. */
static struct {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void *(*memalign)(size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  void *(*valloc)(size_t);
  void *(*pvalloc)(size_t);
  int (*posix_memalign)(void **, size_t, size_t);
  void (*free)(void *);
  size_t (*malloc_usable_size)(void *);
} next;
static bool sized; /* the next allocator can report the size of a block */

/* Memory for the dynamic linker's requests while it looks up the next allocator: zeroed, never freed. */
static char early[32 << 10] __attribute__((aligned(16)));
static size_t early_used;
static bool resolving;

static bool is_early(void *p) { return (uintptr_t)p - (uintptr_t)early < sizeof early; }

static void *early_take(size_t bytes) {
  size_t at = early_used;
  if (bytes > sizeof early - at) return NULL;
  early_used = (at + bytes + 15) / 16 * 16;
  return early + at;
}

static void find(const char *name, void *into) {
  void *found = dlsym(RTLD_NEXT, name);
  memcpy(into, &found, sizeof found);
}

static void *address_of(const void *function) {
  void *address;
  memcpy(&address, function, sizeof address);
  return address;
}

/* Looks up the next allocator's functions; returns whether they are known. The first call precedes all threads. */
static bool resolve(void) {
  if (resolving) return false;
  resolving = true;
  find("calloc", &next.calloc);
  find("realloc", &next.realloc);
  find("memalign", &next.memalign);
  find("aligned_alloc", &next.aligned_alloc);
  find("valloc", &next.valloc);
  find("pvalloc", &next.pvalloc);
  find("posix_memalign", &next.posix_memalign);
  find("free", &next.free);
  find("malloc_usable_size", &next.malloc_usable_size);
  find("malloc", &next.malloc);
  resolving = false;
  return true;
}

static bool ready(void) { return next.malloc || resolve(); }

static void *large(size_t bytes, size_t align, bool zero) {
  reached = true;
  return asked ? space_take(bytes, align, zero) : NULL;
}

/* Returns the handle of the library that contains `address`. */
static void *library(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Checks whether the program's calls reach this library. Some programs have their own allocator, and others preload
 * one before this library. The program's calls of free then reach that allocator, so it must allocate all blocks.
 * Comparing addresses of `malloc` does not help: some programs have their own stub for it. */
static bool is_in_front(void) {
  least = SMALLEST;
  free(malloc(SMALLEST));
  least = SIZE_MAX;
  return reached;
}

/* Reads `node` or `node,BYTES` from REBLOCK_ARRAYS. libreblock reports wrong values. */
__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("REBLOCK_ARRAYS");
  ready();
  if (!text || strncmp(text, "node", 4) || (text[4] && text[4] != ',')) return;
  size_t bytes = LARGE;
  if (text[4]) {
    char *end;
    errno = 0;
    bytes = strtoull(text + 5, &end, 10);
    if (end == text + 5 || *end || errno || bytes < SMALLEST) return;
  }
  if (!is_in_front() || !space_begin()) return;
  sized = next.malloc_usable_size && library(address_of(&next.malloc)) == library(address_of(&next.malloc_usable_size));
  asked = true;
  least = bytes;
}

EXPORTED void *malloc(size_t bytes) {
  if (SELDOM(bytes >= least)) {
    void *array = large(bytes, 0, false);
    if (array) return array;
  }
  return SELDOM(!ready()) ? early_take(bytes) : next.malloc(bytes);
}

EXPORTED void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (!__builtin_mul_overflow(count, size, &bytes)) {
    void *array = SELDOM(bytes >= least) ? large(bytes, 0, true) : NULL;
    if (array) return array;
    if (SELDOM(!ready())) return early_take(bytes);
  }
  return next.calloc(count, size);
}

EXPORTED void free(void *array) {
  if (SELDOM(is_early(array) || (asked && space_give(array))) || !array) return;
  if (ready()) next.free(array);
}

/* Moves the block to other memory, with the bytes it had. */
static void *moved(void *array, size_t had, size_t bytes) {
  void *other = malloc(bytes);
  if (other) {
    memcpy(other, array, had < bytes ? had : bytes);
    free(array);
  }
  return other;
}

EXPORTED void *realloc(void *array, size_t bytes) {
  if (!array) return malloc(bytes);
  if (SELDOM(is_early(array))) return moved(array, (size_t)(early + sizeof early - (char *)array), bytes);
  size_t had = asked ? space_size(array) : 0;
  if (SELDOM(had)) {
    if (!bytes) {
      free(array);
      return NULL;
    }
    return bytes >= least && space_resize(array, bytes) ? array : moved(array, had, bytes);
  }
  /* A block that has become large moves once, into memory that other ranks can read. */
  void *other = SELDOM(bytes >= least) && sized ? large(bytes, 0, false) : NULL;
  if (!other) return next.realloc(array, bytes);
  had = next.malloc_usable_size(array);
  memcpy(other, array, had < bytes ? had : bytes);
  next.free(array);
  return other;
}

EXPORTED void *reallocarray(void *array, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(array, bytes);
}

static void *aligned(size_t align, size_t bytes) {
  bool power = align && !(align & (align - 1));
  return SELDOM(bytes >= least) && power ? large(bytes, align, false) : NULL;
}

EXPORTED void *memalign(size_t align, size_t bytes) {
  void *array = aligned(align, bytes);
  return array ? array : ready() ? next.memalign(align, bytes) : NULL;
}

EXPORTED void *aligned_alloc(size_t align, size_t bytes) {
  void *array = aligned(align, bytes);
  return array ? array : ready() ? next.aligned_alloc(align, bytes) : NULL;
}

EXPORTED int posix_memalign(void **out, size_t align, size_t bytes) {
  void *array = align % sizeof(void *) ? NULL : aligned(align, bytes);
  if (array) {
    *out = array;
    return 0;
  }
  return ready() ? next.posix_memalign(out, align, bytes) : ENOMEM;
}

EXPORTED void *valloc(size_t bytes) {
  void *array = aligned(GRAIN, bytes);
  return array ? array : ready() ? next.valloc(bytes) : NULL;
}

EXPORTED void *pvalloc(size_t bytes) {
  void *array = aligned(GRAIN, bytes);
  return array ? array : ready() ? next.pvalloc(bytes) : NULL;
}

EXPORTED size_t malloc_usable_size(void *array) {
  if (!array) return 0;
  if (is_early(array)) return (size_t)(early + early_used - (char *)array);
  size_t bytes = asked ? space_size(array) : 0;
  return bytes ? bytes : ready() ? next.malloc_usable_size(array) : 0;
}
