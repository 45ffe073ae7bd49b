/* Tests small sections of matrices with dimensions from 10^8 to 2^31 - 1, which ScaLAPACK cannot handle, against
 * arithmetic on single elements. Local arrays would not fit in memory, so leading dimensions and addresses stand for
 * the used part.
 *
 *   mpirun -n 4 huge CASES [SEED] */
#include "random.h"
#include "scalapack.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

gemr2d psgemr2d_;

static uint64_t state;
static uint64_t draw(void) { return next(&state); }
static int64_t between(int64_t low, int64_t high) { return within(&state, low, high); }

/* One column of HEIGHT rows distributed over `procs` process rows; memory is reserved, but not touched. */
struct column { int desc[9]; int start, row, procs; float *data; size_t bytes; };
static struct column make(int context, int height, int section, int row, int procs) {
  struct column x = {.row = row, .procs = procs};
  int block = (int)(draw() % 2 ? between(1, 100) : between(1, height)), first = (int)between(0, procs - 1);
  int local = local_count(height, block, row, first, procs);
  int desc[9] = {1, context, height, 1, block, 1, first, 0, local > 1 ? local : 1};
  for (int i = 0; i < 9; i++) x.desc[i] = desc[i];
  x.start = (int)between(1, height - section + 1);
  x.bytes = sizeof(float) * ((size_t)desc[8] + 1);
  x.data = mmap(NULL, x.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (x.data == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 2);
  return x;
}
/* Returns the address of global row i (from 0), or NULL if another process has it. */
static float *at(const struct column *x, int64_t i) {
  int64_t block = i / x->desc[4];
  if ((block + x->desc[6]) % x->procs != x->row) return NULL;
  return x->data + block / x->procs * x->desc[4] + i % x->desc[4];
}

int main(int argc, char **argv) {
  int me, ranks, context, one = 1, rows, cols, row, col, cases = argc > 1 ? atoi(argv[1]) : 200;
  long wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (!me) printf("huge: %d ranks, seed %llu\n", ranks, (unsigned long long)seed);
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", ranks, 1);
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  for (int c = 0; c < cases; c++) {
    state = seed * 1000003 + (uint64_t)c;
    int m = (int)between(1, 3000), height[2] = {(int)between(100000000, INT32_MAX), (int)between(100000000, INT32_MAX)};
    struct column a = make(context, height[0], m, row, ranks), b = make(context, height[1], m, row, ranks);
    for (int i = 0; i < m; i++) {
      float *e = at(&a, a.start - 1 + i);
      if (e) *e = (float)(i + 1);
    }
    psgemr2d_(&m, &one, a.data, &a.start, &one, a.desc, b.data, &b.start, &one, b.desc, &context);
    for (int i = -3; i < m + 3; i++) {
      int64_t global = (int64_t)b.start - 1 + i;
      const float *e = global < 0 || global >= height[1] ? NULL : at(&b, global);
      if (e) wrong += *e != (i < 0 || i >= m ? 0.0f : (float)(i + 1));
    }
    munmap(a.data, a.bytes);
    munmap(b.data, b.bytes);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("huge: %d cases, %ld wrong elements\n", cases, wrong);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
