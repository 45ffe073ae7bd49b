/* Measures programs that make process grids, redistribute a few times and free the grids. Each round makes a source
 * and a target grid of all ranks, redistributes CALLS times from one to the other, and frees both. Times the making of
 * the grids, the calls, and the freeing of the grids; each time begins when the last rank arrives and ends on the
 * slowest rank. Results are first checked element by element.
 *
 *   mpirun -n RANKS first process N CALLS
 *       the first grids of a process, by the pdgemr2d_ that the loader finds. Prints one line, in ms: making the grids,
 *       first call, all calls, freeing the grids
 *   REBLOCK_LIB=.../libreblock.so mpirun -n RANKS first later
 *       later grids, by ScaLAPACK and by reblock, which is loaded beside it, in turn. Prints medians */
#include "../ctest/scalapack.h"
#include "median.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 2000, MAX_ROUNDS = 201 };
enum { SCALAPACK, REBLOCK, CONTENDERS };
enum { MAKING, FIRST_CALL, ALL_CALLS, LEAVING, PARTS };
gemr2d pdgemr2d_;

static int me, ranks;
static double *a, *b;

/* A matrix in a grid of its own. */
struct matrix { int shape[2], block, context, row, col, desc[9], rows, cols; };

static double largest(double time) {
  MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time;
}

static void stop(const char *why) {
  fprintf(stderr, "first: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void enter(struct matrix *x, int n) {
  x->context = new_grid("R", x->shape[0], x->shape[1]);
  Cblacs_gridinfo(x->context, &x->shape[0], &x->shape[1], &x->row, &x->col);
  x->rows = local_count(n, x->block, x->row, 0, x->shape[0]), x->cols = local_count(n, x->block, x->col, 0, x->shape[1]);
  int ld = x->rows > 1 ? x->rows : 1, desc[9] = {1, x->context, n, n, x->block, x->block, 0, 0, ld};
  memcpy(x->desc, desc, sizeof desc);
}

static double value(const struct matrix *x, int i, int j) {
  return global_index(i, x->block, x->row, x->shape[0]) + 1e4 * global_index(j, x->block, x->col, x->shape[1]);
}

static void set(const struct matrix *from) {
  for (int j = 0; j < from->cols; j++)
    for (int i = 0; i < from->rows; i++) a[(size_t)j * from->desc[8] + i] = value(from, i, j);
}

static void check(const struct matrix *to) {
  for (int j = 0; j < to->cols; j++)
    for (int i = 0; i < to->rows; i++)
      if (b[(size_t)j * to->desc[8] + i] != value(to, i, j)) stop("wrong result");
}

/* Makes one round; `times` are in seconds. */
static void made(gemr2d *redistribute, int n, int calls, int checks, double times[PARTS]) {
  int few = n < 64, one = 1, rows = 1;
  while (rows * rows * 4 <= ranks) rows *= 2;
  struct matrix from = {.shape = {rows, ranks / rows}, .block = few ? 4 : 64}, to = {.shape = {ranks, 1}, .block = few ? 3 : 36};
  MPI_Barrier(MPI_COMM_WORLD);
  double t = MPI_Wtime();
  enter(&from, n), enter(&to, n);
  times[MAKING] = MPI_Wtime() - t;
  if (checks) set(&from), memset(b, 0xff, sizeof *b * (size_t)to.desc[8] * (size_t)to.cols);
  MPI_Barrier(MPI_COMM_WORLD);
  t = MPI_Wtime();
  for (int call = 0; call < calls; call++) {
    redistribute(&n, &n, a, &one, &one, from.desc, b, &one, &one, to.desc, &from.context);
    if (!call) times[FIRST_CALL] = MPI_Wtime() - t;
  }
  times[ALL_CALLS] = MPI_Wtime() - t;
  if (checks) check(&to);
  MPI_Barrier(MPI_COMM_WORLD);
  t = MPI_Wtime();
  Cblacs_gridexit(to.context), Cblacs_gridexit(from.context);
  times[LEAVING] = MPI_Wtime() - t;
  for (int part = 0; part < PARTS; part++) times[part] = largest(times[part]);
}

static void later(gemr2d *const of[CONTENDERS]) {
  static const int sizes[] = {20, 200, 1000, 2000}, calls[] = {1, 2, 4, 16};
  static double times[CONTENDERS][PARTS + 1][MAX_ROUNDS];
  if (!me)
    printf("%2d ranks, ms: %5s %6s %22s %8s %22s %8s %22s %8s\n", ranks, "n", "calls", "calls: ScaLAPACK, reblock", "/",
           "grids: ScaLAPACK, reblock", "/", "all: ScaLAPACK, reblock", "/");
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
      double one[PARTS], mid[CONTENDERS][3];
      // With these numbers of rounds, all lines take about the same time.
      int rounds = sizes[s] < 1000 ? 2400 / (calls[c] + 8) : 160 / (calls[c] + 4);
      if (rounds > MAX_ROUNDS) rounds = MAX_ROUNDS;
      for (int k = -2; k < rounds; k++)
        for (int turn = 0; turn < CONTENDERS; turn++) {
          int which = (turn + k + 2) % 2;
          made(of[which], sizes[s], calls[c], k < 0, one);
          if (k < 0) continue;
          times[which][0][k] = one[ALL_CALLS], times[which][1][k] = one[MAKING] + one[LEAVING];
          times[which][2][k] = one[ALL_CALLS] + one[MAKING] + one[LEAVING];
        }
      for (int which = 0; which < CONTENDERS; which++)
        for (int part = 0; part < 3; part++) mid[which][part] = median(times[which][part], rounds) * 1e3;
      if (me) continue;
      printf("%15d %6d", sizes[s], calls[c]);
      for (int part = 0; part < 3; part++)
        printf(" %15.3f %9.3f %8.2f", mid[SCALAPACK][part], mid[REBLOCK][part], mid[REBLOCK][part] / mid[SCALAPACK][part]);
      printf("\n"), fflush(stdout);
    }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  size_t most = sizeof *a * LARGEST * (LARGEST / (size_t)ranks + 128);
  a = malloc(most), b = malloc(most);
  if (!a || !b) stop("no memory");
  memset(a, 0, most), memset(b, 0, most);
  if (argc == 4 && !strcmp(argv[1], "process")) {
    double times[PARTS];
    made(pdgemr2d_, atoi(argv[2]), atoi(argv[3]), 1, times);
    if (!me) printf("%.4f %.4f %.4f %.4f\n", times[MAKING] * 1e3, times[FIRST_CALL] * 1e3, times[ALL_CALLS] * 1e3, times[LEAVING] * 1e3);
  } else if (argc == 2 && !strcmp(argv[1], "later")) {
    const char *path = getenv("REBLOCK_LIB");
    void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    gemr2d *const of[CONTENDERS] = {pdgemr2d_, handle ? (gemr2d *)dlsym(handle, "pdgemr2d_") : NULL};
    if (!of[REBLOCK]) stop("REBLOCK_LIB must be the path of a libreblock.so");
    later(of);
  } else
    stop("process N CALLS, or later");
  free(a), free(b);
  Cblacs_exit(1);
  MPI_Finalize();
  return 0;
}
