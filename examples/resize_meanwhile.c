/* A job grows from 2 ranks to 4 and shrinks again while it computes. Its weights are constant, so they move during the
 * iterations. The sums change in each iteration, so they move at the end of the resize. */
#include "must.h"

enum { N = 1000000, ITERATIONS = 40 };

static double *weights, *sums;
static int64_t iteration;

/* Returns the number of elements of this rank's current part; sets the index of the first. */
static int64_t part(reblock_job *job, int64_t *first) {
  reblock_map *map;
  int64_t count;
  MUST(reblock_job_get_map(job, 0, &map));
  MUST(reblock_map_local(map, &count, first, NULL, NULL, NULL, NULL));
  MUST(reblock_map_free(&map));
  return count;
}

static double weight(int64_t index) { return (double)(index % 7 + 1); }

int main(int argc, char **argv) {
  int level, me = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level); /* with less, the weights move only inside reblock_job_step */
  reblock_job *job;
  reblock_map *map = NULL;
  MPI_Comm comm;
  int32_t joined, state = REBLOCK_JOB_SAME;
  int64_t extent = N, first, wrong = 0, meanwhile = 0;

  begin_job(NULL, &job);
  MUST(reblock_job_joined(job, &joined));
  MUST(reblock_job_get_comm(job, &comm));
  if (!joined) MUST(reblock_map_from_text(comm, 1, &extent, "(BLOCK)", &map));
  MUST(reblock_job_add_array(job, map, sizeof *weights, (void **)&weights));
  MUST(reblock_job_add_array(job, map, sizeof *sums, (void **)&sums));
  MUST(reblock_job_add_value(job, &iteration, sizeof iteration));
  MUST(reblock_job_set_constant(job, 0, 1)); /* the weights, registered first: number 0 */
  if (!joined) {
    int64_t count = part(job, &first);
    for (int64_t k = 0; k < count; k++) weights[k] = weight(first + k);
    MUST(reblock_map_free(&map));
  }
  MUST(reblock_job_set_policy_text(job, "4,2"));

  while (iteration < ITERATIONS || state == REBLOCK_JOB_MOVING) {
    for (int64_t count = part(job, &first), k = 0; k < count; k++) sums[k] += weights[k];
    iteration++;
    resize_point(job, &state); /* reblock_job_step; if a resize is refused, rank 0 says why */
    if (state == REBLOCK_JOB_LEAVE) break;
    meanwhile += state == REBLOCK_JOB_MOVING; /* ranks and arrays are still the old ones */
  }
  if (state == REBLOCK_JOB_LEAVE) {
    MUST(reblock_job_leave(&job));
    MPI_Finalize();
    return 0;
  }

  for (int64_t count = part(job, &first), k = 0; k < count; k++)
    wrong += weights[k] != weight(first + k) || sums[k] != (double)iteration * weight(first + k);
  MUST(reblock_job_get_comm(job, &comm));
  MPI_Comm_rank(comm, &me);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, comm);
  if (me == 0) printf("resize_meanwhile: %s, %s while the weights moved\n", wrong ? "WRONG" : "correct", meanwhile ? "iterations went on" : "no iterations");
  MUST(reblock_job_finalize(&job));
  free(weights), free(sums);
  MPI_Finalize();
  return wrong != 0 || meanwhile == 0;
}
