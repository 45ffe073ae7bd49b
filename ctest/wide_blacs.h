/* A BLACS with 64-bit integers for libreblock_ilp64, next to the 32-bit BLACS of ScaLAPACK. Included once in a program
 * that is linked with -rdynamic. */
#ifndef CTEST_WIDE_BLACS_H
#define CTEST_WIDE_BLACS_H
#include "scalapack.h"
#include <dlfcn.h>
#include <stdint.h>

void blacs_gridinfo_(const int64_t *context, int64_t *rows, int64_t *cols, int64_t *row, int64_t *col) {
  int r, c, i, j;
  Cblacs_gridinfo((int)*context, &r, &c, &i, &j);
  *rows = r, *cols = c, *row = i, *col = j;
}
void blacs_get_(const int64_t *context, const int64_t *what, int64_t *value) {
  void (*get)(const int *, const int *, int *) = (void (*)(const int *, const int *, int *))dlsym(RTLD_NEXT, "blacs_get_");
  int c = (int)*context, w = (int)*what, v;
  get(&c, &w, &v);
  *value = v;
}
#endif
