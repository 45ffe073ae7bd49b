/* The tile of a block, and the offsets of its rows and columns on both sides. */
#ifndef PLACE_CUH
#define PLACE_CUH
#include "kernels.h"

struct place { const struct message *message; unsigned first[DIMENSIONS]; };
struct offset { long long at[SIDES]; };

/* Returns the offset of position `p` of a set on both sides. */
DEVICE struct offset find(const struct job &job, const struct set &set, unsigned p, const long long *step) {
  const struct family *families = job.families + set.families;
  unsigned repeated = set.reps * set.per_period, rep = 0, count = set.tails;
  if (p < repeated) {
    rep = p / set.per_period, p -= rep * set.per_period;
    count = set.bodies;
  } else
    families += set.bodies, p -= repeated, rep = 0;
  unsigned low = 0;
  while (count > 1) {
    unsigned half = count / 2;
    if (families[low + half].first <= p) low += half, count -= half;
    else count = half;
  }
  const struct family &family = families[low];
  p -= family.first;
  unsigned run = p / family.len, within = p - run * family.len;
  struct offset offset;
  for (int side = 0; side < SIDES; side++)
    offset.at[side] = step[side] * (rep * set.period[side] + family.start[side] + run * family.stride[side] + within);
  return offset;
}

/* Returns the tile of this block; without a message, if the block has no tile. */
DEVICE struct place find_tile(const struct job &job, unsigned rows, unsigned columns) {
  unsigned block = job.first_block + blockIdx.x, low = 0, count = job.count, tile;
  struct place place = {0, {0, 0}};
  if (job.interleaved)
    low = block % job.count, tile = block / job.count;
  else {
    while (count > 1) {
      unsigned half = count / 2;
      if (job.messages[low + half].first_tile <= block) low += half, count -= half;
      else count = half;
    }
    tile = block - job.messages[low].first_tile;
  }
  const struct message &message = job.messages[low];
  const struct set &row_set = job.sets[message.set[ROWS]], &column_set = job.sets[message.set[COLUMNS]];
  unsigned along = (row_set.total + rows - 1) / rows, across = tile / along;
  place.first[ROWS] = (tile - across * along) * rows, place.first[COLUMNS] = across * columns;
  if (place.first[COLUMNS] < column_set.total) place.message = &message;
  return place;
}

/* Returns the number of columns of the tile: fewer at the end of a set. */
DEVICE unsigned tile_columns(const struct job &job, const struct place &place) {
  unsigned left = job.sets[place.message->set[COLUMNS]].total - place.first[COLUMNS];
  return left < job.columns ? left : job.columns;
}

/* Finds the rows and the columns of a transposed tile. */
DEVICE void find_both(const struct job &job, const struct place &place, struct offset *rows, struct offset *columns) {
  const struct message &message = *place.message;
  unsigned d = threadIdx.x / TURNED, k = threadIdx.x % TURNED;
  if (d < DIMENSIONS) {
    const struct set &set = job.sets[message.set[d]];
    if (place.first[d] + k < set.total) (d == ROWS ? rows : columns)[k] = find(job, set, place.first[d] + k, message.step[d]);
  }
}
/* Returns the number of rows or columns of a transposed tile: fewer at the end of a set. */
DEVICE unsigned extent(const struct job &job, const struct place &place, int d) {
  unsigned left = job.sets[place.message->set[d]].total - place.first[d];
  return left < (unsigned)TURNED ? left : (unsigned)TURNED;
}
#endif
