/* Library with faults, for tests/trial, loaded between reblock and the real ScaLAPACK. FAULT names the error in the
 * last rank's result of ScaLAPACK: `element` (last element of its array), `byte` (a byte of the padding below its
 * first column), `column` (its last column is not written), `row` (one row too many), `behind` (an element behind its
 * array), `before` (an element before its array), `source` (padding of A), `nothing` (result unchanged from before the
 * call). With `lacpy`, rank 0's p?lacpy is wrong. With `slow`, BLACS takes 5 ms to describe a grid to reblock. With
 * `count`, there is no fault, and rank 0 prints a line for each call of pdgemr2d. Faults of reblock itself are in
 * ctest/spoil.c. */
#define _GNU_SOURCE
#include "scalapack.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Depth of nested ScaLAPACK calls; 0 if the caller is reblock. */
static int inside;

static int is(const char *name) {
  const char *fault = getenv("FAULT");
  return fault && !strcmp(fault, name);
}

void blacs_gridinfo_(const int *, int *, int *, int *, int *);
int numroc_(const int *, const int *, const int *, const int *, const int *);

void pdgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja, const int *desca, void *b,
               const int *ib, const int *jb, const int *descb, const int *context) {
  gemr2d *real = (gemr2d *)dlsym(RTLD_NEXT, "pdgemr2d_");
  int me, ranks, rows, cols, row, col, zero = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  inside++;
  blacs_gridinfo_(&descb[1], &rows, &cols, &row, &col);
  int height = numroc_(&descb[2], &descb[4], &row, &zero, &rows), width = numroc_(&descb[3], &descb[5], &col, &zero, &cols);
  size_t ld = (size_t)descb[8], last = (size_t)width - 1, bottom = (size_t)height - 1;
  double *local = b, *column = malloc(sizeof *column * (bottom + 1));
  memcpy(column, local + last * ld, sizeof *column * (bottom + 1));
  size_t bytes = sizeof *local * (last * ld + bottom + 1);
  double *whole = memcpy(malloc(bytes), local, bytes);
  real(m, n, a, ia, ja, desca, b, ib, jb, descb, context);
  inside--;
  if (is("count") && me == 0) fprintf(stderr, "fault: called\n");
  if (me == ranks - 1) {
    if (is("element")) local[last * ld + bottom] += 1;
    if (is("byte")) ((char *)(local + bottom + 1))[3] ^= 1;
    if (is("column")) memcpy(local + last * ld, column, sizeof *column * (bottom + 1));
    if (is("row"))
      for (size_t j = 0; j < last; j++) local[j * ld + bottom + 1] = 7;
    if (is("behind")) local[last * ld + bottom + 1] = 7;
    if (is("before")) local[-1] = 7;
    if (is("nothing")) memcpy(local, whole, bytes);
    if (is("source")) ((double *)a)[desca[8] - 1] = 7;
  }
  free(column);
  free(whole);
}

void Cpdgemr2d(int m, int n, const double *a, int ia, int ja, const int *desca, double *b, int ib, int jb, const int *descb,
               int context) {
  void (*real)(int, int, const double *, int, int, const int *, double *, int, int, const int *, int) =
      (void (*)(int, int, const double *, int, int, const int *, double *, int, int, const int *, int))dlsym(RTLD_NEXT, "Cpdgemr2d");
  inside++;
  real(m, n, a, ia, ja, desca, b, ib, jb, descb, context);
  inside--;
}

void pdtrmr2d_(const char *uplo, const char *diag, const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desca, void *b, const int *ib, const int *jb, const int *descb, const int *context, int uplo_length,
               int diag_length) {
  trmr2d *real = (trmr2d *)dlsym(RTLD_NEXT, "pdtrmr2d_");
  inside++;
  real(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb, context, uplo_length, diag_length);
  inside--;
}

/* Adds 1 to the first element of rank 0's B if FAULT is `lacpy`. */
void pdlacpy_(const char *uplo, const int *m, const int *n, const double *a, const int *ia, const int *ja, const int *desca, double *b,
              const int *ib, const int *jb, const int *descb, size_t length) {
  void (*real)(const char *, const int *, const int *, const double *, const int *, const int *, const int *, double *, const int *,
               const int *, const int *, size_t) =
      (void (*)(const char *, const int *, const int *, const double *, const int *, const int *, const int *, double *, const int *,
                const int *, const int *, size_t))dlsym(RTLD_NEXT, "pdlacpy_");
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  inside++;
  real(uplo, m, n, a, ia, ja, desca, b, ib, jb, descb, length);
  inside--;
  if (is("lacpy") && me == 0) *b += 1;
}

static void wait_for_blacs(void) {
  if (!inside && is("slow")) usleep(5000);
}

void blacs_gridinfo_(const int *context, int *rows, int *cols, int *row, int *col) {
  void (*real)(const int *, int *, int *, int *, int *) =
      (void (*)(const int *, int *, int *, int *, int *))dlsym(RTLD_NEXT, "blacs_gridinfo_");
  wait_for_blacs();
  real(context, rows, cols, row, col);
}

void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col) {
  void (*real)(int, int *, int *, int *, int *) = (void (*)(int, int *, int *, int *, int *))dlsym(RTLD_NEXT, "Cblacs_gridinfo");
  wait_for_blacs();
  real(context, rows, cols, row, col);
}
