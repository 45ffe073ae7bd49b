/* Are small calls fast? Medians of 1,000 calls of pdgemr2d on 2 ranks, ScaLAPACK's and reblock's in turn, in one run;
 * each result is checked first. reblock is loaded beside ScaLAPACK, as in ctest/differential.c.
 *
 *   REBLOCK_LIB=.../libreblock.so mpirun -n 2 small */
#define _GNU_SOURCE
#include "../ctest/scalapack.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 1000, LARGEST = 200 };
gemr2d pdgemr2d_;

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  static double a[LARGEST * LARGEST], b[LARGEST * LARGEST], want[LARGEST * LARGEST];
  static double theirs[CALLS], ours[CALLS];
  static const struct { int n, block_a, block_b; } cases[] = {{16, 4, 4}, {16, 8, 2}, {200, 32, 16}, {200, 200, 64}};
  int me, ranks, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *path = getenv("REBLOCK_LIB");
  void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  gemr2d *reblock = handle ? (gemr2d *)dlsym(handle, "pdgemr2d_") : NULL;
  if (!reblock || ranks != 2) {
    fprintf(stderr, "REBLOCK_LIB=libreblock.so mpirun -n 2 %s: %s\n", argv[0], handle ? "" : dlerror());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int row = new_grid("R", 1, 2), column = new_grid("R", 2, 1), from = row, to = column;
  if (!me) printf("%-28s %14s %12s %18s\n", "case (double, 2 ranks)", "ScaLAPACK us", "reblock us", "reblock/ScaLAPACK");
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    int n = cases[c].n, nba = cases[c].block_a, nbb = cases[c].block_b;
    int desca[9] = {1, from, n, n, nba, nba, 0, 0, n}, descb[9] = {1, to, n, n, nbb, nbb, 0, 0, n};
    for (int i = 0; i < n * n; i++) a[i] = 1e6 * me + i, b[i] = want[i] = -1;
    pdgemr2d_(&n, &n, a, &one, &one, desca, want, &one, &one, descb, &row);
    reblock(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &row);
    if (memcmp(b, want, sizeof(double) * (size_t)(n * n))) { fprintf(stderr, "wrong result\n"); MPI_Abort(MPI_COMM_WORLD, 1); }
    for (int k = -100; k < CALLS; k++)
      for (int which = 0; which < 2; which++) {
        gemr2d *f = which ? reblock : pdgemr2d_;
        MPI_Barrier(MPI_COMM_WORLD);
        double t = MPI_Wtime();
        f(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &row);
        t = MPI_Wtime() - t;
        if (k >= 0) (which ? ours : theirs)[k] = t;
      }
    qsort(theirs, CALLS, sizeof *theirs, ascending);
    qsort(ours, CALLS, sizeof *ours, ascending);
    double x = theirs[CALLS / 2] * 1e6, y = ours[CALLS / 2] * 1e6;
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &y, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (!me) printf("%4d x %-4d blocks %3d -> %-3d %14.2f %12.2f %18.2f\n", n, n, nba, nbb, x, y, y / x);
  }
  Cblacs_exit(1);
  MPI_Finalize();
  return 0;
}
