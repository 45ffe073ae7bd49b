/* Load balancing by GEN_BLOCK: the rows of three arrays are distributed over processes of different speed. The program
 * measures the time of each process for a row, computes blocks that take all processes equally long, and redistributes
 * the arrays in one call. One of them only holds intermediate results: it is dead, so its values are not copied. Speeds
 * are artificial: after its computation, a process sleeps a while for each of its rows. At the end the program times
 * the move of one array, and the same move by MPI_Alltoallw. */
#include "boxes.h"
#include <math.h>
#include <time.h>

enum { ROWS = 2000, COLS = 100, RANKS = 4, ITERATIONS = 7, ROUNDS = 3 };
static const double seconds_per_row[RANKS] = {10e-6, 20e-6, 40e-6, 80e-6};

static double initial(int64_t i, int64_t j) { return (double)(i * COLS + j); }
static double source_of(int64_t i, int64_t j) { return sin((double)(i + 2 * j)); }
static double next(double state, double source) { return 0.5 * state + source; }

static reblock_template *rows_on(reblock_procs *procs, const int64_t *sizes) {
  reblock_template *template;
  int64_t lower[2] = {1, 1}, upper[2] = {ROWS, COLS};
  MUST(reblock_template_create(procs, 2, lower, upper, &template));
  if (sizes == NULL) MUST(reblock_template_dist_block(template, 0, 0, 0));
  else MUST(reblock_template_dist_gen_block(template, 0, 0, RANKS, sizes));
  MUST(reblock_template_commit(template));
  return template;
}

/* This rank's part of an array, column-major. */
struct part { double *data; int64_t rows, first; };

static struct part part_of(reblock_array *array) {
  void *data;
  int64_t extents[2], lower[2];
  MUST(reblock_array_data(array, &data, extents, lower, NULL));
  return (struct part){data, extents[0], lower[0]};
}

/* One iteration, without communication. Returns the seconds that this rank takes. */
static double iterate(struct part state, struct part source, struct part scratch, int me) {
  double start = MPI_Wtime();
  int64_t count = state.rows * COLS;
  for (int64_t k = 0; k < count; k++) scratch.data[k] = next(state.data[k], source.data[k]);
  for (int64_t k = 0; k < count; k++) state.data[k] = scratch.data[k];
  double rest = seconds_per_row[me] * (double)state.rows;
  struct timespec asleep = {(time_t)rest, (long)((rest - floor(rest)) * 1e9)};
  nanosleep(&asleep, NULL);
  return MPI_Wtime() - start;
}

/* Computes blocks in proportion to the speeds (rows a second). The first blocks get the rows that rounding leaves
 * over. */
static void balanced(const double *speeds, int64_t *sizes) {
  double all = 0;
  int64_t dealt = 0;
  for (int r = 0; r < RANKS; r++) all += speeds[r];
  for (int r = 0; r < RANKS; r++) dealt += sizes[r] = (int64_t)(ROWS * speeds[r] / all);
  for (int r = 0; dealt < ROWS; r = (r + 1) % RANKS) sizes[r]++, dealt++;
}

/* Counts the elements of the state that differ from a serial program's after `iterations` iterations. */
static int64_t wrong_of(struct part state, int iterations) {
  int64_t wrong = 0;
  for (int64_t j = 0; j < COLS; j++)
    for (int64_t i = 0; i < state.rows; i++) {
      double want = initial(state.first + i, j + 1);
      for (int n = 0; n < iterations; n++) want = next(want, source_of(state.first + i, j + 1));
      wrong += state.data[j * state.rows + i] != want;
    }
  return wrong;
}

