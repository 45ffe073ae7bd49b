/* Tests a BLACS context of an intercommunicator. BLACS accepts it, but messages on it go to the other group, so
 * reblock must refuse it with a text: a map returns a code, a redistribution ends the job.
 *
 *   mpirun -n 4 bridged map | move */
#include "reblock.h"
#include "scalapack.h"
#include <stdio.h>
#include <string.h>

gemr2d pdgemr2d_;
extern int Csys2blacs_handle(MPI_Comm);
extern void Cblacs_gridinit(int *, const char *, int, int);

int main(int argc, char **argv) {
  int me, ranks, upper, n = 12, one = 1;
  MPI_Comm half, bridge;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2 || ranks % 2 || argc < 2) return 2;
  upper = me >= ranks / 2;
  MPI_Comm_split(MPI_COMM_WORLD, upper, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : ranks / 2, 0, &bridge);
  int context = Csys2blacs_handle(bridge);
  Cblacs_gridinit(&context, "R", ranks / 2, 1);
  int a[9] = {1, context, n, n, 2, 12, 0, 0, 12}, b[9] = {1, context, n, n, 3, 12, 0, 0, 12};
  static double from[144], to[144];
  if (!strcmp(argv[1], "move")) {
    pdgemr2d_(&n, &n, from, &one, &one, a, to, &one, &one, b, &context);
    fprintf(stderr, "bridged: rank %d returns from a redistribution\n", me);
    return 1;
  }
  reblock_map *map = NULL;
  int32_t code = reblock_map_from_blacs(a, &map);
  int wrong = code != REBLOCK_ERR_ARGUMENT || map || !strstr(reblock_message(), "MPI_Intercomm_merge");
  if (wrong) fprintf(stderr, "bridged: rank %d: code %d, %s\n", me, code, reblock_message());
  MPI_Finalize();
  return wrong;
}
