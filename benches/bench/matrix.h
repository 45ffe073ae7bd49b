/* One rank's part of a distributed matrix, whose elements follow from their global row, column and type, so that each
 * can be checked. */
#ifndef BENCH_MATRIX_H
#define BENCH_MATRIX_H
#include "cases.h"
#include <stddef.h>

struct matrix {
  struct layout layout;
  char type;
  int context, row, col, local_rows, local_cols, desc[9];
  size_t element, bytes;
  int other; /* whether its elements are others than those of the source */
  char *data;
};

/* Collective. Memory is touched, so that no call pays for its pages. */
struct matrix make_matrix(struct layout layout, char type, int m, int n);
void free_matrix(struct matrix *x);

/* Sets all elements to what they are. */
void fill(struct matrix *x);

/* Sets all bytes to what no element has. */
void spoil(struct matrix *x);

/* On this rank, elements of the source that are not what they should be. */
long wrong_elements(const struct matrix *x);

/* On this rank, elements of the target that the task did not make what they should be, of what fill had made them where it adds. */
long wrong_results(const struct matrix *x, enum task task);

/* The factors of all additions: products with them are exact, so that there is one rounding, and sums do not grow. */
#define ALPHA 2.0
#define BETA 0.5
#endif
