/* Moves matrices between grids whose processes come in random order, and within contexts of such grids: of all ranks,
 * of some, and of a communicator in which MPI_COMM_WORLD's ranks are in another order. Every element is compared. To
 * translate the ranks of such a grid, MPI compares each rank with all others, so the ranks find out by messages whether
 * all ranks of a context are in MPI_COMM_WORLD.
 *
 *   mpirun -n RANKS orders ROUNDS [SEED]    RANKS: at least 5 */
#include "random.h"
#include "scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gemr2d pdgemr2d_;
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);

enum { M = 37, N = 29, MAX_RANKS = 128 };
static int ranks;
static uint64_t state;

/* A grid of rows x cols ranks of a system context, in the order of map, and a matrix on it. */
struct matrix { int desc[9], rows, cols, row, col, count[2]; double data[(M + 1) * (N + 1)]; };

static void make(struct matrix *x, int system, const int *map, int rows, int cols, int mb, int nb) {
  int ordered[MAX_RANKS], desc[9] = {1, system, M, N, mb, nb, 0, 0, M};
  for (int place = 0; place < rows * cols; place++) ordered[place % cols * rows + place / cols] = map[place];
  memcpy(x->desc, desc, sizeof desc);
  Cblacs_gridmap(&x->desc[1], ordered, rows, rows, cols);
  x->count[0] = x->count[1] = 0;
  if (x->desc[1] < 0) return;
  Cblacs_gridinfo(x->desc[1], &x->rows, &x->cols, &x->row, &x->col);
  x->count[0] = local_count(M, mb, x->row, 0, rows), x->count[1] = local_count(N, nb, x->col, 0, cols);
}

static double value(const struct matrix *x, int i, int j, int round) {
  return global_index(i, x->desc[4], x->row, x->rows) + 100 * global_index(j, x->desc[5], x->col, x->cols) + 1e4 * round;
}

static int moved(struct matrix *a, struct matrix *b, int context, int round) {
  int one = 1, m = M, n = N, wrong = 0;
  for (int j = 0; j < a->count[1]; j++)
    for (int i = 0; i < a->count[0]; i++) a->data[j * M + i] = value(a, i, j, round);
  memset(b->data, 0, sizeof b->data);
  pdgemr2d_(&m, &n, a->data, &one, &one, a->desc, b->data, &one, &one, b->desc, &context);
  for (int j = 0; j < b->count[1]; j++)
    for (int i = 0; i < b->count[0]; i++) wrong += b->data[j * M + i] != value(b, i, j, round);
  return wrong;
}

/* Shuffles the first ranks of a list; equal on all ranks. */
static void shuffle(int *list, int count) {
  for (int k = count - 1; k > 0; k--) {
    int other = (int)within(&state, 0, k), kept = list[k];
    list[k] = list[other], list[other] = kept;
  }
}

static void leave(const struct matrix *x) {
  if (x->desc[1] >= 0) Cblacs_gridexit(x->desc[1]);
}

int main(int argc, char **argv) {
  static struct matrix around, a, b;
  int me, wrong = 0, order[MAX_RANKS], place;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2 || ranks < 5 || ranks > MAX_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
  state = stream(seed);
  for (int round = 0; round < atoi(argv[1]); round++) {
    for (int k = 0; k < ranks; k++) order[k] = k;
    shuffle(order, ranks);
    /* The system context: MPI_COMM_WORLD, or a communicator with its ranks in random order. */
    MPI_Comm comm = MPI_COMM_WORLD;
    for (place = 0; order[place] != me;) place++;
    if (round % 2) MPI_Comm_split(MPI_COMM_WORLD, 0, place, &comm);
    int system = Csys2blacs_handle(comm), count = ranks - (round % 3 == 2);
    shuffle(order, ranks);
    make(&around, system, order, 1, count, 7, 5);
    /* Grids of the context's ranks, two of the grids in other orders. */
    shuffle(order, count);
    make(&a, system, order, count / 2, 2, 3, 4);
    shuffle(order, count);
    make(&b, system, order, 2, count / 2, 5, 2);
    if (around.desc[1] >= 0) {
      int context = around.desc[1];
      wrong += moved(&around, &a, context, round) + moved(&a, &b, context, round) + moved(&b, &around, context, round);
      if (round % 5 == 0) wrong += moved(&a, &b, context, round);
    }
    leave(&b), leave(&a), leave(&around);
    Cfree_blacs_system_handle(system);
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("orders: %d ranks, %s rounds, seed %lu: %d wrong elements\n", ranks, argv[1], seed, wrong);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
