/* Fourier transforms of a 2-D array (corner turn) and of a 3-D array (pencils). Each rank transforms the axis along
 * which it has whole lines; then the array is redistributed so that another axis is whole, and so on. FFTW computes the
 * transforms. The result is compared with a serial transform of the whole array, and the time of each move with that of
 * MPI_Alltoallw. */
#include "boxes.h"
#include <complex.h>
#include <fftw3.h>
#include <math.h>

typedef double complex number;

enum { STAGES = 3 };

static const struct transform {
  const char *name;
  int axes;
  int64_t extents[BOX_AXES];
  int64_t procs_axes, procs[2];
  int stages;
  const char *layouts[STAGES]; /* of each stage */
  int turn[STAGES];            /* the axis transformed in it */
} transforms[] = {
    {"2-D", 2, {1000, 1022}, 1, {4}, 2, {"(BLOCK,*)", "(*,BLOCK)"}, {1, 0}},
    {"3-D", 3, {90, 75, 100}, 2, {2, 2}, 3, {"(BLOCK,BLOCK,*)", "(BLOCK,*,BLOCK)", "(*,BLOCK,BLOCK)"}, {2, 1, 0}},
};

static number input(int64_t position) { return sin((double)position) + I * cos(0.7 * (double)position); }

/* Returns the map of a row-major array with a template of its own. */
static reblock_map *mapped(reblock_procs *procs, const struct transform *t, const char *layout) {
  reblock_template *template;
  reblock_map *columns, *rows;
  int64_t lower[BOX_AXES] = {0}, upper[BOX_AXES];
  for (int k = 0; k < t->axes; k++) upper[k] = t->extents[k] - 1;
  MUST(reblock_template_create(procs, t->axes, lower, upper, &template));
  MUST(reblock_template_dist_text(template, layout));
  MUST(reblock_template_commit(template));
  MUST(reblock_map_whole(template, &columns));
  MUST(reblock_map_row_major(columns, &rows));
  MUST(reblock_map_free(&columns));
  MUST(reblock_template_free(&template));
  return rows;
}

static number *storage(reblock_map *map) {
  int64_t elements;
  MUST(reblock_map_elements(map, &elements));
  return fftw_alloc_complex((size_t)elements + 1);
}

/* Transforms one axis of a row-major array, in place. */
static void transform_axis(int axes, const int64_t *extents, int axis, number *data) {
  fftw_iodim64 along = {0, 0, 0}, others[BOX_AXES];
  int64_t stride = 1;
  int count = 0;
  for (int k = axes - 1; k >= 0; k--) {
    fftw_iodim64 dim = {extents[k], stride, stride};
    if (k == axis) along = dim;
    else others[count++] = dim;
    stride *= extents[k];
  }
  fftw_plan plan = fftw_plan_guru64_dft(1, &along, count, others, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

/* Visits this rank's elements together with their position in the whole array: writes them, or returns the largest
 * difference. */
static double visit(const struct transform *t, reblock_map *map, number *data, const number *whole) {
  int64_t e[BOX_AXES] = {1, 1, 1}, low[BOX_AXES] = {0}, n[BOX_AXES] = {1, 1, 1};
  double worst = 0;
  MUST(reblock_map_local(map, e, low, NULL, NULL, NULL, NULL));
  for (int k = 0; k < t->axes; k++) n[k] = t->extents[k];
  for (int64_t i = 0; i < e[0]; i++)
    for (int64_t j = 0; j < e[1]; j++)
      for (int64_t k = 0; k < e[2]; k++) {
        number *mine = &data[(i * e[1] + j) * e[2] + k];
        int64_t position = ((i + low[0]) * n[1] + j + low[1]) * n[2] + k + low[2];
        if (whole == NULL) *mine = input(position);
        else worst = fmax(worst, cabs(*mine - whole[position]));
      }
  return worst;
}

/* Transforms the whole array on each rank by itself. */
static number *serial(const struct transform *t, double *largest) {
  int n[BOX_AXES];
  size_t size = 1;
  for (int k = 0; k < t->axes; k++) n[k] = (int)t->extents[k], size *= (size_t)n[k];
  number *whole = fftw_alloc_complex(size);
  fftw_plan plan = fftw_plan_dft(t->axes, n, whole, whole, FFTW_FORWARD, FFTW_ESTIMATE);
  for (size_t i = 0; i < size; i++) whole[i] = input((int64_t)i);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  *largest = 0;
  for (size_t i = 0; i < size; i++) *largest = fmax(*largest, cabs(whole[i]));
  return whole;
}

/* Returns the error relative to the largest value of the serial transform. */
static double run(const struct transform *t, int me) {
  reblock_procs *procs;
  reblock_map *map, *next;
  int64_t extents[BOX_AXES];
  MUST(reblock_procs_create(MPI_COMM_WORLD, t->procs_axes, t->procs, NULL, &procs));
  map = mapped(procs, t, t->layouts[0]);
  number *data = storage(map);
  visit(t, map, data, NULL);
  for (int s = 0; s < t->stages; s++) {
    MUST(reblock_map_local(map, extents, NULL, NULL, NULL, NULL, NULL));
    transform_axis(t->axes, extents, t->turn[s], data);
    if (s + 1 == t->stages) break;
    next = mapped(procs, t, t->layouts[s + 1]);
    number *moved = storage(next);
    struct times times = both_ways(t->axes, map, next, MPI_ORDER_C, MPI_C_DOUBLE_COMPLEX, data, moved);
    if (me == 0)
      printf("%s %-16s -> %-16s %12.2f %14.2f %8.1fx\n", t->name, t->layouts[s], t->layouts[s + 1],
             times.reblock * 1e3, times.alltoallw * 1e3, times.alltoallw / times.reblock);
    MUST(reblock_map_free(&map));
    fftw_free(data);
    map = next;
    data = moved;
  }
  double largest;
  number *whole = serial(t, &largest);
  double error = visit(t, map, data, whole) / largest;
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MUST(reblock_map_free(&map));
  MUST(reblock_procs_free(&procs));
  fftw_free(data);
  fftw_free(whole);
  return error;
}

int main(int argc, char **argv) {
  int me = start_on_four(&argc, &argv);
  double error = 0;
  if (me == 0) printf("%-39s %12s %14s %9s\n", "4 ranks, median of 9 moves", "reblock ms", "Alltoallw ms", "ratio");
  for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++) error = fmax(error, run(&transforms[i], me));
  int good = error < 1e-12;
  if (me == 0)
    printf("fft: %s: the largest difference from a serial FFT is %.1e of the largest value\n",
           good ? "correct" : "WRONG", error);
  MPI_Finalize();
  return !good;
}
