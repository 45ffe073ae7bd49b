/* Tests the other ranks if one rank is slow or dies.
 *
 *   mpirun -n 4 peers slow     the last rank makes its call only after all others have slept in their calls. If waiting
 *                              ranks do not sleep, the test does not end
 *   mpirun -n 4 peers killed   the last rank dies before the call: the job must end */
#define _GNU_SOURCE
#include "scalapack.h"
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N = 400, NAPS = 100 };
gemr2d pdgemr2d_;

/* The number of times that each rank has slept within its call, in memory that all ranks share. */
static atomic_int *naps;
static int me, ranks, is_called;

static void nap(void) { if (is_called) naps[me]++; }
int nanosleep(const struct timespec *time, struct timespec *left) {
  nap();
  return ((int (*)(const struct timespec *, struct timespec *))dlsym(RTLD_NEXT, "nanosleep"))(time, left);
}
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  nap();
  void *real = dlsym(RTLD_NEXT, "clock_nanosleep");
  return ((int (*)(clockid_t, int, const struct timespec *, struct timespec *))real)(clock, flags, time, left);
}

static int all_others_sleep(void) {
  for (int r = 0; r < ranks - 1; r++)
    if (naps[r] < NAPS) return 0;
  return 1;
}

int main(int argc, char **argv) {
  static double a[N * N], b[N * N];
  int one = 1, n = N, block = 16, wrong = 0;
  MPI_Win memory;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Aint bytes = me ? 0 : (MPI_Aint)sizeof *naps * ranks;
  int unit;
  MPI_Win_allocate_shared(bytes, sizeof *naps, MPI_INFO_NULL, MPI_COMM_WORLD, &naps, &memory);
  MPI_Win_shared_query(memory, 0, &bytes, &unit, &naps);
  if (!me) for (int r = 0; r < ranks; r++) atomic_init(&naps[r], 0);
  MPI_Barrier(MPI_COMM_WORLD);
  int from = new_grid("R", 1, ranks), to = new_grid("R", ranks, 1), killed = argc > 1 && !strcmp(argv[1], "killed");
  int desca[9] = {1, from, N, N, block, block, 0, 0, N}, descb[9] = {1, to, N, N, block, block, 0, 0, N};
  for (int round = 0; round < 3; round++) {
    if (me == ranks - 1 && round == 2) {
      if (killed) raise(SIGKILL);
      while (!all_others_sleep()) sched_yield();
    }
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) a[j * N + i] = i + 1000 * global_index(j, block, me, ranks) + round;
    is_called = round == 2;
    pdgemr2d_(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &from);
    is_called = 0;
    int rows = local_count(N, block, me, 0, ranks);
    for (int j = 0; j < N; j++)
      for (int i = 0; i < rows; i++) wrong += b[j * N + i] != global_index(i, block, me, ranks) + 1000 * j + round;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("peers: %d wrong\n", wrong);
  MPI_Win_free(&memory);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
