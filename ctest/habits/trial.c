/* Programs with unusual habits, run under trial. Each checks every element that it receives.
 *
 *   trial threads ROUNDS     two threads of each rank redistribute at the same time, on communicators of their own. If MPI allows calls of one
 *                            thread only, the threads take turns
 *   trial reuse ROUNDS       like a benchmark: reuses A, and the B of the previous round, which already has the right values; whole matrices,
 *                            sections and trapezoids in turn
 *   trial row ROUNDS         p?lacpy of equally aligned sections, called only by the first process row of a grid of 2 rows
 *   trial blocks ROUNDS      p?gemr2d and p?geadd with block sizes up to 2^31 - 1, which ScaLAPACK adds up in 32 bits
 *   trial parent ROUNDS COMMAND   rank 0 runs a command between two halves of its rounds */
#include "../scalapack.h"
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gemr2d pdgemr2d_;
geadd pdgeadd_;
void pdlacpy_(const char *, const int *, const int *, const double *, const int *, const int *, const int *, double *, const int *,
              const int *, const int *, size_t);
trmr2d pdtrmr2d_;

/* LD is larger than any rank needs. */
enum { N = 24, LD = N + 5 };
static int rounds, me, ranks, wrong, overlap;

/* The contexts of a move: rows dealt out one by one before, in blocks of two after; and a column grid of all ranks that
 * contains both. */
struct place { int enclosing, from, to; };

static double value(int i, int j) { return i + 100.0 * j; }

/* Returns whether element (i, j) moves. By `kind`, all elements move, those from row 3 and column 5 on, or those of the
 * lower trapezoid. */
static int moves(int kind, int i, int j) { return kind == 0 || (kind == 1 ? i >= 3 && j >= 5 : i >= j); }

static void make(const struct place *place, int kind, const double *a, double *b) {
  int one = 1, n = N, m = N - 3, k = N - 5, ia = 4, ja = 6;
  int desca[9] = {1, place->from, N, N, 1, N, 0, 0, LD}, descb[9] = {1, place->to, N, N, 2, N, 0, 0, LD};
  if (kind == 0) pdgemr2d_(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &place->enclosing);
  if (kind == 1) pdgemr2d_(&m, &k, a, &ia, &ja, desca, b, &ia, &ja, descb, &place->enclosing);
  if (kind == 2) pdtrmr2d_("L", "N", &n, &n, a, &one, &one, desca, b, &one, &one, descb, &place->enclosing, 1, 1);
}

static void *work(void *argument) {
  const struct place *place = argument;
  double *a = malloc(sizeof *a * LD * N), *b = malloc(sizeof *b * LD * N);
  int bad = 0, rows = local_count(N, 1, me, 0, ranks), own = local_count(N, 2, me, 0, ranks);
  for (int j = 0; j < N; j++)
    for (int l = 0; l < LD; l++) a[j * LD + l] = l < rows ? value(global_index(l, 1, me, ranks), j) : -1, b[j * LD + l] = -2;
  for (int round = 0; round < rounds; round++) {
    make(place, round % 3, a, b);
    /* Elements keep their values from the call that wrote them; elements that no call has written are unchanged. */
    for (int j = 0; j < N; j++)
      for (int l = 0; l < LD; l++) {
        int i = global_index(l, 2, me, ranks), is = l < own;
        double want = is && moves(0, i, j) ? value(i, j) : -2;
        bad += b[j * LD + l] != want;
      }
  }
  __atomic_add_fetch(&wrong, bad, __ATOMIC_RELAXED);
  free(a);
  free(b);
  return NULL;
}

/* Counts the wrong elements of a matrix in blocks of nb x nb from process (0,0) on: value() in the first `moved` rows,
 * -2 elsewhere. */
static int wrong_in(const double *b, int nb, int extent, int moved, const int *grid) {
  int bad = 0;
  for (int j = 0; j < local_count(extent, nb, grid[3], 0, grid[1]); j++)
    for (int i = 0; i < local_count(extent, nb, grid[2], 0, grid[0]); i++) {
      int row = global_index(i, nb, grid[2], grid[0]), col = global_index(j, nb, grid[3], grid[1]);
      bad += b[j * LD + i] != (row < moved ? value(row, col) : -2);
    }
  return bad;
}

