/* Measurements of the kernels on a GPU, each verified first: PTX=kernels.ptx gpu PART
 *
 *   exact CASES [SEED]    random cases against naive loops       speed [N]    copies within the GPU's memory, N x N
 *   slots [N]             to and from memory that ranks share    ipc P [N]    P processes on one GPU
 *   facts                 pointers, latencies, refusals          load FILE...  time to load kernels from PTX or a cubin */
#include "bench.h"
#include "exact.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
double median_of(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, compare);
  return times[count / 2];
}
enum { MAX_TURNS = 2000, WARM_UP_TURNS = 3 };
double median_ms(int turns, void (*body)(void *), void *what) {
  static double times[MAX_TURNS];
  static void *begin, *end;
  if (!begin) {
    MUST(cuEventCreate(&begin, 0));
    MUST(cuEventCreate(&end, 0));
  }
  for (int k = -WARM_UP_TURNS; k < turns; k++) {
    float ms;
    MUST(cuEventRecord(begin, gpu_stream));
    body(what);
    MUST(cuEventRecord(end, gpu_stream));
    MUST(cuEventSynchronize(end));
    MUST(cuEventElapsedTime(&ms, begin, end));
    if (k >= 0) times[k] = ms;
  }
  return median_of(times, turns);
}
double median_us(int turns, void (*body)(void *), void *what) {
  static double times[MAX_TURNS];
  for (int k = -WARM_UP_TURNS; k < turns; k++) {
    double start = now();
    body(what);
    if (k >= 0) times[k] = (now() - start) * 1e6;
  }
  return median_of(times, turns);
}

struct matrix blocks_of(int n, int rows, int columns, int block, int element) {
  return matrix_of((struct axis){n, block, rows, NULL}, (struct axis){n, block, columns, NULL}, element, 0);
}
/* Returns the global index of a local one. */
static int global_of(const struct axis *axis, int proc, int local) {
  return local / axis->block * axis->block * axis->procs + proc * axis->block + local % axis->block;
}
void matrix_fill(const struct matrix *m, double *host) {
  const struct axis *rows = &m->axes[ROWS], *columns = &m->axes[COLUMNS];
  for (int r = 0; r < ranks_of(m); r++)
    for (int j = 0; j < local_extent(columns, r / rows->procs); j++) {
      double *to = host + m->at[r] / sizeof *host + (size_t)j * (size_t)m->ld[r], column = global_of(columns, r / rows->procs, j);
      for (int i = 0; i < m->ld[r]; i++) to[i] = column * rows->extent + global_of(rows, r % rows->procs, i);
    }
}
uint64_t matrix_wrong(const struct matrix *m, const double *host, int turned) {
  const struct axis *rows = &m->axes[ROWS], *columns = &m->axes[COLUMNS];
  uint64_t wrong = 0;
  double by_column = turned ? 1 : rows->extent, by_row = turned ? columns->extent : 1;
  for (int r = 0; r < ranks_of(m); r++)
    for (int j = 0; j < local_extent(columns, r / rows->procs); j++) {
      const double *at = host + m->at[r] / sizeof *host + (size_t)j * (size_t)m->ld[r];
      double column = global_of(columns, r / rows->procs, j);
      for (int i = 0; i < m->ld[r]; i++) wrong += at[i] != column * by_column + global_of(rows, r % rows->procs, i) * by_row;
    }
  return wrong;
}
void *host_memory(size_t bytes) {
  void *memory;
  MUST(cuMemHostAlloc(&memory, bytes, 0));
  return memory;
}
void arrays_of(const struct matrix *m, void *memory, unsigned char **at) {
  for (int r = 0; r < ranks_of(m); r++) at[r] = (unsigned char *)memory + m->at[r];
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int number = argc > 2 ? atoi(argv[2]) : 0;
  if (!strcmp(what, "exact")) {
    gpu_open();
    int cases = number ? number : 2000, wrong = exact_run(&gpu, cases, argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
    printf("%d random cases of kernels on the GPU, %d wrong; the kernels were loaded in %.1f ms\n", cases, wrong, gpu_load_ms);
    return wrong != 0;
  }
  if (!strcmp(what, "speed")) speed(number ? number : 8192);
  else if (!strcmp(what, "slots")) host_slots(number ? number : 8192);
  else if (!strcmp(what, "ipc") && number > 0) ipc(number, argc > 3 ? atoi(argv[3]) : 8192);
  else if (!strcmp(what, "facts")) facts();
  else if (!strcmp(what, "load")) load(argv + 2, argc - 2);
  else {
    fprintf(stderr, "PTX=kernels.ptx %s exact CASES [SEED] | speed [N] | slots [N] | ipc P [N] | facts | load FILE...\n", argv[0]);
    return 2;
  }
  return 0;
}
