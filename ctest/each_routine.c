/* Makes one call of any routine with descriptors, on 4 ranks in a grid of 2 x 2, with one argument changed from a good
 * call. Either the result must be right, or the job must end with an error and one clear line. No rank may return from
 * a bad call, except ranks that have nothing to copy in p?lacpy.
 *
 *   mpirun -n 4 each_routine ROUTINE ARGUMENT [RANK]
 *
 * tests/each_routine.sh has the expected lines. RANK: change the argument only on this rank. ARGUMENT: m, n, ia, ja,
 * ib, jb, uplo, diag, trans, alpha, beta, ictxt; or a-CONTEXT, b-CONTEXT (CTXT_ of DESCA or DESCB): again (a grid of
 * the same processes in the same places), columns (in other places), row (in one row), one (one process), negative,
 * freed, never; or a good call: none, and apart (p?lacpy of sections with different alignment). */
#include "scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pdgemr2d_(int *, int *, double *, int *, int *, int *, double *, int *, int *, int *, int *);
void pdtrmr2d_(const char *, const char *, int *, int *, double *, int *, int *, int *, double *, int *, int *, int *, int *, size_t,
               size_t);
void pdtran_(int *, int *, double *, double *, int *, int *, int *, double *, double *, int *, int *, int *);
void pdgeadd_(const char *, int *, int *, double *, double *, int *, int *, int *, double *, double *, int *, int *, int *, size_t);
void pdtradd_(const char *, const char *, int *, int *, double *, double *, int *, int *, int *, double *, double *, int *, int *,
              int *, size_t, size_t);
void pdlacpy_(const char *, int *, int *, double *, int *, int *, int *, double *, int *, int *, int *, size_t);

enum { N = 12, ROOM = 4096 };

struct matrix {
  int desc[9], rows, cols, row, col;
  double *data;
};

static double value(int i, int j) { return 1000.0 * i + j + 1; }

/* A matrix of N x N in blocks of nb x nb, with elements -7, or value() if filled. Processes outside the grid have
 * storage, too. */
static struct matrix matrix(int context, int nb, int filled) {
  struct matrix x = {.data = malloc(sizeof(double) * ROOM)};
  Cblacs_gridinfo(context, &x.rows, &x.cols, &x.row, &x.col);
  int ld = x.row < 0 ? 1 : local_count(N, nb, x.row, 0, x.rows), width = x.row < 0 ? 0 : local_count(N, nb, x.col, 0, x.cols);
  int desc[9] = {1, x.row < 0 ? -1 : context, N, N, nb, nb, 0, 0, ld > 0 ? ld : 1};
  memcpy(x.desc, desc, sizeof desc);
  for (int k = 0; k < ROOM; k++) x.data[k] = -7;
  for (int j = 0; filled && j < width; j++)
    for (int i = 0; i < ld; i++)
      x.data[j * ld + i] = value(global_index(i, nb, x.row, x.rows), global_index(j, nb, x.col, x.cols));
  return x;
}

/* Counts wrong places in the storage of B after a call. */
static int wrong(const struct matrix *b, int turned, int upper) {
  int nb = b->desc[4], ld = b->desc[8], count = 0;
  int width = b->row < 0 ? 0 : local_count(N, nb, b->col, 0, b->cols), height = b->row < 0 ? 0 : local_count(N, nb, b->row, 0, b->rows);
  for (int k = 0; k < ROOM; k++) {
    double want = -7;
    if (k % ld < height && k / ld < width) {
      int i = global_index(k % ld, nb, b->row, b->rows), j = global_index(k / ld, nb, b->col, b->cols);
      if (!upper || i <= j) want = turned ? value(j, i) : value(i, j);
    }
    count += b->data[k] != want;
  }
  return count;
}

static int context_of(const char *name, int grid) {
  int context = grid;
  if (!strcmp(name, "again")) context = new_grid("R", 2, 2);
  if (!strcmp(name, "columns")) context = new_grid("C", 2, 2);
  if (!strcmp(name, "row")) context = new_grid("R", 1, 4);
  if (!strcmp(name, "one")) context = new_grid("R", 1, 1);
  if (!strcmp(name, "freed")) Cblacs_gridexit(context = new_grid("R", 2, 2));
  if (!strcmp(name, "negative")) context = -1;
  if (!strcmp(name, "never")) context = 55;
  return context;
}

