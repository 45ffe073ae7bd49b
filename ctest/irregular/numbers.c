/* What becomes of a number, written down as the manual says it. */
#include "irregular.h"

int bytes_of(enum number n) {
  static const int bytes[] = {0, 4, 8, 4, 8, 8, 16};
  return bytes[n];
}

/* The real parts and the imaginary ones of a complex number; others have one part. */
static int parts(enum number n) { return n >= COMPLEX ? 2 : 1; }
static int is_double(enum number n) { return n == DOUBLE || n == DOUBLE_COMPLEX; }
static double get(enum number n, const void *x, int part) {
  double wide;
  float narrow;
  if (is_double(n)) return memcpy(&wide, (const char *)x + 8 * part, 8), wide;
  return memcpy(&narrow, (const char *)x + 4 * part, 4), narrow;
}
static void put(enum number n, void *x, int part, double value) {
  float narrow = (float)value;
  if (is_double(n)) memcpy((char *)x + 8 * part, &value, 8);
  else memcpy((char *)x + 4 * part, &narrow, 4);
}
static int64_t integer(enum number n, const void *x) {
  int32_t narrow;
  int64_t wide;
  if (n == INT32) return memcpy(&narrow, x, 4), narrow;
  return memcpy(&wide, x, 8), wide;
}
static void put_integer(enum number n, void *x, uint64_t value) {
  uint32_t narrow = (uint32_t)value;
  if (n == INT32) memcpy(x, &narrow, 4);
  else memcpy(x, &value, 8);
}

void value(enum number n, int bytes, uint64_t h, void *out) {
  if (n == RAW) for (int k = 0; k < bytes; k++) ((unsigned char *)out)[k] = (unsigned char)hash(h, (uint64_t)k);
  else if (n <= INT64) put_integer(n, out, h % 2001 - (h % 3 ? 1000 : h % 2001));
  else for (int k = 0; k < parts(n); k++) put(n, out, k, ((double)(hash(h, (uint64_t)k) % 2001) - 1000) / 7);
}

int is(enum number n, const void *x, int what) {
  if (n <= INT64) return integer(n, x) == what;
  return get(n, x, 0) == what && (parts(n) == 1 || get(n, x, 1) == 0);
}

void conjugated(enum number n, void *x) { if (parts(n) == 2) put(n, x, 1, -get(n, x, 1)); }

/* Products and sums of floats are rounded one by one. */
static double rounded(enum number n, double x) { return is_double(n) ? x : (float)x; }

void scaled(enum number n, const void *f, const void *x, void *to) {
  if (n <= INT64) {
    put_integer(n, to, (uint64_t)integer(n, f) * (uint64_t)integer(n, x));
  } else if (parts(n) == 1) {
    put(n, to, 0, get(n, f, 0) * get(n, x, 0));
  } else {
    double a = get(n, f, 0), b = get(n, f, 1), c = get(n, x, 0), d = get(n, x, 1);
    double real = rounded(n, a * c) - rounded(n, b * d), imaginary = rounded(n, a * d) + rounded(n, b * c);
    put(n, to, 0, real), put(n, to, 1, imaginary);
  }
}

void combined(enum number n, int combine, const void *x, const void *y, void *to) {
  if (n <= INT64) {
    int64_t a = integer(n, x), b = integer(n, y), c = (int64_t)((uint64_t)a + (uint64_t)b);
    if (combine == REBLOCK_MINIMUM) c = a < b ? a : b;
    if (combine == REBLOCK_MAXIMUM) c = a > b ? a : b;
    if (combine == REBLOCK_AND) c = a && b;
    if (combine == REBLOCK_OR) c = a || b;
    put_integer(n, to, (uint64_t)c);
    return;
  }
  for (int k = 0; k < parts(n); k++) {
    double a = get(n, x, k), b = get(n, y, k), c = a + b;
    if (combine == REBLOCK_MINIMUM) c = a < b ? a : b;
    if (combine == REBLOCK_MAXIMUM) c = a > b ? a : b;
    put(n, to, k, c);
  }
}

void updated(enum number n, const struct update *u, int again, const void *x, void *to) {
  unsigned char left[16], right[16];
  int takes = !is(n, u->alpha, 0), keeps = again || !is(n, u->beta, 0);
  if (takes) {
    memcpy(left, x, (size_t)bytes_of(n));
    if (u->conjugate) conjugated(n, left);
    if (!is(n, u->alpha, 1)) scaled(n, u->alpha, left, left);
  }
  memcpy(right, to, (size_t)bytes_of(n));
  if (keeps && !again && !is(n, u->beta, 1)) scaled(n, u->beta, right, right);
  if (takes && keeps) combined(n, u->combine, left, right, to);
  else if (takes) memcpy(to, left, (size_t)bytes_of(n));
  else if (keeps) memcpy(to, right, (size_t)bytes_of(n));
  else memset(to, 0, (size_t)bytes_of(n));
}