/* Times the move of the state back into equal blocks, by reblock and by MPI_Alltoallw. */
static void race(reblock_procs *procs, reblock_array *state, int me) {
  reblock_map *from, *to;
  int64_t elements;
  reblock_template *equal = rows_on(procs, NULL);
  MUST(reblock_array_map(state, &from));
  MUST(reblock_map_whole(equal, &to));
  MUST(reblock_map_elements(to, &elements));
  double *target = calloc((size_t)elements + 1, sizeof *target);
  struct times times = both_ways(2, from, to, MPI_ORDER_FORTRAN, MPI_DOUBLE, part_of(state).data, target);
  if (me == 0)
    printf("back into equal blocks, median of %d moves: reblock %.2f ms, MPI_Alltoallw %.2f ms, %.1fx\n", TURNS,
           times.reblock * 1e3, times.alltoallw * 1e3, times.alltoallw / times.reblock);
  free(target);
  MUST(reblock_map_free(&from));
  MUST(reblock_map_free(&to));
  MUST(reblock_template_free(&equal));
}

int main(int argc, char **argv) {
  int me = start_on_four(&argc, &argv);
  int64_t shape[1] = {RANKS}, sizes[RANKS];
  reblock_procs *procs;
  reblock_map *map;
  reblock_array *state, *source, *scratch;
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, shape, NULL, &procs));
  reblock_template *template = rows_on(procs, NULL);
  MUST(reblock_map_whole(template, &map));
  MUST(reblock_array_create(map, sizeof(double), &state));
  MUST(reblock_array_create(map, sizeof(double), &source));
  MUST(reblock_array_create(map, sizeof(double), &scratch));
  struct part part = part_of(state), sources = part_of(source);
  for (int64_t j = 0; j < COLS; j++)
    for (int64_t i = 0; i < part.rows; i++) {
      part.data[j * part.rows + i] = initial(part.first + i, j + 1);
      sources.data[j * part.rows + i] = source_of(part.first + i, j + 1);
    }

  for (int round = 0; round < ROUNDS; round++) {
    double mine[ITERATIONS], slowest[ITERATIONS], speeds[RANKS];
    part = part_of(state);
    for (int n = 0; n < ITERATIONS; n++) {
      mine[n] = slowest[n] = iterate(part, part_of(source), part_of(scratch), me);
      MPI_Allreduce(MPI_IN_PLACE, &slowest[n], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(mine, ITERATIONS, sizeof *mine, shorter);
    qsort(slowest, ITERATIONS, sizeof *slowest, shorter);
    MPI_Allgather(&part.rows, 1, MPI_INT64_T, sizes, 1, MPI_INT64_T, MPI_COMM_WORLD);
    if (me == 0)
      printf("rows %4d %4d %4d %4d: an iteration takes %6.2f ms\n", (int)sizes[0], (int)sizes[1], (int)sizes[2],
             (int)sizes[3], slowest[ITERATIONS / 2] * 1e3);
    if (round + 1 == ROUNDS) break;

    double speed = (double)part.rows / mine[ITERATIONS / 2];
    MPI_Allgather(&speed, 1, MPI_DOUBLE, speeds, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    balanced(speeds, sizes);
    reblock_template *like = rows_on(procs, sizes);
    reblock_array *dead[1] = {scratch};
    MPI_Barrier(MPI_COMM_WORLD);
    double t = MPI_Wtime();
    MUST(reblock_template_redistribute(template, like, 1, dead));
    if (me == 0) printf("                          redistributed in %6.2f ms\n", (MPI_Wtime() - t) * 1e3);
    MUST(reblock_template_free(&like));
  }

  int64_t wrong = wrong_of(part_of(state), ITERATIONS * ROUNDS);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0)
    printf("balance: %s: %lld of %d elements differ from a serial run\n", wrong ? "WRONG" : "correct", (long long)wrong,
           ROWS * COLS);
  race(procs, state, me);
  MUST(reblock_array_free(&state));
  MUST(reblock_array_free(&source));
  MUST(reblock_array_free(&scratch));
  MUST(reblock_map_free(&map));
  MUST(reblock_template_free(&template));
  MUST(reblock_procs_free(&procs));
  MPI_Finalize();
  return wrong != 0;
}
