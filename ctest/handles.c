/* A program that looks up ScaLAPACK by a handle, as ctypes does.
 *
 * handles LIBRARY SCALAPACK SCOPE ORDER opens LIBRARY, a forwarding library, with SCOPE (`local`, `global`, or `deep`:
 * local with RTLD_DEEPBIND). It calls pdgemr2d_ and pdtran_, which must be reblock's, and pdgetrf_, which must be
 * ScaLAPACK's. The results must equal, bit for bit, those of ScaLAPACK's own routines. These are called by a handle of
 * SCALAPACK, which is opened before or after LIBRARY (ORDER: `before`, `after`). Last, the program calls ScaLAPACK's
 * pdgemr2d_ with 31 x 17 elements. This routine calls Cpdgemr2d through the loader; the trace shows whether that call
 * has reached reblock.
 *
 * handles SCALAPACK opens SCALAPACK alone and calls its pdtran_. */
#define _GNU_SOURCE
#include "scalapack.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 37, N = 29, SQUARE = 40, MAX = 64 * 64 };

typedef void c_gemr2d(int m, int n, const void *a, int ia, int ja, const int *desca, void *b, int ib, int jb, const int *descb,
                      int context);
typedef void getrf(const int *m, const int *n, void *a, const int *ia, const int *ja, const int *desca, int *pivots, int *info);

static void *open_library(const char *name, int mode) {
  void *handle = dlopen(name, RTLD_NOW | mode);
  if (!handle) fprintf(stderr, "handles: %s\n", dlerror()), exit(2);
  return handle;
}

/* Returns the address of a routine by a handle; it must be in a library whose file name contains `home`. */
static void *routine(void *handle, const char *name, const char *home) {
  Dl_info info;
  void *found = dlsym(handle, name);
  const char *file = found && dladdr(found, &info) ? info.dli_fname : "no library", *name_of_file = strrchr(file, '/');
  if (!strstr(name_of_file ? name_of_file : file, home)) fprintf(stderr, "handles: %s is in %s, not in %s\n", name, file, home), exit(2);
  return found;
}

/* The functions of BLACS by a handle. */
static struct {
  void (*get)(int, int, int *);
  void (*gridinit)(int *, const char *, int, int);
  void (*gridinfo)(int, int *, int *, int *, int *);
  void (*gridexit)(int);
} blacs;

static int grid(int rows, int cols) {
  int context;
  blacs.get(0, 0, &context);
  blacs.gridinit(&context, "R", rows, cols);
  return context;
}

/* Sets the descriptor of an m x n matrix in mb x nb blocks on a grid. */
static void describe(int *desc, int context, int m, int n, int mb, int nb) {
  int rows, cols, row, col;
  memcpy(desc, (int[]){1, context, m, n, mb, nb, 0, 0, 1}, 9 * sizeof *desc);
  blacs.gridinfo(context, &rows, &cols, &row, &col);
  int height = local_count(m, mb, row, 0, rows);
  desc[8] = height > 0 ? height : 1;
}

static int me;
static double source[MAX], results[2][MAX];
static int pivots[2][MAX];

/* Fills the source with numbers of this rank, and both results with other numbers, equal in both. */
static void fill(void) {
  for (int k = 0; k < MAX; k++) source[k] = 1e3 * me + k + 1 / (1.0 + k), results[0][k] = results[1][k] = -k;
}

static int differs(const char *name) {
  int differs = memcmp(results[0], results[1], sizeof results[0]) || memcmp(pivots[0], pivots[1], sizeof pivots[0]);
  if (differs) fprintf(stderr, "handles: %s differs\n", name);
  return differs;
}

/* Finds BLACS by a handle. */
static void find_blacs(void *handle) {
  blacs.get = (void (*)(int, int, int *))routine(handle, "Cblacs_get", "scalapack-");
  blacs.gridinit = (void (*)(int *, const char *, int, int))routine(handle, "Cblacs_gridinit", "scalapack-");
  blacs.gridinfo = (void (*)(int, int *, int *, int *, int *))routine(handle, "Cblacs_gridinfo", "scalapack-");
  blacs.gridexit = (void (*)(int))routine(handle, "Cblacs_gridexit", "scalapack-");
}

