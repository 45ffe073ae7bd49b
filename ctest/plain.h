/* The position of each element of an array that is distributed axis by axis, found by counting indices one by one. */
#ifndef PLAIN_H
#define PLAIN_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { AXES = 4 };

/* An array. Axis k is distributed over shape[k] processes in blocks of blocks[k] or, if blocks[k] is 0, in one block
 * each. */
struct plain { int axes, row_major; int64_t extents[AXES], shape[AXES], blocks[AXES]; };

static int me, ranks, wrong;
#define MUST(call) must(call, #call)
static inline void must(int32_t code, const char *call) {
  if (!code) return;
  fprintf(stderr, "rank %d: %s: %s: %s\n", me, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns the coordinate that has index i of axis k. Computes the number of that coordinate's indices before i. */
static inline int64_t deal(const struct plain *p, int k, int64_t i, int64_t *place) {
  int64_t procs = p->shape[k], block = p->blocks[k], owner = 0, before[64] = {0};
  if (!block) block = (p->extents[k] + procs - 1) / procs;
  for (int64_t x = 0; x < i; x++) {
    before[owner]++;
    if ((x + 1) % block == 0) owner = (owner + 1) % procs;
  }
  *place = before[owner];
  return owner;
}

/* Returns the number of indices of axis k on the process with that coordinate. */
static inline int64_t length(const struct plain *p, int k, int64_t coord) {
  int64_t count = 0, place;
  for (int64_t i = 0; i < p->extents[k]; i++) count += deal(p, k, i, &place) == coord;
  return count;
}

static inline int64_t product(const int64_t *n, int count) { return count ? n[0] * product(n + 1, count - 1) : 1; }

/* Computes the rank's coordinates; returns 0 if it has no part. */
static inline int coordinates(const struct plain *p, int64_t rank, int64_t *at) {
  if (rank >= product(p->shape, p->axes)) return 0;
  for (int k = p->axes - 1; k >= 0; k--) at[k] = rank % p->shape[k], rank /= p->shape[k];
  return 1;
}

/* Advances to the next index, the last axis fastest; returns 0 after the last. */
static inline int advance(int64_t *index, const int64_t *extents, int axes) {
  for (int k = axes - 1; k >= 0; k--) {
    if (++index[k] < extents[k]) return 1;
    index[k] = 0;
  }
  return 0;
}

/* Returns the rank that has an element. Computes the element's place in that rank's local array without gaps. */
static inline int64_t find(const struct plain *p, const int64_t *index, int64_t *offset) {
  int64_t rank = 0, place[AXES], extent[AXES];
  for (int k = 0; k < p->axes; k++) {
    int64_t coord = deal(p, k, index[k], &place[k]);
    rank = rank * p->shape[k] + coord;
    extent[k] = length(p, k, coord);
  }
  *offset = 0;
  for (int j = 0; j < p->axes; j++) {
    int k = p->row_major ? j : p->axes - 1 - j;
    *offset = *offset * extent[k] + place[k];
  }
  return rank;
}

/* Returns reblock's map of the array. */
static inline reblock_map *mapped(const struct plain *p) {
  reblock_map *map, *other;
  MUST(reblock_map_block_cyclic(MPI_COMM_WORLD, p->axes, p->extents, p->shape, p->blocks, &map));
  if (!p->row_major) return map;
  MUST(reblock_map_row_major(map, &other));
  MUST(reblock_map_free(&map));
  return other;
}
#endif
