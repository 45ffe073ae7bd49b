/* A program without knowledge of reblock, for tests/trial: moves matrices between grids, checks every element that it
 * receives, and ends as requested.
 *
 *   tried CALLS [ending [N]]   ending: - (MPI_Finalize), none (MPI_Finalize, without calls), abort, exit (rank 0, at once
 *                              and without MPI_Finalize), quit (all ranks, by exit without MPI_Finalize), kill (the
 *                              last rank by a signal), fork, level (its own resident memory must not have grown since
 *                              a tenth of the calls)
 *
 * Matrices are 57 x 43, or N x N. All ranks are in a grid of one row and in one of one column; element (i, j) of A is
 * 1000 i + j, from 0. If an element is wrong, or memory grows, the program ends with status 3. */
#include "scalapack.h"
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

gemr2d pdgemr2d_;
trmr2d pdtrmr2d_;
void Cpdgemr2d(int m, int n, const double *a, int ia, int ja, const int *desca, double *b, int ib, int jb, const int *descb,
               int context);

static int me, ranks;

struct matrix { int desc[9], rows, cols, ld, procs[2], at[2], block[2]; double *data; };

static struct matrix make(int context, int m, int n, int mb, int nb) {
  struct matrix x = {.block = {mb, nb}};
  int rows, cols, row, col;
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  x.procs[0] = rows, x.procs[1] = cols, x.at[0] = row, x.at[1] = col;
  x.rows = local_count(m, mb, row, 0, rows), x.cols = local_count(n, nb, col, 0, cols), x.ld = x.rows + 3;
  int desc[9] = {1, context, m, n, mb, nb, 0, 0, x.ld};
  memcpy(x.desc, desc, sizeof desc);
  x.data = malloc(sizeof *x.data * (size_t)x.ld * (size_t)(x.cols + 1));
  for (int k = 0; k < x.ld * (x.cols + 1); k++) x.data[k] = -1;
  return x;
}

static int global(const struct matrix *x, int d, int l) { return global_index(l, x->block[d], x->at[d], x->procs[d]); }

static double value(int i, int j) { return 1000.0 * i + j; }

/* Counts wrong elements and padding that was written. */
static int wrong(const struct matrix *x, int lower) {
  int count = 0;
  for (int j = 0; j < x->cols; j++) {
    for (int i = 0; i < x->ld; i++) {
      int inside = i < x->rows && (!lower || global(x, 0, i) >= global(x, 1, j));
      double want = inside ? value(global(x, 0, i), global(x, 1, j)) : -1;
      count += x->data[j * x->ld + i] != want;
    }
  }
  return count;
}

static void reset(struct matrix *x) {
  for (int k = 0; k < x->ld * (x->cols + 1); k++) x->data[k] = -1;
}

/* Returns resident memory in KiB that is not shared. */
static long own_memory(void) {
  long size, resident, shared;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld %ld", &size, &resident, &shared) != 3) MPI_Abort(MPI_COMM_WORLD, 4);
  fclose(file);
  return (resident - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Allowed growth in KiB: less than 8 bytes a call at 200,000 calls. */
enum { GROWTH = 1024 };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int calls = argc > 1 ? atoi(argv[1]) : 3, bad = 0, one = 1;
  const char *ending = argc > 2 ? argv[2] : "";
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int m = argc > 3 ? atoi(argv[3]) : 57, n = argc > 3 ? m : 43, rows = new_grid("R", 1, ranks), cols = new_grid("R", ranks, 1);
  struct matrix a = make(rows, m, n, 4, 5), b = make(cols, m, n, 3, 2);
  for (int j = 0; j < a.cols; j++)
    for (int i = 0; i < a.rows; i++) a.data[j * a.ld + i] = value(global(&a, 0, i), global(&a, 1, j));
  int level = !strcmp(ending, "level");
  long early = 0;
  for (int k = 0; strcmp(ending, "none") && k < calls; k++) {
    if (level && k == calls / 10) early = own_memory();
    int checked = !level || k % 1000 < 3;
    if (checked) reset(&b);
    switch (k % 3) {
      case 0: pdgemr2d_(&m, &n, a.data, &one, &one, a.desc, b.data, &one, &one, b.desc, &rows); break;
      case 1: Cpdgemr2d(m, n, a.data, 1, 1, a.desc, b.data, 1, 1, b.desc, rows); break;
      default: pdtrmr2d_("L", "N", &m, &n, a.data, &one, &one, a.desc, b.data, &one, &one, b.desc, &rows, 1, 1);
    }
    if (checked) bad += wrong(&b, k % 3 == 2);
  }
  if (level) {
    long late = own_memory();
    if (me == 0) printf("tried: %d calls, %ld KiB after a tenth of them, %ld KiB after all\n", calls, early, late);
    bad += late > early + GROWTH;
  }
  if (!strcmp(ending, "abort")) MPI_Abort(MPI_COMM_WORLD, 5);
  if (!strcmp(ending, "exit") && me == 0) _exit(0);
  if (!strcmp(ending, "quit")) exit(0);
  if (!strcmp(ending, "kill") && me == ranks - 1) raise(SIGKILL);
  if (!strcmp(ending, "fork")) {
    pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
  }
  Cblacs_gridexit(rows);
  Cblacs_gridexit(cols);
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  free(a.data);
  free(b.data);
  if (bad && me == 0) printf("tried: %d wrong elements, or ranks whose memory grows\n", bad);
  return bad ? 3 : 0;
}
