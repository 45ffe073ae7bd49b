/* Updates: combine(alpha * op(A), beta * B), straight and transposed. */
#ifndef UPDATE_CUH
#define UPDATE_CUH
#include "place.cuh"

/* Arithmetic as in src/pack/arithmetic.rs: integers wrap around, each floating-point operation rounds (the PTX is made
 * without contraction to fused operations), and a complex product takes four products and two sums. */
template <typename Part> struct alignas(2 * sizeof(Part)) complex { Part re, im; };
DEVICE int times(int x, int y) { return (int)((unsigned)x * (unsigned)y); }
DEVICE int plus(int x, int y) { return (int)((unsigned)x + (unsigned)y); }
DEVICE long long times(long long x, long long y) { return (long long)((unsigned long long)x * (unsigned long long)y); }
DEVICE long long plus(long long x, long long y) { return (long long)((unsigned long long)x + (unsigned long long)y); }
DEVICE float times(float x, float y) { return x * y; }
DEVICE float plus(float x, float y) { return x + y; }
DEVICE double times(double x, double y) { return x * y; }
DEVICE double plus(double x, double y) { return x + y; }
template <typename Part> DEVICE complex<Part> times(complex<Part> x, complex<Part> y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <typename Part> DEVICE complex<Part> plus(complex<Part> x, complex<Part> y) { return {x.re + y.re, x.im + y.im}; }

/* Other combinations. If one of two floating-point numbers is a NaN, so is the lesser and the greater of them. */
DEVICE bool no_number(float x) { return x != x; }
DEVICE bool no_number(double x) { return x != x; }
template <typename Number> DEVICE Number chosen(Number x, Number y, unsigned combine) {
  bool first = combine == MINIMUM ? x < y : x > y;
  return first || no_number(x) ? x : y;
}
template <typename Number> DEVICE Number combined_integers(Number x, Number y, unsigned combine) {
  if (combine == AND) return x != 0 && y != 0;
  if (combine == OR) return x != 0 || y != 0;
  return (combine == MINIMUM ? x < y : x > y) ? x : y;
}
DEVICE int combined(int x, int y, unsigned combine) { return combined_integers(x, y, combine); }
DEVICE long long combined(long long x, long long y, unsigned combine) { return combined_integers(x, y, combine); }
DEVICE float combined(float x, float y, unsigned combine) { return chosen(x, y, combine); }
DEVICE double combined(double x, double y, unsigned combine) { return chosen(x, y, combine); }
template <typename Part> DEVICE complex<Part> combined(complex<Part> x, complex<Part>, unsigned) { return x; }

/* Changes the sign of any number, also of a NaN. */
DEVICE float negative(float x) {
  union { float number; unsigned bits; } both = {x};
  both.bits ^= 1u << 31;
  return both.number;
}
DEVICE double negative(double x) {
  union { double number; unsigned long long bits; } both = {x};
  both.bits ^= 1ull << 63;
  return both.number;
}
template <typename Number> DEVICE Number conjugate(Number x, unsigned) { return x; }
template <typename Part> DEVICE complex<Part> conjugate(complex<Part> x, unsigned wanted) {
  return {x.re, wanted ? negative(x.im) : x.im};
}
DEVICE void zero(int &x) { x = 0; }
DEVICE void zero(long long &x) { x = 0; }
DEVICE void zero(float &x) { x = 0; }
DEVICE void zero(double &x) { x = 0; }
template <typename Part> DEVICE void zero(complex<Part> &x) { x = {0, 0}; }

/* Copies a number between addresses that need not be multiples of its size. */
template <typename Number> DEVICE void move_bytes(const void *from, void *to) {
#pragma unroll 1
  for (unsigned k = 0; k < sizeof(Number); k++) ((unsigned char *)to)[k] = ((const unsigned char *)from)[k];
}

template <typename Number> struct factors { Number alpha, beta; };
template <typename Number> DEVICE struct factors<Number> factors_of(const struct update &update) {
  struct factors<Number> f;
  move_bytes<Number>(update.alpha, &f.alpha), move_bytes<Number>(update.beta, &f.beta);
  return f;
}
/* Returns the updated number. */
template <typename Number> DEVICE Number updated(const struct update &update, const struct factors<Number> &f, Number from, Number to) {
  Number x = conjugate(from, update.conjugates), y;
  zero(y);
  if (update.reads && update.scales) x = times(f.alpha, x);
  if (update.keeps) y = update.scales_old ? times(f.beta, to) : to;
  if (!update.reads || !update.keeps) return update.reads ? x : y;
  return update.combine == ADD ? plus(x, y) : combined(x, y, update.combine);
}

template <typename Number> DEVICE void add(const struct job &job, const struct update &update) {
  SHARED struct place place;
  SHARED struct offset columns[MAX_COLUMNS];
  THREADS { if (!threadIdx.x) place = find_tile(job, job.lanes, job.columns, false); }
  BARRIER
  if (!place.message) return;
  unsigned count = tile_columns(job, place);
  THREADS { find_columns(job, place, count, columns); }
  BARRIER
  THREADS {
    enum { DEEP = 4 };
    unsigned lane = threadIdx.x % job.lanes, layers = BLOCK / job.lanes, c = threadIdx.x / job.lanes;
    unsigned row = place.first[ROWS] + lane;
    if (row < place.levels[ROWS].total) {
      struct factors<Number> f = factors_of<Number>(update);
      struct offset offset = find(job, place.levels[ROWS], row);
      const unsigned char *from = 0;
      if (update.reads) from = AT(place.message->at[SOURCE]) + offset.at[SOURCE];
      unsigned char *to = AT(place.message->at[TARGET]) + offset.at[TARGET];
      Number some[DEEP], old[DEEP];
#pragma unroll
      for (int k = 0; k < DEEP; k++) zero(some[k]), zero(old[k]);
      if (!update.aligned)
        for (; c < count; c += layers) {
          if (update.reads) move_bytes<Number>(from + columns[c].at[SOURCE], &some[0]);
          if (update.keeps) move_bytes<Number>(to + columns[c].at[TARGET], &old[0]);
          Number result = updated(update, f, some[0], old[0]);
          move_bytes<Number>(&result, to + columns[c].at[TARGET]);
        }
      for (; c + (DEEP - 1) * layers < count; c += DEEP * layers) {
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
          if (update.reads) some[k] = *(const Number *)(from + columns[c + k * layers].at[SOURCE]);
          if (update.keeps) old[k] = *(const Number *)(to + columns[c + k * layers].at[TARGET]);
        }
#pragma unroll
        for (int k = 0; k < DEEP; k++) *(Number *)(to + columns[c + k * layers].at[TARGET]) = updated(update, f, some[k], old[k]);
      }
      for (; c < count; c += layers) {
        if (update.reads) some[0] = *(const Number *)(from + columns[c].at[SOURCE]);
        if (update.keeps) old[0] = *(const Number *)(to + columns[c].at[TARGET]);
        *(Number *)(to + columns[c].at[TARGET]) = updated(update, f, some[0], old[0]);
      }
    }
  }
}
KERNEL add_s(struct job job, struct update update) { add<float>(here(job), update); }
KERNEL add_d(struct job job, struct update update) { add<double>(here(job), update); }
KERNEL add_c(struct job job, struct update update) { add<complex<float>>(here(job), update); }
KERNEL add_z(struct job job, struct update update) { add<complex<double>>(here(job), update); }
KERNEL add_i(struct job job, struct update update) { add<int>(here(job), update); }
KERNEL add_l(struct job job, struct update update) { add<long long>(here(job), update); }

