/* Computes C after the call from the definition, element by element, without messages, blocks or reordered loops. A
 * factor of 0 leaves its matrix unread, and a factor of 1 does not multiply. Only p?tradd adds to 0 if beta is 0:
 * there, -0 becomes 0. */
#include "transforms.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Computes the sum of the terms, and the sum of the magnitudes of all products. Each rounding error is at most half an
 * epsilon of the latter. */
#define UPDATE(name, REAL, EPSILON, TINY)                                                                              \
  static void name(const struct problem *p, const REAL *a, const REAL *c, REAL *out, double *bound) {                  \
    const double *factors[2] = {p->alpha, p->beta};                                                                    \
    const REAL *numbers[2] = {a, c};                                                                                   \
    REAL sum[2] = {0, 0};                                                                                              \
    int parts = is_complex(p->type) ? 2 : 1, terms = 0, products = 0;                                                  \
    long double size[2] = {0, 0};                                                                                      \
    for (int side = 0; side < 2; side++) {                                                                             \
      REAL f[2] = {(REAL)factors[side][0], parts == 2 ? (REAL)factors[side][1] : 0};                                   \
      REAL x[2] = {numbers[side][0], parts == 2 ? numbers[side][1] : 0}, y[2];                                         \
      if (f[0] == 0 && f[1] == 0) continue;                                                                            \
      if (side == 0 && conjugates(p)) x[1] = -x[1];                                                                    \
      int one = f[0] == 1 && f[1] == 0;                                                                                \
      if (one) y[0] = x[0], y[1] = x[1];                                                                               \
      else if (parts == 1) y[0] = f[0] * x[0], y[1] = 0;                                                               \
      else y[0] = f[0] * x[0] - f[1] * x[1], y[1] = f[0] * x[1] + f[1] * x[0];                                         \
      products += !one;                                                                                                \
      size[0] += one ? fabsl(x[0]) : fabsl((long double)f[0] * x[0]) + fabsl((long double)f[1] * x[1]);                \
      size[1] += one ? fabsl(x[1]) : fabsl((long double)f[0] * x[1]) + fabsl((long double)f[1] * x[0]);                \
      for (int k = 0; k < parts; k++) sum[k] = terms ? sum[k] + y[k] : y[k];                                           \
      terms++;                                                                                                         \
    }                                                                                                                  \
    for (int k = 0; k < parts; k++) {                                                                                  \
      if (p->family == TRADD && !p->beta[0] && !p->beta[1]) sum[k] += 0;                                               \
      out[k] = sum[k];                                                                                                 \
      int rounds = products && (terms > 1 || parts == 2);                                                              \
      bound[k] = rounds && isfinite((double)size[k]) ? (double)(2 * EPSILON * size[k]) + 4 * TINY : 0;                 \
    }                                                                                                                  \
  }
UPDATE(update_single, float, FLT_EPSILON, FLT_TRUE_MIN)
UPDATE(update_double, double, DBL_EPSILON, DBL_TRUE_MIN)

/* Returns whether the update writes row i and column j of the submatrix of C. */
static int reached(const struct problem *p, int i, int j) {
  if (i < 0 || j < 0 || i >= p->m || j >= p->n) return 0;
  if (p->family != TRADD && p->family != LACPY) return 1;
  char part = upper(p->uplo);
  return part == 'U' ? i <= j : part == 'L' ? i >= j : 1;
}

void expect(const struct problem *p, const char *before, char *after, double *bound) {
  const struct matrix *a = &p->a, *c = &p->c;
  size_t size = element_size(p->type);
  int parts = 1 + is_complex(p->type);
  if (c->bytes) memcpy(after, before, c->bytes);
  for (size_t k = 0; k < c->bytes / real_size(p->type); k++) bound[k] = 0;
  for (int y = 0; y < c->local[1]; y++)
    for (int x = 0; x < c->local[0]; x++) {
      int i = c->global[0][x] - (c->start[0] - 1), j = c->global[1][y] - (c->start[1] - 1);
      if (!reached(p, i, j)) continue;
      int turned = transposes(p), row = a->start[0] - 1 + (turned ? j : i), col = a->start[1] - 1 + (turned ? i : j);
      size_t at = (size_t)y * (size_t)c->lld + (size_t)x;
      char from[16];
      element(a, p->type, row, col, from);
      if (real_size(p->type) == 4)
        update_single(p, (float *)from, (const float *)(before + at * size), (float *)(after + at * size), &bound[at * parts]);
      else
        update_double(p, (double *)from, (const double *)(before + at * size), (double *)(after + at * size), &bound[at * parts]);
    }
}
