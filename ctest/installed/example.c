/* Runs the example at the top of reblock.h, which is in example.inc. Checks that the columns get the elements of the
 * rows, and that the rows get them back. */
#include <reblock.h>
#include <stdio.h>

enum { ROWS = 1000, COLUMNS = 500 };
static double rows[ROWS * COLUMNS], columns[ROWS * COLUMNS];

int main(int argc, char **argv) {
  int me, size, wrong = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
  reblock_map *maps[2];
  reblock_plan *plan, *back;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  int high = ROWS / size, wide = COLUMNS / size;
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < high; i++) rows[j * high + i] = (me * high + i) + 1e-3 * j;
#include "example.inc"
  for (int j = 0; j < wide; j++)
    for (int i = 0; i < ROWS; i++) wrong += columns[j * ROWS + i] != i + 1e-3 * (me * wide + j);
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < high; i++) wrong += rows[j * high + i] != (me * high + i) + 1e-3 * j;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm);
  if (!me) printf("the example of reblock.h: %d wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
