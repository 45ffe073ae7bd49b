/* Moves a local array of more than 2^31 elements in a message of more than 2 GiB: 46,400 x 46,400 integers from rank 0
 * to rank 1, in other blocks. Needs 17.3 GB of memory, so run it by hand.
 *
 *   mpirun -n 2 big */
#include "scalapack.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

gemr2d pigemr2d_;

enum { N = 46400 };
static int32_t value(size_t at) { return (int32_t)(at * 2654435761u >> 7); }

int main(int argc, char **argv) {
  int me, one = 1, n = N, first = 0, second = 1, from, to, all;
  size_t elements = (size_t)N * N, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  Cblacs_get(0, 0, &from), Cblacs_gridmap(&from, &first, 1, 1, 1);
  Cblacs_get(0, 0, &to), Cblacs_gridmap(&to, &second, 1, 1, 1);
  Cblacs_get(0, 0, &all), Cblacs_gridinit(&all, "R", 1, 2);
  int32_t *memory = me < 2 ? malloc(elements * sizeof *memory) : NULL;
  if (!memory) { fprintf(stderr, "big: two ranks, and 8.7 GB of memory for each\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
  for (size_t k = 0; k < elements; k++) memory[k] = me ? -1 : value(k);
  int desca[9] = {1, me ? -1 : from, N, N, 640, 1000, 0, 0, N}, descb[9] = {1, me ? to : -1, N, N, 77, 30000, 0, 0, N};
  double start = MPI_Wtime();
  pigemr2d_(&n, &n, memory, &one, &one, desca, memory, &one, &one, descb, &all);
  double seconds = MPI_Wtime() - start;
  for (size_t k = 0; k < elements; k++) wrong += memory[k] != value(k);
  printf("rank %d: %zu elements, %zu wrong, %.1f s\n", me, elements, wrong, seconds);
  int bad = wrong != 0;
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  Cblacs_exit(1);
  MPI_Finalize();
  return bad;
}
