/* A matrix whose columns are dealt out in blocks becomes its transpose, dealt out in the same way: reblock's plan with axes in
 * another order beside FFTW's own transposition. Built without FFTW's MPI library (WITH_FFTW), it does nothing. */
#include "hpf.h"

#ifdef WITH_FFTW
#include <fftw3-mpi.h>
#include <string.h>

enum { TURNS = 15 };

static void fftw(const void *plan) { fftw_execute(*(const fftw_plan *)plan); }

/* What FFTW calls rows are columns here, as local arrays are column-major. */
static fftw_plan fftw_of(const struct array *from, const struct array *to) {
  ptrdiff_t rows = from->extents[1], cols = from->extents[0], local_rows, row, local_cols, col;
  ptrdiff_t room = fftw_mpi_local_size_2d_transposed(rows, cols, MPI_COMM_WORLD, &local_rows, &row, &local_cols, &col);
  if (room > from->elements || room > to->elements || local_rows != from->counts[1] || local_cols != to->counts[1]) {
    fprintf(stderr, "turned: FFTW deals the matrix out otherwise\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return fftw_mpi_plan_transpose(rows, cols, from->data, to->data, MPI_COMM_WORLD, FFTW_MEASURE);
}

void against_fftw(const char *name, reblock_procs *line, int64_t rows, int64_t cols) {
  if (!is_wanted(name)) return;
  fftw_mpi_init();
  const int64_t axes[2] = {1, 0};
  struct array from = array_make(map_text(line, 2, (int64_t[]){rows, cols}, "(*,BLOCK)"), 1);
  struct array to = array_make(map_text(line, 2, (int64_t[]){cols, rows}, "(*,BLOCK)"), 1);
  fftw_plan theirs = fftw_of(&from, &to);
  /* Each element holds the place that it is to have: planning wrote over them. */
  for (int64_t j = 0; j < from.counts[1]; j++)
    for (int64_t i = 0; i < rows; i++)
      from.data[j * from.strides[1] + i] = (double)(from.indices[0][i] * cols + from.indices[1][j]);
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  options.axes = axes;
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
void against_fftw(const char *name, reblock_procs *line, int64_t rows, int64_t cols) {
  (void)name, (void)line, (void)rows, (void)cols;
}
#endif
