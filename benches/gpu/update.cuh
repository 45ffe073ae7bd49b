/* Updates: alpha * op(A) + beta * B, straight and transposed. */
#ifndef UPDATE_CUH
#define UPDATE_CUH
#include "place.cuh"

/* Numbers, rounded after each operation, as in src/pack/arithmetic.rs: the PTX is made without contraction to fused operations. */
template <typename Part> struct alignas(2 * sizeof(Part)) complex { Part re, im; };
DEVICE float times(float x, float y) { return x * y; }
DEVICE double times(double x, double y) { return x * y; }
template <typename Part> DEVICE complex<Part> times(complex<Part> x, complex<Part> y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
DEVICE float plus(float x, float y) { return x + y; }
DEVICE double plus(double x, double y) { return x + y; }
template <typename Part> DEVICE complex<Part> plus(complex<Part> x, complex<Part> y) { return {x.re + y.re, x.im + y.im}; }
DEVICE float conjugate(float x, int) { return x; }
DEVICE double conjugate(double x, int) { return x; }
template <typename Part> DEVICE complex<Part> conjugate(complex<Part> x, int wanted) { return {x.re, wanted ? -x.im : x.im}; }
DEVICE void set_number(float &x, const double *parts) { x = (float)parts[0]; }
DEVICE void set_number(double &x, const double *parts) { x = parts[0]; }
template <typename Part> DEVICE void set_number(complex<Part> &x, const double *parts) { x = {(Part)parts[0], (Part)parts[1]}; }
DEVICE void zero(float &x) { x = 0; }
DEVICE void zero(double &x) { x = 0; }
template <typename Part> DEVICE void zero(complex<Part> &x) { x = {0, 0}; }

template <typename Number> struct factors {
  Number alpha, beta;
  bool reads, keeps, scales, scales_old;
  int conjugates;
};
template <typename Number> DEVICE struct factors<Number> factors_of(const struct update &update) {
  struct factors<Number> f;
  set_number(f.alpha, update.alpha), set_number(f.beta, update.beta);
  f.reads = update.alpha[0] != 0 || update.alpha[1] != 0, f.keeps = update.beta[0] != 0 || update.beta[1] != 0;
  f.scales = update.alpha[0] != 1 || update.alpha[1] != 0, f.scales_old = update.beta[0] != 1 || update.beta[1] != 0;
  f.conjugates = update.conjugate;
  return f;
}
/* Returns alpha * op(from) + beta * to. */
template <typename Number> DEVICE Number updated(const struct factors<Number> &f, Number from, Number to) {
  Number x = conjugate(from, f.conjugates), y;
  zero(y);
  if (f.reads && f.scales) x = times(f.alpha, x);
  if (f.keeps) y = f.scales_old ? times(f.beta, to) : to;
  return f.reads && f.keeps ? plus(x, y) : f.reads ? x : y;
}

template <typename Number> DEVICE void add(const struct job &job, const struct update &update) {
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
    enum { DEEP = 4 };
    const struct set &set = job.sets[message.set[ROWS]];
    unsigned lane = threadIdx.x % job.lanes, layers = BLOCK / job.lanes, c = threadIdx.x / job.lanes;
    unsigned row = place.first[ROWS] + lane;
    if (row < set.total) {
      struct factors<Number> f = factors_of<Number>(update);
      struct offset offset = find(job, set, row, message.step[ROWS]);
      const Number *from = (const Number *)message.at[SOURCE] + offset.at[SOURCE];
      Number *to = (Number *)message.at[TARGET] + offset.at[TARGET];
      Number some[DEEP], old[DEEP];
#pragma unroll
      for (int k = 0; k < DEEP; k++) zero(some[k]), zero(old[k]);
      for (; c + (DEEP - 1) * layers < count; c += DEEP * layers) {
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
          if (f.reads) some[k] = from[columns[c + k * layers].at[SOURCE]];
          if (f.keeps) old[k] = to[columns[c + k * layers].at[TARGET]];
        }
#pragma unroll
        for (int k = 0; k < DEEP; k++) to[columns[c + k * layers].at[TARGET]] = updated(f, some[k], old[k]);
      }
      for (; c < count; c += layers) {
        if (f.reads) some[0] = from[columns[c].at[SOURCE]];
        if (f.keeps) old[0] = to[columns[c].at[TARGET]];
        to[columns[c].at[TARGET]] = updated(f, some[0], old[0]);
      }
    }
  }
}
KERNEL add_s(struct job job, struct update update) { add<float>(job, update); }
KERNEL add_d(struct job job, struct update update) { add<double>(job, update); }
KERNEL add_c(struct job job, struct update update) { add<complex<float>>(job, update); }
KERNEL add_z(struct job job, struct update update) { add<complex<double>>(job, update); }

template <typename Number> DEVICE void turn_add(const struct job &job, const struct update &update) {
  SHARED struct place place;
  SHARED struct offset rows[TURNED], columns[TURNED];
  SHARED Number tile[TURNED][TURNED + 1];
  THREADS { if (!threadIdx.x) place = find_tile(job, TURNED, TURNED); }
  BARRIER
  if (!place.message) return;
  THREADS { find_both(job, place, rows, columns); }
  BARRIER
  unsigned height = extent(job, place, ROWS), width = extent(job, place, COLUMNS);
  struct factors<Number> f = factors_of<Number>(update);
  THREADS {
    const Number *from = (const Number *)place.message->at[SOURCE];
    unsigned column = threadIdx.x % TURNED;
    if (column < width && f.reads) {
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
    enum { DEEP = TURNED * TURNED / BLOCK };
    Number *to = (Number *)place.message->at[TARGET];
    unsigned row = threadIdx.x % TURNED;
    if (row < height) {
      Number old[DEEP], none;
      zero(none);
      long long at = rows[row].at[TARGET];
#pragma unroll
      for (unsigned k = 0; k < DEEP; k++) {
        unsigned column = threadIdx.x / TURNED + k * (BLOCK / TURNED);
        old[k] = f.keeps && column < width ? to[columns[column].at[TARGET] + at] : none;
      }
#pragma unroll
      for (unsigned k = 0; k < DEEP; k++) {
        unsigned column = threadIdx.x / TURNED + k * (BLOCK / TURNED);
        if (column < width) to[columns[column].at[TARGET] + at] = updated(f, f.reads ? tile[row][column] : none, old[k]);
      }
    }
  }
}
KERNEL turn_add_s(struct job job, struct update update) { turn_add<float>(job, update); }
KERNEL turn_add_d(struct job job, struct update update) { turn_add<double>(job, update); }
KERNEL turn_add_c(struct job job, struct update update) { turn_add<complex<float>>(job, update); }
KERNEL turn_add_z(struct job job, struct update update) { turn_add<complex<double>>(job, update); }
#endif
