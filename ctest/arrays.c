/* Tests the allocator of REBLOCK_ARRAYS with threads, forks and refused memory: blocks must lie in the right memory,
 * have the requested size and alignment, not overlap, and keep their contents.
 *
 *   LD_PRELOAD=libreblock_arrays.so REBLOCK_ARRAYS=node,4096 arrays SEED
 *   [refused|closed|usual|kept|locked|behind|front]
 *
 * refused: the system gives no memory that other processes can map. closed: the program closes all descriptors first.
 * usual: the allocator is not used. kept: the system takes no pages back. locked: the program locks all its memory
 * first. behind, front: another allocator, which has only the functions of the C standard, is loaded after or
 * before. */
#define _GNU_SOURCE
#include "random.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 64, STEPS = 300, THREADS = 3 };
extern char **environ;
extern uint64_t reblock_arrays_number(void) __attribute__((weak));
extern void reblock_arrays_counts(uint64_t[2]) __attribute__((weak));

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "arrays: line %d: %s\n", __LINE__, #condition); \
      _exit(1); \
    } \
  } while (0)

struct block { unsigned char *at; size_t bytes; uint64_t number; };

static bool plain; /* use only malloc, calloc, realloc and free */

static unsigned char byte(uint64_t number, size_t at) { return (unsigned char)(number * 37 + at / 512 * 11 + at % 251); }
static void fill(struct block *b, size_t from) {
  for (size_t k = from; k < b->bytes; k += k + 64 < b->bytes ? 61 : 1) b->at[k] = byte(b->number, k);
}
static void check(const struct block *b, size_t bytes) {
  for (size_t k = 0; k < bytes; k += k + 64 < b->bytes ? 61 : 1) CHECK(b->at[k] == byte(b->number, k));
}
static bool is_shared(const void *p) {
  char line[512];
  unsigned long from, to;
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  while (fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= (unsigned long)p && (unsigned long)p < to)
      found = strstr(line, "memfd:reblock") && strstr(line, "rw-s");
  fclose(maps);
  return found;
}

static size_t some_bytes(uint64_t *state) {
  switch (within(state, 0, 5)) {
    case 0: return (size_t)within(state, 1, 200);
    case 1: return (size_t)within(state, 4000, 4200);
    case 2: return (size_t)within(state, 1, 3) << 20;
    default: return (size_t)within(state, 4096, 300000);
  }
}

/* Allocates a new block by a random function. */
static struct block new_block(uint64_t *state, uint64_t number) {
  struct block b = {.bytes = some_bytes(state), .number = number};
  size_t align = (size_t)1 << within(state, 3, 22);
  switch (within(state, 0, plain ? 2 : 8)) {
    case 0:
    case 1: b.at = malloc(b.bytes), align = 16; break;
    case 2:
      b.at = calloc(b.bytes / 8 + 1, 8), align = 16;
      for (size_t k = 0; k < b.bytes; k++) CHECK(!b.at[k]);
      break;
    case 3: CHECK(!posix_memalign((void **)&b.at, align, b.bytes)); break;
    case 4: b.at = aligned_alloc(align, b.bytes); break;
    case 5: b.at = memalign(align, b.bytes); break;
    case 6: b.at = valloc(b.bytes), align = 4096; break;
    case 7: b.at = pvalloc(b.bytes), align = 4096; break;
    default: b.at = reallocarray(NULL, b.bytes, 1), align = 16;
  }
  CHECK(b.at && (uintptr_t)b.at % (plain ? 8 : align) == 0 && (plain || malloc_usable_size(b.at) >= b.bytes));
  fill(&b, 0);
  return b;
}

static void *churn(void *seed) {
  uint64_t state = *(uint64_t *)seed, number = 0;
  struct block blocks[BLOCKS] = {{0}};
  for (int step = 0; step < STEPS; step++) {
    struct block *b = &blocks[within(&state, 0, BLOCKS - 1)];
    if (b->at) check(b, b->bytes);
    if (b->at && within(&state, 0, 2) == 0) {
      size_t had = b->bytes;
      b->bytes = some_bytes(&state);
      b->at = realloc(b->at, b->bytes);
      CHECK(b->at && (plain || malloc_usable_size(b->at) >= b->bytes));
      /* Bytes that were filled in steps of 61 may now be at other places. */
      struct block kept = {b->at, had < b->bytes ? had : b->bytes, b->number};
      for (size_t k = 0; k + 64 < had && k < kept.bytes; k += 61) CHECK(kept.at[k] == byte(kept.number, k));
      fill(b, 0);
    } else {
      errno = 1234;
      free(b->at);
      CHECK(errno == 1234);
      *b = new_block(&state, ++number);
    }
  }
  for (int k = 0; k < BLOCKS; k++) free(blocks[k].at);
  return NULL;
}

