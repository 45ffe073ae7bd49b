/* A job grows from 2 ranks to 4 and shrinks to 2 again. Its array moves along; each element counts the iterations. */
#include "must.h"

enum { ITERATIONS = 6 };

static double *a;
static int64_t iteration;

/* Returns the number of elements of this rank's current part. */
static int64_t elements(reblock_job *job) {
  reblock_map *map;
  int64_t count;
  MUST(reblock_job_get_map(job, 0, &map));
  MUST(reblock_map_elements(map, &count));
  MUST(reblock_map_free(&map));
  return count;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  reblock_job *job;
  reblock_map *map = NULL;
  MPI_Comm comm;
  int32_t joined, state = REBLOCK_JOB_SAME;
  int64_t extents[2] = {100, 60}, wrong = 0;
  int me, ranks;

  /* A process whose resize failed after it was started: the job continues without it, and MUST would end the job. */
  int32_t code = reblock_job_init(MPI_COMM_WORLD, NULL, &job);
  if (code == REBLOCK_ERR_CANCELLED) {
    MPI_Finalize();
    return 0;
  }
  MUST(code);
  MUST(reblock_job_joined(job, &joined));
  MUST(reblock_job_get_comm(job, &comm));

  /* All processes make the same registrations in the same order. A process that has joined needs no map: its part is
   * already there. */
  if (!joined) MUST(reblock_map_from_text(comm, 2, extents, "(*, BLOCK)", &map));
  MUST(reblock_job_add_array(job, map, sizeof *a, (void **)&a)); /* a is NULL: the library allocates it, filled with zeros */
  MUST(reblock_job_add_value(job, &iteration, sizeof iteration));
  if (!joined) MUST(reblock_map_free(&map));
  MUST(reblock_job_set_policy_text(job, argc > 1 ? argv[1] : "4,4,2"));

  while (iteration < ITERATIONS && state != REBLOCK_JOB_LEAVE) {
    for (int64_t count = elements(job), k = 0; k < count; k++) a[k] += 1;
    iteration++;
    MPI_Comm_rank(comm, &me);
    code = reblock_job_step(job, &state);
    /* A refused resize changes nothing: the job continues at its old size. */
    if (code != REBLOCK_OK && me == 0) fprintf(stderr, "resize_first: not resized: %s\n", reblock_message());
    if (state != REBLOCK_JOB_LEAVE) MUST(reblock_job_get_comm(job, &comm)); /* comm and a may have changed */
  }
  if (state == REBLOCK_JOB_LEAVE) {
    MUST(reblock_job_leave(&job));
    MPI_Finalize();
    return 0;
  }

  for (int64_t count = elements(job), k = 0; k < count; k++) wrong += a[k] != ITERATIONS;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, comm);
  if (me == 0) printf("resize_first: %s, ends with %d ranks\n", wrong ? "WRONG" : "correct", ranks);
  MUST(reblock_job_finalize(&job));
  free(a);
  MPI_Finalize();
  return wrong != 0;
}
