/* Tests a job that follows the sizes granted by a slow resource manager: checks the job's sizes in turn. */
#include "data.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE = 4000 }; /* resize points */

static int size_at(const char *sizes, int64_t at) {
  for (; sizes && at > 0; at--) sizes = strchr(sizes, ',') ? strchr(sizes, ',') + 1 : NULL;
  return sizes ? atoi(sizes) : 0;
}

/* Returns whether rank 0 finds the file. */
static int is_there(const char *file) {
  MPI_Comm comm;
  must(reblock_job_get_comm(job, &comm), "comm");
  int there = !access(file, F_OK);
  MPI_Bcast(&there, 1, MPI_INT, 0, comm);
  return there;
}

/* The number of past sizes is a part of the value, so that new processes receive this number. */
int managed(const char *sizes, const char *until) {
  int32_t state = REBLOCK_JOB_SAME, joined;
  must(reblock_job_joined(job, &joined), "joined");
  if (joined) state = REBLOCK_JOB_RESIZED;
  for (;;) {
    if (state == REBLOCK_JOB_RESIZED) {
      everything(1);
      if (working() != size_at(sizes, value.seed)) fail("another size", working());
      value.seed++;
    }
    if (!all_good() || value.round > PATIENCE) MPI_Abort(MPI_COMM_WORLD, 1);
    if (!size_at(sizes, value.seed) && is_there(until)) return 1;
    value.round++;
    everything(0);
    usleep(20000);
    must(reblock_job_step(job, &state), "step");
    if (state == REBLOCK_JOB_LEAVE) return 0;
    if (state == REBLOCK_JOB_SAME) everything(1);
  }
}
