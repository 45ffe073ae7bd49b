/* Redistributes under REBLOCK_ARRAYS=node from memory that the ranks read directly, then keeps running: each rank
 * writes a line with its process, the descriptor of that memory and its inode number, and waits until it is killed.
 *
 *   mpirun -n 2 stays */
#include "scalapack.h"
#include "reblock_scalapack.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct reblock_arrays { uint64_t number, base, bytes, descriptor, device, inode; };
extern int reblock_arrays_space(struct reblock_arrays *out);
enum { N = 1200 };

static int grid(const char *order, int rows, int cols, int desc[9], int block) {
  int context = new_grid(order, rows, cols), pr, pc, r, c;
  Cblacs_gridinfo(context, &pr, &pc, &r, &c);
  int local = local_count(N, block, r, 0, pr);
  int all[9] = {1, context, N, N, block, block, 0, 0, local > 0 ? local : 1};
  for (int k = 0; k < 9; k++) desc[k] = all[k];
  return local * local_count(N, block, c, 0, pc);
}

int main(int argc, char **argv) {
  int me, ranks, from[9], to[9], one = 1, n = N;
  struct reblock_arrays space;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int all = new_grid("R", 1, ranks);
  double *a = calloc((size_t)grid("R", ranks, 1, from, 32) + 1, sizeof *a);
  double *b = calloc((size_t)grid("R", 1, ranks, to, 20) + 1, sizeof *b);
  for (int call = 0; call < 3; call++) pdgemr2d_(&n, &n, a, &one, &one, from, b, &one, &one, to, &all);
  if (!reblock_arrays_space(&space)) MPI_Abort(MPI_COMM_WORLD, 2);
  /* One write, so that lines of ranks do not mix. */
  char line[128];
  int len = snprintf(line, sizeof line, "stays %d %d %llu %llu\n", me, (int)getpid(), (unsigned long long)space.descriptor, (unsigned long long)space.inode);
  if (write(STDOUT_FILENO, line, (size_t)len) != len) MPI_Abort(MPI_COMM_WORLD, 2);
  alarm(120);
  for (;;) pause();
}
