/* Makes a distributed matrix symmetric: C = (A + A') / 2, by one call of ScaLAPACK's pdgeadd on a copy of A. Normally
 * reblock serves the call. With REBLOCK_OFF=1 in the environment ScaLAPACK's own routine serves it, and the times can
 * be compared. Every element is compared bit for bit with that of a serial program: half of each number is exact, so
 * there is only one rounding.
 *
 *   mpirun -n 4 symmetrize [N [BLOCK]]        prints the median of seven calls */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);
void Cblacs_exit(int keep_mpi);
int numroc_(const int *n, const int *nb, const int *me, const int *src, const int *procs);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc, const int *csrc, const int *context,
               const int *lld, int *info);
void pdgeadd_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
              const int *desca, const double *beta, double *c, const int *ic, const int *jc, const int *descc, size_t trans_length);

enum { CALLS = 7 };
static int n, block, context, rows, cols, row, col, local_rows, local_cols, desc[9];

/* A(i, j): numbers between -1 and 1 without a pattern. */
static double entry(int i, int j) {
  uint64_t x = (uint64_t)(i + 1) * 0x9E3779B97F4A7C15u ^ (uint64_t)(j + 1) * 0xC2B2AE3D27D4EB4Fu;
  x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9u;
  return (double)(x >> 11) / (double)(1ull << 52) - 1;
}
static int index_of(int local, int at, int procs) { return (local / block * procs + at) * block + local % block; }

static void fill(double *a) {
  for (int y = 0; y < local_cols; y++)
    for (int x = 0; x < local_rows; x++)
      a[(size_t)y * (size_t)desc[8] + (size_t)x] = entry(index_of(x, row, rows), index_of(y, col, cols));
}

/* Counts this rank's elements that differ from a serial program's. */
static long wrong(const double *c) {
  long count = 0;
  for (int y = 0; y < local_cols; y++)
    for (int x = 0; x < local_rows; x++) {
      int i = index_of(x, row, rows), j = index_of(y, col, cols);
      double want = 0.5 * entry(i, j) + 0.5 * entry(j, i);
      count += memcmp(&want, &c[(size_t)y * (size_t)desc[8] + (size_t)x], sizeof want) != 0;
    }
  return count;
}

/* Computes C := A, then C := A' / 2 + C / 2 in one call. Returns the seconds of the slowest rank. */
static double symmetrize(const double *a, double *c) {
  static const double half = 0.5;
  static const int one = 1;
  memcpy(c, a, (size_t)desc[8] * (size_t)local_cols * sizeof *a);
  MPI_Barrier(MPI_COMM_WORLD);
  double t = MPI_Wtime();
  pdgeadd_("T", &n, &n, &half, a, &one, &one, desc, &half, c, &one, &one, desc, 1);
  t = MPI_Wtime() - t;
  MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return t;
}

static int ascending(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

int main(int argc, char **argv) {
  int me, ranks, zero = 0, info;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  n = argc > 1 ? atoi(argv[1]) : 1000;
  block = argc > 2 ? atoi(argv[2]) : 64;
  rows = ranks % 2 ? 1 : 2;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", rows, ranks / rows);
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  local_rows = numroc_(&n, &block, &row, &zero, &rows);
  local_cols = numroc_(&n, &block, &col, &zero, &cols);
  int lld = local_rows > 0 ? local_rows : 1;
  descinit_(desc, &n, &n, &block, &block, &zero, &zero, &context, &lld, &info);
  if (n < 1 || block < 1 || info) {
    if (!me) fprintf(stderr, "symmetrize [N [BLOCK]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  size_t bytes = (size_t)lld * (size_t)(local_cols + 1) * sizeof(double);
  double *a = malloc(bytes), *c = malloc(bytes), times[CALLS];
  fill(a);
  long mistakes = 0;
  for (int k = 0; k < CALLS; k++) {
    times[k] = symmetrize(a, c);
    mistakes += wrong(c);
  }
  MPI_Allreduce(MPI_IN_PLACE, &mistakes, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  qsort(times, CALLS, sizeof *times, ascending);
  if (!me)
    printf("symmetrize: %s: %d x %d in blocks of %d on a %d x %d grid: %.3f ms by %s\n", mistakes ? "WRONG" : "correct", n, n, block, rows,
           cols, times[CALLS / 2] * 1e3, getenv("REBLOCK_OFF") ? "ScaLAPACK" : "the library");
  free(a), free(c);
  Cblacs_gridexit(context);
  Cblacs_exit(1);
  MPI_Finalize();
  return mistakes != 0;
}
