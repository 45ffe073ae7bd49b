/* Measures small calls that are never repeated: pdgemr2d of 1,000 different sections of a matrix. ScaLAPACK and reblock
 * take turns of 50 calls. A first pass, which is not timed, compares all results and lets each library set up the
 * grids. reblock keeps the plans of the last 32 calls only, so in the timed pass it plans each call anew. Prints the
 * median time of a call in us, on the rank with the larger median, for both libraries, and reblock's time divided by
 * ScaLAPACK's.
 *
 *   REBLOCK_LIB=.../libreblock.so mpirun -n RANKS distinct [CASE]
 *
 * CASE is the number of the only case to run. */
#define _GNU_SOURCE
#include "../ctest/scalapack.h"
#include "median.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 1000, SERIES = 50, COUNT = CALLS / SERIES, PER_ROW = 40, N = 300 };
enum { SCALAPACK, REBLOCK, CONTENDERS };
gemr2d pdgemr2d_;

/* A section: it begins at (ia, ja) of A and at (ib, jb) of B. */
struct section { int m, n, ia, ja, ib, jb; };
/* Two distributions of the matrix. Sections begin at the same element of both if `alike`. */
struct layouts { const char *what; int desca[9], descb[9], alike; };

static struct section section_of(int k, int alike) {
  int row = k % PER_ROW, col = k / PER_ROW;
  struct section of = {1 + 11 * k % 31, 1 + 17 * k % 37, 1 + 6 * row, 1 + 9 * col, 1 + 5 * row, 1 + 8 * col};
  if (alike) of.ib = of.ia, of.jb = of.ja;
  return of;
}

static void fail(const char *why) {
  fprintf(stderr, "%s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void call(gemr2d *routine, const struct layouts *in, int k, const double *a, double *b) {
  struct section of = section_of(k, in->alike);
  routine(&of.m, &of.n, a, &of.ia, &of.ja, in->desca, b, &of.ib, &of.jb, in->descb, &in->desca[1]);
}

/* Describes the matrix in blocks of nb on the grid of a context. */
static void describe(int desc[9], int context, int nb) {
  int rows, cols, row, col;
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  int made[9] = {1, context, N, N, nb, nb, 0, 0, N};
  memcpy(desc, made, sizeof made);
}

/* Returns the larger of the ranks' median times of a call, in us, from the times of series of calls. */
static double slower_median(double *times) {
  double time = median(times, COUNT) / SERIES * 1e6;
  MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time;
}

int main(int argc, char **argv) {
  static double a[N * N], b[CONTENDERS][N * N], times[CONTENDERS][COUNT];
  int me, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *path = getenv("REBLOCK_LIB");
  void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  gemr2d *of[CONTENDERS] = {pdgemr2d_, handle ? (gemr2d *)dlsym(handle, "pdgemr2d_") : NULL};
  if (!of[REBLOCK]) fail("REBLOCK_LIB must be the path of a libreblock.so");
  int rows = ranks % 2 ? 1 : 2, grid = new_grid("R", rows, ranks / rows), row = new_grid("R", 1, ranks);
  struct layouts cases[] = {
      {"no element leaves its rank", {0}, {0}, 1},
      {"other blocks, same grid", {0}, {0}, 0},
      {"other blocks and grid", {0}, {0}, 0},
  };
  int only = argc > 1 ? atoi(argv[1]) : -1;
  describe(cases[0].desca, grid, 16), describe(cases[0].descb, grid, 16);
  describe(cases[1].desca, grid, 16), describe(cases[1].descb, grid, 24);
  describe(cases[2].desca, grid, 16), describe(cases[2].descb, row, 24);
  for (int i = 0; i < N * N; i++) a[i] = 1e6 * me + i;
  for (int c = 0; c < 3; c++) {
    const struct layouts *in = &cases[c];
    if (only >= 0 && only != c) continue;
    memset(b, 0, sizeof b);
    for (int k = 0; k < CALLS; k++) {
      for (int which = 0; which < CONTENDERS; which++) call(of[which], in, k, a, b[which]);
      if (memcmp(b[SCALAPACK], b[REBLOCK], sizeof b[REBLOCK])) fail("wrong result");
    }
    for (int series = 0; series < COUNT; series++)
      for (int turn = 0; turn < CONTENDERS; turn++) {
        int which = series % 2 ? REBLOCK - turn : turn;
        MPI_Barrier(MPI_COMM_WORLD);
        double t = MPI_Wtime();
        for (int k = 0; k < SERIES; k++) call(of[which], in, series * SERIES + k, a, b[which]);
        times[which][series] = MPI_Wtime() - t;
      }
    double us[CONTENDERS] = {slower_median(times[SCALAPACK]), slower_median(times[REBLOCK])};
    if (!me) printf("%d %-28s %12.2f %10.2f %12.2f\n", ranks, in->what, us[0], us[1], us[1] / us[0]);
  }
  Cblacs_exit(1);
  MPI_Finalize();
  return 0;
}
