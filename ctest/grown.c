/* A ScaLAPACK program that starts two more processes, or as many as its argument says, and redistributes with some of
 * both groups. Processes started by MPI_Comm_spawn do not inherit variables set by `env`, so they may run without
 * reblock. Every element is compared. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int Csys2blacs_handle(MPI_Comm comm);
extern void Cblacs_gridmap(int *context, int *map, int ld, int rows, int cols);
extern void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
extern void Cblacs_gridexit(int context);
extern void Cfree_blacs_system_handle(int handle);
extern void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja, const int *desca, double *b,
                      const int *ib, const int *jb, const int *descb, const int *context);

enum { N = 30, CALLS = 3 };

/* Returns this process's number of columns, of N in blocks of nb on a grid of one row, or the global index of local
 * column j. */
static int columns(int nb, int procs, int me) {
  int count = 0;
  for (int j = 0; j < N; j++) count += j / nb % procs == me;
  return count;
}
static int global(int j, int nb, int procs, int me) { return (j / nb * procs + me) * nb + j % nb; }

static int moved(int context) {
  int rows, cols, row, col, one = 1, n = N, wrong = 0;
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  int nb[2] = {15, 4}, count[2];
  double *array[2];
  int desc[2][9];
  for (int k = 0; k < 2; k++) {
    count[k] = columns(nb[k], cols, col);
    array[k] = malloc(sizeof(double) * N * (size_t)(count[k] + 1));
    int all[9] = {1, context, N, N, N, nb[k], 0, 0, N};
    memcpy(desc[k], all, sizeof all);
  }
  for (int j = 0; j < count[0]; j++)
    for (int i = 0; i < N; i++) array[0][j * N + i] = i + 1000 * global(j, nb[0], cols, col);
  for (int call = 0; call < CALLS; call++) {
    for (int k = 0; k < N * count[1]; k++) array[1][k] = -1;
    pdgemr2d_(&n, &n, array[0], &one, &one, desc[0], array[1], &one, &one, desc[1], &context);
    for (int j = 0; j < count[1]; j++)
      for (int i = 0; i < N; i++) wrong += array[1][j * N + i] != i + 1000 * global(j, nb[1], cols, col);
  }
  free(array[0]);
  free(array[1]);
  return wrong;
}

static int on_ranks(MPI_Comm comm, int *map, int count) {
  int handle = Csys2blacs_handle(comm), context = handle, wrong = 0;
  Cblacs_gridmap(&context, map, 1, 1, count);
  if (context >= 0) {
    wrong = moved(context);
    Cblacs_gridexit(context);
  }
  Cfree_blacs_system_handle(handle);
  return wrong;
}

static int on(MPI_Comm comm, int first) {
  int map[2] = {first, first + 1};
  return on_ranks(comm, map, 2);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent, inter, all;
  MPI_Comm_get_parent(&parent);
  int comes = parent != MPI_COMM_NULL, me, wrong = 0;
  if (comes)
    inter = parent;
  else
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, argc > 1 ? atoi(argv[1]) : 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(inter, comes, &all);
  MPI_Comm_rank(all, &me);
  /* First one process of each group; then the first two of each group. */
  wrong = on(all, 1);
  wrong += on(MPI_COMM_WORLD, 0);
  /* Of 7 first and 7 started processes, take six of the first in an irregular order, then one that was started. The six
   * find out by messages whether the grid has started processes. BLACS makes no grid that is larger than
   * MPI_COMM_WORLD. */
  int size, order[7] = {3, 0, 5, 1, 4, 2, 7};
  MPI_Comm_size(all, &size);
  if (size == 14) wrong += on_ranks(all, order, 7);
  int sum = 0;
  MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, all);
  if (me == 0) printf("grown: %d wrong on all ranks\n", sum);
  fflush(stdout);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&inter);
  MPI_Finalize();
  return sum != 0;
}
