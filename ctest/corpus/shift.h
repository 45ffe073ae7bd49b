/* The source element of each index after a shift, by Fortran's CSHIFT and EOSHIFT, element by element. */
#ifndef CORPUS_SHIFT_H
#define CORPUS_SHIFT_H
#include "laid.h"

/* Computes the element of the source's section that a target index receives; returns 0 if there is none. Axis k of the
 * source goes to axis axes[k]. Without a shift, the pointer may be NULL; `line` is the seed of the index's line. */
int shift_source(const struct shift *s, const int64_t *axes, int count, const reblock_range *to_section, const int64_t *index,
                 const reblock_range *from_section, int64_t *source, uint64_t *line);
/* Returns the shift of the reverse move. */
struct shift shift_back(const struct move *m);
/* Writes the boundary value of a line. */
void shift_boundary(char *at, int64_t type, int64_t element, uint64_t line);
/* Makes the plan of a shifted move. */
void shift_plan(MPI_Fint comm, const struct move *m, const reblock_map *from_map, const reblock_range *from_section,
                const struct laid *to, const reblock_map *to_map, const reblock_range *to_section,
                const reblock_plan_options *options, reblock_plan **plan);
#endif
