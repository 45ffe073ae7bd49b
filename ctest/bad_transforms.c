/* Makes a good call of pdgeadd, pdtran and pdtradd each, then a call of one of them with one bad argument, on 4 ranks:
 * the job must end at once, with an error and one clear line. Without reblock, the program shows which arguments
 * ScaLAPACK refuses.
 *
 *   mpirun -n 4 bad_transforms CASE    tests/bad_transforms.sh has the cases and the expected lines; first-CASE: without the good calls */
#include "scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pdgeadd_(const char *, int *, int *, double *, double *, int *, int *, int *, double *, double *, int *, int *, int *, size_t);
void pdtradd_(const char *, const char *, int *, int *, double *, double *, int *, int *, int *, double *, double *, int *, int *,
              int *, size_t, size_t);
void pdtran_(int *, int *, double *, double *, int *, int *, int *, double *, double *, int *, int *, int *);

/* Turns a descriptor into one with first blocks of another size. */
static void with_first_blocks(int *desc, int imb, int inb) {
  memmove(desc + 6, desc + 4, 5 * sizeof *desc);
  desc[0] = 2, desc[4] = imb, desc[5] = inb;
}

int main(int argc, char **argv) {
  int me, square, other, ia = 1, ja = 1, ic = 1, jc = 1, m = 12, n = 12, is = 1;
  char trans = 'N', uplo = 'U';
  double alpha = 2, beta = 3;
  const char *bad = argc > 1 ? argv[1] : "", *routine = "geadd";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  square = new_grid("R", 2, 2);
  other = new_grid("R", 2, 2);
  int desca[11] = {1, square, 12, 12, 2, 2, 0, 0, 12}, descc[11] = {1, square, 12, 12, 3, 3, 0, 0, 12};
  double array[288] = {0}, *a = array, *c = array + 144;
  if (!strncmp(bad, "first-", 6)) {
    bad += 6;
  } else {
    pdgeadd_(&trans, &m, &n, &alpha, a, &ia, &ja, desca, &beta, c, &ic, &jc, descc, 1);
    pdtradd_(&uplo, &trans, &m, &n, &alpha, a, &ia, &ja, desca, &beta, c, &ic, &jc, descc, 1, 1);
    pdtran_(&m, &n, &alpha, a, &ia, &ja, desca, &beta, c, &ic, &jc, descc);
  }
#define CASE(name) else if (!strcmp(bad, name))
  if (!strcmp(bad, "none")) is = 1;
  CASE("m") m = -1;
  CASE("n") n = -7;
  CASE("row") ia = 0;
  CASE("column") jc = -3;
  CASE("rows") ia = 2;
  CASE("columns") jc = 2;
  CASE("turned-rows") { trans = 't'; n = 9; m = 12; ia = 5; }
  CASE("lld") descc[8] = 5;
  CASE("lld-one-rank") { if (me == 3) descc[8] = 5; }
  CASE("mb") desca[4] = 0;
  CASE("nb") descc[5] = -2;
  CASE("imb") with_first_blocks(desca, 0, 2);
  CASE("inb") with_first_blocks(descc, 3, -1);
  CASE("differ-imb") {
    with_first_blocks(desca, 1, 2);
    if (me == 1) desca[4] = 2;
  }
  CASE("differ-inb") {
    with_first_blocks(descc, 3, 3);
    if (me == 1) descc[5] = 1;
  }
  CASE("ilp64") is = 2;
  CASE("tran-ilp64") { is = 2; routine = "tran"; }
  CASE("rsrc") desca[6] = 2;
  CASE("csrc") descc[7] = -2;
  CASE("dtype") descc[0] = 501;
  CASE("context") desca[1] = 55;
  CASE("two-contexts") descc[1] = other;
  CASE("trans") trans = 'X';
  CASE("tradd-trans") { routine = "tradd"; trans = '?'; }
  CASE("tradd-uplo") { routine = "tradd"; uplo = 'N'; }
  CASE("tran-m") { routine = "tran"; m = -1; }
  CASE("tran-rows") { routine = "tran"; n = 13; }
  CASE("empty-lld") { m = 0; descc[8] = 0; }
  CASE("empty-row") { n = 0; ia = 0; }
  CASE("nothing-mb") { alpha = 0; beta = 1; desca[4] = 0; }
  CASE("differ-m") { if (me == 3) m = 11; }
  CASE("differ-alpha") { if (me == 1) alpha = 2.5; }
  CASE("differ-beta") { if (me == 2) beta = 0; }
  CASE("differ-trans") { if (me == 1) trans = 'T'; }
  CASE("differ-uplo") { routine = "tradd"; if (me == 3) uplo = 'L'; }
  CASE("differ-mb") { if (me == 1) desca[4] = 3; }
  CASE("differ-local") { descc[4] = descc[5] = 2; if (me == 2) desca[6] = 1; }
  CASE("overlap") { c = a; descc[4] = descc[5] = 2; m = n = 6; jc = 2; }
  CASE("overlap-turned") { c = a; descc[4] = descc[5] = 2; routine = "tran"; }
  CASE("null") is = 1;
  CASE("finalized") { routine = "tran"; Cblacs_exit(1); MPI_Finalize(); }
  else is = 0;
  if (!is) {
    if (!me) fprintf(stderr, "no case %s\n", bad);
    MPI_Abort(MPI_COMM_WORLD, 99);
  }
  if (!strcmp(bad, "null") && me == 1) a = NULL;
  /* 64-bit integers: the routine reads each half as an integer. */
  int wide[2][18] = {{0}}, *of_a = desca, *of_c = descc;
  for (int k = 0; k < 9; k++) wide[0][2 * k] = desca[k], wide[1][2 * k] = descc[k];
  if (is == 2) of_a = wide[0], of_c = wide[1];
  if (!strcmp(routine, "geadd")) pdgeadd_(&trans, &m, &n, &alpha, a, &ia, &ja, of_a, &beta, c, &ic, &jc, of_c, 1);
  else if (!strcmp(routine, "tradd")) pdtradd_(&uplo, &trans, &m, &n, &alpha, a, &ia, &ja, of_a, &beta, c, &ic, &jc, of_c, 1, 1);
  else pdtran_(&m, &n, &alpha, a, &ia, &ja, of_a, &beta, c, &ic, &jc, of_c);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!me) printf("returned\n");
  Cblacs_exit(1);
  MPI_Finalize();
  return 0;
}
