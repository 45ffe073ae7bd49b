/* Measures the share of an exchange of shadows that the computation of inner points hides. One iteration of a stencil
 * starts the exchange, computes inner points, then waits. The hidden share is (exchange + computation - iteration) /
 * exchange, of medians of turns. */
#include "hpf.h"

enum { TURNS = 51 };

struct iteration {
  reblock_plan *plan;
  double *from, *to;
  int64_t rows, columns; /* of the local array, with shadows of 1 along the second axis */
  int tests;             /* between parts of the computation */
};

static void exchange(const void *what) {
  const struct iteration *it = what;
  MUST(reblock_plan_execute(it->plan, it->from, it->from));
}

/* Computes columns `first` to `last` of the inner points. */
static void columns(const struct iteration *it, int64_t first, int64_t last) {
  int64_t n = it->rows;
  for (int64_t j = first; j < last; j++) {
    const double *a = it->from + j * n;
    double *b = it->to + j * n;
    for (int64_t i = 1; i < n - 1; i++) b[i] = 0.25 * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
  }
}

static void compute(const void *what) {
  const struct iteration *it = what;
  columns(it, 2, it->columns - 2);
}

static void both(const void *what) {
  const struct iteration *it = what;
  reblock_request *request;
  MUST(reblock_plan_start(it->plan, it->from, it->from, &request));
  int64_t at = 2, end = it->columns - 2, part = (end - at) / (it->tests + 1);
  for (int k = 0; k < it->tests; k++, at += part) {
    columns(it, at, at + part);
    if (request != NULL) MUST(reblock_request_test(&request, NULL));
  }
  columns(it, at, end);
  if (request != NULL) MUST(reblock_request_wait(&request));
}

/* Checks that the inner points equal those of one process, and that shadows hold the neighbours' points. */
static void verify(const char *name, const struct iteration *it, int me, int ranks, int64_t own) {
  size_t count = (size_t)(it->rows * it->columns);
  double *alone = malloc(count * sizeof *alone);
  int wrong = 0;
  for (int64_t n = 0; n < (int64_t)count; n++) {
    int64_t j = n / it->rows - 1;
    it->from[n] = j < 0 || j >= own ? -1 : (double)((me * own + j) * it->rows + n % it->rows), it->to[n] = 0;
  }
  compute(it);
  memcpy(alone, it->to, count * sizeof *alone), memset(it->to, 0, count * sizeof *alone);
  both(it);
  wrong |= memcmp(alone, it->to, count * sizeof *alone) != 0;
  for (int64_t i = 0; i < it->rows; i++) {
    const double *last = it->from + (it->columns - 1) * it->rows;
    if (me > 0) wrong |= it->from[i] != (double)((me * own - 1) * it->rows + i);
    if (me < ranks - 1) wrong |= last[i] != (double)((me + 1) * own * it->rows + i);
  }
  free(alone);
  if (wrong) fprintf(stderr, "%s: rank %d has other points\n", name, me), MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Measures a plane of `rows` x `columns` doubles, the second axis in equal blocks. */
void hidden(int64_t rows, int64_t all_columns, int tests) {
  char name[64];
  int me, ranks;
  snprintf(name, sizeof name, "overlap, %d x %d, %d tests", (int)rows, (int)all_columns, tests);
  if (!is_wanted(name)) return;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int64_t extents[2] = {rows, all_columns}, procs[2] = {1, ranks}, widths[2] = {0, 1}, own = all_columns / ranks;
  reblock_map *whole, *map;
  MUST(reblock_map_block_cyclic(MPI_COMM_WORLD, 2, extents, procs, NULL, &whole));
  MUST(reblock_map_shadow(whole, widths, widths, &map));
  struct iteration it = {.rows = rows, .columns = own + 2, .tests = tests};
  MUST(reblock_plan_shadow(MPI_COMM_WORLD, map, NULL, NULL, NULL, 0, sizeof(double), NULL, &it.plan));
  it.from = malloc((size_t)(rows * it.columns) * sizeof(double)), it.to = malloc((size_t)(rows * it.columns) * sizeof(double));
  verify(name, &it, me, ranks, own);
  void (*const ways[3])(const void *) = {exchange, compute, both};
  double times[3][TURNS], medians[3];
  for (int turn = -2; turn < TURNS; turn++)
    for (int w = 0; w < 3; w++) {
      double t = span(ways[w], &it);
      if (turn >= 0) times[w][turn] = t;
    }
  for (int w = 0; w < 3; w++) medians[w] = median(times[w], TURNS);
  if (me == 0)
    printf("%5d  %-44s %-14s %10.3f  %-10s %10.3f  iteration %10.3f, hidden %4.0f %%\n", ranks, name, "exchange", medians[0] * 1e3,
           "compute", medians[1] * 1e3, medians[2] * 1e3, 100 * (medians[0] + medians[1] - medians[2]) / medians[0]);
  fflush(stdout);
  free(it.from), free(it.to);
  MUST(reblock_plan_free(&it.plan)), MUST(reblock_map_free(&map)), MUST(reblock_map_free(&whole));
}
