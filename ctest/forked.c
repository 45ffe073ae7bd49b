/* Tests redistributions under REBLOCK_ARRAYS=node in a program that forks. Children must see memory as it was at the
 * fork. Results must be right before and after a fork, from arrays that existed at the fork and from new arrays; also
 * from arrays over which the program has mapped other memory.
 *
 *   mpirun -n 2 forked */
#define _GNU_SOURCE
#include "scalapack.h"
#include "reblock_scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1200, ROUNDS = 6 };
static int me, ranks, all;

static double value(int context, int block, int i, int j, int round) {
  int pr, pc, r, c;
  Cblacs_gridinfo(context, &pr, &pc, &r, &c);
  return global_index(i, block, r, pr) + 1e4 * global_index(j, block, c, pc) + 1e9 * round;
}

static int differing(const double *x, int context, int block, int rows, int cols, int round) {
  int wrong = 0;
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      wrong += x[(size_t)j * rows + i] != value(context, block, i, j, round);
  return wrong;
}

static void all_of(double *x, int context, int block, int rows, int cols, int round) {
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++) x[(size_t)j * rows + i] = value(context, block, i, j, round);
}

/* Maps other memory over all whole pages of an array, over some of them, or over none, in turn by `round`. */
static void map_over(double *x, size_t bytes, int round) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t from = ((uintptr_t)x + page - 1) / page * page, to = ((uintptr_t)x + bytes) / page * page;
  if (round % 3 == 1) from += (to - from) / page / 2 * page;
  if (round % 3 == 0 || from >= to) return;
  memset((void *)from, 9, to - from); /* the contents that another rank's earlier mapping would show */
  int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (mmap((void *)from, to - from, PROT_READ | PROT_WRITE, kind, -1, 0) == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv) {
  int wrong = 0, n = N, one = 1, pr, pc, r, c;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  all = new_grid("R", 1, ranks);
  double *kept = NULL;
  for (int round = 0; round < ROUNDS; round++) {
    int from = new_grid("R", ranks, 1), to = new_grid("R", 1, ranks);
    Cblacs_gridinfo(from, &pr, &pc, &r, &c);
    int rows = local_count(n, 32, r, 0, pr), cols = local_count(n, 32, c, 0, pc);
    int desca[9] = {1, from, n, n, 32, 32, 0, 0, rows > 0 ? rows : 1};
    double *a = kept && round % 2 ? kept : malloc(sizeof(double) * ((size_t)rows * cols + 1));
    if (kept && a != kept) free(kept);
    kept = a;
    map_over(a, sizeof(double) * (size_t)rows * cols, round + me);
    all_of(a, from, 32, rows, cols, round);
    Cblacs_gridinfo(to, &pr, &pc, &r, &c);
    int rows_to = local_count(n, 20, r, 0, pr), cols_to = local_count(n, 20, c, 0, pc);
    int descb[9] = {1, to, n, n, 20, 20, 0, 0, rows_to > 0 ? rows_to : 1};
    double *b = calloc((size_t)rows_to * cols_to + 1, sizeof(double));
    for (int again = 0; again < 3; again++) {
      int gate[2];
      char go = 0;
      pid_t child = -1;
      if (again == 1 && (me + round) % 2) {
        if (pipe(gate)) MPI_Abort(MPI_COMM_WORLD, 2);
        child = fork();
        if (!child) {
          close(gate[1]);
          /* By now the parent has written and redistributed again. */
          int bad = read(gate[0], &go, 1) != 1 || differing(a, from, 32, rows, cols, round);
          memset(a, 9, sizeof(double) * (size_t)rows * cols);
          _exit(bad ? 1 : 0);
        }
        all_of(a, from, 32, rows, cols, round + 100);
      }
      pdgemr2d_(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &all);
      for (int j = 0; j < cols_to; j++)
        for (int i = 0; i < rows_to; i++) {
          double got = b[(size_t)j * rows_to + i], want = value(to, 20, i, j, round);
          /* The rows of ranks that have forked belong to a later round. */
          wrong += got != want && got != want + 1e11;
        }
      if (child > 0) {
        int status = 1;
        wrong += write(gate[1], "g", 1) != 1 || waitpid(child, &status, 0) != child || status;
        close(gate[0]);
        close(gate[1]);
        all_of(a, from, 32, rows, cols, round);
      }
    }
    free(b);
    Cblacs_gridexit(from);
    Cblacs_gridexit(to);
  }
  free(kept);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("forked: %d ranks, %d wrong\n", ranks, wrong);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
