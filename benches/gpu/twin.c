#include "twin.h"
#include <string.h>

/* Each operation is rounded by itself, so compile this with -ffp-contract=off. */
#define TWIN_REAL(name, type) \
  static void name(const struct change *u, const void *from, void *to) { \
    type x, y, alpha = (type)u->alpha[0], beta = (type)u->beta[0]; \
    memcpy(&x, from, sizeof x), memcpy(&y, to, sizeof y); \
    x = alpha == 0 ? 0 : alpha == 1 ? x : alpha * x; \
    y = beta == 0 ? 0 : beta == 1 ? y : beta * y; \
    type sum = alpha == 0 ? y : beta == 0 ? x : x + y; \
    memcpy(to, &sum, sizeof sum); \
  }
#define TWIN_COMPLEX(name, type) \
  static void name(const struct change *u, const void *from, void *to) { \
    type x[2], y[2], z[2], a[2] = {(type)u->alpha[0], (type)u->alpha[1]}, b[2] = {(type)u->beta[0], (type)u->beta[1]}; \
    int reads = a[0] != 0 || a[1] != 0, keeps = b[0] != 0 || b[1] != 0; \
    memcpy(x, from, sizeof x), memcpy(y, to, sizeof y); \
    if (u->conjugate) x[1] = -x[1]; \
    if (a[0] != 1 || a[1] != 0) z[0] = a[0] * x[0] - a[1] * x[1], z[1] = a[0] * x[1] + a[1] * x[0], memcpy(x, z, sizeof x); \
    if (b[0] != 1 || b[1] != 0) z[0] = b[0] * y[0] - b[1] * y[1], z[1] = b[0] * y[1] + b[1] * y[0], memcpy(y, z, sizeof y); \
    for (int k = 0; k < 2; k++) z[k] = reads && keeps ? x[k] + y[k] : reads ? x[k] : keeps ? y[k] : 0; \
    memcpy(to, z, sizeof z); \
  }
TWIN_REAL(update_s, float)
TWIN_REAL(update_d, double)
TWIN_COMPLEX(update_c, float)
TWIN_COMPLEX(update_z, double)

void twin_update(char type, const struct change *u, const void *from, void *to) {
  if (type == 's') update_s(u, from, to);
  else if (type == 'd') update_d(u, from, to);
  else if (type == 'c') update_c(u, from, to);
  else update_z(u, from, to);
}

/* Returns the place in A of the element that goes to (i, j) of the section. */
static size_t from_at(const struct problem *o, int i, int j) {
  return o->turned ? element_at(o->a, o->ia + j, o->ja + i) : element_at(o->a, o->ia + i, o->ja + j);
}

void twin_matrix(const struct problem *o, char type, const struct change *update, const unsigned char *a, unsigned char *b) {
  for (int j = 0; j < o->n; j++)
    for (int i = 0; i < o->m; i++) {
      const unsigned char *from = a + from_at(o, i, j);
      unsigned char *to = b + element_at(o->b, o->ib + i, o->jb + j);
      if (update) twin_update(type, update, from, to);
      else memcpy(to, from, (size_t)o->b->element);
    }
}

static int rank_of(const struct matrix *m, int i, int j) { return owner(&m->axes[ROWS], i) + owner(&m->axes[COLUMNS], j) * m->axes[ROWS].procs; }

void twin_pack(const struct problem *o, const unsigned char *a, unsigned char *messages) {
  size_t at = 0, bytes = (size_t)o->b->element;
  for (int r = 0; r < ranks_of(o->b); r++)
    for (int s = 0; s < ranks_of(o->a); s++) {
      for (int j = 0; j < o->n; j++)
        for (int i = 0; i < o->m; i++) {
          int sender = o->turned ? rank_of(o->a, o->ia + j, o->ja + i) : rank_of(o->a, o->ia + i, o->ja + j);
          if (sender != s || rank_of(o->b, o->ib + i, o->jb + j) != r) continue;
          memcpy(messages + at, a + from_at(o, i, j), bytes);
          at += bytes;
        }
      at = (at + 15) / 16 * 16;
    }
}
