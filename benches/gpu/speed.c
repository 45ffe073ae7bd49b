/* Measures copies within the GPU's memory. One process does the work of all ranks. Bytes count twice: read and
 * written. */
#include "bench.h"
#include "twin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int turns = 21; /* of each measurement; $TURNS */
static double ceiling; /* GB/s of the plain copy */
static unsigned char *device_a, *device_b, *device_messages;
static double *host;

struct planned { struct plan *plan; enum kernel kernel; const struct change *update; };
static void run(void *what) {
  struct planned *p = what;
  plan_run(p->plan, &gpu, p->kernel, p->update);
}
struct plain { device_pointer from, to; unsigned long long bytes; };
static void run_plain(void *what) {
  struct plain *p = what;
  unsigned long long count = p->bytes / 16;
  void *arguments[] = {&p->from, &p->to, &count};
  gpu.launch(K_plain_copy, (unsigned)((count + 4 * BLOCK - 1) / (4 * BLOCK)), arguments);
}
static void run_engine(void *what) {
  struct plain *p = what;
  MUST(cuMemcpyDtoDAsync_v2(p->to, p->from, p->bytes, gpu_stream));
}
static void print(const char *name, int unit, double bytes, double ms, const char *how) {
  double rate = bytes / ms * 1e-6;
  printf("%-46s %4d %10.3f %9.0f %8.2f  %s\n", name, unit, ms, rate, ceiling > 0 ? rate / ceiling : 1, how);
  fflush(stdout);
}
static void check(const struct matrix *b, int turned, const char *name) {
  gpu.finish();
  gpu.fetch(host, device_b, b->bytes);
  uint64_t wrong = matrix_wrong(b, host, turned);
  if (wrong) printf("%s: WRONG, %llu elements\n", name, (unsigned long long)wrong), exit(1);
  gpu_fill(device_b, 0xff, b->bytes);
}

struct shape { unsigned lanes, columns; int deep, interleaved; };
static double time_shape(struct plan *plan, struct shape shape, int count) {
  enum kernel kernel = copy_kernel(plan->unit, 0);
  if (shape.deep) kernel = kernel == K_copy_16 ? K_copy_16_deep : kernel == K_copy_8 ? K_copy_8_deep : kernel;
  plan_tile(plan, &gpu, shape.lanes, shape.columns, shape.interleaved);
  struct planned p = {plan, kernel, NULL};
  return median_ms(count, run, &p);
}
/* Returns the fastest of many shapes of tiles; prints the time of each on standard error. */
static struct shape tune(struct plan *plan, const char *name) {
  struct shape best = {256, 32, 0, 0};
  double least = 1e9;
  for (unsigned lanes = 32; lanes <= 256; lanes *= 2)
    for (unsigned columns = 8; columns <= 128; columns *= 2)
      for (int deep = 0; deep < 2; deep++)
        for (int interleaved = 0; interleaved < 2; interleaved++) {
          struct shape shape = {lanes, columns, deep, interleaved};
          double ms = time_shape(plan, shape, 5);
          fprintf(stderr, "%s: %u x %u, %d loads, interleaved %d: %.3f ms\n", name, lanes, columns, deep ? 8 : 4, interleaved, ms);
          if (ms < least) least = ms, best = shape;
        }
  return best;
}

static void redistributed(int n, int from, int to) {
  struct matrix a = blocks_of(n, 2, 2, from, 8), b = blocks_of(n, 2, 2, to, 8);
  struct problem o = {.a = &a, .b = &b, .m = n, .n = n};
  unsigned char *source[MAX_RANKS], *target[MAX_RANKS];
  char name[80], how[80];
  double bytes = 2.0 * (double)n * n * 8;
  arrays_of(&a, device_a, source), arrays_of(&b, device_b, target);
  matrix_fill(&a, host), gpu.put(device_a, host, a.bytes);
  gpu_fill(device_b, 0xff, b.bytes);
  for (int way = DIRECT; way <= UNPACK; way++) {
    static const char *const ways[] = {"layout to layout", "packed", "unpacked"};
    struct plan plan = plan_make(&o, (enum way)way, -1, -1, source, target, device_messages, 16);
    const struct shape usual = {32, 32, 0, 0}, mixed = {32, 32, 0, 1};
    snprintf(name, sizeof name, "%d -> %d, %s", from, to, ways[way]);
    double ms = time_shape(&plan, usual, turns);
    if (way != PACK) check(&b, 0, name);
    print(name, plan.unit, bytes, ms, "message after message");
    ms = time_shape(&plan, mixed, turns);
    if (way != PACK) check(&b, 0, name);
    print("", plan.unit, bytes, ms, "messages interleaved");
    if (getenv("TUNE")) {
      struct shape best = tune(&plan, name);
      ms = time_shape(&plan, best, turns);
      if (way != PACK) check(&b, 0, name);
      snprintf(how, sizeof how, "best tiles: %u x %u, %d loads%s", best.lanes, best.columns, best.deep ? 8 : 4, best.interleaved ? ", interleaved" : "");
      print("", plan.unit, bytes, ms, how);
    }
    plan_free(&plan, &gpu);
  }
}

