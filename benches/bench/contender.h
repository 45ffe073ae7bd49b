/* WHO is measured? Libraries that export p?gemr2d, and a plain copy, which none can beat. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H
#include "../../ctest/scalapack.h"
#include "matrix.h"
#include <stdint.h>

enum { MOST_CONTENDERS = 8 };
struct contender {
  const char *name;
  gemr2d *routines[5];          /* for i, s, d, c, z; null where it has none */
  int64_t (*buffer_bytes)(void); /* what it says its buffers take; null where it does not */
};

/* The copy, ScaLAPACK as this program is linked with, and each NAME=PATH of `libraries`. Ends the job if one cannot be
 * loaded. Returns how many. */
int find_contenders(struct contender *list, char **libraries, int count);

/* A redistribution to be done. */
struct work { struct matrix a, b; int m, n, context; char *spare; };

/* Whether it can do that at all. */
int can(const struct contender *c, const struct work *w);

/* Does it once. */
void act(const struct contender *c, struct work *w);

/* Bytes by which this process grew at most while the contender did it; -1 where the system does not tell. */
long growth(const struct contender *c, struct work *w);
#endif
