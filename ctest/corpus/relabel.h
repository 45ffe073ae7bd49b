/* Checks the option relabel: the ranks that get the target's places. */
#ifndef CORPUS_RELABEL_H
#define CORPUS_RELABEL_H
#include "laid.h"

/* Collective over the enclosing group. Checks the target's map of a plan with the option, and how many bytes stay where they
 * are, against all other permutations. Axis k of the
 * source goes to axis axes[k] of the target, if that is not NULL. Where places have moved, `to` is the target as it is now, with `side` for how it is
 * mapped; it is what the plan writes. */
void relabel(reblock_plan *plan, const struct group *enclosing, const struct laid *from, const int64_t *axes, struct laid *to,
             struct side *side);
#endif
