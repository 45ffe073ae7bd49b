/* A program that calls BLACS by its C names only and links BLACS and reblock from archives, so that the linker takes
 * no member with Fortran names. Moves a matrix and checks every element.
 *
 *   mpirun -n 2 archive */
#include "blacs.h"
#include "reblock.h"
#include "reblock_scalapack.h"
#include <stdio.h>
#include <stdlib.h>

enum { N = 40 };

static int rows_of(int block, int me, int ranks) {
  int count = 0;
  for (int i = 0; i < N; i++) count += i / block % ranks == me;
  return count;
}
static double value(int i, int block, int me, int ranks, int j) { return (i / block * ranks + me) * block + i % block + 100 * j; }

int main(int argc, char **argv) {
  static double a[N * N], b[N * N];
  int n = N, one = 1, ranks, me, columns, column, context, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", ranks, 1);
  Cblacs_gridinfo(context, &ranks, &columns, &me, &column);
  int la = rows_of(3, me, ranks), lb = rows_of(5, me, ranks);
  int da[9] = {1, context, N, N, 3, 3, 0, 0, N}, db[9] = {1, context, N, N, 5, 5, 0, 0, N};
  for (int j = 0; j < N; j++)
    for (int i = 0; i < la; i++) a[j * N + i] = value(i, 3, me, ranks, j);
  for (int again = 0; again < 3; again++) {
    pdgemr2d_(&n, &n, a, &one, &one, da, b, &one, &one, db, &context);
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) wrong += b[j * N + i] != (i < lb ? value(i, 5, me, ranks, j) : 0);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("archive: %d wrong elements\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
