/* The place of each element, found by dealing out indices one by one as in HPF's text. Shares no formula with the
 * library. Positions count elements. */
#ifndef CORPUS_NAIVE_H
#define CORPUS_NAIVE_H
#include "case.h"

/* One rank's part of an array. */
struct part {
  int rank;                                /* rank in the group, for an array in boxes */
  int has;                                 /* whether it has a part, which may be empty */
  int64_t coords[3];                       /* in the arrangement, if it has a part */
  int64_t len[MAX_AXES];                   /* own elements along each axis */
  int64_t extents[MAX_AXES];               /* with the shadow */
  int64_t strides[MAX_AXES];
  int64_t lower[MAX_AXES];                 /* index of the first element of storage if there is at most one run; otherwise 1 */
  int64_t elements;                        /* elements of storage, with gaps */
  int64_t start;                           /* elements before position 0 of all axes, for negative strides */
  int64_t *owner[MAX_AXES];                /* coordinate that owns each index of an axis; NULL: all do */
  int64_t *position[MAX_AXES];             /* position among own indices of the axis; -1: another rank's */
};

/* Computes the part of a rank of the side's group; -1 stands for a rank outside of the group. */
void part_make(struct part *p, const struct side *s, int rank);
void part_free(struct part *p, const struct side *s);

/* Returns the box of an array in boxes that has the element; NULL if no box has it. */
const struct box *box_of(const struct side *s, const int64_t *index);
/* Returns whether the rank has the element. Computes the element's distance from position 0 of all axes, or from the
 * start of the storage of boxes. */
int part_offset(const struct part *p, const struct side *s, const int64_t *index, int64_t *offset);
/* Lists the ranks of the group that have the element, in ascending order. */
int64_t naive_owners(const struct part *p, const struct side *s, const int64_t *index, int64_t *ranks);

/* Returns the number of copies of the array. Computes the number of the copy of a rank at these coordinates, in
 * row-major order of the axes of the arrangement along which there are copies. */
int64_t naive_copies(const struct side *s, const int64_t *coords, int64_t *copy);

/* Sets `section` to the array's section, or with `whole` to all its indices. */
void section_of(const struct side *s, int whole, reblock_range *section);
/* Walk all indices of a section, the first axis fastest; return 0 if the section is empty, or after the last index. */
int walk_start(const reblock_range *section, int axes, int64_t *index);
int walk_on(const reblock_range *section, int axes, int64_t *index);
/* Returns the number of indices of the range. */
int64_t walk_count(const reblock_range *range);
/* Returns the number of an element in array element order. */
int64_t element_number(const struct side *s, const int64_t *index);
#endif
