/* Mapped arrays, and the ways to move them that all cases compare. */
#ifndef HPF_H
#define HPF_H
#include "../../examples/must.h"
#include "../median.h"
#include <string.h>

enum { AXES = 3 };

/* This rank's part of an array. An element is one double, or several. */
struct array {
  reblock_map *map;
  int axes;
  int64_t extents[AXES];                  /* of the whole array */
  int64_t counts[AXES], strides[AXES];    /* of this rank's elements, in elements */
  int64_t *indices[AXES];                 /* global index at each position along an axis */
  int64_t elements, components;
  double *data;
  reblock_array *owner;                   /* the library's array, if it has the data */
};

/* Makes the map of a distribution in HPF's notation. */
reblock_map *map_text(reblock_procs *procs, int axes, const int64_t *extents, const char *layout);
/* Makes the map of the same distribution in boxes: each rank passes its box. */
reblock_map *map_boxes(reblock_procs *procs, int axes, const int64_t *extents, const char *layout);
typedef reblock_map *map_maker(reblock_procs *procs, int axes, const int64_t *extents, const char *layout);
/* Make maps of one axis, from the sizes of blocks, and from the owners of all indices. */
reblock_map *map_gen_block(reblock_procs *procs, int64_t extent, const int64_t *sizes);
reblock_map *map_indirect(reblock_procs *procs, int64_t extent, const int64_t *owners);

/* Makes an array and takes ownership of the map. Each element holds its place in the whole array. */
struct array array_make(reblock_map *map, int64_t components);
/* Makes the same array in memory that the library owns. Collective. */
struct array array_owned(const struct array *like);
void array_clear(struct array *a);
/* Returns the number of elements, over all ranks, that do not hold their place. Collective. */
int64_t array_wrong(const struct array *a);
void array_free(struct array *a);

/* One way to move arrays, to compare with another. */
struct way {
  const char *name;
  void (*run)(const void *what);
  const void *what;
  int count;             /* number of arrays that it writes */
  struct array *targets;
};

/* Moves by reblock's plans. */
struct planned {
  int64_t count;
  reblock_plan **owned;
  reblock_plan **plans; /* the same, as a batch takes them */
  const void **sources;
  void **targets;
};
struct planned plan_of(int count, struct array *from, struct array *to);
void plan_batch(const void *planned);    /* all in one call */
void plan_singly(const void *planned);   /* a call for each */
void plan_free(struct planned *planned);

/* Returns whether BENCH_CASES, a regular expression, is unset or matches the case. */
int is_wanted(const char *name);
/* Verifies the targets of both ways, if they have targets. Times the ways in turn. Prints the medians, their ratio, and
 * our time divided by the time in which all ranks copy as many bytes. Collective. */
void contest(const char *name, int turns, const struct way *theirs, const struct way *ours);
/* Returns the seconds from the moment when the first rank leaves a barrier until the last rank is done, by the clock of
 * the machine on which all ranks run. Collective. */
double span(void (*run)(const void *what), const void *what);

/* Moves by MPI_Alltoallw with a datatype for each pair of ranks, as fine as the two layouts require. */
struct typed;
struct typed *typed_make(const struct array *from, const struct array *to);
void typed_run(const void *typed);
void typed_free(struct typed *typed);

/* Compares with FFTW's transposition of the last two axes of a column-major array of two or three axes, whose last axis
 * is in blocks. Does nothing if this program is built without FFTW. */
void against_fftw(const char *name, reblock_procs *line, int count, const int64_t *extents, map_maker *map);

/* Fills the shadows of an array of `side` elements along each axis, in blocks on `shape` processes. Compares with
 * MPI_Neighbor_alltoallw and, if it is there, PETSc's DMDA. */
void against_neighbours(const char *name, int axes, int64_t side, const int *shape, int width);

/* Times one iteration of a stencil on a plane whose columns are in blocks. Prints the share of the exchange of shadows
 * that is hidden behind the computation of inner points, with `tests` tests of the request in between. */
void hidden(int64_t rows, int64_t columns, int tests);

/* PETSc's DMDA with the same points and a star stencil of that width, verified; NULL if this program is built without
 * PETSc. */
struct ghosts;
struct ghosts *ghosts_make(const char *name, int axes, int64_t side, const int *shape, int width);
void ghosts_from_global(const void *ghosts); /* DMGlobalToLocal, which also copies the rank's own points */
void ghosts_in_place(const void *ghosts);    /* DMLocalToLocal */
void ghosts_free(struct ghosts *ghosts);

/* PETSc's VecScatter, for arrays of one axis; NULL if this program is built without PETSc. */
struct scatter;
void scatter_start(void);
struct scatter *scatter_make(const struct array *from, const struct array *to);
void scatter_run(const void *scatter);
void scatter_plan(const void *scatter); /* makes and frees another one like it */
void scatter_free(struct scatter *scatter);
void scatter_end(void);
#endif