static void fill(double *a, int nb, int extent, const int *grid) {
  for (int k = 0; k < LD * N; k++) a[k] = -2;
  for (int j = 0; j < local_count(extent, nb, grid[3], 0, grid[1]); j++)
    for (int i = 0; i < local_count(extent, nb, grid[2], 0, grid[0]); i++)
      a[j * LD + i] = value(global_index(i, nb, grid[2], grid[0]), global_index(j, nb, grid[3], grid[1]));
}

/* Copies the rows of the first process row, in blocks of 12. */
static void row(void) {
  int context = new_grid("R", 2, ranks / 2), grid[4], one = 1, n = N, m = N / 2;
  double a[LD * N], b[LD * N];
  Cblacs_gridinfo(context, &grid[0], &grid[1], &grid[2], &grid[3]);
  int desca[9] = {1, context, N, N, m, m, 0, 0, LD}, descb[9] = {1, context, N, N, m, m, 0, 0, LD};
  fill(a, m, N, grid);
  for (int round = 0; round < rounds; round++) {
    for (int k = 0; k < LD * N; k++) b[k] = -2;
    if (grid[2] == 0) pdlacpy_("A", &m, &n, a, &one, &one, desca, b, &one, &one, descb, 1);
    wrong += wrong_in(b, m, N, m, grid);
  }
}

static void blocks(void) {
  static const int sizes[] = {2147483647, 1500000000, 1 << 30, 1 << 29, 1 << 28, 12};
  int context = new_grid("R", 2, ranks / 2), grid[4], one = 1, n = 8;
  double a[LD * N], b[LD * N], alpha = 1, beta = 0;
  Cblacs_gridinfo(context, &grid[0], &grid[1], &grid[2], &grid[3]);
  for (int round = 0; round < rounds; round++) {
    /* All of A is on process (0,0). */
    int size = sizes[round % (int)(sizeof sizes / sizeof *sizes)], here = grid[2] == 0 && grid[3] == 0;
    int desca[9] = {1, context, n, n, size, size, 0, 0, LD}, descb[9] = {1, context, n, n, 3, 3, 0, 0, LD};
    for (int k = 0; k < LD * N; k++) a[k] = here && k % LD < n && k / LD < n ? value(k % LD, k / LD) : -2;
    for (int k = 0; k < LD * N; k++) b[k] = -2;
    if (round % 2) pdgemr2d_(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &context);
    else pdgeadd_("N", &n, &n, &alpha, a, &one, &one, desca, &beta, b, &one, &one, descb, 1);
    wrong += wrong_in(b, 3, n, n, grid);
  }
}

int main(int argc, char **argv) {
  int level;
  pthread_t other;
  const char *habit = argc > 1 ? argv[1] : "reuse";
  rounds = argc > 2 ? atoi(argv[2]) : 30;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  overlap = level == MPI_THREAD_MULTIPLE;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct place places[2];
  for (int k = 0; k < 2; k++) {
    places[k].enclosing = new_grid("R", 1, ranks);
    places[k].from = new_grid("R", ranks, 1), places[k].to = new_grid("R", ranks, 1);
  }
  if (!strcmp(habit, "threads") && overlap) {
    pthread_create(&other, NULL, work, &places[1]);
    work(&places[0]);
    pthread_join(other, NULL);
  } else if (!strcmp(habit, "row")) {
    row();
  } else if (!strcmp(habit, "blocks")) {
    blocks();
  } else {
    work(&places[0]);
    if (!strcmp(habit, "parent") && me == 0) wrong += system(argv[3]) != 0;
    MPI_Barrier(MPI_COMM_WORLD);
    work(&places[1]);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("trial: %s, 2 x %d rounds, %d wrong\n", habit, rounds, wrong);
  MPI_Finalize();
  return wrong != 0;
}
