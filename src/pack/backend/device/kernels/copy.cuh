/* Copies, straight and transposed. */
#ifndef COPY_CUH
#define COPY_CUH
#include "place.cuh"

/* Copies units of type `Unit`, with `DEEP` loads before the first store. */
template <typename Unit, int DEEP> DEVICE void copy(const struct job &job) {
  SHARED struct place place;
  SHARED struct offset columns[MAX_COLUMNS];
  THREADS { if (!threadIdx.x) place = find_tile(job, job.lanes, job.columns, false); }
  BARRIER
  if (!place.message) return;
  unsigned count = tile_columns(job, place);
  THREADS { find_columns(job, place, count, columns); }
  BARRIER
  THREADS {
    unsigned lane = threadIdx.x % job.lanes, layers = BLOCK / job.lanes, c = threadIdx.x / job.lanes;
    unsigned row = place.first[ROWS] + lane;
    if (row < place.levels[ROWS].total) {
      struct offset offset = find(job, place.levels[ROWS], row);
      const unsigned char *from = AT(place.message->at[SOURCE]) + job.shift[SOURCE] + offset.at[SOURCE];
      unsigned char *to = AT(place.message->at[TARGET]) + job.shift[TARGET] + offset.at[TARGET];
      for (; c + (DEEP - 1) * layers < count; c += DEEP * layers) {
        Unit some[DEEP];
#pragma unroll
        for (int k = 0; k < DEEP; k++) some[k] = *(const Unit *)(from + columns[c + k * layers].at[SOURCE]);
#pragma unroll
        for (int k = 0; k < DEEP; k++) *(Unit *)(to + columns[c + k * layers].at[TARGET]) = some[k];
      }
      for (; c < count; c += layers) *(Unit *)(to + columns[c].at[TARGET]) = *(const Unit *)(from + columns[c].at[SOURCE]);
    }
  }
}
KERNEL copy_1(struct job job) { copy<unsigned char, 4>(here(job)); }
KERNEL copy_2(struct job job) { copy<unsigned short, 4>(here(job)); }
KERNEL copy_4(struct job job) { copy<unsigned, 4>(here(job)); }
KERNEL copy_8(struct job job) { copy<unsigned long long, 4>(here(job)); }
KERNEL copy_16(struct job job) { copy<uint4, 4>(here(job)); }

/* Copies a transposed tile: neighbours of the source are columns, neighbours of the target are rows. */
template <typename Unit> DEVICE void turn(const struct job &job) {
  SHARED struct place place;
  SHARED struct offset rows[TURNED], columns[TURNED];
  SHARED Unit tile[TURNED][TURNED + 1];
  THREADS { if (!threadIdx.x) place = find_tile(job, TURNED, TURNED, true); }
  BARRIER
  if (!place.message) return;
  THREADS { find_both(job, place, rows, columns); }
  BARRIER
  unsigned height = extent(place, ROWS), width = extent(place, COLUMNS);
  THREADS {
    unsigned column = threadIdx.x % TURNED;
    if (column < width) {
      const unsigned char *from = AT(place.message->at[SOURCE]) + place.outer.at[SOURCE] + columns[column].at[SOURCE];
#pragma unroll
      for (unsigned k = 0; k < TURNED * TURNED / BLOCK; k++) {
        unsigned row = threadIdx.x / TURNED + k * (BLOCK / TURNED);
        if (row < height) tile[row][column] = *(const Unit *)(from + rows[row].at[SOURCE]);
      }
    }
  }
  BARRIER
  THREADS {
    unsigned row = threadIdx.x % TURNED;
    if (row < height) {
      unsigned char *to = AT(place.message->at[TARGET]) + place.outer.at[TARGET] + rows[row].at[TARGET];
#pragma unroll
      for (unsigned k = 0; k < TURNED * TURNED / BLOCK; k++) {
        unsigned column = threadIdx.x / TURNED + k * (BLOCK / TURNED);
        if (column < width) *(Unit *)(to + columns[column].at[TARGET]) = tile[row][column];
      }
    }
  }
}
KERNEL turn_1(struct job job) { turn<unsigned char>(here(job)); }
KERNEL turn_2(struct job job) { turn<unsigned short>(here(job)); }
KERNEL turn_4(struct job job) { turn<unsigned>(here(job)); }
KERNEL turn_8(struct job job) { turn<unsigned long long>(here(job)); }
KERNEL turn_16(struct job job) { turn<uint4>(here(job)); }
#endif
