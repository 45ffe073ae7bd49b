/* A sparse matrix in rows times a vector, and its transpose times another vector. y = A x gathers the elements of x
 * that a rank's rows need; z = A' y scatters the terms that they add to z. The lists of indices are the columns of the
 * rank's nonzeros. Plans are made once and serve all iterations. Each rank checks its part against a serial program. */
#include "must.h"
#include <string.h>

enum { N = 3000, MAX_PER_ROW = 6, ROUNDS = 5 };

/* Computes row i of the matrix: its columns and values. Values are small integers, so sums are exact in any order. */
static int nonzeros(int64_t i, int64_t *columns, double *values) {
  int count = 2 + (int)(i % (MAX_PER_ROW - 1));
  for (int k = 0; k < count; k++) {
    columns[k] = (i * (k + 1) * 37 + k * k * 911) % N;
    values[k] = (double)((i + 3 * k) % 7 - 3);
  }
  return count;
}

/* Computes y = A x and z = A' y serially. */
static void serial(const double *x, double *y, double *z) {
  int64_t columns[MAX_PER_ROW];
  double values[MAX_PER_ROW];
  memset(y, 0, N * sizeof *y), memset(z, 0, N * sizeof *z);
  for (int64_t i = 0; i < N; i++) {
    int count = nonzeros(i, columns, values);
    for (int k = 0; k < count; k++) y[i] += values[k] * x[columns[k]];
    for (int k = 0; k < count; k++) z[columns[k]] += values[k] * y[i];
  }
}

int main(int argc, char **argv) {
  static double all_x[N], all_y[N], all_z[N];
  int me = start_on_four(&argc, &argv), bad = 0;
  int64_t extent = N, shape = 4, block = 16, rows, nonzero = 0, local, i;
  reblock_map *map;
  reblock_plan *fetch, *add_up;
  /* Rows and vectors in blocks of 16, dealt out to the ranks in turn. */
  MUST(reblock_map_block_cyclic(MPI_COMM_WORLD, 1, &extent, &shape, &block, &map));
  MUST(reblock_map_elements(map, &rows));
  int64_t *columns = malloc((size_t)(rows * MAX_PER_ROW) * sizeof *columns), *first = calloc((size_t)rows + 1, sizeof *first);
  double *values = malloc((size_t)(rows * MAX_PER_ROW) * sizeof *values);
  for (local = 0; local < rows; local++) {
    MUST(reblock_map_global_index(map, &local, &i, NULL));
    nonzero += nonzeros(i, columns + nonzero, values + nonzero);
    first[local + 1] = nonzero;
  }

  /* The inspector: finds the elements that the rank's rows need. */
  MUST(reblock_plan_gather(MPI_COMM_WORLD, map, 0, nonzero, columns, sizeof(double), NULL, &fetch));
  MUST(reblock_plan_scatter(MPI_COMM_WORLD, map, 0, nonzero, columns, sizeof(double), NULL, &add_up));
  reblock_update sum;
  double one = 1;
  MUST(reblock_update_init(&sum));
  sum.type = REBLOCK_DOUBLE, sum.beta = &one;

  double *x = calloc((size_t)rows + 1, sizeof *x), *y = calloc((size_t)rows + 1, sizeof *y), *z = calloc((size_t)rows + 1, sizeof *z);
  double *needed = malloc((size_t)(nonzero + 1) * sizeof *needed);
  for (int round = 0; round < ROUNDS; round++) {
    for (int64_t k = 0; k < N; k++) all_x[k] = (double)((k + round) % 11 - 5);
    for (local = 0; local < rows; local++) {
      MUST(reblock_map_global_index(map, &local, &i, NULL));
      x[local] = all_x[i], y[local] = z[local] = 0;
    }
    /* The executor. */
    MUST(reblock_plan_execute(fetch, x, needed));
    for (local = 0; local < rows; local++)
      for (int64_t k = first[local]; k < first[local + 1]; k++) y[local] += values[k] * needed[k];
    for (local = 0; local < rows; local++)
      for (int64_t k = first[local]; k < first[local + 1]; k++) needed[k] = values[k] * y[local];
    MUST(reblock_plan_update(add_up, needed, z, &sum));

    serial(all_x, all_y, all_z);
    for (local = 0; local < rows; local++) {
      MUST(reblock_map_global_index(map, &local, &i, NULL));
      bad += y[local] != all_y[i] || z[local] != all_z[i];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("sparse: %d products with a matrix of %d rows and with its transpose, %d elements wrong\n", ROUNDS, N, bad);
  MUST(reblock_plan_free(&fetch));
  MUST(reblock_plan_free(&add_up));
  MUST(reblock_map_free(&map));
  free(columns), free(first), free(values), free(x), free(y), free(z), free(needed);
  MPI_Finalize();
  return bad != 0;
}
