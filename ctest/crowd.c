/* Tests nodes with many ranks, and measures their cost. Redistributes a small matrix CALLS times (at least 17, until
 * ranks share memory): between grids of all ranks of two shapes, from the first half of the ranks to all, to the other
 * half, and to grids in irregular order of ranks. Checks every written element and the memory around it. Prints the
 * time of the first call, of the call that sets up shared memory, and of a context from gridinit to gridexit, and the
 * memory that reblock adds to each rank and to /dev/shm.
 *
 *   mpirun -n RANKS crowd [CALLS]    RANKS: 2, 6, or a multiple of 4 that makes a grid of 2^k rows */
#define _GNU_SOURCE
#include "scalapack.h"
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gemr2d pdgemr2d_;

enum { M = 200, N = 160, AROUND = 3 };
static int me, ranks, all;

struct matrix { int context, rows, cols, grid_rows, grid_cols, row, col, desc[9]; double *base; };

/* Makes a matrix on a grid of rows x cols ranks; `number(place)` returns the rank of a place. */
static struct matrix array(int rows, int cols, int mb, int nb, int (*number)(int place)) {
  struct matrix x = {.grid_rows = rows, .grid_cols = cols};
  int *map = malloc(sizeof *map * (size_t)(rows * cols));
  if (!map) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int place = 0; place < rows * cols; place++) map[place] = number(place);
  Cblacs_get(0, 0, &x.context);
  Cblacs_gridmap(&x.context, map, rows, rows, cols);
  free(map);
  if (x.context >= 0) {
    Cblacs_gridinfo(x.context, &rows, &cols, &x.row, &x.col);
    x.rows = local_count(M, mb, x.row, 0, rows), x.cols = local_count(N, nb, x.col, 0, cols);
  }
  int desc[9] = {1, x.context, M, N, mb, nb, 0, 0, x.rows + AROUND};
  memcpy(x.desc, desc, sizeof desc);
  x.base = malloc(sizeof(double) * (size_t)(x.rows + AROUND) * (size_t)(x.cols + 1));
  if (!x.base) MPI_Abort(MPI_COMM_WORLD, 2);
  return x;
}

static int in_order(int place) { return place; }
static int behind(int place) { return ranks / 2 + place; }
static int stirred(int place) { return (int)((place * 37L + 11) % ranks); } /* for a count that 37 does not divide */

static void let_go(struct matrix x) {
  if (x.context >= 0) Cblacs_gridexit(x.context);
  free(x.base);
}

/* Returns the value of an element, or of padding below the last row. */
static double value(const struct matrix *x, int i, int j, double call) {
  if (i >= x->rows) return -1;
  return 1e7 * call + 1e3 * global_index(i, x->desc[4], x->row, x->grid_rows) + global_index(j, x->desc[5], x->col, x->grid_cols);
}

static long move(struct matrix *a, struct matrix *b, int call, double *seconds) {
  int one = 1, m = M, n = N, ld = b->desc[8];
  long wrong = 0;
  for (int j = 0; j < a->cols; j++)
    for (int i = 0; i < a->desc[8]; i++) a->base[j * a->desc[8] + i] = value(a, i, j, call);
  for (int k = 0; k < ld * (b->cols + 1); k++) b->base[k] = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  *seconds = MPI_Wtime();
  pdgemr2d_(&m, &n, a->base, &one, &one, a->desc, b->base, &one, &one, b->desc, &all);
  *seconds = MPI_Wtime() - *seconds;
  for (int j = 0; j < b->cols; j++)
    for (int i = 0; i < ld; i++) wrong += b->base[j * ld + i] != value(b, i, j, call);
  return wrong;
}

/* Memory in KiB: the rank's own; touched memory of other ranks; page tables; descriptors; and mapped unnamed objects
 * in /dev/shm, as reblock makes them. */
