/* Exchanges the last two axes of an array whose last axis is in blocks, before and after. Compares reblock's plan with
 * permuted axes with FFTW's own transposition. Does nothing if this program is built without FFTW's MPI library
 * (WITH_FFTW). */
#include "hpf.h"

#ifdef WITH_FFTW
#include <fftw3-mpi.h>
#include <string.h>

enum { TURNS = 15 };

static void fftw(const void *plan) { fftw_execute(*(const fftw_plan *)plan); }

/* FFTW's rows are columns here, because local arrays are column-major. Numbers along the first of three axes stay
 * together. */
static fftw_plan fftw_of(const struct array *from, const struct array *to) {
  int last = from->axes - 1;
  ptrdiff_t sides[2] = {from->extents[last], from->extents[last - 1]}, together = last == 2 ? from->extents[0] : 1;
  ptrdiff_t local_rows, row, local_cols, col, block = FFTW_MPI_DEFAULT_BLOCK;
  ptrdiff_t room = fftw_mpi_local_size_many_transposed(2, sides, together, block, block, MPI_COMM_WORLD, &local_rows, &row,
                                                       &local_cols, &col);
  if (room > from->elements || room > to->elements || local_rows != from->counts[last] || local_cols != to->counts[last]) {
    fprintf(stderr, "turned: FFTW deals the array out otherwise\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return fftw_mpi_plan_many_transpose(sides[0], sides[1], together, block, block, from->data, to->data, MPI_COMM_WORLD,
                                      FFTW_MEASURE);
}

/* Writes to each element of the source its place in the target. */
static void fill_turned(struct array *from) {
  int last = from->axes - 1;
  int64_t together = last == 2 ? from->extents[0] : 1;
  for (int64_t j = 0; j < from->counts[last]; j++)
    for (int64_t i = 0; i < from->extents[last - 1]; i++)
      for (int64_t h = 0; h < together; h++)
        from->data[(j * from->extents[last - 1] + i) * together + h] =
            (double)((i * from->extents[last] + from->indices[last][j]) * together + h);
}

void against_fftw(const char *name, reblock_procs *line, int count, const int64_t *extents, map_maker *map) {
  if (!is_wanted(name)) return;
  fftw_mpi_init();
  const char *layout = count == 3 ? "(*,*,BLOCK)" : "(*,BLOCK)";
  int64_t axes[AXES] = {0, 1, 2}, turned[AXES];
  axes[count - 1] = count - 2, axes[count - 2] = count - 1;
  for (int k = 0; k < count; k++) turned[k] = extents[axes[k]];
  struct array from = array_make(map(line, count, extents, layout), 1);
  struct array to = array_make(map(line, count, turned, layout), 1);
  fftw_plan theirs = fftw_of(&from, &to);
  fill_turned(&from); /* planning wrote over it */
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  options.axes = axes, options.axes_count = count;
  reblock_plan *plan;
  MUST(reblock_plan_create(MPI_COMM_WORLD, from.map, NULL, to.map, NULL, sizeof(double), &options, &plan));
  const void *source = from.data;
  void *target = to.data;
  struct planned ours = {.count = 1, .plans = &plan, .sources = &source, .targets = &target};
  contest(name, TURNS, &(struct way){"FFTW", fftw, &theirs, 1, &to}, &(struct way){"reblock", plan_batch, &ours, 1, &to});
  MUST(reblock_plan_free(&plan));
  fftw_destroy_plan(theirs);
  array_free(&from), array_free(&to);
}
#else
void against_fftw(const char *name, reblock_procs *line, int count, const int64_t *extents, map_maker *map) {
  (void)name, (void)line, (void)count, (void)extents, (void)map;
}
#endif
