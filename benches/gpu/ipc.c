/* Several processes on one GPU, one rank each. First each process copies its part of B from the arrays of the others,
 * by one kernel; then one process copies all parts. All processes start before any of them opens the driver. Bytes
 * count twice: read and written. */
#define _GNU_SOURCE
#include "bench.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS = 15, SMALL_TURNS = 300, MAX_PROCESSES = 8 };

struct board {
  atomic_int arrived, failed;
  ipc_handle handles[MAX_PROCESSES], results[MAX_PROCESSES];
  double begun[MAX_PROCESSES], ended[MAX_PROCESSES], open_ms[MAX_PROCESSES], close_ms[MAX_PROCESSES];
};
static struct board *board;
static int me, processes, turn;

static void barrier(void) {
  int wanted = ++turn * processes;
  atomic_fetch_add(&board->arrived, 1);
  while (atomic_load(&board->arrived) < wanted)
    if (atomic_load(&board->failed)) exit(2);
}

/* Returns the median time in ms from the start of the first process until the last process knows that all are done. A
 * process without a plan only waits for the others. */
static double together(struct plan *plan, enum kernel kernel, int turns) {
  static double times[SMALL_TURNS];
  for (int k = -3; k < turns; k++) {
    barrier();
    double begun = now();
    if (plan) plan_run(plan, &gpu, kernel, NULL), gpu.finish();
    barrier();
    board->begun[me] = begun, board->ended[me] = now();
    barrier();
    double first = board->begun[0], last = board->ended[0];
    for (int p = 1; p < processes; p++) {
      if (board->begun[p] < first) first = board->begun[p];
      if (board->ended[p] > last) last = board->ended[p];
    }
    if (k >= 0) times[k] = (last - first) * 1e3;
  }
  return median_of(times, turns);
}

/* Ends the program unless `host` is this process' part of B. */
static void check(const struct matrix *b, const double *host) {
  const struct axis *rows = &b->axes[ROWS], *columns = &b->axes[COLUMNS];
  uint64_t wrong = 0;
  int p = me % rows->procs, q = me / rows->procs;
  for (int j = 0; j < local_extent(columns, q); j++)
    for (int i = 0; i < local_extent(rows, p); i++) {
      int column = j / columns->block * columns->block * columns->procs + q * columns->block + j % columns->block;
      int row = i / rows->block * rows->block * rows->procs + p * rows->block + i % rows->block;
      wrong += host[(size_t)j * (size_t)b->ld[me] + (size_t)i] != (double)column * rows->extent + row;
    }
  if (wrong) fprintf(stderr, "process %d: WRONG, %llu elements\n", me, (unsigned long long)wrong), atomic_store(&board->failed, 1), exit(1);
}

