/* The contenders: libraries that export p?gemr2d, and a plain copy, which is the upper bound. A library that allocates
 * arrays is two contenders: with the program's arrays and with its own. Transpositions and additions have two more
 * contenders. The first is a loop over the local arrays, which the compiler vectorises. The second is the p?gemr2d of
 * the first library with the same messages: from the layout of A, or for a transposition from the layout of A'. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H
#include "../../ctest/scalapack.h"
#include "matrix.h"
#include <stdint.h>

enum { MAX_CONTENDERS = 12 };
enum kind { COPY, LIBRARY, LOOP, SAME_LAYOUT, TURNED_LAYOUT };
struct contender {
  const char *name;
  enum kind kind;
  gemr2d *routines[5];          /* for i, s, d, c, z; null if it has none */
  tran *trans[5][2];            /* p?tran or p?tranu, and p?tranc */
  geadd *adds[5];
  int64_t (*buffer_bytes)(void); /* its own count of its buffers; may be null */
  int32_t (*alloc)(int, int64_t, void **); /* its own arrays, collective over a context; null: the program's arrays */
  int32_t (*release)(int, void **);
};

/* Lists the copy, ScaLAPACK as linked with this program, and each NAME=PATH of `libraries`. Ends the job if a library
 * cannot be loaded. Returns the number of contenders. */
int find_contenders(struct contender *list, char **libraries, int count);

/* The work to measure; `turned` is a matrix like A', if there is one. */
struct work { enum task task; struct matrix a, b, turned; int m, n, context; char *spare; };

/* Return whether the contender supports this work, and whether BENCH_CASES and the like ask for it. */
int can(const struct contender *c, const struct work *w);
int asked(const struct contender *c, const struct work *w);

/* Returns the number of wrong elements on this rank. */
long mistakes(const struct contender *c, const struct work *w);

/* Returns the work in the contender's own arrays if it allocates arrays, otherwise the same work; give_back frees the
 * arrays. Their addresses are null if there was no memory. Collective. */
struct work own(const struct contender *c, const struct work *w);
void give_back(const struct contender *c, struct work *w);

/* Does the work once. */
void act(const struct contender *c, struct work *w);

/* Does the work and returns the peak growth of this process in bytes; -1 if the system does not report it. */
long growth(const struct contender *c, struct work *w);
#endif
