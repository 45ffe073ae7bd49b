/* What the files of the shim share. gmove.c, reflect.c and reduce.c take Omni's calls, async.c those that wait for them; layout.c
 * and places.c describe Omni's arrays, shadows.c what of them a call for shadows moves; plans.c keeps plans, create.c and maps.c
 * make them, reasons.c counts. */
#ifndef SHIM_H
#define SHIM_H
#include <reblock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "omni.h"

enum { AXES = _XMP_N_MAX_DIM };

/* Why a call did not go through reblock; MOVED: it did. reasons.c has the words. */
enum reason { MOVED, OFF, ONE_SIDED, ONE_ELEMENT, NOTHING, NUMBERS, NODES, SHADOW, STORAGE, REFUSED, REASONS };

void count_call(const char *what, enum reason why);
/* Omni's own function of that name, which this library hides. */
void *omni_own(const char *name);
bool shim_is_off(void);
void xmp_reblock_switch(int on);
bool shim_explains(void);

/* One side of an assignment in numbers only, which are the same on all nodes that take part. Two sides with equal numbers have
 * equal maps; addresses of Omni's descriptors say nothing, because Omni uses them again. Unused entries are 0. */
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

/* The places of nodes. */
int64_t places_of(const struct layout *layout);

struct side {
  struct layout layout;
  int64_t *lists; /* ranks of the places, then the sizes of each axis in GBLOCK */
  int64_t count, room;
  enum reason nodes; /* MOVED, or NODES */
  _XMP_array_t *array;
  void *address;
};

/* Both fill in `side`, whose lists may be those of another call before. `nodes` take part, all of them. The section of an array
 * alone is empty. */
enum reason describe_side(struct side *side, const _XMP_gmv_desc_t *desc, _XMP_nodes_t *nodes, int order);
enum reason describe_array(struct side *side, _XMP_array_t *array, _XMP_nodes_t *nodes);
void append(struct side *side, int64_t number);

/* The ranks of `taking_part` at each place of `nodes`: appended to `lists`. */
enum reason list_ranks(struct side *side, _XMP_nodes_t *nodes, _XMP_nodes_t *taking_part);

/* The map of a side, or the reason why there is none; collective over `comm`. */
enum reason map_of(const struct side *side, MPI_Comm comm, reblock_map **map);
/* Checks that Omni's own storage is laid out as the map says, on this process. */
enum reason storage_fits(const struct side *side, const reblock_map *map);

/* What a plan is for, beside its sides, in numbers that are the same on all nodes that take part. */
enum purpose {
  ASSIGN,
  COMPLETE, /* all of an axis with a full shadow */
  FILL,     /* shadows of some width */
  ADD       /* such shadows to what they show */
};
struct wish {
  int64_t purpose, element; /* bytes of an element */
  int64_t spread, overlap;  /* of an assignment: of one element to all; within one array */
  int64_t hands_on;         /* of a call for shadows: what is in those of other axes, too */
  int64_t before[AXES], after[AXES];
  int32_t periodic[AXES + 1]; /* an even number of them, as structs are compared byte by byte */
};

/* One side of a call for shadows as a plan sees it. `map` is that of `side`; COMPLETE has two ends, the other purposes have the second
 * one only. Free its lists. */
struct side shadow_side(const struct side *side, const reblock_map *map, const struct wish *wish, bool second);

/* The array of a call for shadows, what it asks for, and the nodes that have the array. */
struct widths {
  bool given;
  int before[AXES], after[AXES], periodic[AXES];
};
enum reason shadow_wish(struct wish *wish, const _XMP_array_t *array, const struct widths *widths, enum purpose purpose);
enum reason move_shadows(_XMP_array_t *array, const struct wish *wish, const reblock_update *update);

/* A plan, and where its source and its target begin, in bytes behind the addresses of its sides. */
struct plan {
  struct plan *next;
  struct wish wish;
  struct side from, to; /* without arrays and addresses */
  enum reason why;      /* MOVED: there is a plan */
  reblock_plan *plan;
  ptrdiff_t source, target;
};

/* The plan for these sides, of which a call for shadows has only the first: one that is kept with `comm`, or a new one; collective over
 * `comm`. */
enum reason plan_for(MPI_Comm comm, const struct wish *wish, const struct side *from, const struct side *to, const struct plan **plan);
int32_t create_plan(MPI_Comm comm, const struct wish *wish, const struct side *from, const reblock_map *source, const struct side *to,
                    const reblock_map *target, reblock_plan **plan);
/* Carries out a plan, or starts it if the program goes on meanwhile; the reason is the same on all nodes. */
enum reason execute(const struct plan *plan, const struct side *from, const struct side *to, const reblock_update *update);

/* Something that reblock has begun, of the directive with that number. */
void keep_request(int async, reblock_request *request);
#endif
