/* An ordinary ScaLAPACK program: it redistributes matrices with pdgemr2d, checks every element, and prints the time of
 * each case. It contains nothing about reblock; examples/demo.sh runs it without and with reblock. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);
void Cblacs_exit(int keep_mpi);
int numroc_(const int *n, const int *nb, const int *me, const int *src, const int *procs);
void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja, const int *desca, double *b,
               const int *ib, const int *jb, const int *descb, const int *ictxt);

enum { REPEATS = 21 };

struct layout { int rows, cols, mb, nb; };
static const struct { const char *name; int m, n; struct layout from, to; } cases[] = {
    {"blocks 64 -> 256, grid 2x2", 3000, 3000, {2, 2, 64, 64}, {2, 2, 256, 256}},
    {"blocks 128 -> 36, grid 2x2", 3000, 3000, {2, 2, 128, 128}, {2, 2, 36, 36}},
    {"row panels -> column panels", 3000, 3000, {4, 1, 750, 3000}, {1, 4, 3000, 750}},
    {"one process -> grid 2x2", 3000, 3000, {1, 1, 3000, 3000}, {2, 2, 64, 64}},
    {"blocks 1 -> 64, grid 2x2", 1500, 1500, {2, 2, 1, 1}, {2, 2, 64, 64}},
    {"same layout", 3000, 3000, {2, 2, 64, 64}, {2, 2, 64, 64}},
    {"200 x 200, 4x1 -> 2x2", 200, 200, {4, 1, 32, 32}, {2, 2, 16, 16}},
};

struct matrix { int context, row, col, local_rows, local_cols, desc[9]; struct layout layout; double *data; };

static struct matrix make(struct layout l, int m, int n) {
  int zero = 0, rows, cols;
  struct matrix x = {.layout = l, .local_rows = 0, .local_cols = 0};
  Cblacs_get(0, 0, &x.context);
  Cblacs_gridinit(&x.context, "R", l.rows, l.cols);
  Cblacs_gridinfo(x.context, &rows, &cols, &x.row, &x.col);
  if (x.context >= 0) {
    x.local_rows = numroc_(&m, &l.mb, &x.row, &zero, &l.rows);
    x.local_cols = numroc_(&n, &l.nb, &x.col, &zero, &l.cols);
  }
  int ld = x.local_rows > 0 ? x.local_rows : 1;
  int desc[9] = {1, x.context, m, n, l.mb, l.nb, 0, 0, ld};
  for (int i = 0; i < 9; i++) x.desc[i] = desc[i];
  x.data = calloc((size_t)ld * (size_t)x.local_cols + 1, sizeof(double));
  return x;
}

static int global(int local, int nb, int me, int procs) { return (local / nb * procs + me) * nb + local % nb; }

/* Writes to every local element a number that encodes its place in the matrix, or counts the elements that differ from
 * it. */
static long visit(struct matrix *x, int check) {
  long wrong = 0;
  for (int j = 0; j < x->local_cols; j++)
    for (int i = 0; i < x->local_rows; i++) {
      double *e = &x->data[(size_t)j * (size_t)x->desc[8] + (size_t)i];
      double want = global(i, x->layout.mb, x->row, x->layout.rows) +
                    1e5 * global(j, x->layout.nb, x->col, x->layout.cols);
      if (!check) *e = want;
      else wrong += *e != want;
    }
  return wrong;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  int me, ranks, all, one = 1;
  long wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 4) { if (!me) fprintf(stderr, "run me on 4 ranks\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
  Cblacs_get(0, 0, &all);
  Cblacs_gridinit(&all, "R", 1, ranks);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    int m = cases[c].m, n = cases[c].n;
    struct matrix a = make(cases[c].from, m, n), b = make(cases[c].to, m, n);
    double times[REPEATS];
    visit(&a, 0);
    for (int r = -1; r < REPEATS; r++) { /* the first repetition does not count */
      MPI_Barrier(MPI_COMM_WORLD);
      double t = MPI_Wtime();
      pdgemr2d_(&m, &n, a.data, &one, &one, a.desc, b.data, &one, &one, b.desc, &all);
      t = MPI_Wtime() - t;
      MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (r >= 0) times[r] = t;
    }
    long bad = visit(&b, 1);
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    wrong += bad;
    qsort(times, REPEATS, sizeof *times, ascending);
    if (!me) printf("%s|%.3f|%s\n", cases[c].name, times[REPEATS / 2] * 1e3, bad ? "WRONG" : "ok");
    if (a.context >= 0) Cblacs_gridexit(a.context);
    if (b.context >= 0) Cblacs_gridexit(b.context);
    free(a.data);
    free(b.data);
  }
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
