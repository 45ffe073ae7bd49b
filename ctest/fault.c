/* A ScaLAPACK with a fault, for tests/trial: loaded between reblock and the real one. FAULT says what is wrong with what the
 * last rank gets: `element` (the last element of its array), `byte` (one byte of the padding below its first column),
 * `column` (its last column is not written), `row` (one row too many); anything else, nothing. Calls are counted on
 * standard error if FAULT is `count`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void gemr2d(const int *, const int *, const void *, const int *, const int *, const int *, void *, const int *,
                    const int *, const int *, const int *);

void blacs_gridinfo_(const int *, int *, int *, int *, int *);
int numroc_(const int *, const int *, const int *, const int *, const int *);

void pdgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja, const int *desca, void *b,
               const int *ib, const int *jb, const int *descb, const int *context) {
  gemr2d *real = (gemr2d *)dlsym(RTLD_NEXT, "pdgemr2d_");
  const char *fault = getenv("FAULT");
  int me, ranks, rows, cols, row, col, zero = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  blacs_gridinfo_(&descb[1], &rows, &cols, &row, &col);
  int height = numroc_(&descb[2], &descb[4], &row, &zero, &rows), width = numroc_(&descb[3], &descb[5], &col, &zero, &cols);
  size_t ld = (size_t)descb[8], last = (size_t)width - 1, bottom = (size_t)height - 1;
  double *local = b, *column = malloc(sizeof *column * (bottom + 1));
  memcpy(column, local + last * ld, sizeof *column * (bottom + 1));
  real(m, n, a, ia, ja, desca, b, ib, jb, descb, context);
  if (fault && !strcmp(fault, "count") && me == 0) fprintf(stderr, "fault: called\n");
  if (fault && me == ranks - 1) {
    if (!strcmp(fault, "element")) local[last * ld + bottom] += 1;
    if (!strcmp(fault, "byte")) ((char *)(local + bottom + 1))[3] ^= 1;
    if (!strcmp(fault, "column")) memcpy(local + last * ld, column, sizeof *column * (bottom + 1));
    if (!strcmp(fault, "row"))
      for (size_t j = 0; j < last; j++) local[j * ld + bottom + 1] = 7;
  }
  free(column);
}
