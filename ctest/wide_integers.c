/* A program with 64-bit integers, whose BLACS and ScaLAPACK also have 64-bit integers. Checks that pigemr2d and
 * pitrmr2d move all 64 bits of integers: a matrix moves from a row of processes to a column, and every element is
 * compared.
 *
 *   mpirun -n RANKS wide_integers */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void Cblacs_get(int64_t context, int64_t what, int64_t *value);
void Cblacs_gridinit(int64_t *context, const char *order, int64_t rows, int64_t cols);
void pigemr2d_(const int64_t *m, const int64_t *n, const void *a, const int64_t *ia, const int64_t *ja, const int64_t *desca, void *b,
               const int64_t *ib, const int64_t *jb, const int64_t *descb, const int64_t *ictxt);
void pitrmr2d_(const char *uplo, const char *diag, const int64_t *m, const int64_t *n, const void *a, const int64_t *ia,
               const int64_t *ja, const int64_t *desca, void *b, const int64_t *ib, const int64_t *jb, const int64_t *descb,
               const int64_t *ictxt, size_t uplo_length, size_t diag_length);

enum { M = 37, N = 29, BLOCK = 3, UNWRITTEN = -1 };

static int64_t value(int64_t i, int64_t j) { return ((i + 1) << 40) + (j << 33) + i * N + j; }

/* Returns the global index of local index k on process `me` of `of`. */
static int64_t global(int64_t k, int64_t me, int64_t of) { return (k / BLOCK * of + me) * BLOCK + k % BLOCK; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int me, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int64_t row, column, one = 1, m = M, n = N;
  Cblacs_get(0, 0, &row);
  Cblacs_gridinit(&row, "R", 1, ranks);
  Cblacs_get(0, 0, &column);
  Cblacs_gridinit(&column, "R", ranks, 1);
  int64_t desca[9] = {1, row, M, N, BLOCK, BLOCK, 0, 0, M}, descb[9] = {1, column, M, N, BLOCK, BLOCK, 0, 0, M};
  int64_t *a = malloc(sizeof *a * M * (N + BLOCK)), *b = malloc(sizeof *b * M * N), wrong = 0;
  for (int64_t k = 0; k < N + BLOCK; k++)
    for (int64_t i = 0; i < M; i++) a[k * M + i] = value(i, global(k, me, ranks));
  for (int triangle = 0; triangle < 2; triangle++) {
    for (int64_t k = 0; k < M * N; k++) b[k] = UNWRITTEN;
    if (triangle) pitrmr2d_("U", "N", &m, &n, a, &one, &one, desca, b, &one, &one, descb, &row, 1, 1);
    else pigemr2d_(&m, &n, a, &one, &one, desca, b, &one, &one, descb, &row);
    for (int64_t k = 0; k < M; k++) {
      int64_t i = global(k, me, ranks);
      for (int64_t j = 0; j < N && i < M; j++) wrong += b[j * M + k] != (triangle && i - j > M - N ? UNWRITTEN : value(i, j));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("wide_integers: of %d elements, %lld are wrong\n", 2 * M * N, (long long)wrong);
  MPI_Finalize();
  return wrong != 0;
}
