/* A plugin as Python extensions are: it brings ScaLAPACK along and is loaded with RTLD_LOCAL, so that BLACS is in no
 * global scope. run() redistributes a matrix and checks it; 0: all is well. */
#include "scalapack.h"
#include <mpi.h>

gemr2d pdgemr2d_;

int run(void) {
  enum { N = 10 };
  int context, rows, cols, row, col, one = 1, n = N, wrong = 0;
  double a[N * N], b[N * N] = {0};
  MPI_Init(0, 0);
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", 2, 1);
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  int desca[9] = {1, context, N, N, 1, N, 0, 0, N}, descb[9] = {1, context, N, N, N / 2, N, 0, 0, N};
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N / 2; i++) a[j * N + i] = (2 * i + row) * 100 + j;
  pdgemr2d_(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &context);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N / 2; i++) wrong += b[j * N + i] != (row * N / 2 + i) * 100 + j;
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong;
}
