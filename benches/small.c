/* Are small calls fast? Medians of 1,000 calls of pdgemr2d on 2 ranks, ScaLAPACK's, reblock's and the floor by turns, in one
 * run; each result is checked first. The floor is what no call can do without: each rank copies the half that it keeps, and
 * the other half goes through memory that both share, one message each way; nobody checks or plans anything.
 * reblock is loaded beside ScaLAPACK, as in ctest/differential.c.
 *
 *   REBLOCK_LIB=.../libreblock.so mpirun -n 2 small */
#define _GNU_SOURCE
#include "../ctest/scalapack.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 1000, LARGEST = 200 };
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

/* Half of a local array of `elements` elements goes to the other rank. Between two of these is a barrier. */
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

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  static double a[LARGEST * LARGEST], b[LARGEST * LARGEST], want[LARGEST * LARGEST];
  static double times[3][CALLS];
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
  share();
  if (!me)
    printf("%-28s %12s %10s %10s %12s %8s\n", "case (double, 2 ranks)", "ScaLAPACK us", "reblock us", "floor us", "/ ScaLAPACK",
           "/ floor");
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    int n = cases[c].n, nba = cases[c].block_a, nbb = cases[c].block_b;
    int desca[9] = {1, from, n, n, nba, nba, 0, 0, n}, descb[9] = {1, to, n, n, nbb, nbb, 0, 0, n};
    for (int i = 0; i < n * n; i++) a[i] = 1e6 * me + i, b[i] = want[i] = -1;
    pdgemr2d_(&n, &n, a, &one, &one, desca, want, &one, &one, descb, &row);
    reblock(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &row);
    if (memcmp(b, want, sizeof(double) * (size_t)(n * n))) { fprintf(stderr, "wrong result\n"); MPI_Abort(MPI_COMM_WORLD, 1); }
    for (int k = -100; k < CALLS; k++)
      for (int which = 0; which < 3; which++) {
        gemr2d *f = which ? reblock : pdgemr2d_;
        MPI_Barrier(MPI_COMM_WORLD);
        double t = MPI_Wtime();
        if (which == 2)
          exchange(me, (size_t)(n * n / 2), a, b);
        else
          f(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &row);
        t = MPI_Wtime() - t;
        if (k >= 0) times[which][k] = t;
      }
    double medians[3];
    for (int which = 0; which < 3; which++) {
      qsort(times[which], CALLS, sizeof **times, ascending);
      medians[which] = largest(times[which][CALLS / 2] * 1e6);
    }
    double theirs = medians[0], ours = medians[1], least = medians[2];
    if (!me)
      printf("%4d x %-4d blocks %3d -> %-3d %12.2f %10.2f %10.2f %12.2f %8.2f\n", n, n, nba, nbb, theirs, ours, least,
             ours / theirs, ours / least);
  }
  Cblacs_exit(1);
  MPI_Finalize();
  return 0;
}
