/* The part of a BLACS that the program needs: one grid of all ranks. As in the real BLACS, each function is a separate
 * member of the archive, and the functions with Fortran names are separate members. */
#ifndef CTEST_ARCHIVE_BLACS_H
#define CTEST_ARCHIVE_BLACS_H
#include <mpi.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
MPI_Comm Cblacs2sys_handle(int handle);

extern int grid_rows, grid_cols;
#endif
