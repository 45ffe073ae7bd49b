/* Tests programs under an MPI that has few communicators left for reblock: takes all communicators but a few. With no
 * communicator left, the HPF interface must return an error. With one, as with eight, messages of a grid go through
 * shared memory, since ranks of one node need only reblock's duplicate. Every element is checked. An MPI with more than
 * MAX_COMMS communicators is skipped.
 *
 *   mpirun -n 4 comms */
#include "reblock.h"
#include "reblock_scalapack.h"
#include "scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1100, MAX_COMMS = 4000 }; /* N: large enough that shared memory is made at once */

int main(int argc, char **argv) {
  static MPI_Comm taken[MAX_COMMS];
  static double a[N * N], b[N * N];
  static const int left[] = {1, 8};
  int me, count = 0, one = 1, n = N, wrong = 0, contexts[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int k = 0; k < 2; k++) {
    Cblacs_get(0, 0, &contexts[k]);
    /* The grids order their processes differently, so no grid can use the communicator of another grid. */
    int map[2][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}};
    Cblacs_gridmap(&contexts[k], map[k], 4, 4, 1);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (count < MAX_COMMS && MPI_Comm_dup(MPI_COMM_WORLD, &taken[count]) == MPI_SUCCESS) count++;
  if (count == MAX_COMMS) {
    if (!me) printf("comms: this MPI has more than %d communicators\n", MAX_COMMS);
    while (count > 0) MPI_Comm_free(&taken[--count]);
  } else {
    int64_t shape = 4;
    reblock_procs *procs = NULL;
    int32_t code = reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs);
    if (!me) printf("comms: none of %d left: %d, %s\n", count, code, reblock_message());
    wrong += code != REBLOCK_ERR_MPI || procs;
    for (int k = 0; k < 2; k++) {
      int grid_rows, grid_cols, row, col, bad = 0;
      for (int i = 0; i < left[k]; i++) MPI_Comm_free(&taken[--count]);
      Cblacs_gridinfo(contexts[k], &grid_rows, &grid_cols, &row, &col);
      int from[9] = {1, contexts[k], N, N, 7, N, 0, 0, N}, to[9] = {1, contexts[k], N, N, 10, N, 0, 0, N};
      int rows = local_count(N, 7, row, 0, 4), mine = local_count(N, 10, row, 0, 4);
      for (int j = 0; j < N; j++)
        for (int i = 0; i < rows; i++) a[j * N + i] = (i / 7 * 4 + row) * 7 + i % 7 + 1000 * j;
      for (int i = 0; i < N * N; i++) b[i] = -1;
      pdgemr2d_(&n, &n, a, &one, &one, from, b, &one, &one, to, &contexts[k]);
      for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
          bad += b[j * N + i] != (i < mine ? (i / 10 * 4 + row) * 10 + i % 10 + 1000 * j : -1);
      MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      if (!me) printf("comms: %d communicators left: %d wrong elements\n", left[k], bad);
      wrong += bad;
      /* Communicators of this context stay allocated. */
    }
  }
  while (count > 0) MPI_Comm_free(&taken[--count]);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
