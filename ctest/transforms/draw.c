/* Draws the problem of case k among all problems that ScaLAPACK's routines accept: all shapes of grids, blocks and
 * first blocks, matrices with copies (a source of -1), any submatrices, including empty ones, factors and elements that
 * are NaN or infinite. */
#include "transforms.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int between(uint64_t *state, int low, int high) { return (int)within(state, low, high); }

/* Draws a number between -1 and 1 with all digits of the type. */
static double fraction(uint64_t bits) { return (double)(int64_t)(bits & ~0x3FFull) / 9223372036854775808.0; }

static double drawn(uint64_t bits, enum flavour flavour, int single) {
  double tiny = single ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN, most = single ? (double)FLT_MAX : DBL_MAX;
  double specials[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 3 * tiny, -tiny, 1, most, -most};
  if (flavour == WHOLE) return (double)((int)(bits >> 40) % 100 - 50);
  if (flavour >= SPECIAL && bits % 3 == 0) return specials[(bits >> 8) % (flavour == HUGE_TOO ? 10 : 8)];
  return fraction(bits);
}

void element(const struct matrix *x, int type, int i, int j, void *out) {
  uint64_t bits = hash(x->values ^ (uint64_t)i << 20, (uint64_t)j);
  int single = real_size(type) == 4;
  for (int k = 0; k <= is_complex(type); k++, bits = mix(bits)) {
    double value = drawn(bits, x->flavour, single);
    float less = (float)value;
    memcpy((char *)out + (size_t)k * real_size(type), single ? (void *)&less : (void *)&value, real_size(type));
  }
}

void fill(const struct matrix *x, int type, int me, char *out) {
  uint64_t state = hash(x->values, (uint64_t)me + 77);
  size_t size = element_size(type);
  for (size_t k = 0; k < x->bytes / 4; k++) { /* numbers that do not belong to the matrix */
    float padding = (float)(int32_t)next(&state);
    memcpy(out + 4 * k, &padding, 4);
  }
  for (int y = 0; y < x->local[1]; y++)
    for (int r = 0; r < x->local[0]; r++)
      element(x, type, x->global[0][r], x->global[1][y], out + ((size_t)y * (size_t)x->lld + (size_t)r) * size);
}

/* Lists the rows or columns of this rank, dealt out one by one. With a source of -1, every rank has all of them. */
static void deal(struct matrix *x, int d, const struct grid *g) {
  int owner = x->source[d], left = x->first[d];
  x->local[d] = 0;
  x->global[d] = malloc(sizeof(int) * ((size_t)x->extent[d] + 1));
  for (int k = 0; k < x->extent[d]; k++) {
    if (left == 0) {
      left = x->block[d];
      if (owner >= 0) owner = (owner + 1) % g->procs[d];
    }
    left--;
    if (owner < 0 || owner == g->at[d]) x->global[d][x->local[d]++] = k;
  }
}

static void deal_out(struct matrix *x, const struct grid *g, int type, int slack) {
  x->context = g->context;
  for (int d = 0; d < 2; d++) deal(x, d, g);
  x->lld = x->local[0] + slack > 0 ? x->local[0] + slack : 1;
  x->bytes = (size_t)x->lld * (size_t)x->local[1] * element_size(type);
}

static void draw_matrix(struct matrix *x, const struct grid *g, const int *extent, uint64_t *state, int plain) {
  int empty = !extent[0] || !extent[1];
  x->kind = plain || between(state, 0, 2) ? 1 : 2;
  for (int d = 0; d < 2; d++) {
    x->start[d] = between(state, 0, 1) ? 1 : between(state, 1, 12);
    x->extent[d] = x->start[d] - 1 + extent[d] + (between(state, 0, 1) ? 0 : between(state, 0, 9));
    if (empty && between(state, 0, 3) == 0) x->start[d] += 3; /* in an empty submatrix, no index is too large */
    int form = between(state, 0, 3), whole = x->extent[d] > 0 ? x->extent[d] : 1;
    x->block[d] = form == 0 ? between(state, 1, 3) : form == 1 ? between(state, 1, whole)
                  : form == 2 ? whole + between(state, 0, 20) : between(state, 1, 8);
    x->first[d] = x->kind == 1 ? x->block[d] : between(state, 1, 2 * x->block[d]);
    x->source[d] = between(state, 0, 1) ? 0 : between(state, 0, g->procs[d] - 1);
    if (!plain && between(state, 0, 7) == 0) x->source[d] = -1;
  }
  x->values = next(state);
  x->flavour = (enum flavour)between(state, 0, SPECIAL);
}

