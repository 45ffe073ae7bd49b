/* A program for tests/trial in which the last rank has too few addresses for a second copy of B. Rows of a small matrix
 * move to the middle of a long matrix B, which has memory only for these pages. Checks these elements, and the elements
 * before and after them.
 *
 *   mpirun -n 2 scarce */
#include "scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROWS = 1000, LONG = 99000000, START = 19999000, BLOCK = 100, SPARE = 160 << 20, CALLS = 4 };

gemr2d psgemr2d_;

/* Limits the address space to the pages in use and SPARE bytes. */
static void limit(void) {
  unsigned long pages;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu", &pages) != 1) MPI_Abort(MPI_COMM_WORLD, 4);
  fclose(file);
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + SPARE;
  if (setrlimit(RLIMIT_AS, &limit)) MPI_Abort(MPI_COMM_WORLD, 4);
}

int main(int argc, char **argv) {
  int me, ranks, m = ROWS, one = 1, start = START, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int context = new_grid("R", ranks, 1), few = local_count(ROWS, 7, me, 0, ranks), many = local_count(LONG, BLOCK, me, 0, ranks);
  int from[9] = {1, context, ROWS, 1, 7, 1, 0, 0, few}, to[9] = {1, context, LONG, 1, BLOCK, 1, 0, 0, many};
  float *a = malloc(sizeof *a * (size_t)few);
  float *b = mmap(NULL, sizeof *b * (size_t)many, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!a || b == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 4);
  if (me == ranks - 1) limit();
  for (int call = 1; call <= CALLS; call++) {
    for (int i = 0; i < few; i++) a[i] = (float)(call * ROWS + global_index(i, 7, me, ranks));
    psgemr2d_(&m, &one, a, &one, &one, from, b, &start, &one, to, &context);
    for (int i = -BLOCK; i < ROWS + BLOCK; i++) {
      int row = START - 1 + i, block = row / BLOCK;
      if (block % ranks != me) continue;
      wrong += b[block / ranks * BLOCK + row % BLOCK] != (i < 0 || i >= ROWS ? 0.0f : (float)(call * ROWS + i));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("scarce: %d wrong elements\n", wrong);
  free(a);
  munmap(b, sizeof *b * (size_t)many);
  Cblacs_gridexit(context);
  MPI_Finalize();
  return wrong != 0;
}