static void await(pid_t child) {
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Checks that a child has the contents of memory at the fork, although both processes then write, free and allocate. */
static void forks(uint64_t seed) {
  struct block a = {malloc(3 << 20), 3 << 20, 1}, b = {malloc(200000), 200000, 2};
  fill(&a, 0);
  fill(&b, 0);
  for (int round = 0; round < 5; round++) {
    int gate[2];
    char go;
    CHECK(!pipe(gate));
    pid_t child = fork();
    if (!child) {
      close(gate[1]);
      CHECK(read(gate[0], &go, 1) == 1); /* by now the parent has written */
      check(&a, a.bytes);
      check(&b, b.bytes);
      memset(a.at, 77, a.bytes);
      free(b.at);
      churn(&seed);
      CHECK(a.at[0] == 77 && a.at[a.bytes - 1] == 77);
      free(a.at);
      _exit(0);
    }
    a.number = 10 + (uint64_t)round;
    fill(&a, 0);
    struct block c = {calloc(1, 100000), 100000, 3};
    CHECK(!c.at[0] && !memcmp(c.at, c.at + 1, c.bytes - 1));
    fill(&c, 0);
    CHECK(write(gate[1], "g", 1) == 1);
    churn(&seed);
    await(child);
    check(&a, a.bytes);
    check(&b, b.bytes);
    check(&c, c.bytes);
    free(c.at);
    close(gate[0]);
    close(gate[1]);
  }
  free(a.at);
  free(b.at);
  pid_t spawned;
  char *words[] = {"true", NULL};
  CHECK(!posix_spawnp(&spawned, "true", NULL, NULL, words, environ));
  await(spawned);
  CHECK(system("exit 0") == 0);
}

/* Checks that pages of freed blocks go back to the system, up to the limit for kept pages. */
static size_t object_bytes(void) {
  char line[512];
  size_t kib = 0, all = 0;
  bool ours = false;
  FILE *maps = fopen("/proc/self/smaps", "r");
  CHECK(maps);
  while (fgets(line, sizeof line, maps)) {
    if (strchr(line, '-') && strstr(line, " rw")) ours = strstr(line, "memfd:reblock");
    else if (strstr(line, "---p") || strstr(line, " r")) ours = ours && line[0] >= 'A' && line[0] <= 'Z';
    if (ours && sscanf(line, "Rss: %zu kB", &kib) == 1) all += kib << 10;
  }
  fclose(maps);
  return all;
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const char *state = argc > 2 ? argv[2] : "";
  bool locked = !strcmp(state, "locked"), kept = locked || !strcmp(state, "kept");
  bool behind = !strcmp(state, "behind"), none = !strcmp(state, "usual") || !strcmp(state, "front");
  plain = behind || !strcmp(state, "front");
  bool shared = kept || behind || !*state || !strcmp(state, "closed");
  if (locked) CHECK(!mlockall(MCL_FUTURE));
  printf("arrays: seed %llu %s\n", (unsigned long long)seed, state);
  fflush(stdout);
  void *first = malloc(8 << 20);
  CHECK(first && is_shared(first) == shared);
  if (!strcmp(state, "closed"))
    for (int fd = 3; fd < 1024; fd++) close(fd);
  if (locked) CHECK(!mlockall(MCL_CURRENT) && object_bytes() <= (size_t)64 << 20);
  free(first);
  pthread_t threads[THREADS];
  uint64_t seeds[THREADS];
  for (int k = 0; k < THREADS; k++) {
    seeds[k] = seed + (uint64_t)k;
    CHECK(!pthread_create(&threads[k], NULL, churn, &seeds[k]));
  }
  for (int k = 0; k < THREADS; k++) CHECK(!pthread_join(threads[k], NULL));
  forks(seed);
  void *p = NULL;
  CHECK(plain || (posix_memalign(&p, 24, 100000) == EINVAL && !p));
  volatile size_t much = SIZE_MAX / 2; /* volatile, so that the compiler does not see the size */
  CHECK(plain || (!malloc(much) && errno == ENOMEM && !calloc(much, 3) && !reallocarray(NULL, much, 3) && !realloc(NULL, much)));
  free(realloc(malloc(100000), 0));
  char *large = malloc(300 << 20);
  CHECK(large && is_shared(large) == shared);
  memset(large, 1, 300 << 20);
  CHECK(!shared || object_bytes() >= (size_t)300 << 20);
  free(large);
  CHECK(kept || object_bytes() <= (size_t)80 << 20);
  if (reblock_arrays_counts) {
    uint64_t counts[2];
    reblock_arrays_counts(counts);
    CHECK(shared == (counts[0] > 0) && (counts[1] > 0 || strcmp(state, "refused")));
    CHECK(!none || (!counts[1] && !reblock_arrays_number()));
  }
  return 0;
}
