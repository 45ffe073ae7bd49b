/* Measures small calls, and the overhead of counting. Prints medians of 5,000 calls of pdgemr2d on 2 ranks, by
 * ScaLAPACK, by reblock and by a lower bound, in turn and in one run. Before the first timed call, reblock's result is
 * compared with ScaLAPACK's. For the lower bound, each rank copies the half that it keeps and exchanges the other half
 * through shared memory, with one message in each direction and without checks or planning.
 *
 * reblock is loaded beside ScaLAPACK, as in ctest/differential.c. A copy of reblock, with REBLOCK_TRACE set, is loaded,
 * too, and counts. Either of the two goes first in half of the turns. The overhead of counting is the median difference
 * of their times within a turn, in us, on the rank with the larger median; the lowest and the highest median of ten
 * parts of the run follow in parentheses. If TRACE is not set, the copy does not count, and the difference is noise.
 *
 *   REBLOCK_LIB=.../libreblock.so COPY=.../copy.so TRACE=trace.json mpirun -n 2 small */
#define _GNU_SOURCE
#include "../ctest/scalapack.h"
#include "median.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 5000, LARGEST = 200, PARTS = 10 };
enum { SCALAPACK, REBLOCK, COUNTED, FLOOR, CONTENDERS };
gemr2d pdgemr2d_;

/* One rank's message to the other. */
struct slot {
  _Atomic long call;
  char apart[120];
  double elements[LARGEST * LARGEST / 4];
};
static struct slot *slots[2];

static void share(void) {
  MPI_Win window;
  MPI_Aint bytes = sizeof(struct slot);
  int unit, me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &slots[me], &window);
  memset(slots[me], 0, sizeof(struct slot));
  for (int rank = 0; rank < 2; rank++) MPI_Win_shared_query(window, rank, &bytes, &unit, &slots[rank]);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Sends half of a local array of `elements` elements to the other rank. A barrier must separate two exchanges. */
static void exchange(int me, size_t elements, const double *a, double *b) {
  static long call;
  size_t half = elements / 2;
  memcpy(slots[me]->elements, a, half * sizeof *a);
  atomic_store_explicit(&slots[me]->call, ++call, memory_order_release);
  memcpy(b, a + half, half * sizeof *a);
  while (atomic_load_explicit(&slots[!me]->call, memory_order_acquire) != call) continue;
  memcpy(b + half, slots[!me]->elements, half * sizeof *a);
}

static double largest(double time) {
  MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time;
}

/* Returns the larger of the ranks' medians of `count` times, in us. */
static double slower_median(const double *times, int count) {
  static double sorted[CALLS];
  memcpy(sorted, times, sizeof *times * (size_t)count);
  return largest(median(sorted, count) * 1e6);
}

/* Loads the library that the environment variable names; returns its pdgemr2d. */
static gemr2d *load_routine(const char *variable) {
  const char *path = getenv(variable);
  void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  gemr2d *routine = handle ? (gemr2d *)dlsym(handle, "pdgemr2d_") : NULL;
  if (!routine) {
    fprintf(stderr, "%s must be the path of a libreblock.so: %s\n", variable, path ? dlerror() : "it is not set");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return routine;
}

static void print(int n, const int block[2], double times[CONTENDERS][CALLS]) {
  static double added[CALLS];
  int me;
  double us[CONTENDERS], least = 1e9, most = -1e9;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int k = 0; k < CALLS; k++) added[k] = times[COUNTED][k] - times[REBLOCK][k];
  for (int which = 0; which < CONTENDERS; which++) us[which] = slower_median(times[which], CALLS);
  double all = slower_median(added, CALLS);
  for (int part = 0; part < PARTS; part++) {
    double one = slower_median(added + part * (CALLS / PARTS), CALLS / PARTS);
    least = one < least ? one : least, most = one > most ? one : most;
  }
  if (me) return;
  printf("%4d x %-4d blocks %3d -> %-3d %12.2f %10.2f %10.2f %12.2f %8.2f %10.2f (%.2f to %.2f)\n", n, n, block[0], block[1],
         us[SCALAPACK], us[REBLOCK], us[FLOOR], us[REBLOCK] / us[SCALAPACK], us[REBLOCK] / us[FLOOR], all, least, most);
}

int main(int argc, char **argv) {
  static double a[LARGEST * LARGEST], b[LARGEST * LARGEST], want[LARGEST * LARGEST];
  static double times[CONTENDERS][CALLS];
  static const struct { int n, block[2]; } cases[] = {{16, {4, 4}}, {16, {8, 2}}, {200, {32, 16}}, {200, {200, 64}}};
  int me, ranks, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    fprintf(stderr, "needs 2 ranks (mpirun -n 2 %s), not %d\n", argv[0], ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  gemr2d *of[CONTENDERS] = {[SCALAPACK] = pdgemr2d_, [REBLOCK] = load_routine("REBLOCK_LIB"), [COUNTED] = load_routine("COPY")};
  const char *trace = getenv("TRACE");
  int row = new_grid("R", 1, 2), column = new_grid("R", 2, 1), from = row, to = column;
  share();
  if (!me)
    printf("%-28s %12s %10s %10s %12s %8s %10s\n", "case (double, 2 ranks)", "ScaLAPACK us", "reblock us", "floor us",
           "/ ScaLAPACK", "/ floor", "counting adds us");
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    int n = cases[c].n, nba = cases[c].block[0], nbb = cases[c].block[1];
    int desca[9] = {1, from, n, n, nba, nba, 0, 0, n}, descb[9] = {1, to, n, n, nbb, nbb, 0, 0, n};
    for (int i = 0; i < n * n; i++) a[i] = 1e6 * me + i, b[i] = want[i] = -1;
    pdgemr2d_(&n, &n, a, &one, &one, desca, want, &one, &one, descb, &row);
    for (int which = REBLOCK; which <= COUNTED; which++) {
      // A library reads its environment at its first call.
      if (trace && which == COUNTED) setenv("REBLOCK_TRACE", trace, 1);
      for (int i = 0; i < n * n; i++) b[i] = -1;
      of[which](&n, &n, a, &one, &one, desca, b, &one, &one, descb, &row);
      if (memcmp(b, want, sizeof(double) * (size_t)(n * n))) { fprintf(stderr, "wrong result\n"); MPI_Abort(MPI_COMM_WORLD, 1); }
    }
    for (int k = -100; k < CALLS; k++)
      for (int turn = 0; turn < CONTENDERS; turn++) {
        int which = (turn == REBLOCK || turn == COUNTED) && k % 2 ? REBLOCK + COUNTED - turn : turn;
        MPI_Barrier(MPI_COMM_WORLD);
        double t = MPI_Wtime();
        if (which == FLOOR)
          exchange(me, (size_t)(n * n / 2), a, b);
        else
          of[which](&n, &n, a, &one, &one, desca, b, &one, &one, descb, &row);
        t = MPI_Wtime() - t;
        if (k >= 0) times[which][k] = t;
      }
    print(n, cases[c].block, times);
  }
  Cblacs_exit(1);
  MPI_Finalize();
  return 0;
}