static void transposed(int n, int from, int to) {
  struct matrix a = blocks_of(n, 2, 2, from, 8), b = blocks_of(n, 2, 2, to, 8);
  struct problem o = {.a = &a, .b = &b, .m = n, .n = n, .turned = 1};
  unsigned char *source[MAX_RANKS], *target[MAX_RANKS];
  char name[80];
  arrays_of(&a, device_a, source), arrays_of(&b, device_b, target);
  matrix_fill(&a, host), gpu.put(device_a, host, a.bytes);
  gpu_fill(device_b, 0xff, b.bytes);
  struct plan plan = plan_make(&o, DIRECT, -1, -1, source, target, NULL, 8);
  snprintf(name, sizeof name, "%d -> %d, transposed", from, to);
  for (int interleaved = 0; interleaved < 2; interleaved++) {
    plan_tile(&plan, &gpu, TURNED, TURNED, interleaved);
    struct planned p = {&plan, K_turn_8, NULL};
    double ms = median_ms(turns, run, &p);
    check(&b, 1, name);
    print(interleaved ? "" : name, plan.unit, 2.0 * (double)n * n * 8, ms, interleaved ? "messages interleaved" : "message after message");
  }
  plan_free(&plan, &gpu);
}

/* Numbers whose sums and products depend on how they are rounded. */
static double number_at(size_t k) { return (double)(k * 2654435761u % 1000003) / 7 - 70000; }
static void fill_numbers(void *memory, size_t bytes, char type) {
  if (type == 's' || type == 'c')
    for (size_t k = 0; k < bytes / 4; k++) ((float *)memory)[k] = (float)number_at(k);
  else
    for (size_t k = 0; k < bytes / 8; k++) ((double *)memory)[k] = number_at(k);
}
static void updated(int n, char type, int turned) {
  static const char types[] = "sdcz";
  static const int bytes_of[] = {4, 8, 8, 16};
  int which = (int)(strchr(types, type) - types), element = bytes_of[which];
  struct matrix a = blocks_of(n, 2, 2, 128, element), b = blocks_of(n, 2, 2, 36, element);
  struct problem o = {.a = &a, .b = &b, .m = n, .n = n, .turned = turned};
  struct change update = {.alpha = {1.0 / 3}, .beta = {-0.7}, .conjugate = turned};
  unsigned char *source[MAX_RANKS], *target[MAX_RANKS];
  char name[80];
  unsigned char *from = malloc(a.bytes), *to = malloc(b.bytes), *got = (unsigned char *)host;
  if (!from || !to) fprintf(stderr, "no memory\n"), exit(2);
  arrays_of(&a, device_a, source), arrays_of(&b, device_b, target);
  fill_numbers(from, a.bytes, type), fill_numbers(to, b.bytes, type);
  gpu.put(device_a, from, a.bytes), gpu.put(device_b, to, b.bytes);
  struct plan plan = plan_make(&o, DIRECT, -1, -1, source, target, NULL, element);
  plan_tile(&plan, &gpu, TURNED, TURNED, 1);
  struct planned p = {&plan, (enum kernel)((turned ? K_turn_add_s : K_add_s) + which), &update};
  snprintf(name, sizeof name, "%c, 128 -> 36, alpha op(A) + beta B, op %s", type, turned ? type == 'c' || type == 'z' ? "C" : "T" : "N");
  run(&p);
  gpu.finish();
  gpu.fetch(got, device_b, b.bytes);
  /* Checks every fifth column only, because the naive loop is slow. */
  uint64_t wrong = 0;
  for (int j = 0; j < n; j += 5)
    for (int i = 0; i < n; i++) {
      size_t at = element_at(&b, i, j);
      twin_update(type, &update, from + (turned ? element_at(&a, j, i) : element_at(&a, i, j)), to + at);
      wrong += memcmp(to + at, got + at, (size_t)element) != 0;
    }
  if (wrong) printf("%s: WRONG, %llu elements\n", name, (unsigned long long)wrong), exit(1);
  double ms = median_ms(turns, run, &p);
  print(name, plan.unit, 3.0 * (double)n * n * element, ms, "A read, B read and written");
  plan_free(&plan, &gpu);
  free(from), free(to);
}