int main(int argc, char **argv) {
  int me, m = N, n = N, ia = 1, ja = 1, ib = 1, jb = 1, known = 1;
  char uplo = 'U', diag = 'N', trans = 'N';
  double alpha = 1, beta = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 99);
  const char *routine = argv[1], *argument = argv[2];
  int grid = new_grid("R", 2, 2), ictxt = grid, here = argc < 4 || atoi(argv[3]) == me, lacpy = !strcmp(routine, "lacpy");
  /* p?lacpy copies equally aligned sections itself. */
  int alike = lacpy && !strcmp(argument, "none");
  struct matrix a, b;
  int made[2] = {grid, grid};
  const char *contexts[2] = {!strncmp(argument, "a-", 2) ? argument + 2 : "", !strncmp(argument, "b-", 2) ? argument + 2 : ""};
  for (int k = 0; k < 2; k++) made[k] = context_of(contexts[k], grid);
  int usable[2];
  for (int k = 0; k < 2; k++) {
    const char *name = contexts[k];
    usable[k] = strcmp(name, "freed") && strcmp(name, "negative") && strcmp(name, "never");
  }
  a = matrix(usable[0] ? made[0] : grid, 2, 1);
  b = matrix(usable[1] ? made[1] : grid, alike ? 2 : 3, 0);
  if (!usable[0] && here) a.desc[1] = made[0];
  if (!usable[1] && here) b.desc[1] = made[1];
#define CASE(name) else if (!strcmp(argument, name))
  if (strchr("ab", argument[0]) && argument[1] == '-') known = 1;
  CASE("none") known = 1;
  CASE("apart") known = 1;
  else if (!here) known = 1;
  CASE("m") m = -1;
  CASE("n") n = -7;
  CASE("ia") ia = 0;
  CASE("ja") ja = 2;
  CASE("ib") ib = -3;
  CASE("jb") jb = 2;
  CASE("uplo") uplo = lacpy || !strcmp(routine, "trmr2d") ? 'L' : '?';
  CASE("diag") diag = 'U';
  CASE("trans") trans = '?';
  CASE("alpha") alpha = 2.5;
  CASE("beta") beta = 3;
  CASE("ictxt") ictxt = 77;
  else known = 0;
  int turned = 0, upper = 0;
  if (!known) MPI_Abort(MPI_COMM_WORLD, 98);
  double *p = a.data, *q = b.data;
  if (!strcmp(routine, "gemr2d")) pdgemr2d_(&m, &n, p, &ia, &ja, a.desc, q, &ib, &jb, b.desc, &ictxt);
  else if (!strcmp(routine, "trmr2d")) upper = 1, pdtrmr2d_(&uplo, &diag, &m, &n, p, &ia, &ja, a.desc, q, &ib, &jb, b.desc, &ictxt, 1, 1);
  else if (!strcmp(routine, "tran")) turned = 1, pdtran_(&m, &n, &alpha, p, &ia, &ja, a.desc, &beta, q, &ib, &jb, b.desc);
  else if (!strcmp(routine, "geadd")) pdgeadd_(&trans, &m, &n, &alpha, p, &ia, &ja, a.desc, &beta, q, &ib, &jb, b.desc, 1);
  else if (!strcmp(routine, "tradd"))
    upper = 1, pdtradd_(&uplo, &trans, &m, &n, &alpha, p, &ia, &ja, a.desc, &beta, q, &ib, &jb, b.desc, 1, 1);
  else if (lacpy) upper = 1, pdlacpy_(&uplo, &m, &n, p, &ia, &ja, a.desc, q, &ib, &jb, b.desc, 1);
  else MPI_Abort(MPI_COMM_WORLD, 97);
  /* Flush the line, so that a test sees a rank that returns from a bad call. */
  printf("went on: rank %d\n", me);
  fflush(stdout);
  int bad = wrong(&b, turned, upper), all;
  MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("returned: %d wrong\n", all);
  Cblacs_exit(1);
  MPI_Finalize();
  return all != 0;
}
