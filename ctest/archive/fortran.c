#include "blacs.h"

/* The Fortran names, to which the program has no reference. */
void blacs_get_(const int *context, const int *what, int *value) { Cblacs_get(*context, *what, value); }
void blacs_gridinfo_(const int *context, int *rows, int *cols, int *row, int *col) {
  Cblacs_gridinfo(*context, rows, cols, row, col);
}
