/* The matrix of a job that is resized. The value of each element follows from its place. */
#ifndef RESIZED_H
#define RESIZED_H
#include "../ctest/scalapack.h"
#include "reblock.h"
#include <stdio.h>
#include <stdlib.h>

extern void blacs_gridinfo_(const int *, int *, int *, int *, int *);
extern int numroc_(const int *, const int *, const int *, const int *, const int *);

static const int zero = 0;
static int n, nb, desc[9];
static double *a;

static void must(int32_t code, const char *what) {
  if (!code) return;
  fprintf(stderr, "%s: %s\n", what, reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Writes the matrix, or checks it. */
static void matrix(int check) {
  int rows, cols, row, col;
  blacs_gridinfo_(&desc[1], &rows, &cols, &row, &col);
  int height = numroc_(&n, &nb, &row, &zero, &rows), width = numroc_(&n, &nb, &col, &zero, &cols);
  for (int j = 0; j < width; j++)
    for (int i = 0; i < height; i++) {
      double *place = &a[(size_t)j * desc[8] + i], want = global_index(i, nb, row, rows) + 1e-6 * global_index(j, nb, col, cols);
      if (!check) *place = want;
      else if (*place != want) fprintf(stderr, "wrong data\n"), MPI_Abort(MPI_COMM_WORLD, 1);
    }
}
#endif