struct list_job { struct list list; enum kernel kernel; };
static void run_list(void *what) {
  struct list_job *job = what;
  void *arguments[] = {&job->list};
  gpu.launch(job->kernel, (job->list.total + 4 * BLOCK - 1) / (4 * BLOCK), arguments);
}
/* Packs and unpacks half of the pieces of 64 Mi doubles by a list, in ascending or random order. */
static void listed(int len, int random) {
  enum { WORDS = 1 << 26 };
  unsigned slots = WORDS / (unsigned)len, pieces = slots / 2, mask = 1;
  while (mask < slots) mask *= 2;
  unsigned *at = malloc(pieces * sizeof *at), count = 0;
  if (!at) fprintf(stderr, "no memory\n"), exit(2);
  /* k -> k * odd modulo a power of two is a permutation of the slots. */
  for (unsigned k = 0; count < pieces && k < mask; k++) {
    unsigned slot = random ? k * 2654435761u % mask : 2 * k + (k * 2654435761u >> 31);
    if (slot < slots) at[count++] = slot * (unsigned)len;
  }
  pieces = count;
  device_pointer list;
  MUST(cuMemAlloc_v2(&list, pieces * sizeof *at));
  gpu.put((void *)list, at, pieces * sizeof *at);
  for (size_t k = 0; k < WORDS; k++) host[k] = (double)k;
  gpu.put(device_a, host, WORDS * sizeof *host);
  gpu_fill(device_messages, 0xff, WORDS * sizeof *host);
  gpu_fill(device_b, 0xff, WORDS * sizeof *host);
  struct list_job pack = {{device_a, device_messages, (const unsigned *)list, (unsigned)len, pieces * (unsigned)len}, K_pack_list_8};
  struct list_job unpack = {{device_messages, device_b, (const unsigned *)list, (unsigned)len, pieces * (unsigned)len}, K_unpack_list_8};
  char name[80];
  double bytes = (2.0 * 8 * len + 4) * pieces, ms = median_ms(turns, run_list, &pack);
  gpu.fetch(host, device_messages, (size_t)pieces * (size_t)len * sizeof *host);
  for (size_t k = 0; k < (size_t)pieces * (size_t)len; k++)
    if (host[k] != (double)(at[k / (size_t)len] + k % (size_t)len)) printf("list packed: WRONG\n"), exit(1);
  snprintf(name, sizeof name, "list of pieces of %d, %s, packed", len, random ? "random" : "ascending");
  print(name, 8, bytes, ms, "indices of 4 bytes counted");
  ms = median_ms(turns, run_list, &unpack);
  gpu.fetch(host, device_b, WORDS * sizeof *host);
  uint64_t written = 0, right = 0;
  for (size_t k = 0; k < WORDS; k++) written += host[k] == host[k];
  for (size_t k = 0; k < (size_t)pieces * (size_t)len; k++) {
    size_t place = at[k / (size_t)len] + k % (size_t)len;
    right += host[place] == (double)place;
  }
  if (written != right || right != (uint64_t)pieces * (uint64_t)len) printf("list unpacked: WRONG\n"), exit(1);
  snprintf(name, sizeof name, "list of pieces of %d, %s, unpacked", len, random ? "random" : "ascending");
  print(name, 8, bytes, ms, "indices of 4 bytes counted");
  MUST(cuMemFree_v2(list));
  free(at);
}

/* Returns whether $ONLY, which is for profilers, is unset or names this part. */
static int is_wanted(const char *name) {
  const char *only = getenv("ONLY");
  return !only || !strcmp(only, name);
}

void speed(int n) {
  gpu_open();
  if (getenv("TURNS") && atoi(getenv("TURNS")) > 0) turns = atoi(getenv("TURNS"));
  size_t bytes = (size_t)n * (size_t)n * 8 + (1 << 20);
  size_t most = bytes > ((size_t)1 << 29) ? bytes : (size_t)1 << 29;
  host = host_memory(most);
  device_a = gpu.get(most), device_b = gpu.get(most), device_messages = gpu.get(most);
  printf("%d x %d doubles on 2 x 2 ranks, one process; medians of %d\n", n, n, turns);
  printf("%-46s %4s %10s %9s %8s\n", "case", "unit", "ms", "GB/s", "/ copy");
  struct plain plain = {(device_pointer)device_a, (device_pointer)device_b, (unsigned long long)n * (unsigned long long)n * 8};
  for (size_t k = 0; k < plain.bytes / 8; k++) host[k] = (double)k;
  gpu.put(device_a, host, plain.bytes);
  double ms = median_ms(turns, run_plain, &plain);
  memset(host, 0, plain.bytes), gpu.fetch(host, device_b, plain.bytes);
  for (size_t k = 0; k < plain.bytes / 8; k++)
    if (host[k] != (double)k) printf("plain copy: WRONG\n"), exit(1);
  ceiling = 2.0 * (double)plain.bytes / ms * 1e-6;
  print("plain copy by a kernel", 16, 2.0 * (double)plain.bytes, ms, "");
  print("plain copy by cuMemcpyDtoDAsync", 0, 2.0 * (double)plain.bytes, median_ms(turns, run_engine, &plain), "");
  static const int moves[][2] = {{128, 36}, {64, 256}, {1, 256}, {256, 1}, {127, 35}, {3, 2}}, turned[][2] = {{64, 64}, {128, 36}, {256, 256}, {1, 256}};
  for (size_t k = 0; is_wanted("moves") && k < sizeof moves / sizeof *moves; k++) redistributed(n, moves[k][0], moves[k][1]);
  for (size_t k = 0; is_wanted("turns") && k < sizeof turned / sizeof *turned; k++) transposed(n, turned[k][0], turned[k][1]);
  for (int op = 0; op < 2; op++)
    for (const char *type = "sdcz"; is_wanted("updates") && *type; type++) updated(*type == 'z' ? n / 2 : n, *type, op);
  for (int random = 0; is_wanted("lists") && random < 2; random++) listed(1, random), listed(4, random), listed(20, random);
}
