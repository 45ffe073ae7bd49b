/* What the cases share: mapped arrays, and ways to move them that take turns. */
#ifndef HPF_H
#define HPF_H
#include "../../examples/must.h"
#include "../median.h"
#include <string.h>

enum { AXES = 3 };

/* This rank's part of an array of doubles, or of several doubles an element. */
struct array {
  reblock_map *map;
  int axes;
  int64_t extents[AXES];                  /* of the whole array */
  int64_t counts[AXES], strides[AXES];    /* of this rank's elements, in elements */
  int64_t *indices[AXES];                 /* of the whole array, of each position along an axis */
  int64_t elements, components;
  double *data;
  reblock_array *owner;                   /* what has the data, if that is the library */
};

/* Distributed as HPF's text says. */
reblock_map *map_text(reblock_procs *procs, int axes, const int64_t *extents, const char *layout);
/* The same in blocks, where each rank says which box it has. */
reblock_map *map_boxes(reblock_procs *procs, int axes, const int64_t *extents, const char *layout);
typedef reblock_map *map_maker(reblock_procs *procs, int axes, const int64_t *extents, const char *layout);
/* One axis, by sizes of blocks, or by owners of all indices. */
reblock_map *map_gen_block(reblock_procs *procs, int64_t extent, const int64_t *sizes);
reblock_map *map_indirect(reblock_procs *procs, int64_t extent, const int64_t *owners);

/* Takes the map. Each element holds its place in the whole array. */
struct array array_make(reblock_map *map, int64_t components);
/* The same array once more, in memory that the library owns. Collective. */
struct array array_owned(const struct array *like);
void array_clear(struct array *a);
/* Elements of all ranks that do not hold their place. Collective. */
int64_t array_wrong(const struct array *a);
void array_free(struct array *a);

/* A way to move arrays. */
struct way {
  const char *name;
  void (*run)(const void *what);
  const void *what;
  int count;             /* of the arrays that it writes */
  struct array *targets;
};

/* reblock's way. */
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

/* Whether BENCH_CASES, a regular expression, asks for a case, or is not set. */
int is_wanted(const char *name);
/* Verifies what both ways write, if that is something, takes the time of each by turns, and prints medians and the ratio; beside
 * them the time that all ranks take to copy as much, and our time over that. Collective. */
void contest(const char *name, int turns, const struct way *theirs, const struct way *ours);
/* Seconds from the moment when the first rank leaves a barrier until the last is done, by the clock of the one machine
 * that all run on. Collective. */
double span(void (*run)(const void *what), const void *what);

/* MPI_Alltoallw with a datatype for each pair of ranks, as fine as the two layouts demand. */
struct typed;
struct typed *typed_make(const struct array *from, const struct array *to);
void typed_run(const void *typed);
void typed_free(struct typed *typed);

/* Beside FFTW's transposition of the last two of two or three axes, column-major, the last one in blocks; nothing where this
 * program is built without FFTW. */
void against_fftw(const char *name, reblock_procs *line, int count, const int64_t *extents, map_maker *map);

/* Fills the shadows of an array of `side` elements along each axis, in blocks on `shape` processes, beside
 * MPI_Neighbor_alltoallw and, where it is there, PETSc's DMDA. */
void against_neighbours(const char *name, int axes, int64_t side, const int *shape, int width);

/* One iteration of a stencil on a plane whose columns are in blocks: prints which share of the exchange of shadows is hidden behind the
 * computation of inner points, with so many tests of the request in between. */
void hidden(int64_t rows, int64_t columns, int tests);

/* PETSc's DMDA with the same points and a star stencil of that width, verified; NULL where this program is built without PETSc. */
struct ghosts;
struct ghosts *ghosts_make(const char *name, int axes, int64_t side, const int *shape, int width);
void ghosts_from_global(const void *ghosts); /* DMGlobalToLocal, which also copies what is the rank's own */
void ghosts_in_place(const void *ghosts);    /* DMLocalToLocal */
void ghosts_free(struct ghosts *ghosts);

/* PETSc's VecScatter, for arrays of one axis; NULL where this program is built without PETSc. */
struct scatter;
void scatter_start(void);
struct scatter *scatter_make(const struct array *from, const struct array *to);
void scatter_run(const void *scatter);
void scatter_plan(const void *scatter); /* makes one more like it, and frees that */
void scatter_free(struct scatter *scatter);
void scatter_end(void);
#endif
