/* Tests that reblock leaks nothing. In each of ROUNDS rounds: makes grids, redistributes between them, checks every
 * element, frees the grids. BLACS reuses context numbers for different grids. Prints resident memory on the way. Then
 * keeps LIVE grids at a time, if that is given. MPICH has communicators for about 500 grids if nothing else takes
 * communicators for each grid.
 *
 *   mpirun -n 4 contexts ROUNDS [LIVE] */
#include "scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

gemr2d pdgemr2d_;

enum { M = 19, N = 23, WARM_UP = 500 };

static long resident(void) {
  long size = 0, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  fclose(f);
  return pages * sysconf(_SC_PAGESIZE) / 1024;
}

struct matrix { int desc[9], rows, cols, grid_rows, grid_cols, row, col; double data[(M + 1) * N]; };
static void make(struct matrix *x, int rows, int cols, const char *order, int mb, int nb) {
  Cblacs_get(0, 0, &x->desc[1]);
  Cblacs_gridinit(&x->desc[1], order, rows, cols);
  Cblacs_gridinfo(x->desc[1], &x->grid_rows, &x->grid_cols, &x->row, &x->col);
  x->desc[0] = 1, x->desc[2] = M, x->desc[3] = N, x->desc[4] = mb, x->desc[5] = nb, x->desc[6] = x->desc[7] = 0;
  x->rows = x->desc[1] < 0 ? 0 : local_count(M, mb, x->row, 0, rows);
  x->cols = x->desc[1] < 0 ? 0 : local_count(N, nb, x->col, 0, cols);
  x->desc[8] = x->rows > 1 ? x->rows : 1;
}
static double value(const struct matrix *x, int i, int j, int round) {
  int mb = x->desc[4], nb = x->desc[5];
  return global_index(i, mb, x->row, x->grid_rows) + 100 * global_index(j, nb, x->col, x->grid_cols) + 1e4 * round;
}

/* Redistributes from A to B within the grids of context ALL and returns the number of wrong elements. */
static long moved(struct matrix *a, struct matrix *b, int all, int round) {
  int one = 1, m = M, n = N;
  long wrong = 0;
  for (int j = 0; j < a->cols; j++)
    for (int i = 0; i < a->rows; i++) a->data[j * a->desc[8] + i] = value(a, i, j, round);
  pdgemr2d_(&m, &n, a->data, &one, &one, a->desc, b->data, &one, &one, b->desc, &all);
  for (int j = 0; j < b->cols; j++)
    for (int i = 0; i < b->rows; i++) wrong += b->data[j * b->desc[8] + i] != value(b, i, j, round);
  return wrong;
}

/* Makes COUNT grids at a time and returns the number of wrong elements. Prints the memory of the grids, most of which
 * is allocated by BLACS. Frees the last grid first, like a program with a stack of grids. */
static long live(int count, const int shapes[][2]) {
  struct matrix *all = calloc((size_t)count, sizeof *all);
  long wrong = 0, first = 0;
  if (!all) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int k = 0; k < count; k++) {
    make(&all[k], shapes[k % 3][0], shapes[k % 3][1], k % 2 ? "R" : "C", 1 + k % 5, 1 + k % 7);
    for (int twice = 0; twice < 2; twice++) wrong += moved(&all[k / 2], &all[k], all[k].desc[1], k + twice);
    if (k == 9) first = resident();
  }
  long grown = resident() - first;
  MPI_Allreduce(MPI_IN_PLACE, &grown, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (!me) printf("contexts: %d at a time, %ld wrong elements, resident grew by at most %ld KiB from the tenth on\n", count, wrong, grown);
  for (int k = count; k-- > 0;) Cblacs_gridexit(all[k].desc[1]);
  free(all);
  return wrong;
}

int main(int argc, char **argv) {
  static struct matrix a, b;
  static const int shapes[][2] = {{2, 2}, {1, 4}, {4, 1}, {1, 1}, {3, 1}, {1, 2}};
  int level, me, rounds = argc > 1 ? atoi(argv[1]) : 5000;
  long wrong = 0, warm = 0, end, worst;
  /* Without LIVE, request the thread level with the most locking in MPI. With LIVE, request a level at which threads
   * cannot make calls at the same time, since only then contexts share communicators. */
  MPI_Init_thread(&argc, &argv, argc > 2 ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int round = 0; round < rounds; round++) {
    // For twelve rounds blocks are equal, and calls differ only in their grids; for the next twelve they vary.
    int all, s = round % 6, t = round / 6 % 6, k = round / 12 % 2 ? round : 2;
    make(&a, shapes[s][0], shapes[s][1], round % 2 ? "R" : "C", 1 + k % 5, 1 + k % 7);
    make(&b, shapes[t][0], shapes[t][1], round % 3 ? "R" : "C", 1 + k % 4, 1 + k % 3);
    Cblacs_get(0, 0, &all);
    Cblacs_gridinit(&all, "R", round % 2 + 1, round % 2 ? 2 : 4);
    wrong += moved(&a, &b, all, round);
    // Repeat the call with another number of local rows of B.
    b.desc[8]++;
    wrong += moved(&a, &b, all, round + 1);
    Cblacs_gridexit(all);
    if (b.desc[1] >= 0) Cblacs_gridexit(b.desc[1]);
    if (a.desc[1] >= 0) Cblacs_gridexit(a.desc[1]);
    if (round == WARM_UP) warm = resident();
  }
  end = resident();
  worst = rounds > WARM_UP ? end - warm : 0;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("contexts: %d rounds, %ld wrong elements, resident %ld KiB after warm-up, grew by at most %ld KiB\n",
                  rounds, wrong, warm, worst);
  if (argc > 2) wrong += live(atoi(argv[2]), shapes);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong || worst > 1024;
}
