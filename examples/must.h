/* Error handling of the examples: ends the job, with the library's error text, if a call fails. */
#ifndef MUST_H
#define MUST_H
#include <mpi.h>
#include <reblock.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(call) must((call), #call, __FILE__, __LINE__)

static inline void must(int32_t code, const char *call, const char *file, int line) {
  if (code == REBLOCK_OK) return;
  fprintf(stderr, "%s:%d: %s: %s: %s\n", file, line, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Begins a job, or joins it. If the resize failed for which this process was started, the process ends here: the job
 * continues without it, and MPI_Abort would end the job. */
static inline void begin_job(const reblock_job_options *options, reblock_job **job) {
  int32_t code = reblock_job_init(MPI_COMM_WORLD, options, job);
  if (code == REBLOCK_ERR_CANCELLED) {
    MPI_Finalize();
    exit(0);
  }
  MUST(code);
}

/* A resize point. A refused resize changes nothing: the job continues at its old size, and rank 0 prints the reason. */
static inline void resize_point(reblock_job *job, int32_t *state) {
  MPI_Comm comm;
  int me;
  MUST(reblock_job_get_comm(job, &comm));
  MPI_Comm_rank(comm, &me);
  if (reblock_job_step(job, state) != REBLOCK_OK && me == 0) fprintf(stderr, "not resized: %s\n", reblock_message());
}

/* Starts MPI; ends the job unless it has 4 ranks, for which the layouts are made. Returns this rank. */
static inline int start_on_four(int *argc, char ***argv) {
  int me, ranks;
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 4) {
    if (me == 0) fprintf(stderr, "%s runs on 4 ranks, not on %d\n", (*argv)[0], ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return me;
}
#endif
