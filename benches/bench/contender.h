/* The contenders: libraries that export p?gemr2d, and a plain copy, which is the upper bound. A library that allocates
 * arrays is two contenders: with the program's arrays, and with its own. Transpositions and additions have two more: a
 * loop over the local arrays that the compiler vectorises, and the first library's p?gemr2d. It moves from the layout
 * of A to the layout of B, which is equal, or from that of A', which sends the messages of a transposition. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H
#include "../../ctest/scalapack.h"
#include "matrix.h"
#include <stdint.h>

enum { MOST_CONTENDERS = 12 };
enum kind { COPY, LIBRARY, LOOP, SAME_LAYOUT, TURNED_LAYOUT };
struct contender {
  const char *name;
  enum kind kind;
  gemr2d *routines[5];          /* for i, s, d, c, z; null where it has none */
  tran *trans[5][2];            /* p?tran or p?tranu, and p?tranc */
  geadd *adds[5];
  int64_t (*buffer_bytes)(void); /* what it says its buffers take; null where it does not */
  int32_t (*alloc)(int, int64_t, void **); /* of its own arrays, by all processes of a context; null where the program's are used */
  int32_t (*release)(int, void **);
};

/* Lists the copy, ScaLAPACK as linked with this program, and each NAME=PATH of `libraries`. Ends the job if a library
 * cannot be loaded. Returns the number of contenders. */
int find_contenders(struct contender *list, char **libraries, int count);

/* What is to be done; `turned` is a matrix like A', where there is one. */
struct work { enum task task; struct matrix a, b, turned; int m, n, context; char *spare; };

/* Whether it can do that at all, and whether it is asked to. */
int can(const struct contender *c, const struct work *w);
int asked(const struct contender *c, const struct work *w);

/* On this rank, elements that it got wrong. */
long mistakes(const struct contender *c, const struct work *w);

/* The same work in arrays that the contender allocates, if it does; then they are to be given back. Where it has no memory, the
 * arrays are null. Collective. */
struct work own(const struct contender *c, const struct work *w);
void give_back(const struct contender *c, struct work *w);

/* Does it once. */
void act(const struct contender *c, struct work *w);

/* Bytes by which this process grew at most while the contender did it; -1 where the system does not tell. */
long growth(const struct contender *c, struct work *w);
#endif
