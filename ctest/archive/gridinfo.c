#include "blacs.h"

void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col) {
  int me;
  MPI_Comm_rank(Cblacs2sys_handle(40), &me);
  *rows = *cols = *row = *col = -1;
  if (!context) *rows = grid_rows, *cols = grid_cols, *row = me / grid_cols, *col = me % grid_cols;
}
