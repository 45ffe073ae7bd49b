/* The tile of a block, and the offsets of its rows and columns on both sides. */
#ifndef PLACE_CUH
#define PLACE_CUH
#include "kernels.h"

struct offset { long long at[SIDES]; };
/* `outer`: the offset of the loops outside of a transposed tile. */
struct place { const struct message *message; const struct level *levels; unsigned first[DIMENSIONS]; struct offset outer; };

/* Returns the job with addresses of the tables that this code can access. */
DEVICE struct job here(struct job job) {
  job.messages = AT(job.messages), job.levels = AT(job.levels), job.families = AT(job.families);
  return job;
}

/* Returns the offset of position `p` of a level in bytes, on both sides. */
DEVICE struct offset find(const struct job &job, const struct level &level, unsigned p) {
  const struct family *families = job.families + level.families;
  unsigned repeated = level.reps * level.per_period, rep = 0, count = level.tails;
  if (p < repeated) {
    rep = p / level.per_period, p -= rep * level.per_period;
    count = level.bodies;
  } else
    families += level.bodies, p -= repeated;
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
    offset.at[side] = level.step[side] * (rep * level.period[side] + family.start[side] + run * family.stride[side] + within);
  return offset;
}

/* Returns the offset of combination `p` of the indices of `count` levels, the innermost first. */
DEVICE struct offset find_all(const struct job &job, const struct level *levels, unsigned count, unsigned p) {
  struct offset sum = {{0, 0}};
  for (unsigned l = 0; l < count; l++) {
    unsigned rest = l + 1 < count ? p / levels[l].total : 0;
    struct offset offset = find(job, levels[l], p - rest * levels[l].total);
    for (int side = 0; side < SIDES; side++) sum.at[side] += offset.at[side];
    p = rest;
  }
  return sum;
}

/* Returns the tile of this block; its message is NULL if the block has no tile. The columns of a `turned` tile belong
 * to the second level, and the tile to one combination of the indices of all further levels. */
DEVICE struct place find_tile(const struct job &job, unsigned rows, unsigned columns, bool turned) {
  unsigned block = job.first_block + blockIdx.x, low = 0, count = job.count, tile;
  struct place place = {0, 0, {0, 0}, {{0, 0}}};
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
  const struct level *levels = job.levels + message.first_level;
  unsigned width = turned ? levels[COLUMNS].total : message.columns;
  unsigned along = (levels[ROWS].total + rows - 1) / rows, across = (width + columns - 1) / columns;
  unsigned line = tile / along, outer = line / across;
  if (outer >= (turned ? message.columns / width : 1)) return place;
  place.first[ROWS] = (tile - line * along) * rows, place.first[COLUMNS] = (line - outer * across) * columns;
  if (turned) place.outer = find_all(job, levels + DIMENSIONS, message.levels - DIMENSIONS, outer);
  place.message = &message, place.levels = levels;
  return place;
}

/* Returns the number of columns of the tile: fewer at the end of a message. */
DEVICE unsigned tile_columns(const struct job &job, const struct place &place) {
  unsigned left = place.message->columns - place.first[COLUMNS];
  return left < job.columns ? left : job.columns;
}
/* Finds the columns of a tile. */
DEVICE void find_columns(const struct job &job, const struct place &place, unsigned count, struct offset *columns) {
  for (unsigned c = threadIdx.x; c < count; c += BLOCK)
    columns[c] = find_all(job, place.levels + COLUMNS, place.message->levels - COLUMNS, place.first[COLUMNS] + c);
}

/* Finds the rows and the columns of a transposed tile. */
DEVICE void find_both(const struct job &job, const struct place &place, struct offset *rows, struct offset *columns) {
  unsigned d = threadIdx.x / TURNED, k = threadIdx.x % TURNED;
  if (d < DIMENSIONS) {
    const struct level &level = place.levels[d];
    if (place.first[d] + k < level.total) (d == ROWS ? rows : columns)[k] = find(job, level, place.first[d] + k);
  }
}
/* Returns the number of rows or columns of a transposed tile: fewer at the end of a set. */
DEVICE unsigned extent(const struct place &place, int d) {
  unsigned left = place.levels[d].total - place.first[d];
  return left < (unsigned)TURNED ? left : (unsigned)TURNED;
}
#endif
