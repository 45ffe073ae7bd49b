/* A library that only times: preloaded before the program's ScaLAPACK, or before reblock, to see what a trial adds to both. When the
 * program ends, rank 0 says how long its calls of pdgemr2d_ took: the least, a tenth, and half of them took no longer than that, in us.
 * With TOGETHER in its environment ranks start each call together, as in a trial.
 *
 *   mpicc -O1 -shared -fPIC -o timed.so benches/timed.c -ldl
 *   mpirun -n 2 env LD_PRELOAD=./timed.so TOGETHER=1 ./tried 6000 - 6                      ScaLAPACK alone
 *   mpirun -n 2 env LD_PRELOAD=./timed.so:$LIB TOGETHER=1 ./tried 6000 - 6                 reblock alone
 *   mpirun -n 2 env LD_PRELOAD=$LIB:./timed.so REBLOCK_TRIAL=1 ./tried 6000 - 6            ScaLAPACK in a trial */
#define _GNU_SOURCE
#include "../ctest/scalapack.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_TIMES = 1 << 20 };
static double times[MAX_TIMES];
static int made;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

void pdgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja, const int *desca, void *b,
               const int *ib, const int *jb, const int *descb, const int *context) {
  static gemr2d *real;
  if (!real) real = (gemr2d *)dlsym(RTLD_NEXT, "pdgemr2d_");
  if (getenv("TOGETHER")) MPI_Barrier(MPI_COMM_WORLD);
  double start = now();
  real(m, n, a, ia, ja, desca, b, ib, jb, descb, context);
  if (made < MAX_TIMES) times[made++] = now() - start;
}

static int order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int MPI_Finalize(void) {
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (me == 0 && made) {
    qsort(times, (size_t)made, sizeof *times, order);
    fprintf(stderr, "timed: %d calls, least %.2f, a tenth %.2f, half %.2f us\n", made, times[0], times[made / 10], times[made / 2]);
  }
  return PMPI_Finalize();
}