/* Calls the pdtran_ of a library. */
static void call_tran(void *handle, const char *home, int context, double *result) {
  tran *transpose = (tran *)routine(handle, "pdtran_", home);
  int one = 1, m = M, n = N, from[9], to[9];
  double alpha = 1.5, beta = 0.25;
  describe(from, context, M, N, 4, 3);
  describe(to, context, N, M, 6, 2);
  transpose(&n, &m, &alpha, source, &one, &one, from, &beta, result, &one, &one, to);
}

/* Moves an m x n matrix by the pdgemr2d_ of a library, and by ScaLAPACK's Cpdgemr2d, which does all work itself. */
static int moves(void *handle, const char *home, void *own, int m, int n, int from, int to, int all) {
  gemr2d *move = (gemr2d *)routine(handle, "pdgemr2d_", home);
  c_gemr2d *own_move = (c_gemr2d *)routine(own, "Cpdgemr2d", "scalapack-");
  int one = 1, desc[2][9];
  describe(desc[0], from, m, n, 4, 3);
  describe(desc[1], to, m, n, 5, 2);
  fill();
  move(&m, &n, source, &one, &one, desc[0], results[0], &one, &one, desc[1], &all);
  own_move(m, n, source, 1, 1, desc[0], results[1], 1, 1, desc[1], all);
  return differs("pdgemr2d_");
}

/* Factors a matrix by the pdgetrf_ of both handles. */
static int factors(void *handle, void *own, int context) {
  int one = 1, square = SQUARE, desc[9], info[2];
  describe(desc, context, SQUARE, SQUARE, 8, 8);
  fill();
  for (int k = 0; k < MAX; k++) results[0][k] = results[1][k] = (k * 7919 + me * 104729) % 1009;
  void *handles[2] = {handle, own};
  for (int k = 0; k < 2; k++) {
    getrf *factor = (getrf *)routine(handles[k], "pdgetrf_", "scalapack-");
    factor(&square, &square, results[k], &one, &one, desc, pivots[k], &info[k]);
  }
  return info[0] || info[1] || differs("pdgetrf_");
}

static int compare(char **argv) {
  int mode = !strcmp(argv[3], "global") ? RTLD_GLOBAL : !strcmp(argv[3], "deep") ? RTLD_LOCAL | RTLD_DEEPBIND : RTLD_LOCAL;
  int is_before = !strcmp(argv[4], "before");
  void *own = is_before ? open_library(argv[2], RTLD_LOCAL) : NULL;
  void *handle = open_library(argv[1], mode);
  if (!is_before) own = open_library(argv[2], RTLD_LOCAL);
  find_blacs(handle);
  int all = grid(2, 2), row = grid(1, 4);
  int wrong = moves(handle, "reblock", own, M, N, all, row, all);
  fill();
  call_tran(handle, "reblock", all, results[0]);
  call_tran(own, "scalapack-", all, results[1]);
  wrong += differs("pdtran_");
  wrong += factors(handle, own, all);
  wrong += moves(own, "scalapack-", own, 31, 17, row, all, all);
  blacs.gridexit(row);
  blacs.gridexit(all);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("handles: %s, opened %s: %d differences\n", argv[3], argv[4], wrong);
  return wrong > 0;
}

int main(int argc, char **argv) {
  int count, failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  if ((argc != 2 && argc != 5) || count != 4) fprintf(stderr, "handles: [LIBRARY] SCALAPACK [SCOPE ORDER], on 4 ranks\n"), exit(2);
  if (argc == 5) {
    failed = compare(argv);
  } else {
    void *own = open_library(argv[1], RTLD_LOCAL);
    find_blacs(own);
    int all = grid(2, 2);
    fill();
    call_tran(own, "scalapack-", all, results[0]);
    blacs.gridexit(all);
  }
  MPI_Finalize();
  return failed;
}
