/* WHERE is each element? Indices are dealt out one by one, as HPF's text says it; no formula is shared with the
 * library. Positions count elements. */
#ifndef CORPUS_NAIVE_H
#define CORPUS_NAIVE_H
#include "case.h"

/* What one rank has of an array. */
struct part {
  int rank;                                /* of the group, if the array lies in boxes */
  int has;                                 /* whether it has a part, even if there is no element in it */
  int64_t coords[3];                       /* in the arrangement, where it has one */
  int64_t len[MAX_AXES];                   /* elements of its own along each axis */
  int64_t extents[MAX_AXES];               /* with the shadow */
  int64_t strides[MAX_AXES];
  int64_t lower[MAX_AXES];                 /* index of the first of storage: of a single run, or where it would begin, or 1 */
  int64_t elements;                        /* of storage, with gaps */
  int64_t start;                           /* elements before position 0 of all axes, which strides below 0 reach */
  int64_t *owner[MAX_AXES];                /* coordinate that owns each index of an axis; NULL: all do */
  int64_t *position[MAX_AXES];             /* among this rank's own along that axis; -1: not this rank's */
};

/* The part of a rank of the side's group; -1: of a rank outside. */
void part_make(struct part *p, const struct side *s, int rank);
void part_free(struct part *p, const struct side *s);

/* The box that has the element with these indices, of an array in boxes; NULL: there is none. */
const struct box *box_of(const struct side *s, const int64_t *index);
/* Whether the rank has the element with these indices, and how far it is from position 0 of all axes, or from the start of the
 * storage of boxes. */
int part_offset(const struct part *p, const struct side *s, const int64_t *index, int64_t *offset);
/* Ranks of the group that have the element, in ascending order. */
int64_t naive_owners(const struct part *p, const struct side *s, const int64_t *index, int64_t *ranks);

/* How many copies there are of the array, and which of them a rank at these coordinates has: in row-major order of the axes of the
 * arrangement along which there are copies. */
int64_t naive_copies(const struct side *s, const int64_t *coords, int64_t *copy);

/* Walks all indices of a section, the first axis fastest, from the first ones on; false: there is no other. */
void section_of(const struct side *s, int whole, reblock_range *section);
int walk_start(const reblock_range *section, int axes, int64_t *index);
int walk_on(const reblock_range *section, int axes, int64_t *index);
/* How many indices it has. */
int64_t walk_count(const reblock_range *range);
/* The number of an element in array element order. */
int64_t element_number(const struct side *s, const int64_t *index);
#endif
