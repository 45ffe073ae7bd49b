/* A C program built against the installed header: checks that an identity matrix survives a redistribution. */
#include <mpi.h>
#include <reblock.h>
#include <reblock_scalapack.h>
#include <stdio.h>
#include <string.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_exit(int keep_mpi);

enum { N = 8 };

int main(int argc, char **argv) {
  int context, rows, cols, row, col, wrong = 0;
  MPI_Init(&argc, &argv);
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", 1, 2);
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  /* From blocks of 1 column to blocks of 4 columns, on 1 x 2 processes. */
  reblock_int desca[9] = {1, context, N, N, N, 1, 0, 0, N}, descb[9] = {1, context, N, N, N, 4, 0, 0, N};
  double a[N * 4], b[N * 4] = {0};
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < N; i++) a[j * N + i] = i == 2 * j + col;
  Cpdgemr2d(N, N, a, 1, 1, desca, b, 1, 1, descb, context);
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < N; i++) wrong += b[j * N + i] != (i == 4 * col + j);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!col) printf("reblock %s from C: %d wrong\n", reblock_version(), wrong);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0 || strcmp(reblock_version(), EXPECTED_VERSION) != 0;
}
