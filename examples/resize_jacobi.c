/* A Jacobi iteration on an HPF array, A(N,N) with DISTRIBUTE A(*,BLOCK), in a job that grows and shrinks at resize
 * points: 2 -> 4 -> 3 -> 5 -> 2. Ranks exchange border columns with their current neighbours. At the end every element
 * is compared with the same iteration on one rank: the arithmetic is the same, so the elements must be equal bit for
 * bit. */
#include "must.h"
#include <string.h>

enum { N = 120, SWEEPS = 60, EACH = 12 };

static double *a;
static int64_t sweep;
static reblock_job *job;

static double first(int64_t i, int64_t j) { return i == 1 ? 1.0 : (double)((7 * i + 5 * j) % 11) / 11; }

/* Makes one sweep over `columns` columns. `left` and `right` are the neighbouring columns, or NULL at the border of
 * A. */
static void relax(double *to, const double *from, int64_t columns, const double *left, const double *right) {
  for (int64_t j = 0; j < columns; j++) {
    const double *own = from + j * N, *west = j ? own - N : left, *east = j + 1 < columns ? own + N : right;
    memcpy(to + j * N, own, N * sizeof *to);
    if (!west || !east) continue;
    for (int64_t i = 1; i + 1 < N; i++) to[j * N + i] = 0.25 * (own[i - 1] + own[i + 1] + west[i] + east[i]);
  }
}

static void sweeps(int64_t count, int64_t columns, MPI_Comm comm) {
  int me, ranks;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  int west = me > 0 ? me - 1 : MPI_PROC_NULL, east = me + 1 < ranks ? me + 1 : MPI_PROC_NULL;
  double *next = malloc((columns + 1) * N * sizeof *next), left[N], right[N];
  for (; count > 0; count--) {
    MPI_Sendrecv(a + (columns - 1) * N, N, MPI_DOUBLE, east, 1, left, N, MPI_DOUBLE, west, 1, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, N, MPI_DOUBLE, west, 2, right, N, MPI_DOUBLE, east, 2, comm, MPI_STATUS_IGNORE);
    relax(next, a, columns, me ? left : NULL, me + 1 < ranks ? right : NULL);
    memcpy(a, next, columns * N * sizeof *a);
  }
  free(next);
}

/* Sets the first of this rank's columns, from 1; returns their number. */
static int64_t mine(int64_t *lower) {
  reblock_map *map;
  int64_t extents[2], lowers[2];
  MUST(reblock_job_get_map(job, 0, &map));
  MUST(reblock_map_local(map, extents, lowers, NULL, NULL, NULL, NULL));
  MUST(reblock_map_free(&map));
  *lower = lowers[1];
  return extents[1];
}

/* Returns the map of A on the job's first ranks. */
static reblock_map *dealt(MPI_Comm comm) {
  int64_t ranks, one[2] = {1, 1}, n[2] = {N, N};
  int size;
  MPI_Comm_size(comm, &size);
  ranks = size;
  reblock_procs *procs;
  reblock_template *template;
  reblock_map *map;
  MUST(reblock_procs_create(comm, 1, &ranks, NULL, &procs));
  MUST(reblock_template_create(procs, 2, one, n, &template));
  MUST(reblock_template_dist_text(template, "(*,BLOCK)"));
  MUST(reblock_template_commit(template));
  MUST(reblock_map_whole(template, &map));
  MUST(reblock_template_free(&template));
  MUST(reblock_procs_free(&procs));
  return map;
}

/* Counts this rank's elements that differ from the iteration on one rank. */
static int64_t wrong(int64_t lower, int64_t columns) {
  double *all = malloc(N * N * sizeof *all), *next = malloc(N * N * sizeof *next);
  for (int64_t k = 0; k < N * N; k++) all[k] = first(k % N + 1, k / N + 1);
  for (int64_t k = 0; k < SWEEPS; k++) {
    relax(next, all, N, NULL, NULL);
    memcpy(all, next, N * N * sizeof *all);
  }
  int64_t bad = 0;
  for (int64_t k = 0; k < columns * N; k++) bad += a[k] != all[(lower - 1) * N + k];
  free(all), free(next);
  return bad;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  int32_t joined, state = REBLOCK_JOB_SAME;
  int64_t lower, columns;
  reblock_map *map = NULL;
  reblock_job_options options;
  MUST(reblock_job_options_init(&options));
  options.unit = 1; /* so that any number of processes can leave again */
  begin_job(&options, &job);
  MUST(reblock_job_joined(job, &joined));
  MUST(reblock_job_get_comm(job, &comm));
  if (!joined) map = dealt(comm);
  MUST(reblock_job_add_array(job, map, sizeof *a, (void **)&a));
  MUST(reblock_job_add_value(job, &sweep, sizeof sweep));
  MUST(reblock_job_set_policy_text(job, "4,3,5,2"));
  columns = mine(&lower);
  if (!joined) {
    for (int64_t k = 0; k < columns * N; k++) a[k] = first(k % N + 1, lower + k / N);
    MUST(reblock_map_free(&map));
  }
  while (sweep < SWEEPS) {
    sweeps(EACH, columns, comm);
    sweep += EACH;
    resize_point(job, &state);
    if (state == REBLOCK_JOB_LEAVE) break;
    MUST(reblock_job_get_comm(job, &comm));
    columns = mine(&lower);
  }
  int64_t bad[2] = {0, 0};
  int me = -1;
  if (state == REBLOCK_JOB_LEAVE) {
    MUST(reblock_job_leave(&job));
  } else {
    MPI_Comm_rank(comm, &me);
    bad[0] = wrong(lower, columns), bad[1] = columns * N;
    MPI_Allreduce(MPI_IN_PLACE, bad, 2, MPI_INT64_T, MPI_SUM, comm);
    if (bad[1] != N * N) bad[0]++;
    if (me == 0) printf("resize_jacobi: %s: %d of %d elements differ\n", bad[0] ? "WRONG" : "correct", (int)bad[0], N * N);
    MUST(reblock_job_finalize(&job));
  }
  free(a);
  MPI_Finalize();
  return bad[0] != 0;
}
