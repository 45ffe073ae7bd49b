/* LU factors of an array that a program holds in BLOCK. It is redistributed to the block-cyclic layout of a BLACS grid,
 * factored there by ScaLAPACK's pdgetrf, and the factors are redistributed back. Then one rank gathers the factors and
 * the pivots, and computes the difference between their product and the array. */
#include "must.h"
#include <float.h>
#include <math.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);
void Cblacs_exit(int keep_mpi);
int numroc_(const int *n, const int *nb, const int *me, const int *src, const int *procs);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc, const int *csrc,
               const int *context, const int *lld, int *info);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, int *pivots,
              int *info);

enum { N = 600, BLOCK = 32, ROWS = 2, COLS = 2 };
enum rows { WHOLE, IN_BLOCK, IN_CYCLIC };

/* An element of the array, for indices from 1: numbers between -1 and 1 without a pattern. */
static double entry(int64_t i, int64_t j) {
  uint64_t x = (uint64_t)i * 0x9E3779B97F4A7C15u ^ (uint64_t)j * 0xC2B2AE3D27D4EB4Fu;
  x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9u;
  return (double)(x >> 11) / (double)(1ull << 52) - 1;
}

/* Returns the map of an N x N array or of a vector of N elements: rows are distributed, columns are whole. */
static reblock_map *mapped(int64_t procs_axes, const int64_t *shape, int64_t axes, enum rows rows) {
  reblock_procs *procs;
  reblock_template *template;
  reblock_map *map;
  int64_t lower[2] = {1, 1}, upper[2] = {N, N};
  MUST(reblock_procs_create(MPI_COMM_WORLD, procs_axes, shape, NULL, &procs));
  MUST(reblock_template_create(procs, axes, lower, upper, &template));
  if (rows == IN_BLOCK) MUST(reblock_template_dist_block(template, 0, 0, 0));
  if (rows == IN_CYCLIC) MUST(reblock_template_dist_cyclic(template, 0, 0, BLOCK));
  MUST(reblock_template_commit(template));
  MUST(reblock_map_whole(template, &map));
  MUST(reblock_template_free(&template)); /* the map keeps what it needs of both */
  MUST(reblock_procs_free(&procs));
  return map;
}

static void *storage(reblock_map *map, size_t element) {
  int64_t elements;
  MUST(reblock_map_elements(map, &elements));
  return calloc((size_t)elements + 1, element);
}

/* Redistributes once; returns the seconds of the slowest rank. */
static double redistribute(reblock_map *from, const void *source, reblock_map *to, void *target, int64_t element) {
  reblock_plan *plan;
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, element, NULL, &plan));
  MPI_Barrier(MPI_COMM_WORLD);
  double t = MPI_Wtime();
  MUST(reblock_plan_execute(plan, source, target));
  t = MPI_Wtime() - t;
  MUST(reblock_plan_free(&plan));
  MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return t;
}

/* Factors the block-cyclic array; returns the seconds of the slowest rank. */
static double factor(double *a, const int *desc, int *pivots) {
  int n = N, one = 1, info;
  MPI_Barrier(MPI_COMM_WORLD);
  double t = MPI_Wtime();
  pdgetrf_(&n, &n, a, &one, &one, desc, pivots, &info);
  t = MPI_Wtime() - t;
  if (info != 0) {
    fprintf(stderr, "lu: pdgetrf says %d\n", info);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return t;
}

/* Returns the largest element of P A - L U, in units of N times the rounding error of the largest element of A. `lu`
 * holds both factors, column-major. */
static double residual(const double *lu, const int *pivots) {
  double worst = 0, *column = malloc(N * sizeof *column);
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++) column[i] = entry(i + 1, j + 1);
    for (int i = 0; i < N; i++) { /* the rows were exchanged one after the other */
      double kept = column[i];
      column[i] = column[pivots[i] - 1];
      column[pivots[i] - 1] = kept;
    }
    for (int k = 0; k <= j; k++) {
      double u = lu[j * N + k];
      column[k] -= u;
      for (int i = k + 1; i < N; i++) column[i] -= lu[k * N + i] * u;
    }
    for (int i = 0; i < N; i++) worst = fmax(worst, fabs(column[i]));
  }
  free(column);
  return worst / (N * DBL_EPSILON);
}

int main(int argc, char **argv) {
  int me = start_on_four(&argc, &argv), n = N, block = BLOCK, zero = 0, context, rows, cols, row, col, desc[9], info;
  int64_t four[1] = {4}, one[1] = {1}, grid[2] = {ROWS, COLS}, extents[2], lower[2], strides[2];

  /* The program's layout: panels of rows. */
  reblock_map *panels = mapped(1, four, 2, IN_BLOCK);
  double *a = storage(panels, sizeof *a);
  MUST(reblock_map_local(panels, extents, lower, NULL, NULL, strides, NULL));
  for (int64_t j = 0; j < extents[1]; j++)
    for (int64_t i = 0; i < extents[0]; i++) a[i * strides[0] + j * strides[1]] = entry(lower[0] + i, lower[1] + j);

  /* ScaLAPACK's layout. */
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", ROWS, COLS);
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  int local_rows = numroc_(&n, &block, &row, &zero, &rows);
  descinit_(desc, &n, &n, &block, &block, &zero, &zero, &context, &local_rows, &info);
  reblock_map *cyclic;
  MUST(reblock_map_from_blacs(desc, &cyclic));
  double *b = storage(cyclic, sizeof *b);
  int *pivots = calloc((size_t)(local_rows + BLOCK), sizeof *pivots);

  double there = redistribute(panels, a, cyclic, b, sizeof *a);
  double factored = factor(b, desc, pivots);
  double back = redistribute(cyclic, b, panels, a, sizeof *a);

  /* Pivots lie like the rows of the array, with a copy in each column of the grid. */
  reblock_map *by_rows = mapped(2, grid, 1, IN_CYCLIC);
  reblock_map *whole = mapped(1, one, 2, WHOLE), *list = mapped(1, one, 1, WHOLE); /* on rank 0 */
  double *factors = storage(whole, sizeof *factors);
  int *all_pivots = storage(list, sizeof *all_pivots);
  redistribute(panels, a, whole, factors, sizeof *a);
  redistribute(by_rows, pivots, list, all_pivots, sizeof *pivots);

  int good = 1;
  if (me == 0) {
    double error = residual(factors, all_pivots);
    good = error < 10;
    printf("%d x %d, (BLOCK,*) to blocks of %d x %d on a %d x %d grid: %.2f ms; pdgetrf: %.2f ms; back: %.2f ms\n", N, N,
           BLOCK, BLOCK, ROWS, COLS, there * 1e3, factored * 1e3, back * 1e3);
    printf("lu: %s: P A - L U is %.2f times N epsilon max |A|\n", good ? "correct" : "WRONG", error);
  }
  reblock_map **maps[] = {&panels, &cyclic, &whole, &by_rows, &list};
  for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) MUST(reblock_map_free(maps[k]));
  void *arrays[] = {a, b, factors, pivots, all_pivots};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  Cblacs_gridexit(context);
  Cblacs_exit(1);
  MPI_Finalize();
  return !good;
}
