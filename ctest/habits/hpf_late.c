/* A program in which one rank comes late to the first call on a communicator. The ranks that wait send messages of
 * reblock on the communicator; no such message may be left for the program to receive.
 *
 *   mpirun -n RANKS hpf_late SECONDS */
#include "hpf.h"

int main(int argc, char **argv) {
  start(&argc, &argv, 120);
  if (argc != 2) return 2;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (me == ranks - 1) sleep((unsigned)atoi(argv[1]));
  reblock_procs *procs = line(comm, ranks);
  MPI_Barrier(comm);
  int found;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &status);
  if (found) fprintf(stderr, "rank %d: a message from rank %d with tag %d\n", me, status.MPI_SOURCE, status.MPI_TAG);
  expect(!found, "a communicator without messages");
  MUST(reblock_procs_free(&procs));
  MPI_Comm_free(&comm);
  return finish("hpf_late");
}
