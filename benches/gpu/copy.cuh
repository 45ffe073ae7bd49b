/* Copies, straight and transposed. */
#ifndef COPY_CUH
#define COPY_CUH
#include "place.cuh"

/* Copies units of type `Unit`, with `DEEP` loads before the first store. */
template <typename Unit, int DEEP> DEVICE void copy(const struct job &job) {
  SHARED struct place place;
  SHARED struct offset columns[MOST_COLUMNS];
  THREADS { if (!threadIdx.x) place = find_tile(job, job.lanes, job.columns); }
  BARRIER
  if (!place.message) return;
  const struct message &message = *place.message;
  unsigned count = tile_columns(job, place);
  THREADS {
    const struct set &set = job.sets[message.set[COLUMNS]];
    for (unsigned c = threadIdx.x; c < count; c += BLOCK)
      columns[c] = find(job, set, place.first[COLUMNS] + c, message.step[COLUMNS]);
  }
  BARRIER
  THREADS {
    const struct set &set = job.sets[message.set[ROWS]];
    unsigned lane = threadIdx.x % job.lanes, layers = BLOCK / job.lanes, c = threadIdx.x / job.lanes;
    unsigned row = place.first[ROWS] + lane;
    if (row < set.total) {
      struct offset offset = find(job, set, row, message.step[ROWS]);
      const Unit *from = (const Unit *)(message.at[SOURCE] + job.shift[SOURCE]) + offset.at[SOURCE];
      Unit *to = (Unit *)(message.at[TARGET] + job.shift[TARGET]) + offset.at[TARGET];
      for (; c + (DEEP - 1) * layers < count; c += DEEP * layers) {
        Unit some[DEEP];
#pragma unroll
        for (int k = 0; k < DEEP; k++) some[k] = from[columns[c + k * layers].at[SOURCE]];
#pragma unroll
        for (int k = 0; k < DEEP; k++) to[columns[c + k * layers].at[TARGET]] = some[k];
      }
      for (; c < count; c += layers) to[columns[c].at[TARGET]] = from[columns[c].at[SOURCE]];
    }
  }
}
KERNEL copy_1(struct job job) { copy<unsigned char, 4>(job); }
KERNEL copy_2(struct job job) { copy<unsigned short, 4>(job); }
KERNEL copy_4(struct job job) { copy<unsigned, 4>(job); }
KERNEL copy_8(struct job job) { copy<unsigned long long, 4>(job); }
KERNEL copy_16(struct job job) { copy<uint4, 4>(job); }
KERNEL copy_8_deep(struct job job) { copy<unsigned long long, 8>(job); }
KERNEL copy_16_deep(struct job job) { copy<uint4, 8>(job); }

/* Copies a transposed tile: neighbours of the source are columns, neighbours of the target are rows. */
template <typename Unit> DEVICE void turn(const struct job &job) {
  SHARED struct place place;
  SHARED struct offset rows[TURNED], columns[TURNED];
  SHARED Unit tile[TURNED][TURNED + 1];
  THREADS { if (!threadIdx.x) place = find_tile(job, TURNED, TURNED); }
  BARRIER
  if (!place.message) return;
  THREADS { find_both(job, place, rows, columns); }
  BARRIER
  unsigned height = extent(job, place, ROWS), width = extent(job, place, COLUMNS);
  THREADS {
    const Unit *from = (const Unit *)place.message->at[SOURCE];
    unsigned column = threadIdx.x % TURNED;
    if (column < width) {
      long long at = columns[column].at[SOURCE];
#pragma unroll
      for (unsigned k = 0; k < TURNED * TURNED / BLOCK; k++) {
        unsigned row = threadIdx.x / TURNED + k * (BLOCK / TURNED);
        if (row < height) tile[row][column] = from[rows[row].at[SOURCE] + at];
      }
    }
  }
  BARRIER
  THREADS {
    Unit *to = (Unit *)place.message->at[TARGET];
    unsigned row = threadIdx.x % TURNED;
    if (row < height) {
      long long at = rows[row].at[TARGET];
#pragma unroll
      for (unsigned k = 0; k < TURNED * TURNED / BLOCK; k++) {
        unsigned column = threadIdx.x / TURNED + k * (BLOCK / TURNED);
        if (column < width) to[columns[column].at[TARGET] + at] = tile[row][column];
      }
    }
  }
}
KERNEL turn_1(struct job job) { turn<unsigned char>(job); }
KERNEL turn_2(struct job job) { turn<unsigned short>(job); }
KERNEL turn_4(struct job job) { turn<unsigned>(job); }
KERNEL turn_8(struct job job) { turn<unsigned long long>(job); }
KERNEL turn_16(struct job job) { turn<uint4>(job); }
#endif
