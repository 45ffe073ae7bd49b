/* Runs ScaLAPACK drivers that call p?gemr2d inside: eigenvectors (pdsyev), singular vectors (pdgesvd), a Schur form
 * (pdhseqr). Prints a digest of each result; tests/run compares a run with reblock preloaded with a run without it. */
#include "random.h"
#include "scalapack.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pdsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca,
             double *w, double *z, const int *iz, const int *jz, const int *descz, double *work, const int *lwork,
             int *info, int, int);
void pdgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, double *s, double *u, const int *iu, const int *ju, const int *descu, double *vt,
              const int *ivt, const int *jvt, const int *descvt, double *work, const int *lwork, int *info, int, int);
void pdhseqr_(const char *job, const char *compz, const int *n, const int *ilo, const int *ihi, double *h,
              const int *desch, double *wr, double *wi, double *z, const int *descz, double *work, const int *lwork,
              int *iwork, const int *liwork, int *info, int, int);

static int me, context, rows, cols, row, col;
static const int one = 1;

struct matrix { int desc[9], local_rows, local_cols; double *data; };
static struct matrix make(int m, int n, int nb) {
  struct matrix x = {{1, context, m, n, nb, nb, 0, 0, 1}, 0, 0, NULL};
  x.local_rows = local_count(m, nb, row, 0, rows);
  x.local_cols = local_count(n, nb, col, 0, cols);
  if (x.local_rows > 1) x.desc[8] = x.local_rows;
  x.data = calloc((size_t)x.desc[8] * (size_t)x.local_cols + 1, sizeof(double));
  return x;
}
/* Returns a number in (-1, 1) that depends only on the place in the matrix. */
static double noise(int i, int j) {
  return (double)(int64_t)hash((uint64_t)i, (uint64_t)j) / 9.3e18;
}
enum shape { GENERAL, SYMMETRIC, HESSENBERG, IDENTITY };
static void fill(struct matrix *x, enum shape shape) {
  int nb = x->desc[4];
  for (int lj = 0; lj < x->local_cols; lj++)
    for (int li = 0; li < x->local_rows; li++) {
      int i = global_index(li, nb, row, rows), j = global_index(lj, nb, col, cols);
      x->data[(size_t)lj * (size_t)x->desc[8] + (size_t)li] =
          shape == IDENTITY ? i == j : shape == HESSENBERG && i > j + 1 ? 0
          : shape == SYMMETRIC ? noise(i < j ? i : j, i < j ? j : i) : noise(i, j);
    }
}
static uint64_t digest_of(uint64_t h, const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * 0x100000001B3u;
  return h;
}
static uint64_t digest_matrix(const struct matrix *x) {
  return digest_of(1469598103934665603u, x->data, sizeof(double) * (size_t)x->desc[8] * (size_t)x->local_cols);
}
static void report(const char *name, int info, uint64_t mine) {
  uint64_t all;
  mine *= 2 * (uint64_t)me + 1;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("%s info %d digest %016llx\n", name, info, (unsigned long long)all), fflush(stdout);
  if (info) MPI_Abort(MPI_COMM_WORLD, 3);
}

static void eigenvectors(int n, int nb) {
  struct matrix a = make(n, n, nb), z = make(n, n, nb);
  double *w = calloc((size_t)n, sizeof *w), size;
  int query = -1, info;
  fill(&a, SYMMETRIC);
  pdsyev_("V", "L", &n, a.data, &one, &one, a.desc, w, z.data, &one, &one, z.desc, &size, &query, &info, 1, 1);
  int lwork = (int)size + 1;
  double *work = malloc(sizeof *work * (size_t)lwork);
  pdsyev_("V", "L", &n, a.data, &one, &one, a.desc, w, z.data, &one, &one, z.desc, work, &lwork, &info, 1, 1);
  report("pdsyev", info, digest_of(digest_matrix(&z), w, sizeof *w * (size_t)n));
  free(a.data); free(z.data); free(w); free(work);
}

static void singular_vectors(int m, int n, int nb) {
  struct matrix a = make(m, n, nb), u = make(m, n, nb), vt = make(n, n, nb);
  double *s = calloc((size_t)n, sizeof *s), size;
  int query = -1, info;
  fill(&a, GENERAL);
  pdgesvd_("V", "V", &m, &n, a.data, &one, &one, a.desc, s, u.data, &one, &one, u.desc, vt.data, &one, &one, vt.desc,
           &size, &query, &info, 1, 1);
  int lwork = (int)size + 1;
  double *work = malloc(sizeof *work * (size_t)lwork);
  pdgesvd_("V", "V", &m, &n, a.data, &one, &one, a.desc, s, u.data, &one, &one, u.desc, vt.data, &one, &one, vt.desc,
           work, &lwork, &info, 1, 1);
  report("pdgesvd", info, digest_of(digest_matrix(&u) ^ digest_matrix(&vt), s, sizeof *s * (size_t)n));
  free(a.data); free(u.data); free(vt.data); free(s); free(work);
}

static void schur(int n, int nb) {
  struct matrix h = make(n, n, nb), z = make(n, n, nb);
  double *wr = calloc((size_t)n, sizeof *wr), *wi = calloc((size_t)n, sizeof *wi);
  int info, lwork = 2000000, liwork = 500 * n; /* the result of a query depends on IWORK, its own output */
  double *work = calloc((size_t)lwork, sizeof *work);
  int *iwork = calloc((size_t)liwork, sizeof *iwork);
  fill(&h, HESSENBERG);
  fill(&z, IDENTITY);
  pdhseqr_("S", "V", &n, &one, &n, h.data, h.desc, wr, wi, z.data, z.desc, work, &lwork, iwork, &liwork, &info, 1, 1);
  uint64_t d = digest_of(digest_matrix(&h) ^ digest_matrix(&z), wr, sizeof *wr * (size_t)n);
  report("pdhseqr", info, digest_of(d, wi, sizeof *wi * (size_t)n));
  free(h.data); free(z.data); free(wr); free(wi); free(work); free(iwork);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", 2, 2);
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  eigenvectors(120, 8);
  singular_vectors(130, 90, 8);
  schur(260, 10);
  Cblacs_exit(1);
  MPI_Finalize();
  return 0;
}
