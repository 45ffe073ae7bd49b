/* One assignment of a section to another: as a plan, and element by element. */
#ifndef ASSIGNMENTS_ASSIGNMENT_H
#define ASSIGNMENTS_ASSIGNMENT_H
#include "array.h"

/* LINES: a shift along one axis, with a distance for each line. */
enum kind { COPY, CIRCULAR, END_OFF, LINES };

struct assignment {
  struct array *from, *to; /* may be the same array */
  reblock_range from_section[AXES], to_section[AXES];
  int64_t axes[AXES];      /* axis k of the source is axis axes[k] of the target */
  int spreads;
  int64_t spread[AXES];
  enum kind kind;
  int64_t shifts[AXES];
  int axis, circular;      /* of LINES: the axis of the source that is shifted */
  int64_t salt;            /* seed of the lines' distances */
  int bounded;             /* whether there is a boundary value */
  int64_t boundary[WORDS];
  int overlap, in_order, relabel; /* options; in_order: the plan names no axes */
  int silent;              /* ranks without a part of an array pass no map */
  const char *transport;
  reblock_plan *plan;
};

/* Draws an assignment to an array with `words` words per element; within one array, if `from` is `to`. */
void assignment_draw(struct assignment *s, struct array *from, struct array *to, int words, int within);
int32_t assignment_plan(struct assignment *s);
/* Computes the target, if the source was `old`: alpha times the source plus beta times the old target. With `back`,
 * computes the reverse assignment. */
void assignment_naive(struct assignment *s, const int64_t *old, int64_t alpha, int64_t beta, int back);
void assignment_print(const struct assignment *s);
#endif
