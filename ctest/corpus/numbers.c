#include "numbers.h"
#include "draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t number_bytes(int64_t type) {
  static const int64_t bytes[] = {0, 4, 8, 4, 8, 8, 16};
  return bytes[type];
}

/* Returns the number of an element's parts, which are real numbers or integers: 2 if it is complex. */
static int parts(int64_t type) { return type == REBLOCK_COMPLEX || type == REBLOCK_DOUBLE_COMPLEX ? 2 : 1; }
static int is_integer(int64_t type) { return type == REBLOCK_INT32 || type == REBLOCK_INT64; }
static int is_single(int64_t type) { return type == REBLOCK_FLOAT || type == REBLOCK_COMPLEX; }

static double real_number(uint64_t salt, int single) {
  const double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1.0, -1.0, single ? 1e-42 : 1e-310, single ? 3e38 : 1.5e308};
  if (salt % 4 == 0) return special[salt / 4 % (sizeof special / sizeof *special)];
  if (salt % 4 == 1) return (double)((int64_t)(salt / 4 % 65) - 32) / 8;
  return ((double)(salt >> 11) / 9007199254740992.0 - 0.5) * 1000;
}

static int64_t integer_number(uint64_t salt, int64_t most) {
  const int64_t special[] = {0, 1, -1, most, -most - 1, 2};
  if (salt % 4 == 0) return special[salt / 4 % (sizeof special / sizeof *special)];
  if (salt % 4 == 1) return (int64_t)(salt / 4 % 21) - 10;
  return (int64_t)salt;
}

void number_write(char *at, int64_t type, uint64_t salt) {
  for (int part = 0; part < parts(type); part++) {
    uint64_t chance = hash(salt, (uint64_t)part);
    int32_t i = (int32_t)integer_number(chance, INT32_MAX);
    int64_t l = integer_number(chance, INT64_MAX);
    double d = real_number(chance, is_single(type));
    float f = (float)d;
    if (is_integer(type)) memcpy(at, type == REBLOCK_INT32 ? (void *)&i : (void *)&l, (size_t)number_bytes(type));
    else if (is_single(type)) memcpy(at + part * 4, &f, 4);
    else memcpy(at + part * 8, &d, 8);
  }
}

int number_same(const char *a, const char *b, int64_t type) {
  if (is_integer(type)) return !memcmp(a, b, (size_t)number_bytes(type));
  for (int part = 0; part < parts(type); part++) {
    float f[2];
    double d[2];
    size_t bytes = is_single(type) ? 4 : 8;
    const char *x = a + part * (int)bytes, *y = b + part * (int)bytes;
    if (!memcmp(x, y, bytes)) continue;
    memcpy(&f[0], x, 4), memcpy(&f[1], y, 4);
    if (bytes == 8) memcpy(&d[0], x, 8), memcpy(&d[1], y, 8);
    if (bytes == 4 ? !(isnan(f[0]) && isnan(f[1])) : !(isnan(d[0]) && isnan(d[1]))) return 0;
  }
  return 1;
}

/* Draws a factor: no factor, 0, 1, or any number. */
static const void *factor(char *at, int64_t type, uint64_t salt) {
  uint64_t chance = hash(salt, 3);
  memset(at, 0, 16);
  number_write(at, type, salt);
  if (chance % 6 == 0) return NULL;
  if (chance % 6 > 2) return at;
  memset(at, 0, 16);
  float f = 1;
  double d = 1;
  int64_t i = 1;
  if (chance % 6 == 2) return at;
  if (is_integer(type)) memcpy(at, &i, 8);
  else memcpy(at, is_single(type) ? (void *)&f : (void *)&d, is_single(type) ? 4 : 8);
  return at;
}

void update_make(struct drawn_update *u, int64_t type, uint64_t salt) {
  int most = is_integer(type) ? 5 : parts(type) == 1 ? 3 : 1;
  memset(u, 0, sizeof *u);
  reblock_update_init(&u->update);
  u->update.type = type;
  if (hash(salt, 0) % 2) u->update.combine = (int64_t)(hash(salt, 1) % (uint64_t)most);
  u->update.conjugate = hash(salt, 2) % 2 ? -1 : 0;
  u->update.alpha = factor(u->alpha, type, hash(salt, 4));
  u->update.beta = factor(u->beta, type, hash(salt, 5));
}

void update_print(const reblock_update *u) {
  fprintf(stderr, "update of type %lld, combine %lld, conjugate %lld", (long long)u->type, (long long)u->combine,
          (long long)u->conjugate);
  const void *factors[] = {u->alpha, u->beta};
  for (int k = 0; k < 2; k++) {
    fprintf(stderr, ", %s ", k ? "beta" : "alpha");
    if (!factors[k]) fputs("NULL", stderr);
    for (int64_t b = number_bytes(u->type) - 1; factors[k] && b >= 0; b--)
      fprintf(stderr, "%02x", ((const unsigned char *)factors[k])[b]);
  }
  fputc('\n', stderr);
}

