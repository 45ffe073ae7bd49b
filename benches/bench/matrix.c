/* One rank's part of a matrix, with values that identify their place. */
#include "matrix.h"
#include "../../ctest/scalapack.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of(char type) { return type == 'i' || type == 's' ? 4 : type == 'z' ? 16 : 8; }

struct matrix make_matrix(struct layout layout, char type, int m, int n) {
  struct matrix x = {.layout = layout, .type = type, .element = size_of(type)};
  int map[64], procs = layout.rows * layout.cols, rows, cols;
  for (int r = 0; r < layout.rows; r++) /* gridmap lists the ranks column by column */
    for (int c = 0; c < layout.cols; c++) map[c * layout.rows + r] = layout.first + (layout.turned ? c * layout.rows + r : r * layout.cols + c);
  Cblacs_get(0, 0, &x.context);
  Cblacs_gridmap(&x.context, map, layout.rows, layout.rows, procs / layout.rows);
  if (x.context >= 0) {
    Cblacs_gridinfo(x.context, &rows, &cols, &x.row, &x.col);
    x.local_rows = local_count(m, layout.mb, x.row, 0, layout.rows);
    x.local_cols = local_count(n, layout.nb, x.col, 0, layout.cols);
  }
  int desc[9] = {1, x.context, m, n, layout.mb, layout.nb, 0, 0, x.local_rows > 0 ? x.local_rows : 1};
  memcpy(x.desc, desc, sizeof desc);
  x.bytes = (size_t)x.local_rows * (size_t)x.local_cols * x.element;
  x.data = malloc(x.bytes + 1);
  if (!x.data) { fprintf(stderr, "bench: no memory for %zu bytes\n", x.bytes); abort(); }
  spoil(&x);
  return x;
}
void free_matrix(struct matrix *x) {
  if (x->context >= 0) Cblacs_gridexit(x->context);
  free(x->data);
}

/* Computes an element: different within a column or row, and a number that every type holds exactly. */
static void value(char type, uint64_t i, uint64_t j, void *out) {
  uint64_t h = (i + 1) * 0x9E3779B97F4A7C15u + (j + 1) * 0xC2B2AE3D27D4EB4Fu;
  int32_t whole = (int32_t)(h >> 33);
  float single[2] = {(float)(h >> 40), -(float)(h >> 20 & 0xFFFFFF)};
  double twice[2] = {(double)(h >> 11), -(double)(h & 0xFFFFFFFF)};
  const void *from = type == 'i' ? (void *)&whole : type == 's' || type == 'c' ? (void *)single : (void *)twice;
  memcpy(out, from, size_of(type));
}
static uint64_t global(int local, int block, int at, int procs) {
  return ((uint64_t)(local / block) * (uint64_t)procs + (uint64_t)at) * (uint64_t)block + (uint64_t)(local % block);
}
/* Computes element (i, j) of the matrix before the task. */
static void source(const struct matrix *x, uint64_t i, uint64_t j, void *out) {
  value(x->type, x->other ? i + 1000003 : i, x->other ? j + 7 : j, out);
}

/* y := 2 x + y / 2, for each real number of an element. */
static void add(char type, const char *x, char *y) {
  for (size_t k = 0; k < (type == 's' || type == 'd' ? 1 : 2); k++) {
    float a, b;
    double c, d;
    if (type == 's' || type == 'c') {
      memcpy(&a, x + 4 * k, 4), memcpy(&b, y + 4 * k, 4);
      b = (float)ALPHA * a + (float)BETA * b;
      memcpy(y + 4 * k, &b, 4);
    } else {
      memcpy(&c, x + 8 * k, 8), memcpy(&d, y + 8 * k, 8);
      d = ALPHA * c + BETA * d;
      memcpy(y + 8 * k, &d, 8);
    }
  }
}
static void conjugate(char type, char *x) {
  float single;
  double twice;
  if (type == 'c') memcpy(&single, x + 4, 4), single = -single, memcpy(x + 4, &single, 4);
  if (type == 'z') memcpy(&twice, x + 8, 8), twice = -twice, memcpy(x + 8, &twice, 8);
}
static void result(const struct matrix *x, enum task task, uint64_t i, uint64_t j, char *out) {
  char from[16];
  value(x->type, turns(task) ? j : i, turns(task) ? i : j, from);
  if (task == TRANSPOSE_CONJUGATE) conjugate(x->type, from);
  if (adds(task)) source(x, i, j, out), add(x->type, from, out);
  else memcpy(out, from, x->element);
}

enum visit { FILL, SOURCE, RESULT };
static long visit(const struct matrix *x, enum visit what, enum task task) {
  const struct layout *l = &x->layout;
  long wrong = 0;
  char *e = x->data, want[16];
  for (int j = 0; j < x->local_cols; j++)
    for (int i = 0; i < x->local_rows; i++, e += x->element) {
      uint64_t row = global(i, l->mb, x->row, l->rows), col = global(j, l->nb, x->col, l->cols);
      if (what == RESULT) result(x, task, row, col, want);
      else source(x, row, col, what == FILL ? e : want);
      if (what != FILL) wrong += memcmp(want, e, x->element) != 0;
    }
  return wrong;
}
void fill(struct matrix *x) { visit(x, FILL, REDISTRIBUTE); }
void spoil(struct matrix *x) { memset(x->data, 0xFF, x->bytes); }
long wrong_elements(const struct matrix *x) { return visit(x, SOURCE, REDISTRIBUTE); }
long wrong_results(const struct matrix *x, enum task task) { return visit(x, RESULT, task); }
