/* Which element comes to which index, if it is shifted on the way: Fortran's CSHIFT and EOSHIFT, element by element. */
#ifndef CORPUS_SHIFT_H
#define CORPUS_SHIFT_H
#include "laid.h"

/* Which element of the source's section comes to an index of the target's; 0: none does. Axis k of the source, of so many, goes to
 * axis axes[k]. What is not shifted may be NULL; `line` is what the line is drawn from that the index is in. */
int shift_source(const struct shift *s, const int64_t *axes, int count, const reblock_range *to_section, const int64_t *index,
                 const reblock_range *from_section, int64_t *source, uint64_t *line);
/* The shift of the way back, of which the target is the source. */
struct shift shift_back(const struct move *m);
/* Writes what comes into a line. */
void shift_boundary(char *at, int64_t type, int64_t element, uint64_t line);
/* Makes the plan of a move that shifts. */
void shift_plan(MPI_Fint comm, const struct move *m, const reblock_map *from_map, const reblock_range *from_section,
                const struct laid *to, const reblock_map *to_map, const reblock_range *to_section,
                const reblock_plan_options *options, reblock_plan **plan);
#endif
