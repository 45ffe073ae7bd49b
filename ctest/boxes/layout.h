/* Random layouts of arrays, in boxes or distributed axis by axis, with the place of each element found by exhaustive
 * search. All ranks draw the same layouts. */
#ifndef BOXES_LAYOUT_H
#define BOXES_LAYOUT_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, TILES = 64, MAX_EXTENT = 600, RANKS = 64 };

struct tile { int owner; int64_t start[AXES], size[AXES], offset, stride[AXES]; };

struct layout {
  int axes, in_boxes, row_major, defaults, tiles, copies;
  int64_t extents[AXES], storage[RANKS];
  struct tile tile[TILES];
  /* For distributed layouts: processes along each axis, and the coordinate of each index. */
  int64_t shape[AXES + 1], owner[AXES][MAX_EXTENT];
  int kind[AXES];
};

extern int me, ranks, wrong;
extern uint64_t state;
int64_t draw(int64_t low, int64_t high);
#define MUST(call) must(call, #call)
void must(int32_t code, const char *call);
void expect(int good, const char *what);

/* Draws a layout, in boxes or distributed, with room for a section lower, lower + stride, ... along each axis. */
void draw_layout(struct layout *l, int axes, const int64_t *extents, int in_boxes);
/* Returns reblock's map of the layout. */
reblock_map *mapped(const struct layout *l);
/* Returns the rank that has copy number `copy` of an element, and the place in its storage; -1: no rank. */
int where(const struct layout *l, const int64_t *index, int copy, int64_t *place);
#endif
