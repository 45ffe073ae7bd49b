/* Times a resize, and the part of the time in which data moves: resize N BLOCK ROUNDS SMALL LARGE. An N x N matrix of
 * doubles moves from SMALL to LARGE ranks and back, ROUNDS times, and is compared each time. If the job starts on SMALL
 * ranks, it spawns the other ranks; if on LARGE ranks, it parks them. Prints medians, with the time of the same
 * redistribution alone on the LARGE ranks, and the time to make a communicator and a BLACS grid of the same ranks. */
#include "median.h"
#include "resized.h"

extern void blacs_gridmap_(int *, const int *, const int *, const int *, const int *);
extern void blacs_gridexit_(const int *);
extern int sys2blacs_handle_(const int *);
extern void free_blacs_system_handle_(const int *);

enum { MAX_COUNT = 200, REPEATS = 9 };
static int done;
static reblock_job *job;

/* Returns the map of the matrix on the first ranks of comm, in the same grid as the job's. */
static reblock_map *map_on(MPI_Comm comm, int ranks) {
  int64_t lower[2] = {0, 0}, upper[2] = {n - 1, n - 1}, shape[2], who[MAX_COUNT];
  reblock_procs *procs;
  reblock_template *template;
  reblock_map *map;
  for (int k = 0; k < ranks; k++) who[k] = k;
  must(reblock_grid_for(ranks, NULL, NULL, 0, NULL, 0, shape, NULL), "grid_for");
  must(reblock_procs_create(comm, 2, shape, who, &procs), "procs");
  must(reblock_template_create(procs, 2, lower, upper, &template), "template");
  for (int k = 0; k < 2; k++) must(reblock_template_dist_cyclic(template, k, k, nb), "cyclic");
  must(reblock_template_commit(template), "commit");
  must(reblock_map_whole(template, &map), "map");
  reblock_template_free(&template), reblock_procs_free(&procs);
  return map;
}

/* Measures in seconds the redistribution alone, into newly allocated memory (fresh) and into memory written before
 * (warm). */
static void alone(int from, int to, double *fresh, double *warm) {
  double took[2][REPEATS];
  int64_t elements[2];
  MPI_Comm comm;
  reblock_plan *plan;
  must(reblock_job_get_comm(job, &comm), "comm");
  reblock_map *maps[2] = {map_on(comm, from), map_on(comm, to)};
  for (int k = 0; k < 2; k++) must(reblock_map_elements(maps[k], &elements[k]), "elements");
  must(reblock_plan_create(comm, maps[0], NULL, maps[1], NULL, sizeof *a, NULL, &plan), "plan");
  double *source = calloc(elements[0] + 1, sizeof *source), *used = NULL;
  for (int64_t i = 0; i < elements[0]; i++) source[i] = i;
  for (int k = 0; k < 2 * REPEATS; k++) {
    double *target = k % 2 ? used : malloc(elements[1] * sizeof *target + 1), mine, slowest;
    MPI_Barrier(comm);
    mine = MPI_Wtime();
    must(reblock_plan_execute(plan, source, target), "execute");
    mine = MPI_Wtime() - mine;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    took[k % 2][k / 2] = slowest;
    if (k % 2) free(used);
    else used = target;
  }
  *fresh = median(took[0], REPEATS), *warm = median(took[1], REPEATS);
  free(source);
  reblock_plan_free(&plan), reblock_map_free(&maps[0]), reblock_map_free(&maps[1]);
}

/* Returns the minimum seconds of a resize: for a duplicate of the communicator, an MPI_Allreduce, and a grid like the
 * job's. */
static double minimum_seconds(MPI_Comm comm) {
  int rows, cols, row, col, all[MAX_COUNT];
  MPI_Comm own;
  blacs_gridinfo_(&desc[1], &rows, &cols, &row, &col);
  for (int k = 0; k < rows * cols; k++) all[k] = k % rows * cols + k / rows;
  MPI_Barrier(comm);
  double mine = MPI_Wtime(), slowest = 0;
  MPI_Comm_dup(comm, &own);
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, own);
  int fortran = MPI_Comm_c2f(comm), handle = sys2blacs_handle_(&fortran), context = handle;
  blacs_gridmap_(&context, all, &rows, &rows, &cols);
  mine = MPI_Wtime() - mine;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, own);
  blacs_gridexit_(&context), free_blacs_system_handle_(&handle), MPI_Comm_free(&own);
  return slowest;
}

