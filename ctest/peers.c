/* What becomes of the others when one rank is slow, or dies?
 *
 *   mpirun -n 4 peers slow     the last rank comes two seconds late: those that wait leave the cores alone meanwhile
 *   mpirun -n 4 peers killed   the last rank dies before the call: the job ends */
#include "scalapack.h"
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { N = 400, SECONDS = 2 };
gemr2d pdgemr2d_;

static double cpu(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

int main(int argc, char **argv) {
  static double a[N * N], b[N * N];
  int me, ranks, one = 1, n = N, block = 16, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int from = new_grid("R", 1, ranks), to = new_grid("R", ranks, 1), killed = argc > 1 && !strcmp(argv[1], "killed");
  int desca[9] = {1, from, N, N, block, block, 0, 0, N}, descb[9] = {1, to, N, N, block, block, 0, 0, N};
  for (int round = 0; round < 3; round++) {
    if (me == ranks - 1 && round == 2) {
      if (killed) raise(SIGKILL);
      sleep(SECONDS);
    }
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) a[j * N + i] = i + 1000 * ((j / block * ranks + me) * block + j % block) + round;
    double before = cpu();
    pdgemr2d_(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &from);
    double used = cpu() - before;
    int rows = local_count(N, block, me, 0, ranks);
    for (int j = 0; j < N; j++)
      for (int i = 0; i < rows; i++) wrong += b[j * N + i] != (i / block * ranks + me) * block + i % block + 1000 * j + round;
    if (round == 2 && used > SECONDS / 2.) {
      fprintf(stderr, "rank %d used %.2f s of CPU while it waited for %d s\n", me, used, SECONDS);
      wrong++;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("peers: %d wrong\n", wrong);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
