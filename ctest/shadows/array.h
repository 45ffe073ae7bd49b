/* Random arrays with shadows. Computes axis by axis which element each place of a local array shows. */
#ifndef SHADOWS_ARRAY_H
#define SHADOWS_ARRAY_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 4, RANKS = 64 };
#define MUST(call) must(call, #call)

extern int me, ranks, wrong;
/* Draws a number from low to high, equal on all ranks. */
int64_t draw(int64_t low, int64_t high);
void must(int32_t code, const char *call);

/* Axis k has indices from lower[k] on. The process with coordinate c has sizes[k][c] contiguous indices. */
struct array {
  int axes, row_major, corners;
  int64_t lower[AXES], extents[AXES], shape[AXES], copies, sizes[AXES][RANKS];
  int64_t deep[AXES][2], widths[AXES][2], gaps[AXES], bytes;
  int32_t periodic[AXES];
  reblock_map *map;
};

void draw_array(struct array *a, int64_t bytes);
/* Draws an array without gaps, with the axes and bounds of `like` or, if `like` is NULL, with any. */
void draw_like(struct array *a, const struct array *like, int64_t bytes);
/* Computes the coordinates of a rank and the number of its copy; returns 0 if it has no part. */
int coordinates(const struct array *a, int64_t rank, int64_t *at, int64_t *copy);
/* Computes the extents of a process's local array, with the shadow and the gaps after it; returns their product. */
int64_t extents_of(const struct array *a, const int64_t *at, int64_t *extents);
/* Computes the place, one coordinate per axis, with number `number` in storage order. */
void place_of(const struct array *a, const int64_t *extents, int64_t number, int64_t *place);
/* Returns the number of a place. */
int64_t number_of(const struct array *a, const int64_t *extents, const int64_t *place);
/* Computes the indices, from 0, of the element that a place of the process at `at` shows. Returns 0 for a place of the
 * process's own part, 1 for the filled part of the shadow, -1 if the place shows no element. */
int shown(const struct array *a, const int64_t *at, const int64_t *place, int64_t *index);
/* Computes the process that has an element, and the element's place in the local array. */
void owner_of(const struct array *a, const int64_t *index, int64_t *at, int64_t *place);

/* A storage with a guard page after or before it. */
struct storage { unsigned char *data, *mapping; size_t mapped; };
struct storage guarded(int64_t bytes, int behind);
void release(struct storage *s);
#endif
