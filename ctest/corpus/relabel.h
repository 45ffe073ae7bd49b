/* Checks the option relabel, by which the target's places move to other ranks. */
#ifndef CORPUS_RELABEL_H
#define CORPUS_RELABEL_H
#include "laid.h"

/* Checks the target's map of a plan with the option relabel, and the number of bytes that stay on their rank, against
 * all permutations of places. Axis k of the source goes to axis axes[k] of the target, unless that is NULL. If places
 * have moved, `to` becomes the relabelled target with the mapping `side`, which the plan writes. Collective over the
 * enclosing group. */
void relabel(reblock_plan *plan, const struct group *enclosing, const struct laid *from, const int64_t *axes, struct laid *to,
             struct side *side);
#endif