/* Returns the job's communicator after a resize; sets the rank in it. */
static MPI_Comm current_comm(int *me) {
  MPI_Comm comm;
  must(reblock_job_get_comm(job, &comm), "comm");
  MPI_Comm_rank(comm, me);
  return comm;
}

static void print(const char *what, reblock_job_times *t, double *least, int count, double fresh, double warm) {
  double list[7][MAX_COUNT], m[7], floor = 1e3 * median(least, count);
  for (int k = 0; k < count; k++) {
    double each[7] = {t[k].ask, t[k].spawn, t[k].grid, t[k].plan, t[k].transfer, t[k].total, t[k].ask + t[k].grid + t[k].plan};
    for (int i = 0; i < 7; i++) list[i][k] = each[i];
  }
  for (int i = 0; i < 7; i++) m[i] = 1e3 * median(list[i], count);
  printf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", what, n, m[0], m[1], m[2], m[3],
         m[4], m[5], m[6], floor, 1e3 * fresh, 1e3 * warm, m[4] / (1e3 * fresh));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 6) return fprintf(stderr, "resize N BLOCK ROUNDS SMALL LARGE\n"), 2;
  int rounds = atoi(argv[3]), small = atoi(argv[4]), large = atoi(argv[5]), context, rows, cols, row, col, world, me;
  int32_t joined, state = REBLOCK_JOB_SAME;
  static reblock_job_times times[2][MAX_COUNT];
  static double least[2][MAX_COUNT];
  double fresh[2] = {0, 0}, warm[2] = {0, 0};
  reblock_job_options options;
  n = atoi(argv[1]), nb = atoi(argv[2]);
  if (rounds > MAX_COUNT || large > MAX_COUNT) return fprintf(stderr, "resize: at most %d rounds and ranks\n", MAX_COUNT), 2;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  must(reblock_job_options_init(&options), "options");
  options.park = world == large;
  must(reblock_job_init(MPI_COMM_WORLD, &options, &job), "init");
  must(reblock_job_joined(job, &joined), "joined");
  must(reblock_job_get_blacs(job, 0, 0, &context), "blacs");
  if (!joined) {
    blacs_gridinfo_(&context, &rows, &cols, &row, &col);
    int height = numroc_(&n, &nb, &row, &zero, &rows);
    int entries[9] = {1, context, n, n, nb, nb, 0, 0, height > 0 ? height : 1};
    for (int k = 0; k < 9; k++) desc[k] = entries[k];
  }
  must(reblock_job_add_matrix(job, desc, sizeof *a, (void **)&a), "matrix");
  must(reblock_job_add_value(job, &done, sizeof done), "value");
  if (!joined) matrix(0);
  if (!joined && options.park) must(reblock_job_shrink(job, small, &state), "shrink");
  while (state != REBLOCK_JOB_LEAVE) {
    MPI_Comm comm = current_comm(&me);
    matrix(1);
    if (done) least[1 - done % 2][(done - 1) / 2] = minimum_seconds(comm);
    if (done % 2 && done < 2 * rounds) {
      if (done == 1) alone(small, large, &fresh[0], &warm[0]), alone(large, small, &fresh[1], &warm[1]);
      done++;
      must(reblock_job_shrink(job, small, &state), "shrink");
    } else if (done < 2 * rounds) {
      done++;
      must(reblock_job_expand(job, large, &state), "expand");
    } else break;
    reblock_job_times *taken = &times[1 - done % 2][(done - 1) / 2];
    must(reblock_job_times_init(taken), "times");
    if (state != REBLOCK_JOB_LEAVE) must(reblock_job_get_times(job, taken), "times");
  }
  if (state == REBLOCK_JOB_LEAVE) must(reblock_job_leave(&job), "leave");
  else {
    char what[60];
    for (int k = 0; me == 0 && k < 2; k++) {
      snprintf(what, sizeof what, "%d to %d, %s", k ? large : small, k ? small : large, options.park ? "parked" : "spawned");
      print(what, times[k], least[k], rounds, fresh[k], warm[k]);
    }
    must(reblock_job_finalize(&job), "finalize");
  }
  free(a);
  MPI_Finalize();
}
