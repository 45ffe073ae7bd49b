/* One rank's part of a distributed matrix. The value of an element follows from its global row, column and type, so
 * that every element can be checked. */
#ifndef BENCH_MATRIX_H
#define BENCH_MATRIX_H
#include "cases.h"
#include <stddef.h>

struct matrix {
  struct layout layout;
  char type;
  int context, row, col, local_rows, local_cols, desc[9];
  size_t element, bytes;
  int other; /* whether its elements differ from the source's */
  char *data;
};

/* Allocates a matrix and touches its memory, so that no call pays for its pages. Collective. */
struct matrix make_matrix(struct layout layout, char type, int m, int n);
void free_matrix(struct matrix *x);

/* Writes the elements. */
void fill(struct matrix *x);

/* Sets all bytes to a value that no element has. */
void spoil(struct matrix *x);

/* Returns the number of wrong elements of the source on this rank. */
long wrong_elements(const struct matrix *x);

/* Returns the number of wrong elements of the target after the task on this rank. Additions start from the contents of
 * `fill`. */
long wrong_results(const struct matrix *x, enum task task);

/* The factors of all additions. Products with them are exact, so there is one rounding, and sums do not grow. */
#define ALPHA 2.0
#define BETA 0.5
#endif