/* Updates a transposed tile; all addresses must be aligned. */
template <typename Number> DEVICE void turn_add(const struct job &job, const struct update &update) {
  SHARED struct place place;
  SHARED struct offset rows[TURNED], columns[TURNED];
  SHARED Number tile[TURNED][TURNED + 1];
  THREADS { if (!threadIdx.x) place = find_tile(job, TURNED, TURNED, true); }
  BARRIER
  if (!place.message) return;
  THREADS { find_both(job, place, rows, columns); }
  BARRIER
  unsigned height = extent(place, ROWS), width = extent(place, COLUMNS);
  struct factors<Number> f = factors_of<Number>(update);
  THREADS {
    unsigned column = threadIdx.x % TURNED;
    if (column < width && update.reads) {
      const unsigned char *from = AT(place.message->at[SOURCE]) + place.outer.at[SOURCE] + columns[column].at[SOURCE];
#pragma unroll
      for (unsigned k = 0; k < TURNED * TURNED / BLOCK; k++) {
        unsigned row = threadIdx.x / TURNED + k * (BLOCK / TURNED);
        if (row < height) tile[row][column] = *(const Number *)(from + rows[row].at[SOURCE]);
      }
    }
  }
  BARRIER
  THREADS {
    enum { DEEP = TURNED * TURNED / BLOCK };
    unsigned row = threadIdx.x % TURNED;
    if (row < height) {
      Number old[DEEP], none;
      zero(none);
      unsigned char *to = AT(place.message->at[TARGET]) + place.outer.at[TARGET] + rows[row].at[TARGET];
#pragma unroll
      for (unsigned k = 0; k < DEEP; k++) {
        unsigned column = threadIdx.x / TURNED + k * (BLOCK / TURNED);
        old[k] = update.keeps && column < width ? *(const Number *)(to + columns[column].at[TARGET]) : none;
      }
#pragma unroll
      for (unsigned k = 0; k < DEEP; k++) {
        unsigned column = threadIdx.x / TURNED + k * (BLOCK / TURNED);
        if (column < width)
          *(Number *)(to + columns[column].at[TARGET]) = updated(update, f, update.reads ? tile[row][column] : none, old[k]);
      }
    }
  }
}
KERNEL turn_add_s(struct job job, struct update update) { turn_add<float>(here(job), update); }
KERNEL turn_add_d(struct job job, struct update update) { turn_add<double>(here(job), update); }
KERNEL turn_add_c(struct job job, struct update update) { turn_add<complex<float>>(here(job), update); }
KERNEL turn_add_z(struct job job, struct update update) { turn_add<complex<double>>(here(job), update); }
KERNEL turn_add_i(struct job job, struct update update) { turn_add<int>(here(job), update); }
KERNEL turn_add_l(struct job job, struct update update) { turn_add<long long>(here(job), update); }
#endif
