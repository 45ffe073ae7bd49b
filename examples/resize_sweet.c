/* The sweet spot: adds processes as long as they make the job faster. The job starts on 1 rank and tries 2 and 4. An
 * iteration's work is distributed over all ranks, and is not faster on more ranks than cores. The sizes that the job
 * tries depend on the machine; the result does not, and is compared with that of one rank. */
#include "must.h"
#include <math.h>

enum { N = 400, WORK = 3000, ITERATIONS = 8 };

static double *a;
static int64_t iteration;
static reblock_job *job;

/* Returns one element's work: a point of an orbit after WORK steps. */
static double worked(double x) {
  for (int k = 0; k < WORK; k++) x = sin(x) + 1.0;
  return x;
}

static int64_t mine(int64_t *lower) {
  reblock_map *map;
  int64_t extent;
  MUST(reblock_job_get_map(job, 0, &map));
  MUST(reblock_map_local(map, &extent, lower, NULL, NULL, NULL, NULL));
  MUST(reblock_map_free(&map));
  return extent;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  int32_t joined, state = REBLOCK_JOB_SAME;
  int64_t lower, extent, one = 1, n = N;
  int me = 0, ranks;
  reblock_map *map = NULL;
  begin_job(NULL, &job);
  MUST(reblock_job_joined(job, &joined));
  MUST(reblock_job_get_comm(job, &comm));
  MPI_Comm_size(comm, &ranks);
  if (!joined) {
    int64_t shape = ranks;
    reblock_procs *procs;
    reblock_template *template;
    MUST(reblock_procs_create(comm, 1, &shape, NULL, &procs));
    MUST(reblock_template_create(procs, 1, &one, &n, &template));
    MUST(reblock_template_dist_block(template, 0, 0, 0));
    MUST(reblock_template_commit(template));
    MUST(reblock_map_whole(template, &map));
    MUST(reblock_template_free(&template));
    MUST(reblock_procs_free(&procs));
  }
  MUST(reblock_job_add_array(job, map, sizeof *a, (void **)&a));
  MUST(reblock_job_add_value(job, &iteration, sizeof iteration));
  MUST(reblock_job_set_policy_text(job, "sweet:1,2,4:0.2"));
  extent = mine(&lower);
  for (int64_t i = 0; i < extent && !joined; i++) a[i] = (double)(lower + i) / N;
  if (map) MUST(reblock_map_free(&map));
  while (iteration < ITERATIONS) {
    double start = MPI_Wtime();
    for (int64_t i = 0; i < extent; i++) a[i] = worked(a[i]);
    MUST(reblock_job_set_seconds(job, MPI_Wtime() - start));
    MPI_Comm_rank(comm, &me), MPI_Comm_size(comm, &ranks);
    if (me == 0) printf("resize_sweet: %d ranks: %.1f ms\n", ranks, 1e3 * (MPI_Wtime() - start));
    iteration++;
    resize_point(job, &state);
    if (state == REBLOCK_JOB_LEAVE) break;
    MUST(reblock_job_get_comm(job, &comm));
    extent = mine(&lower);
  }
  int bad = 0;
  if (state == REBLOCK_JOB_LEAVE) {
    MUST(reblock_job_leave(&job));
  } else {
    for (int64_t i = 0; i < extent; i++) {
      double x = (double)(lower + i) / N;
      for (int k = 0; k < ITERATIONS; k++) x = worked(x);
      bad += a[i] != x;
    }
    MPI_Comm_rank(comm, &me), MPI_Comm_size(comm, &ranks);
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, comm);
    if (me == 0) printf("resize_sweet: %s, ends with %d ranks\n", bad ? "WRONG" : "correct", ranks);
    MUST(reblock_job_finalize(&job));
  }
  free(a);
  MPI_Finalize();
  return bad != 0;
}