static void draw_scalar(double *s, int type, uint64_t *state) {
  double tiny = real_size(type) == 4 ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN;
  double specials[] = {NAN, INFINITY, -0.0, 5 * tiny, 2, -INFINITY};
  for (int k = 0; k < 2; k++) {
    int how = between(state, 0, 9);
    s[k] = how < 2 ? 0 : how < 4 ? 1 : how == 4 ? -1 : how < 8 ? fraction(next(state)) : specials[between(state, 0, 5)];
    if (real_size(type) == 4) s[k] = (float)s[k];
  }
  if (!is_complex(type) || between(state, 0, 2)) s[1] = is_complex(type) && between(state, 0, 3) == 0 ? -0.0 : 0;
}

/* Aligns the submatrix of C with that of A, which p?lacpy needs to copy without messages: both begin at the same
 * position of a block, on the same process, and their blocks have equal sizes. */
static void align(struct matrix *c, const struct matrix *a, const struct grid *g) {
  for (int d = 0; d < 2; d++) {
    int first = (a->start[d] - 1) % a->block[d], before = (a->start[d] - 1) / a->block[d], skipped = c->start[d] % 3;
    int owner = (a->source[d] + before) % g->procs[d], length = c->extent[d] - c->start[d] + 1;
    c->block[d] = c->first[d] = a->block[d];
    c->start[d] = skipped * a->block[d] + first + 1;
    c->extent[d] = c->start[d] - 1 + (length > 0 ? length : 0);
    c->source[d] = (owner + (skipped + 1) * g->procs[d] - skipped) % g->procs[d];
  }
}

/* Places C in A's array, as a submatrix that is equal to A or disjoint from it. */
static void share(struct problem *p, const int *extent_a, const int *extent_c) {
  struct matrix *a = &p->a, *c = &p->c;
  enum flavour flavour = c->flavour;
  *c = *a;
  c->flavour = a->flavour = flavour < a->flavour ? flavour : a->flavour;
  if (p->sharing == IN_PLACE) return;
  int d = (int)(a->values >> 7 & 1), other = 1 - d, gap = (int)(a->values >> 9 & 3);
  c->start[d] = a->start[d] + extent_a[d] + gap;
  int end[2] = {0, 0};
  end[d] = c->start[d] - 1 + extent_c[d];
  end[other] = c->start[other] - 1 + extent_c[other];
  for (int k = 0; k < 2; k++) if (a->extent[k] < end[k]) a->extent[k] = c->extent[k] = end[k];
  c->extent[0] = a->extent[0], c->extent[1] = a->extent[1];
}

/* Changes one argument, chosen by the bits of `change`; `slack` is the additional length of A's and C's columns. */
static void vary(struct problem *p, const struct grid *g, uint64_t change, int *slack[2]) {
  int d = (int)(change >> 8 & 1), side = (int)(change >> 9 & 1), alone = p->sharing == APART && p->family != LACPY;
  int trapezoid = p->family == TRADD || p->family == LACPY, turned = is_complex(p->type) && transposes(p);
  struct matrix *x = side ? &p->c : &p->a;
  uint64_t state = change >> 10;
  switch (change % (alone ? 8 : 3)) {
  case 0:
    if (trapezoid) p->uplo = upper(p->uplo) == 'U' ? 'L' : 'U';
    else if (turned) p->trans = upper(p->trans) == 'T' ? 'C' : 'T';
    else draw_scalar(p->alpha, p->type, &state);
    break;
  case 1:
  case 2:
    if (p->family != LACPY) draw_scalar(change % 2 ? p->alpha : p->beta, p->type, &state);
    else if (p->n > 1) p->n--;
    break;
  case 3: x->source[d] = (x->source[d] + 2) % (g->procs[d] + 1) - 1; break;
  case 4: x->block[d]++; if (x->kind == 1) x->first[d]++; break;
  case 5: x->kind = 2, x->first[d] = 1 + x->first[d] % (x->block[d] + 1); break;
  case 6: if (x->start[d] > 1) x->start[d]--; else if (p->m > 1) p->m--; break;
  default: ++*slack[side];
  }
}