static void one_size(int n, int from, int to, int turns) {
  int columns = processes > 2 ? processes / 2 : 1, rows = processes / columns;
  struct matrix a = blocks_of(n, rows, columns, from, 8), b = blocks_of(n, rows, columns, to, 8);
  struct problem o = {.a = &a, .b = &b, .m = n, .n = n};
  size_t mine = (me + 1 < processes ? a.at[me + 1] : a.bytes) - a.at[me], written = (me + 1 < processes ? b.at[me + 1] : b.bytes) - b.at[me];
  unsigned char *source[MAX_RANKS] = {0}, *target[MAX_RANKS] = {0};
  double *all = malloc(a.bytes > b.bytes ? a.bytes : b.bytes);
  unsigned char *memory = gpu.get(mine), *result = gpu.get(written);
  if (!all) fprintf(stderr, "no memory\n"), exit(2);
  matrix_fill(&a, all);
  gpu.put(memory, (unsigned char *)all + a.at[me], mine);
  gpu_fill(result, 0xff, written);
  MUST(cuIpcGetMemHandle(&board->handles[me], (device_pointer)memory));
  MUST(cuIpcGetMemHandle(&board->results[me], (device_pointer)result));
  barrier();
  double first_ms = 0, later_ms = 0;
  for (int p = 0; p < processes; p++) {
    if (p == me) {
      source[p] = memory;
      continue;
    }
    double start = now();
    device_pointer theirs;
    MUST(cuIpcOpenMemHandle_v2(&theirs, board->handles[p], 1));
    double ms = (now() - start) * 1e3;
    if (first_ms == 0) first_ms = ms;
    else later_ms = ms;
    source[p] = (unsigned char *)theirs;
  }
  target[me] = result;
  struct plan plan = plan_make(&o, DIRECT, -1, me, source, target, NULL, 16);
  int small = n < 1000;
  plan_tile(&plan, &gpu, 32, small ? 8 : 32, 1);
  enum kernel kernel = copy_kernel(plan.unit, 0);
  barrier();
  plan_run(&plan, &gpu, kernel, NULL);
  gpu.finish();
  gpu.fetch(all, result, written);
  check(&b, all);
  double ms = together(&plan, kernel, turns);

  /* Process 0 copies for all: it opens the others' parts of B, too. */
  gpu_fill(result, 0xff, written);
  barrier();
  struct plan whole = {0};
  if (!me) {
    for (int p = 1; p < processes; p++) {
      device_pointer theirs;
      MUST(cuIpcOpenMemHandle_v2(&theirs, board->results[p], 1));
      target[p] = (unsigned char *)theirs;
    }
    whole = plan_make(&o, DIRECT, -1, -1, source, target, NULL, 16);
    plan_tile(&whole, &gpu, 32, small ? 8 : 32, 1);
    plan_run(&whole, &gpu, kernel, NULL);
    gpu.finish();
  }
  barrier();
  gpu.fetch(all, result, written);
  check(&b, all);
  double alone_ms = together(me ? NULL : &whole, kernel, turns);
  if (!me) {
    for (int p = 1; p < processes; p++) MUST(cuIpcCloseMemHandle((device_pointer)target[p]));
    plan_free(&whole, &gpu);
  }
  double close_ms = 0;
  for (int p = 0; p < processes; p++) {
    if (p == me) continue;
    double start = now();
    MUST(cuIpcCloseMemHandle((device_pointer)source[p]));
    close_ms = (now() - start) * 1e3;
  }
  barrier();
  if (!me) {
    printf("%d processes, %d x %d, %d -> %d: each its own part %.3f ms, %.0f GB/s; process 0 all of it %.3f ms, %.0f GB/s", processes, n, n, from, to, ms,
           2.0 * 8 * (double)n * n / ms * 1e-6, alone_ms, 2.0 * 8 * (double)n * n / alone_ms * 1e-6);
    if (processes > 1) printf("; cuIpcOpenMemHandle %.3f ms, of another process %.3f ms; close %.3f ms", first_ms, later_ms, close_ms);
    printf("\n");
    fflush(stdout);
  }
  plan_free(&plan, &gpu);
  barrier();
  gpu.drop(memory), gpu.drop(result);
  free(all);
}

static void play(int n) {
  gpu_open();
  one_size(n, 128, 36, TURNS);
  one_size(n, 64, 256, TURNS);
  one_size(n, 1, 256, TURNS);
  one_size(2048, 128, 36, TURNS);
  one_size(200, 32, 16, SMALL_TURNS);
}

void ipc(int count, int n) {
  processes = count < MAX_PROCESSES ? count : MAX_PROCESSES;
  board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (board == MAP_FAILED) perror("mmap"), exit(2);
  pid_t pids[MAX_PROCESSES];
  for (int p = 0; p < processes; p++)
    if (!(pids[p] = fork())) {
      me = p;
      play(n);
      exit(0);
    }
  int failed = 0;
  for (int p = 0; p < processes; p++) {
    int status, done = wait(&status);
    if (done < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) failed = 1, atomic_store(&board->failed, 1);
  }
  if (failed) fprintf(stderr, "ipc: a process failed\n"), exit(1);
}
