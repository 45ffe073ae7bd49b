/* Tests REBLOCK_WAIT_SECONDS: one rank makes no call. The ranks that wait for this rank must give up after that time,
 * with a code and a text, in the first call on a communicator, in a later call, and for a request.
 *
 *   REBLOCK_WAIT_SECONDS=1 mpirun -n RANKS absent */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 1000 };
#include "vector.h"

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  alarm(60);
  MPI_Comm first, other;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  struct moved here = make(MPI_COMM_WORLD, 0, 3, NULL), there = make(other, 0, 3, NULL);
  execute(&here), execute(&there);
  int absent = ranks - 1;
  int64_t shape = ranks;
  reblock_procs *procs = NULL;
  reblock_request *request = NULL;
  empty();
  if (me != absent) {
    wants(reblock_procs_create(first, 1, &shape, NULL, &procs), REBLOCK_ERR_MPI, "REBLOCK_WAIT_SECONDS", "a first call");
    wants(reblock_plan_execute(here.plan, source, target), REBLOCK_ERR_MPI, "REBLOCK_WAIT_SECONDS", "execute");
    MUST(reblock_plan_start(there.plan, source, target, &request));
    wants(reblock_request_wait(&request), REBLOCK_ERR_MPI, "REBLOCK_WAIT_SECONDS", "wait");
    if (procs || request) wrong++;
    is_empty("nobody came");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  /* The rank that comes too late receives an error with the reason why the other ranks gave up. */
  if (me == absent) wants(reblock_plan_execute(here.plan, source, target), REBLOCK_ERR_MPI, "REBLOCK_WAIT_SECONDS", "too late");
  wants(reblock_plan_execute(here.plan, source, target), REBLOCK_ERR_BROKEN, "unusable", "once more");
  release(&here);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("absent: %d ranks, %d wrong\n", ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
