/* A plugin like a Python extension: it links ScaLAPACK and is loaded with RTLD_LOCAL, so that BLACS is in no global
 * scope. begin() makes a grid of `rows` process rows on 2 ranks, move() redistributes a matrix and counts wrong
 * elements, end() leaves BLACS. */
#include "scalapack.h"
#include <mpi.h>

gemr2d pdgemr2d_;

static int context;

void begin(int rows) {
  int known;
  MPI_Initialized(&known);
  if (!known) MPI_Init(0, 0);
  context = new_grid("R", rows, 2 / rows);
}

int move(void) {
  enum { N = 10 };
  int rows, cols, row, col, one = 1, n = N, wrong = 0;
  double a[N * N], b[N * N] = {0};
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  int desca[9] = {1, context, N, N, 1, 1, 0, 0, N}, descb[9] = {1, context, N, N, N / 2, N / 2, 0, 0, N};
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) a[j * N + i] = global_index(i, 1, row, rows) * 100 + global_index(j, 1, col, cols);
  pdgemr2d_(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &context);
  for (int j = 0; j < N / cols; j++)
    for (int i = 0; i < N / rows; i++) wrong += b[j * N + i] != (row * N / 2 + i) * 100 + col * N / 2 + j;
  return wrong;
}

void end(void) { Cblacs_exit(1); }

void finalize(void) { MPI_Finalize(); }
