/* What the files of the shim share. gmove.c and reflect.c take Omni's calls, layout.c and places.c describe Omni's arrays, plans.c keeps
 * plans, create.c and maps.c make them, reasons.c counts. */
#ifndef SHIM_H
#define SHIM_H
#include <reblock.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "omni.h"

enum { AXES = _XMP_N_MAX_DIM };

/* Why a call did not go through reblock; MOVED: it did. reasons.c has the words. */
enum reason {
  MOVED,
  OFF,
  ONE_SIDED,
  ASYNCHRONOUS,
  ONE_ELEMENT,
  NOTHING,
  FULL_SHADOW,
  ONE_SHADOW,
  NODES,
  SHADOW,
  STORAGE,
  REFUSED,
  REASONS
};

void count_call(const char *what, enum reason why);
/* Omni's own function of that name, which this library hides. */
void *omni_own(const char *name);
bool shim_is_off(void);
bool shim_explains(void);

/* One side of an assignment in numbers only, which are the same on all executing nodes. Two sides with equal numbers have equal
 * maps; addresses of Omni's descriptors say nothing, because Omni uses them again. Unused entries are 0. */
struct layout {
  int64_t axes, is_global, row_major;
  reblock_range section[AXES];
  int64_t lower[AXES], upper[AXES];
  /* Of arrays that are aligned with a template only: */
  int64_t template_axis[AXES], offset[AXES], before[AXES], after[AXES], full_shadow[AXES];
  int64_t template_axes, template_lower[AXES], template_upper[AXES];
  int64_t manner[AXES], width[AXES], nodes_axis[AXES];
  int64_t nodes_axes, shape[AXES], copies;
};

struct side {
  struct layout layout;
  int64_t *lists; /* ranks of the places, then the sizes of each axis in GBLOCK */
  int64_t count;  /* of `lists` */
  enum reason nodes; /* MOVED, or NODES */
  _XMP_array_t *array;
  void *address;
};

/* Fills in `side`; free its lists in any case. The section of an array alone is empty. */
enum reason describe_side(struct side *side, const _XMP_gmv_desc_t *desc, _XMP_nodes_t *executing, int order);
enum reason describe_array(struct side *side, _XMP_array_t *array, _XMP_nodes_t *executing);

/* The ranks of the executing nodes at each place of `nodes`: appended to `lists`. */
enum reason list_ranks(struct side *side, _XMP_nodes_t *nodes, _XMP_nodes_t *executing);
void append(struct side *side, int64_t number);

/* The map of a side, or the reason why there is none; collective over `comm`. */
enum reason map_of(const struct side *side, MPI_Comm comm, reblock_map **map);
/* Is Omni's own storage as the map says? On this process. */
enum reason storage_fits(const struct side *side, const reblock_map *map);

/* What a plan is for, beside its sides, in numbers that are the same on all executing nodes. */
enum purpose { ASSIGN, FILL_SHADOWS };
struct wish {
  int64_t purpose, element; /* bytes of an element */
  int64_t spread, overlap;  /* of an assignment: of one element to all; within one array */
  int64_t before[AXES], after[AXES];
  int32_t periodic[AXES + 1]; /* of a fill; an even number of them, as structs are compared byte by byte */
};

/* The plan for these sides, of which a fill has only the first: one that is kept with `comm`, or a new one; collective over `comm`. */
enum reason plan_for(MPI_Comm comm, const struct wish *wish, const struct side *from, const struct side *to, reblock_plan **plan);
int32_t create_plan(MPI_Comm comm, const struct wish *wish, const struct side *from, const reblock_map *source, const struct side *to,
                    const reblock_map *target, reblock_plan **plan);
/* Carries out a plan; the reason is the same on all nodes. */
enum reason execute(reblock_plan *plan, const struct side *from, const struct side *to);
#endif
