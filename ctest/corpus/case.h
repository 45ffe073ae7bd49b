/* Description of a case: the arrays and the moves between them, in HPF's terms. All ranks make the same case from its
 * seed. Indices are the program's, with its lower bounds. The description has no places of elements. */
#ifndef CORPUS_CASE_H
#define CORPUS_CASE_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>

enum { MAX_RANKS = 16, MAX_AXES = 15, MAX_MOVES = 3, MAX_ARRAYS = 4, MAX_STEPS = 3 };
enum { MAX_ELEMENTS = 20000, MAX_STORAGE = 60000, MAX_BOXES = 40, MAX_BYTES = 40 };

/* Features that can be omitted to narrow a failure down; the rest of a case stays the same. */
enum feature {
  GROUPS, SECTIONS, SHADOWS, ORDERS, STRIDES, ALIGNMENTS, COPIES, INDIRECTS, TEXTS, OPTIONS, RELABELS, MANY, ARRAYS,
  SCALARS, UPDATES, AXES, SUMS, BOXES, SPREADS, HALOS, SHIFTS, LISTS, FEATURES
};
extern const char *const feature_names[FEATURES];
extern int left_out[FEATURES];
/* Returns true once in n times, unless the feature is left out. */
int feature(enum feature f, int n);

/* A communicator, and its ranks of MPI_COMM_WORLD, in the communicator's order; MPI_COMM_NULL on all other ranks. */
struct group { MPI_Comm comm; int count, members[MAX_RANKS]; };

enum kind { COLLAPSED, BLOCK, CYCLIC, GEN_BLOCK, INDIRECT };
struct template_axis {
  int64_t lower, extent;
  enum kind kind;
  int onto;                  /* the axis of the arrangement */
  int64_t block;             /* block size of CYCLIC, or of BLOCK; 0: BLOCK without a size */
  int64_t sizes[MAX_RANKS];  /* block sizes of GEN_BLOCK */
  int64_t *owners;           /* owners of INDIRECT */
  int stretches;             /* each rank of the group gives the owners from cut[rank] up to cut[rank + 1] only */
  int64_t cut[MAX_RANKS + 1];
};

struct array_axis {
  int64_t lower, extent;
  reblock_align align;
  int64_t before, after; /* shadow */
  reblock_range section;
};

/* A box: indices from 0 that a rank of the group has, and their places in its storage. */
struct box { int owner; int64_t start[MAX_AXES], size[MAX_AXES], offset, strides[MAX_AXES]; };

enum order { COLUMN_MAJOR, ROW_MAJOR, LISTED };
/* An array, with everything that determines its mapping. */
struct side {
  const struct group *group;
  int procs_axes, places, listed;
  int64_t shape[3], ranks[MAX_RANKS]; /* row-major; ranks of the group */
  int template_axes, axes;
  struct template_axis t[MAX_AXES];
  struct array_axis a[MAX_AXES];
  int64_t rest[MAX_AXES];
  int whole, plain_aligns, plain_rest, whole_section, by_text, shadowed;
  enum order ordered;
  int64_t order[MAX_AXES];
  uint64_t gaps; /* seed of strides with gaps, which differ between ranks; 0: no gaps */
  /* An array in boxes has no template, and its lower bounds are 0. */
  struct box *box; /* NULL: not in boxes */
  int boxes, plain_offsets, plain_strides, holes;
  int64_t storage[MAX_RANKS]; /* elements of each rank */
};

/* A shift, as by Fortran's CSHIFT and EOSHIFT: index i of the target's section gets the element at index i + distance
 * of the source's. */
struct shift {
  enum { UNSHIFTED, CIRCULAR, END_OFF } kind;
  int bounded;             /* a boundary value is shifted in; otherwise the target keeps its elements */
  int by_lines, axis;      /* each line along this axis of the source has its own distance and boundary value */
  int64_t by[MAX_AXES];    /* otherwise the distance along each axis of the source */
  int backwards;           /* for the reverse move */
  uint64_t salt;           /* seed of lines and values */
};

struct move {
  struct side from, to;
  int64_t element;
  int permuted;           /* axis k of the source goes to axis axes[k] of the target; else in order */
  int64_t axes[MAX_AXES];
  int spreads;            /* axes of the target along which the source is repeated; the others are in order or `axes` */
  int64_t spread[MAX_AXES];
  struct shift shift;
  int64_t type;           /* elements are numbers of this type, which are updated; 0: plain bytes */
  int sums;               /* all copies of the source are combined */
  uint64_t salt;          /* seed of updates */
};

/* Arrays of the library, all aligned with one template at first, and the steps that move them. */
struct arrays {
  int count, steps;
  int64_t element[MAX_ARRAYS];
  /* The mapping before the first step and after each; templates[n][i]: the number of array i's template. */
  struct side side[MAX_STEPS + 1][MAX_ARRAYS];
  int templates[MAX_STEPS + 1][MAX_ARRAYS];
  struct step {
    int realigned; /* the array whose map changes; -1: the template of array `of` is redistributed */
    int of;
    int dead[MAX_ARRAYS];
  } step[MAX_STEPS];
};

/* A case: either moves of the program's own arrays, or arrays of the library. */
struct one_case {
  struct group *enclosing;
  int moves;
  struct move move[MAX_MOVES];
  int with_options;
  reblock_plan_options options;
  struct arrays arrays;
};

/* The communicators that cases choose from. */
void groups_make(int ranks);
void groups_free(void);
struct group *draw_enclosing(void);
/* Returns the enclosing group, or a group within it. */
const struct group *draw_group(const struct group *enclosing);

/* Draws an array that has a section of these extents, on some ranks of `pool`, which are ranks of MPI_COMM_WORLD. */
void draw_side(struct side *s, const struct group *enclosing, const int64_t *extents, int axes, const int64_t *pool,
               int pooled);
/* Puts the array in boxes on the ranks of its arrangement. */
void draw_boxes(struct side *s);
void boxes_print(const struct side *s);
void side_free(struct side *s);
void side_print(const char *name, const struct side *s);
/* Draws the ranks of the side's group in an arrangement. */
void draw_arrangement(struct side *s, const int64_t *pool, int pooled);
/* Draws shadows, the order of the local array and its strides, for arrays with known bounds. */
void draw_local(struct side *s);
/* Draws templates and their distribution, for arrays with known bounds. */
void draw_template(struct side *s);
/* Draws the distribution of the side's template. */
void draw_formats(struct side *s);
/* Draws another array aligned with the template of `first`. */
void draw_along(struct side *s, const struct side *first);
/* Gives the side the arrangement, template and formats of `other`. */
void take_template(struct side *s, const struct side *other);

/* Draws a shift of a move whose sections are drawn. */
void draw_shift(struct move *m);
void shift_print(const struct move *m);

void draw_arrays(struct arrays *a, const struct group *enclosing, const int64_t *extents, int axes);
void arrays_free(struct arrays *a);
void arrays_print(const struct arrays *a);

void draw_case(struct one_case *c, uint64_t seed);
void case_free(struct one_case *c);
void case_print(const struct one_case *c);
#endif
