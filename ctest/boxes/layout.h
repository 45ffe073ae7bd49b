/* Random layouts of arrays, in boxes or dealt out axis by axis, and where each element is, found by looking at all. Every rank draws
 * the same. */
#ifndef BOXES_LAYOUT_H
#define BOXES_LAYOUT_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, TILES = 64, MOST = 600, RANKS = 64 };

struct tile { int owner; int64_t start[AXES], size[AXES], offset, stride[AXES]; };

struct layout {
  int axes, in_boxes, row_major, defaults, tiles, copies;
  int64_t extents[AXES], storage[RANKS];
  struct tile tile[TILES];
  /* Where it is dealt out: processes along each axis, and the coordinate of each index. */
  int64_t shape[AXES + 1], owner[AXES][MOST];
  int kind[AXES];
};

extern int me, ranks, wrong;
extern uint64_t state;
int64_t draw(int64_t low, int64_t high);
#define MUST(call) must(call, #call)
void must(int32_t code, const char *call);
void expect(int good, const char *what);

/* In boxes, or dealt out, with room for the section lower, lower + stride, ... of so many indices along each axis. */
void draw_layout(struct layout *l, int axes, const int64_t *extents, int in_boxes);
/* The map that reblock makes of it. */
reblock_map *mapped(const struct layout *l);
/* The rank that has copy number `copy` of an element, and its place in that rank's storage. -1: nobody. */
int where(const struct layout *l, const int64_t *index, int copy, int64_t *place);
#endif
