/* Library that times pdgemr2d_, to measure the time that a trial adds to ScaLAPACK and to reblock. It is preloaded
 * before one of the two libraries. At the end of the program, rank 0 prints the minimum, the 10th percentile and the
 * median of its times, in us. If TOGETHER is set, ranks start each call together, as in a trial.
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
    fprintf(stderr, "timed: %d calls, minimum %.2f, 10th percentile %.2f, median %.2f us\n", made, times[0], times[made / 10], times[made / 2]);
  }
  return PMPI_Finalize();
}