#define PLAIN_ZERO(a) ((a) == 0)
#define PLAIN_ONE(a) ((a) == 1)
#define PLAIN_SAME(x) (x)
#define WRAPPED(u, x, y, op) ((__typeof__(x))((u)(x)op(u)(y)))
#define WRAPPED_TIMES32(x, y) WRAPPED(uint32_t, x, y, *)
#define WRAPPED_PLUS32(x, y) WRAPPED(uint32_t, x, y, +)
#define WRAPPED_TIMES64(x, y) WRAPPED(uint64_t, x, y, *)
#define WRAPPED_PLUS64(x, y) WRAPPED(uint64_t, x, y, +)
#define TIMES(x, y) ((x) * (y))
#define PLUS(x, y) ((x) + (y))
/* A NaN stays a NaN. */
#define MINIMUM(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))
#define MAXIMUM(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
#define BOTH(x, y) ((x) != 0 && (y) != 0)
#define EITHER(x, y) ((x) != 0 || (y) != 0)
#define NEVER(x, y) ((void)(x), (y))

struct single { float re, im; };
struct twofold { double re, im; };
#define NULL_PAIR(a) ((a).re == 0 && (a).im == 0)
#define UNIT_PAIR(a) ((a).re == 1 && (a).im == 0)
#define MIRRORED(x) (__typeof__(x)){(x).re, -(x).im}
#define PAIR_TIMES(a, x) (__typeof__(x)){(a).re * (x).re - (a).im * (x).im, (a).re * (x).im + (a).im * (x).re}
#define PAIR_PLUS(x, y) (__typeof__(x)){(x).re + (y).re, (x).im + (y).im}

/* Defines the function of a type, from its factors, product, sum, conjugate, minimum, maximum, AND and OR. */
#define APPLY(name, type, unit, is_zero, is_one, times, plus, conjugated, least, most, and, or)                            \
  static void name(const reblock_update *u, char *at, const char *source, int again) {                                     \
    type alpha = unit, beta, x, y, zero, one = unit;                                                                       \
    memset(&zero, 0, sizeof zero);                                                                                         \
    beta = again ? one : zero;                                                                                             \
    if (u->alpha) memcpy(&alpha, u->alpha, sizeof alpha);                                                                  \
    if (u->beta && !again) memcpy(&beta, u->beta, sizeof beta);                                                            \
    memcpy(&x, source, sizeof x), memcpy(&y, at, sizeof y);                                                                \
    if (u->conjugate) x = conjugated(x);                                                                                   \
    if (!is_one(alpha)) x = times(alpha, x);                                                                               \
    if (!is_one(beta)) y = times(beta, y);                                                                                 \
    type made = zero;                                                                                                      \
    if (is_zero(alpha) && !is_zero(beta)) made = y;                                                                        \
    if (!is_zero(alpha) && is_zero(beta)) made = x;                                                                        \
    if (!is_zero(alpha) && !is_zero(beta)) switch (u->combine) {                                                           \
      case REBLOCK_ADD: made = plus(x, y); break;                                                                          \
      case REBLOCK_MINIMUM: made = least(x, y); break;                                                                     \
      case REBLOCK_MAXIMUM: made = most(x, y); break;                                                                      \
      case REBLOCK_AND: made = and(x, y); break;                                                                           \
      case REBLOCK_OR: made = or(x, y); break;                                                                             \
    }                                                                                                                      \
    memcpy(at, &made, sizeof made);                                                                                        \
  }
APPLY(apply_int32, int32_t, 1, PLAIN_ZERO, PLAIN_ONE, WRAPPED_TIMES32, WRAPPED_PLUS32, PLAIN_SAME, MINIMUM, MAXIMUM, BOTH, EITHER)
APPLY(apply_int64, int64_t, 1, PLAIN_ZERO, PLAIN_ONE, WRAPPED_TIMES64, WRAPPED_PLUS64, PLAIN_SAME, MINIMUM, MAXIMUM, BOTH, EITHER)
APPLY(apply_float, float, 1, PLAIN_ZERO, PLAIN_ONE, TIMES, PLUS, PLAIN_SAME, MINIMUM, MAXIMUM, NEVER, NEVER)
APPLY(apply_double, double, 1, PLAIN_ZERO, PLAIN_ONE, TIMES, PLUS, PLAIN_SAME, MINIMUM, MAXIMUM, NEVER, NEVER)
#define UNIT(type) (struct type){1, 0}
APPLY(apply_complex, struct single, UNIT(single), NULL_PAIR, UNIT_PAIR, PAIR_TIMES, PAIR_PLUS, MIRRORED, NEVER, NEVER, NEVER, NEVER)
APPLY(apply_double_complex, struct twofold, UNIT(twofold), NULL_PAIR, UNIT_PAIR, PAIR_TIMES, PAIR_PLUS, MIRRORED, NEVER, NEVER,
      NEVER, NEVER)

void update_apply(const reblock_update *u, char *to, const char *from, int again) {
  static void (*const apply[])(const reblock_update *, char *, const char *, int) = {
    NULL, apply_int32, apply_int64, apply_float, apply_double, apply_complex, apply_double_complex};
  apply[u->type](u, to, from, again);
}

int update_ignores_source(const reblock_update *u) {
  static const char zeros[16];
  if (!u->alpha) return 0;
  /* 0 or, for types that have it, -0. */
  for (int part = 0; part < parts(u->type); part++) {
    float f;
    double d;
    const char *at = (const char *)u->alpha + part * (is_single(u->type) ? 4 : 8);
    if (is_integer(u->type)) return !memcmp(u->alpha, zeros, (size_t)number_bytes(u->type));
    memcpy(&f, at, 4);
    if (is_single(u->type) && f != 0) return 0;
    if (is_single(u->type)) continue;
    memcpy(&d, at, 8);
    if (d != 0) return 0;
  }
  return 1;
}
