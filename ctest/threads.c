/* Tests two threads of each rank that redistribute at the same time, each in a context of its own, both from the matrix
 * of one context. Then the program ends without freeing its contexts. Checks every element.
 *
 *   mpirun -n 4 threads ROUNDS */
#include "scalapack.h"
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

gemr2d pdgemr2d_;

enum { N = 24 };
static int rounds, shared, wrong;

struct job { int enclosing, to, me, late; };
static void *work(void *argument) {
  const struct job *job = argument;
  int one = 1, n = N, desca[9] = {1, shared, N, N, 1, N, 0, 0, N}, descb[9] = {1, job->to, N, N, N / 4, N, 0, 0, N};
  double *a = malloc(sizeof *a * N * N), *b = malloc(sizeof *b * N * N);
  int bad = 0;
  /* After this time, the other thread has set up its session. */
  if (job->late) usleep(200000);
  for (int round = 0; round < rounds; round++) {
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N / 4; i++) a[j * N + i] = 4 * i + job->me + 100 * j + 1e4 * round;
    pdgemr2d_(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &job->enclosing);
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N / 4; i++) bad += b[j * N + i] != N / 4 * job->me + i + 100 * j + 1e4 * round;
  }
  __atomic_add_fetch(&wrong, bad, __ATOMIC_RELAXED);
  free(a);
  free(b);
  return NULL;
}

int main(int argc, char **argv) {
  int level, me;
  pthread_t other;
  rounds = argc > 1 ? atoi(argv[1]) : 100;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (level < MPI_THREAD_MULTIPLE) {
    if (!me) printf("threads: this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 0;
  }
  shared = new_grid("R", 4, 1);
  struct job jobs[2] = {{new_grid("R", 1, 4), new_grid("R", 4, 1), me, 0}, {new_grid("R", 2, 2), new_grid("R", 4, 1), me, 1}};
  pthread_create(&other, NULL, work, &jobs[1]);
  work(&jobs[0]);
  pthread_join(other, NULL);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("threads: 2 x %d rounds, %d wrong elements\n", rounds, wrong);
  MPI_Finalize();
  return wrong != 0;
}