void draw_problem(struct problem *p, const struct grid *g, uint64_t *state, int family, int largest, uint64_t change) {
  memset(p, 0, sizeof *p);
  p->family = family < FAMILIES ? family : (int)(next(state) % 5 % FAMILIES); /* tran twice as often */
  p->type = between(state, 0, TYPES - 1);
  int most = largest ? largest : between(state, 0, 3) ? 40 : 150;
  p->m = between(state, 0, most), p->n = between(state, 0, 2) ? between(state, 0, most) : p->m;
  if (between(state, 0, 7) == 0) *(between(state, 0, 1) ? &p->m : &p->n) = 1;
  p->trans = p->family == TRAN ? "tc"[between(state, 0, 1)] : "NnTtCc"[between(state, 0, 5)];
  p->uplo = p->family == LACPY ? "UuLlAa?"[between(state, 0, 6)] : "UuLl"[between(state, 0, 3)];
  draw_scalar(p->alpha, p->type, state);
  draw_scalar(p->beta, p->type, state);
  if (p->family == LACPY) p->alpha[0] = 1, p->beta[0] = p->alpha[1] = p->beta[1] = 0;
  int extent_c[2] = {p->m, p->n}, turned = transposes(p), extent_a[2] = {turned ? p->n : p->m, turned ? p->m : p->n};
  draw_matrix(&p->a, g, extent_a, state, p->family == LACPY);
  draw_matrix(&p->c, g, extent_c, state, p->family == LACPY);
  if (p->a.flavour == SPECIAL && between(state, 0, 1)) p->a.flavour = HUGE_TOO;
  p->comparable = p->family != LACPY || between(state, 0, 3) != 0;
  if (p->family == LACPY && p->comparable) align(&p->c, &p->a, g);
  int how = between(state, 0, 9), slack_a = between(state, 0, 1) ? 0 : between(state, 1, 5), slack_c = between(state, 0, 4);
  p->sharing = how == 0 ? SIDE_BY_SIDE : how == 1 && p->family == GEADD && !turned ? IN_PLACE : APART;
  if (!p->m || !p->n || p->family == LACPY) p->sharing = APART;
  if (p->sharing != APART) share(p, extent_a, extent_c);
  if (change) vary(p, g, change, (int *[2]){&slack_a, &slack_c});
  p->flush = between(state, 0, 1);
  deal_out(&p->a, g, p->type, slack_a);
  deal_out(&p->c, g, p->type, p->sharing == APART ? slack_c : slack_a);
}

void free_problem(struct problem *p) {
  for (int d = 0; d < 2; d++) free(p->a.global[d]), free(p->c.global[d]);
}

static void describe_matrix(FILE *out, const char *name, const struct matrix *x) {
  fprintf(out, "  %s: descriptor %d %d %d %d", name, x->kind, x->context, x->extent[0], x->extent[1]);
  if (x->kind == 2) fprintf(out, " %d %d", x->first[0], x->first[1]);
  fprintf(out, " %d %d %d %d %d, from (%d,%d), elements of kind %d\n", x->block[0], x->block[1], x->source[0], x->source[1], x->lld,
          x->start[0], x->start[1], x->flavour);
}
void describe(FILE *out, const struct problem *p, const struct grid *g) {
  static const char *const sharing[] = {"two arrays", "in place", "two parts of one array"};
  fprintf(out, "  p%c%s%s uplo %c trans %c, %d x %d, alpha (%g,%g), beta (%g,%g), %s; %d x %d grid by %s, process (%d,%d)\n",
          type_letters[p->type], family_names[p->family], p->family == TRAN && is_complex(p->type) ? conjugates(p) ? "c" : "u" : "",
          p->uplo, p->trans, p->m, p->n, p->alpha[0], p->alpha[1], p->beta[0], p->beta[1], sharing[p->sharing], g->procs[0],
          g->procs[1], g->made, g->at[0], g->at[1]);
  describe_matrix(out, "A", &p->a);
  describe_matrix(out, "C", &p->c);
}
