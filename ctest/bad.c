/* Makes a good call, then a call with one bad argument, on 4 ranks: the job must end at once, with an error and one
 * clear line.
 *
 *   mpirun -n 4 bad CASE        tests/bad.sh has the cases and the expected lines; first-CASE: without the good call */
#include "scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gemr2d pdgemr2d_;
trmr2d pdtrmr2d_;

int main(int argc, char **argv) {
  int me, all, square, column, one = 1, ia = 1, m = 12, n = 12, permuted[2];
  static int maps[2][4] = {{3, 0, 2, 1}, {3, 0, 1, 2}};
  const char *bad = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  Cblacs_get(0, 0, &all);
  Cblacs_gridinit(&all, "R", 1, 4);
  Cblacs_get(0, 0, &square);
  Cblacs_gridinit(&square, "R", 2, 2);
  Cblacs_get(0, 0, &column);
  Cblacs_gridinit(&column, "R", 2, 1);
  for (int g = 0; g < 2; g++) {
    Cblacs_get(0, 0, &permuted[g]);
    Cblacs_gridmap(&permuted[g], maps[g], 2, 2, 2);
  }
  int desca[9] = {1, square, 12, 12, 2, 2, 0, 0, 12}, descb[9] = {1, square, 12, 12, 3, 3, 0, 0, 12};
  double a[144] = {0}, b[144];
  if (!strncmp(bad, "first-", 6))
    bad += 6;
  else
    pdgemr2d_(&m, &n, a, &ia, &one, desca, b, &one, &one, descb, &all);
  int is = 1;
#define CASE(name) else if (!strcmp(bad, name))
  if (!strcmp(bad, "none")) is = 1;
  CASE("m") m = -1;
  CASE("n") n = -7;
  CASE("rows") ia = 2;
  CASE("index") ia = 0;
  CASE("columns") descb[3] = 11;
  CASE("lld") descb[8] = 5;
  CASE("lld-one-rank") { if (me == 3) descb[8] = 5; }
  CASE("mb") desca[4] = 0;
  CASE("nb") descb[5] = -2;
  CASE("rsrc") desca[6] = 2;
  CASE("csrc") descb[7] = -1;
  CASE("ictxt") all = 77;
  CASE("ictxt-negative") all = -1;
  CASE("context") desca[1] = 55;
  CASE("context-one-rank") { if (me == 2) descb[1] = 55; }
  CASE("differ-mb") { if (me == 1) desca[4] = 3; }
  CASE("differ-m") { if (me == 3) m = 11; }
  CASE("differ-ia") { desca[2] = descb[2] = 13; desca[8] = descb[8] = 12; if (me == 0) ia = 2; }
  CASE("differ-member") { if (me == 2) desca[1] = -1; }
  CASE("differ-grid") descb[1] = permuted[me == 1];
  CASE("differ-subgrid-member") { /* the plan of this call would be wrong on rank 1 */
    descb[1] = column;
    if (me == 1) descb[1] = -1;
  }
  CASE("differ-subgrid") { desca[1] = column; if (me == 1) desca[5] = 4; }
  CASE("differ-local") { /* one rank finds that it has nothing to exchange, and is done at once */
    descb[4] = descb[5] = 2;
    if (me == 2) desca[6] = 1;
  }
  CASE("no-member") { desca[1] = -1; }
  CASE("enclosing") { all = column; if (me > 1) m = 0; }
  CASE("finalized") {
    Cblacs_exit(1);
    MPI_Finalize();
  }
  CASE("outside") { /* ranks 2 and 3 are in no grid of B, but say that they are in A's */
    descb[1] = me < 2 ? column : square;
    if (me > 1) descb[8] = 1;
  }
  CASE("ilp64") is = 2;
  CASE("null") { if (me == 1) desca[0] = 99; }
  else is = 0;
  if (!is) {
    if (!me) fprintf(stderr, "no case %s\n", bad);
    MPI_Abort(MPI_COMM_WORLD, 99);
  }
  /* 64-bit integers: the routine reads each half as an integer. */
  int wide[2][18] = {{0}};
  for (int k = 0; k < 9; k++) wide[0][2 * k] = desca[k], wide[1][2 * k] = descb[k];
  if (is == 2) pdgemr2d_(&m, &n, a, &ia, &one, wide[0], b, &one, &one, wide[1], &all);
  pdgemr2d_(&m, &n, !strcmp(bad, "null") && me == 1 ? NULL : a, &ia, &one, desca, b, &one, &one, descb, &all);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!me) printf("returned\n");
  Cblacs_exit(1);
  MPI_Finalize();
  return 0;
}
