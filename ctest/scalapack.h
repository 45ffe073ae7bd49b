/* The functions of BLACS and ScaLAPACK that the tests call. ScaLAPACK has no header for them. */
#ifndef CTEST_SCALAPACK_H
#define CTEST_SCALAPACK_H

void Cblacs_pinfo(int *me, int *count);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridmap(int *context, int *map, int ld, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);
void Cblacs_exit(int keep_mpi);

/* p?gemr2d and p?trmr2d. */
typedef void gemr2d(const int *m, const int *n, const void *a, const int *ia, const int *ja, const int *desca, void *b,
                    const int *ib, const int *jb, const int *descb, const int *ictxt);
typedef void trmr2d(const char *uplo, const char *diag, const int *m, const int *n, const void *a, const int *ia,
                    const int *ja, const int *desca, void *b, const int *ib, const int *jb, const int *descb,
                    const int *ictxt, int uplo_length, int diag_length);

/* p?tran, p?tranu and p?tranc, and p?geadd. */
typedef void tran(const int *m, const int *n, const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
                  const void *beta, void *c, const int *ic, const int *jc, const int *descc);
typedef void geadd(const char *trans, const int *m, const int *n, const void *alpha, const void *a, const int *ia, const int *ja,
                   const int *desca, const void *beta, void *c, const int *ic, const int *jc, const int *descc, int trans_length);

/* Returns the number of n rows or columns, in blocks of nb dealt to nprocs processes from process src on, on process
 * me. */
static inline int local_count(int n, int nb, int me, int src, int nprocs) {
  int place = (me + nprocs - src) % nprocs, blocks = n / nb, count = blocks / nprocs * nb, extra = blocks % nprocs;
  return count + (place < extra ? nb : place == extra ? n % nb : 0);
}

/* Returns the global index of a local index. */
static inline int global_index(int local, int nb, int me, int nprocs) { return (local / nb * nprocs + me) * nb + local % nb; }

/* Returns a context of the first rows x cols processes, in order "R" or "C". */
static inline int new_grid(const char *order, int rows, int cols) {
  int context;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, order, rows, cols);
  return context;
}
#endif
