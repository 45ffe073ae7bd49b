/* Tests that a call keeps its memory budget. Moves a matrix of double precision, MEGABYTES on each rank, from row
 * blocks of 128 to row blocks of 36 and from rows to columns. Compares the growth of the process's peak memory
 * (VmHWM), and reblock's own count, with the budget.
 *
 *   mpirun -n 2 buffers MEGABYTES */
#define _GNU_SOURCE
#include "scalapack.h"
#include "reblock.h"
#include "reblock_scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns a line of /proc/self/status in bytes. */
static long long status(const char *name) {
  char line[256];
  long long kilobytes = -1;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, name, strlen(name))) sscanf(line + strlen(name), ": %lld", &kilobytes);
  if (f) fclose(f);
  return kilobytes * 1024;
}
static void forget_peak(void) {
  FILE *f = fopen("/proc/self/clear_refs", "w");
  if (!f || fputs("5", f) < 0 || fclose(f)) { fprintf(stderr, "cannot reset VmHWM\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
}

static int me, ranks, all, failures;
static double value(int i, int j) { return i + 1e6 * j; }

struct local { int context, rows, cols, at_row, at_col, proc_rows, proc_cols, block; double *base; };
static struct local array(int n, int rows, int cols, int block) {
  struct local a = {.proc_rows = rows, .proc_cols = cols, .block = block, .context = new_grid("R", rows, cols)};
  Cblacs_gridinfo(a.context, &rows, &cols, &a.at_row, &a.at_col);
  a.rows = local_count(n, block, a.at_row, 0, a.proc_rows);
  a.cols = local_count(n, block, a.at_col, 0, a.proc_cols);
  a.base = malloc(sizeof(double) * (size_t)a.rows * (size_t)a.cols);
  if (!a.base) { fprintf(stderr, "no memory\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
  return a;
}

static void move(int n, struct local a, struct local b, const char *what) {
  int one = 1, desca[9] = {1, a.context, n, n, a.block, a.block, 0, 0, a.rows};
  int descb[9] = {1, b.context, n, n, b.block, b.block, 0, 0, b.rows};
  size_t elements = (size_t)b.rows * (size_t)b.cols, wrong = 0;
  for (int j = 0; j < a.cols; j++)
    for (int i = 0; i < a.rows; i++)
      a.base[(size_t)j * a.rows + i] = value(global_index(i, a.block, a.at_row, a.proc_rows), global_index(j, a.block, a.at_col, a.proc_cols));
  memset(b.base, 0xff, elements * sizeof(double));
  forget_peak();
  long long before = status("VmRSS");
  pdgemr2d_(&n, &n, a.base, &one, &one, desca, b.base, &one, &one, descb, &all);
  long long grown = status("VmHWM") - before, held = reblock_buffer_bytes(), most = reblock_buffer_bytes_most();
  long long limit = reblock_buffer_limit((long long)(elements * sizeof(double)));
  for (int j = 0; j < b.cols; j++)
    for (int i = 0; i < b.rows; i++)
      wrong += b.base[(size_t)j * b.rows + i] != value(global_index(i, b.block, b.at_row, b.proc_rows), global_index(j, b.block, b.at_col, b.proc_cols));
  /* Allow 6 MiB for MPI's own memory and the plan, which are not buffers of reblock. */
  int bad = wrong || most > limit || held > most || grown > limit + (6 << 20);
  if (!me || bad)
    printf("%s, rank %d: local part %.0f MiB, budget %.2f MiB, buffers %.2f MiB, at most %.2f MiB, process grown by %.2f MiB, %zu wrong%s\n",
           what, me, elements / 131072., limit / 1048576., held / 1048576., most / 1048576., grown / 1048576., wrong, bad ? " FAILED" : "");
  failures += bad;
  free(a.base), free(b.base);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double elements = (argc > 1 ? atof(argv[1]) : 64) * 131072 * ranks;
  int n = 1;
  all = new_grid("R", 1, ranks);
  while ((double)(n + 1) * (n + 1) <= elements) n++;
  move(n, array(n, ranks, 1, 128), array(n, ranks, 1, 36), "row blocks 128 -> 36");
  move(n, array(n, ranks, 1, 64), array(n, 1, ranks, 64), "rows -> columns");
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  Cblacs_exit(1);
  MPI_Finalize();
  return failures != 0;
}
