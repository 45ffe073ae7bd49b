/* WHAT is to be moved in one case? The words are HPF's. All ranks make the same case from its seed; indices are those
 * of the program, with its lower bounds. Nothing here knows where elements are. */
#ifndef CORPUS_CASE_H
#define CORPUS_CASE_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>

enum { MAX_RANKS = 16, MAX_AXES = 15, MAX_MOVES = 3, MAX_ARRAYS = 4, MAX_STEPS = 3 };
enum { MAX_ELEMENTS = 20000, MAX_STORAGE = 60000, MAX_BOXES = 40, MAX_BYTES = 40 };

/* What can be left out, to narrow a failure down; the rest of a case stays as it is. */
enum feature {
  GROUPS, SECTIONS, SHADOWS, ORDERS, STRIDES, ALIGNMENTS, COPIES, INDIRECTS, TEXTS, OPTIONS, RELABELS, MANY, ARRAYS,
  SCALARS, UPDATES, AXES, SUMS, BOXES, SPREADS, HALOS, SHIFTS, LISTS, FEATURES
};
extern const char *const feature_names[FEATURES];
extern int left_out[FEATURES];
/* True once in n times, unless the feature is left out. */
int feature(enum feature f, int n);

/* A communicator and which ranks of MPI_COMM_WORLD are in it, in its order; MPI_COMM_NULL on all others. */
struct group { MPI_Comm comm; int count, members[MAX_RANKS]; };

enum kind { COLLAPSED, BLOCK, CYCLIC, GEN_BLOCK, INDIRECT };
struct template_axis {
  int64_t lower, extent;
  enum kind kind;
  int onto;                  /* the axis of the arrangement */
  int64_t block;             /* of BLOCK, 0 where none is given; of CYCLIC */
  int64_t sizes[MAX_RANKS];  /* of GEN_BLOCK */
  int64_t *owners;           /* of INDIRECT */
  int stretches;             /* each rank of the group tells the owners from cut[rank] up to cut[rank + 1] only */
  int64_t cut[MAX_RANKS + 1];
};

struct array_axis {
  int64_t lower, extent;
  reblock_align align;
  int64_t before, after; /* shadow */
  reblock_range section;
};

/* Indices from 0 that a rank of the group has, and where they lie in its storage. */
struct box { int owner; int64_t start[MAX_AXES], size[MAX_AXES], offset, strides[MAX_AXES]; };

enum order { COLUMN_MAJOR, ROW_MAJOR, LISTED };
/* One of the arrays with all that it is mapped by. */
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
  uint64_t gaps; /* what strides with gaps are drawn from, on each rank others; 0: none */
  /* An array in boxes has no template, and its lower bounds are 0. */
  struct box *box; /* NULL: it lies in none */
  int boxes, plain_offsets, plain_strides, holes;
  int64_t storage[MAX_RANKS]; /* elements of each rank */
};

/* How far elements are shifted on the way, as by Fortran's CSHIFT and EOSHIFT: index i of the target's section becomes what index
 * i + distance of the source's is. */
struct shift {
  enum { UNSHIFTED, CIRCULAR, END_OFF } kind;
  int bounded;             /* what comes in at the end is a boundary value; else the target stays as it is */
  int by_lines, axis;      /* each line along this axis of the source has a distance and a boundary value of its own */
  int64_t by[MAX_AXES];    /* if not: the distance along each axis of the source */
  int backwards;           /* on the way back from there */
  uint64_t salt;           /* what lines and values are drawn from */
};

struct move {
  struct side from, to;
  int64_t element;
  int permuted;           /* axis k of the source goes to axis axes[k] of the target; else in order */
  int64_t axes[MAX_AXES];
  int spreads;            /* axes of the target along which the source is repeated; the others are in order or `axes` */
  int64_t spread[MAX_AXES];
  struct shift shift;
  int64_t type;           /* elements are numbers of this type, which are updated; 0: just bytes */
  int sums;               /* all copies of the source are combined */
  uint64_t salt;          /* what updates are drawn from */
};

/* Arrays of the library, all aligned with one template at first, and what becomes of them. */
struct arrays {
  int count, steps;
  int64_t element[MAX_ARRAYS];
  /* How they are mapped before the first step and after each; templates[n][i]: the number of the template of array i. */
  struct side side[MAX_STEPS + 1][MAX_ARRAYS];
  int templates[MAX_STEPS + 1][MAX_ARRAYS];
  struct step {
    int realigned; /* the array whose map changes; -1: the template of array `of` is redistributed */
    int of;
    int dead[MAX_ARRAYS];
  } step[MAX_STEPS];
};

/* Either moves of the program's own arrays, or arrays of the library. */
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
/* The enclosing group or one within it. */
const struct group *draw_group(const struct group *enclosing);

/* An array of which a section has these extents, on some of the ranks in `pool`, ranks of MPI_COMM_WORLD. */
void draw_side(struct side *s, const struct group *enclosing, const int64_t *extents, int axes, const int64_t *pool,
               int pooled);
/* Puts the array in boxes on the ranks of its arrangement. */
void draw_boxes(struct side *s);
void boxes_print(const struct side *s);
void side_free(struct side *s);
void side_print(const char *name, const struct side *s);
/* Ranks of the side's group in an arrangement. */
void draw_arrangement(struct side *s, const int64_t *pool, int pooled);
/* Shadows, the order of the local array, and its strides, for arrays whose bounds are known. */
void draw_local(struct side *s);
/* Templates and what their axes are dealt out by, for arrays whose bounds are known. */
void draw_template(struct side *s);
/* What the axes of the side's template are dealt out by. */
void draw_formats(struct side *s);
/* Another array that is aligned with the template of `first`. */
void draw_along(struct side *s, const struct side *first);
/* Gives the side the arrangement, the template and its formats that `other` has. */
void take_template(struct side *s, const struct side *other);

/* A shift of a move whose sections are drawn. */
void draw_shift(struct move *m);
void shift_print(const struct move *m);

void draw_arrays(struct arrays *a, const struct group *enclosing, const int64_t *extents, int axes);
void arrays_free(struct arrays *a);
void arrays_print(const struct arrays *a);

void draw_case(struct one_case *c, uint64_t seed);
void case_free(struct one_case *c);
void case_print(const struct one_case *c);
#endif
