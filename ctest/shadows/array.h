/* Random arrays with shadows, and the element that each place of a local array shows, axis by axis. */
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
/* A number from low to high, the same on all ranks. */
int64_t draw(int64_t low, int64_t high);
void must(int32_t code, const char *call);

/* Axis k has indices from lower[k] on; the process with coordinate c has sizes[k][c] contiguous ones. */
struct array {
  int axes, row_major, corners;
  int64_t lower[AXES], extents[AXES], shape[AXES], copies, sizes[AXES][RANKS];
  int64_t deep[AXES][2], widths[AXES][2], gaps[AXES], bytes;
  int32_t periodic[AXES];
  reblock_map *map;
};

void draw_array(struct array *a, int64_t bytes);
/* Draws another array, without gaps, with the axes and bounds of `like`, or any if that is NULL. */
void draw_like(struct array *a, const struct array *like, int64_t bytes);
/* Computes the coordinates of a rank, and the copy that it has; returns 0 if it has no part. */
int coordinates(const struct array *a, int64_t rank, int64_t *at, int64_t *copy);
/* Computes the local array of a process, with the shadow and the gaps behind it: elements along each axis, and in
 * all. */
int64_t extents_of(const struct array *a, const int64_t *at, int64_t *extents);
/* Computes the place with number `number` in storage order, one number an axis. */
void place_of(const struct array *a, const int64_t *extents, int64_t number, int64_t *place);
/* Returns the number of a place. */
int64_t number_of(const struct array *a, const int64_t *extents, const int64_t *place);
/* Computes the element that a place of the process at `at` shows, by indices from 0. Returns 0 for its own places, 1
 * in the filled part of the shadow, -1 for none. */
int shown(const struct array *a, const int64_t *at, const int64_t *place, int64_t *index);
/* Computes the process that has an element, and its place there. */
void owner_of(const struct array *a, const int64_t *index, int64_t *at, int64_t *place);

/* A storage with a guard page behind or before it. */
struct storage { unsigned char *data, *mapping; size_t mapped; };
struct storage guarded(int64_t bytes, int behind);
void release(struct storage *s);
#endif