enum { OWN, TOUCHED, TABLES, DESCRIPTORS, SHARED, FIGURES };
static void look(long figures[FIGURES]) {
  char line[512];
  unsigned long start, end;
  FILE *f = fopen("/proc/self/status", "r"), *maps = fopen("/proc/self/maps", "r");
  DIR *open = opendir("/proc/self/fd");
  if (!f || !maps || !open) MPI_Abort(MPI_COMM_WORLD, 2);
  while (fgets(line, sizeof line, f)) {
    if (!strncmp(line, "RssAnon:", 8)) figures[OWN] = atol(line + 8);
    if (!strncmp(line, "RssShmem:", 9)) figures[TOUCHED] = atol(line + 9);
    if (!strncmp(line, "VmPTE:", 6)) figures[TABLES] = atol(line + 6);
  }
  for (figures[DESCRIPTORS] = 0; readdir(open);) figures[DESCRIPTORS]++;
  figures[SHARED] = 0;
  while (fgets(line, sizeof line, maps))
    if (strstr(line, " /dev/shm/#") && sscanf(line, "%lx-%lx", &start, &end) == 2) figures[SHARED] += (long)(end - start) / 1024;
  fclose(f), fclose(maps), closedir(open);
}

static double largest(double time) {
  MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time;
}

int main(int argc, char **argv) {
  long wrong = 0, before[FIGURES], after[FIGURES], sum[FIGURES], most[FIGURES];
  double first = 0, meeting = 0, later = 0, seconds, whole;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int calls = argc > 1 ? atoi(argv[1]) : 72, rows = 1;
  while (rows * rows * 4 <= ranks) rows *= 2;
  int cols = ranks / rows, half = ranks / 2;
  if (rows * cols != ranks || half * 2 != ranks) {
    fprintf(stderr, "crowd: not on %d ranks\n", ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  all = new_grid("R", 1, ranks);
  struct matrix square = array(rows, cols, 3, 2, in_order);
  struct matrix other = array(ranks % 4 ? ranks : ranks / 4, ranks % 4 ? 1 : 4, 4, 5, stirred);
  struct matrix left = array(half, 1, 5, 7, in_order), right = array(half, 1, 3, 9, behind);
  struct matrix *const pairs[][2] = {{&square, &other}, {&left, &square}, {&left, &right}, {&other, &right}, {&right, &left}};
  MPI_Barrier(MPI_COMM_WORLD);
  look(before);
  for (int call = 0; call < calls; call++) {
    struct matrix *const *pair = pairs[call % 5];
    wrong += move(pair[0], pair[1], call, &seconds);
    seconds = largest(seconds);
    if (!call) first = seconds;
    if (call == 64) meeting = seconds;
    later = seconds;
  }
  look(after);
  // Make a context of all ranks, with one call on it.
  MPI_Barrier(MPI_COMM_WORLD);
  whole = MPI_Wtime();
  struct matrix a = array(rows, cols, 3, 2, in_order), b = array(cols, rows, 4, 5, in_order);
  int before_it = all;
  all = a.context;
  wrong += move(&a, &b, 77, &seconds);
  all = before_it;
  let_go(b), let_go(a);
  whole = largest(MPI_Wtime() - whole);
  for (int k = 0; k < FIGURES; k++) after[k] -= before[k];
  MPI_Reduce(after, sum, FIGURES, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(after, most, FIGURES, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (!me) {
    printf("crowd: %d ranks, %ld wrong elements\n", ranks, wrong);
    printf("crowd: ms: first call %.1f, 65th %.1f, last of %d %.1f; grids made, used once and left %.1f\n", first * 1e3, meeting * 1e3, calls,
           later * 1e3, whole * 1e3);
    printf("crowd: KiB added, a rank on average, at most: own %ld, %ld; shared that it touched %ld, %ld; page tables %ld, %ld; descriptors "
           "at most %ld; /dev/shm %ld in all\n", sum[OWN] / ranks, most[OWN], sum[TOUCHED] / ranks, most[TOUCHED], sum[TABLES] / ranks,
           most[TABLES], most[DESCRIPTORS], most[SHARED]);
  }
  let_go(right), let_go(left), let_go(other), let_go(square);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
