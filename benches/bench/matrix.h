/* WHERE is each element, and is it right? One rank's part of a distributed matrix whose elements follow from their global
 * row, column and type. */
#ifndef BENCH_MATRIX_H
#define BENCH_MATRIX_H
#include "cases.h"
#include <stddef.h>

struct matrix {
  struct layout layout;
  char type;
  int context, row, col, local_rows, local_cols, desc[9];
  size_t element, bytes;
  char *data;
};

/* Collective. Memory is touched, so that no call pays for its pages. */
struct matrix make_matrix(struct layout layout, char type, int m, int n);
void free_matrix(struct matrix *x);

/* Sets all elements to what they are. */
void fill(struct matrix *x);

/* Sets all bytes to what no element has. */
void spoil(struct matrix *x);

/* On this rank, elements that are not what they should be. */
long wrong_elements(const struct matrix *x);
#endif
