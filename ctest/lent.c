/* Tests arrays that reblock allocates in memory that ranks of the node share. Other ranks copy from them directly, and
 * the program may write the source as soon as the call returns. Draws random layouts on grids of all ranks, and
 * overwrites the source at once.
 *
 *   mpirun -n 4 lent CASES [SEED] */
#include "random.h"
#include "scalapack.h"
#include "reblock.h"
#include "reblock_scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state;
static int random_below(int n) { return (int)within(&state, 0, n - 1); }

static int me, ranks, all;
struct layout { int context, rows, cols, at_row, at_col, proc_rows, proc_cols, block, ld; };
static struct layout layout(int n, int proc_rows) {
  struct layout l = {.context = new_grid("R", proc_rows, ranks / proc_rows), .block = 1 + random_below(20)};
  Cblacs_gridinfo(l.context, &l.proc_rows, &l.proc_cols, &l.at_row, &l.at_col);
  l.rows = local_count(n, l.block, l.at_row, 0, l.proc_rows);
  l.cols = local_count(n, l.block, l.at_col, 0, l.proc_cols);
  l.ld = l.rows + 1 + random_below(3);
  return l;
}
static double value(struct layout l, int i, int j) {
  return global_index(i, l.block, l.at_row, l.proc_rows) + 1e4 * global_index(j, l.block, l.at_col, l.proc_cols);
}

/* Returns 0 if B is right after the call. A begins `offset` elements after the start of an array of the library or of
 * malloc. */
static int run_case(int n, int offset, int shared, int round) {
  struct layout la = layout(n, ranks % 2 || random_below(2) ? ranks : 2), lb = layout(n, random_below(2) ? 1 : ranks);
  size_t elements = (size_t)la.ld * (size_t)la.cols + (size_t)offset;
  void *lent = NULL;
  if (shared && reblock_blacs_alloc(all, (int64_t)(elements * sizeof(double)), &lent)) lent = NULL;
  double *memory = shared ? lent : malloc(elements * sizeof(double) + 8);
  double *a = memory + offset, *b = malloc(sizeof(double) * ((size_t)lb.ld * (size_t)lb.cols + 1));
  int wrong = 0, one = 1, desca[9] = {1, la.context, n, n, la.block, la.block, 0, 0, la.ld};
  int descb[9] = {1, lb.context, n, n, lb.block, lb.block, 0, 0, lb.ld};
  if (!memory || !b) { fprintf(stderr, "no memory\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
  for (int again = 0; again < 3; again++) {
    for (int j = 0; j < la.cols; j++)
      for (int i = 0; i < la.rows; i++) a[(size_t)j * la.ld + i] = value(la, i, j) + again;
    for (size_t k = 0; k < (size_t)lb.ld * (size_t)lb.cols; k++) b[k] = -1;
    pdgemr2d_(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &all);
    for (size_t k = 0; k < elements; k++) memory[k] = -7;
    for (int j = 0; j < lb.cols; j++)
      for (int i = 0; i < lb.ld; i++) wrong += b[(size_t)j * lb.ld + i] != (i < lb.rows ? value(lb, i, j) + again : -1);
  }
  if (wrong) fprintf(stderr, "rank %d, case %d: n %d, %d wrong\n", me, round, n, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  void *again = lent;
  if (shared) wrong += reblock_blacs_free(all, &lent) || lent || reblock_blacs_free(all, &again) != REBLOCK_ERR_ARGUMENT;
  else free(memory);
  free(b);
  Cblacs_gridexit(la.context);
  Cblacs_gridexit(lb.context);
  return wrong;
}

int main(int argc, char **argv) {
  int wrong = 0, cases = argc > 1 ? atoi(argv[1]) : 50;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
  MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (!me) printf("lent: seed %llu\n", (unsigned long long)state);
  all = new_grid("R", 1, ranks);
  for (int k = 0; k < cases; k++) {
    uint64_t before = state;
    wrong += run_case(1 + random_below(k % 10 ? 90 : 700), random_below(5), k % 4 != 3, k);
    /* From here on, all ranks draw the same numbers again. */
    state = stream(before);
  }
  void *none = &wrong;
  wrong += reblock_blacs_free(all, &none) != REBLOCK_ERR_ARGUMENT || reblock_blacs_free(12345, &none) != REBLOCK_ERR_ARGUMENT;
  wrong += none != &wrong || reblock_blacs_free(all, NULL) != REBLOCK_ERR_ARGUMENT;
  wrong += reblock_blacs_alloc(all, -8, &none) != REBLOCK_ERR_ARGUMENT || none;
  wrong += reblock_blacs_alloc(all, 8, NULL) != REBLOCK_ERR_ARGUMENT;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("lent: %d cases, %d wrong\n", cases, wrong);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
