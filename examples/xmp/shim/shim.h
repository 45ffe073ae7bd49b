/* Declarations that the files of the shim share. gmove.c, reflect.c and reduce.c receive Omni's calls, async.c the
 * calls that wait for them. layout.c and places.c describe Omni's arrays, shadows.c selects the elements that a call
 * for shadows moves. plans.c keeps plans, create.c and maps.c make them, reasons.c counts. */
#ifndef SHIM_H
#define SHIM_H
#include <reblock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "omni.h"

enum { AXES = _XMP_N_MAX_DIM };

/* Why a call did not go through reblock; MOVED means that it did. reasons.c has the texts. */
enum reason { MOVED, OFF, ONE_SIDED, ONE_ELEMENT, NOTHING, NUMBERS, NODES, SHADOW, STORAGE, REFUSED, REASONS };

void count_call(const char *what, enum reason why);
/* Returns Omni's own function of that name, which this library hides. */
void *omni_own(const char *name);
bool shim_is_off(void);
void xmp_reblock_switch(int on);
bool shim_explains(void);

/* One side of an assignment, as numbers that are equal on all participating nodes. Sides with equal numbers have equal
 * maps. Addresses of Omni's descriptors are not used, because Omni reuses them. Unused entries are 0. */
struct layout {
  int64_t axes, is_global, row_major;
  reblock_range section[AXES];
  int64_t lower[AXES], upper[AXES];
  /* Only for arrays that are aligned with a template: */
  int64_t template_axis[AXES], offset[AXES], before[AXES], after[AXES], full_shadow[AXES];
  int64_t template_axes, template_lower[AXES], template_upper[AXES];
  int64_t manner[AXES], width[AXES], nodes_axis[AXES];
  int64_t nodes_axes, shape[AXES], copies;
};

/* Returns the number of places of nodes. */
int64_t places_of(const struct layout *layout);

struct side {
  struct layout layout;
  int64_t *lists; /* ranks of the places, then block sizes of each axis in GBLOCK */
  int64_t count, room;
  enum reason nodes; /* MOVED or NODES */
  _XMP_array_t *array;
  void *address;
};

/* Fill in `side`; its lists may still have memory from an earlier call. All of `nodes` take part. The section of an
 * array alone is empty. */
enum reason describe_side(struct side *side, const _XMP_gmv_desc_t *desc, _XMP_nodes_t *nodes, int order);
enum reason describe_array(struct side *side, _XMP_array_t *array, _XMP_nodes_t *nodes);
void append(struct side *side, int64_t number);

/* Appends to `lists` the ranks of `taking_part` at each place of `nodes`. */
enum reason list_ranks(struct side *side, _XMP_nodes_t *nodes, _XMP_nodes_t *taking_part);

/* Makes the map of a side, or returns the reason why it cannot. Collective over `comm`. */
enum reason map_of(const struct side *side, MPI_Comm comm, reblock_map **map);
/* Checks on this process that the layout of Omni's storage is that of the map. */
enum reason storage_fits(const struct side *side, const reblock_map *map);

/* The purpose of a plan besides its sides, in numbers that are equal on all participating nodes. */
enum purpose {
  ASSIGN,
  COMPLETE, /* fills full shadows: each node gets the whole axis */
  FILL,     /* fills shadows of some width */
  ADD       /* adds such shadows to the elements that they show */
};
struct wish {
  int64_t purpose, element; /* bytes of an element */
  int64_t spread, overlap;  /* assignments only: one element goes to all; both sides are one array */
  int64_t hands_on;         /* calls for shadows only: values in the shadows of other axes move, too */
  int64_t before[AXES], after[AXES];
  int32_t periodic[AXES + 1]; /* an even number of entries, because structs are compared byte by byte */
};

/* Returns one side of the plan for a call for shadows. `map` is the map of `side`. COMPLETE has two sides, the other
 * purposes only the second. The caller frees its lists. */
struct side shadow_side(const struct side *side, const reblock_map *map, const struct wish *wish, bool second);

/* The array of a call for shadows, the widths that it asks for, and the nodes that have the array. */
struct widths {
  bool given;
  int before[AXES], after[AXES], periodic[AXES];
};
enum reason shadow_wish(struct wish *wish, const _XMP_array_t *array, const struct widths *widths, enum purpose purpose);
enum reason move_shadows(_XMP_array_t *array, const struct wish *wish, const reblock_update *update);

/* A plan, and the offsets in bytes of its source and target from the addresses of its sides. */
struct plan {
  struct plan *next;
  struct wish wish;
  struct side from, to; /* without arrays and addresses */
  enum reason why;      /* MOVED: there is a plan */
  reblock_plan *plan;
  ptrdiff_t source, target;
};

/* Returns the plan for these sides; a call for shadows has only the first side. The plan is stored with `comm`, or new.
 * Collective over `comm`. */
enum reason plan_for(MPI_Comm comm, const struct wish *wish, const struct side *from, const struct side *to, const struct plan **plan);
int32_t create_plan(MPI_Comm comm, const struct wish *wish, const struct side *from, const reblock_map *source, const struct side *to,
                    const reblock_map *target, reblock_plan **plan);
/* Executes a plan, or starts it if the program continues meanwhile. The reason is equal on all nodes. */
enum reason execute(const struct plan *plan, const struct side *from, const struct side *to, const reblock_update *update);

/* Stores a request that reblock has started for the directive with that number. */
void keep_request(int async, reblock_request *request);
#endif
