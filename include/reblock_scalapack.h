// reblock 0.2.0: ScaLAPACK's p?gemr2d and p?trmr2d.
// Made from the Rust sources by `make headers`; do not edit.
//
// ScaLAPACK's redistribution routines, as libreblock provides them: under the names that Fortran compilers give them,
// and under those for C. p?gemr2d copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on; p?trmr2d
// copies the trapezoid (UPLO, DIAG) of the section. All processes of the context ICTXT call them, or all processes of
// the program those that end in "o"; a process outside the grid of A (B) passes context -1 in DESCA (DESCB). A
// descriptor has 9 integers. A local array has all elements that its descriptor gives the process, in columns LLD
// elements apart, and nothing else uses it during the call. An invalid argument ends the job with one line on
// standard error. One thread at a time makes calls in a context.

#ifndef REBLOCK_SCALAPACK_H
#define REBLOCK_SCALAPACK_H

#include <stdint.h>

// The program's Fortran INTEGER. Define REBLOCK_ILP64 to use the libraries with _ilp64 in their names.
#ifndef REBLOCK_INT
#define REBLOCK_INT
#ifdef REBLOCK_ILP64
typedef int64_t reblock_int;
#else
typedef int32_t reblock_int;
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

void pigemr2d_(const reblock_int *m,
               const reblock_int *n,
               const reblock_int *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               reblock_int *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

void Cpigemr2d(reblock_int m,
               reblock_int n,
               const reblock_int *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               reblock_int *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

void psgemr2d_(const reblock_int *m,
               const reblock_int *n,
               const float *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               float *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

void Cpsgemr2d(reblock_int m,
               reblock_int n,
               const float *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               float *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

void pdgemr2d_(const reblock_int *m,
               const reblock_int *n,
               const double *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               double *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

void Cpdgemr2d(reblock_int m,
               reblock_int n,
               const double *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               double *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

void pcgemr2d_(const reblock_int *m,
               const reblock_int *n,
               const void *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               void *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

void Cpcgemr2d(reblock_int m,
               reblock_int n,
               const void *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               void *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

void pzgemr2d_(const reblock_int *m,
               const reblock_int *n,
               const void *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               void *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

void Cpzgemr2d(reblock_int m,
               reblock_int n,
               const void *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               void *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

void pitrmr2d_(const char *uplo,
               const char *diag,
               const reblock_int *m,
               const reblock_int *n,
               const reblock_int *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               reblock_int *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

void Cpitrmr2d(const char *uplo,
               const char *diag,
               reblock_int m,
               reblock_int n,
               const reblock_int *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               reblock_int *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

void pstrmr2d_(const char *uplo,
               const char *diag,
               const reblock_int *m,
               const reblock_int *n,
               const float *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               float *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

void Cpstrmr2d(const char *uplo,
               const char *diag,
               reblock_int m,
               reblock_int n,
               const float *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               float *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

void pdtrmr2d_(const char *uplo,
               const char *diag,
               const reblock_int *m,
               const reblock_int *n,
               const double *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               double *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

void Cpdtrmr2d(const char *uplo,
               const char *diag,
               reblock_int m,
               reblock_int n,
               const double *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               double *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

void pctrmr2d_(const char *uplo,
               const char *diag,
               const reblock_int *m,
               const reblock_int *n,
               const void *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               void *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

void Cpctrmr2d(const char *uplo,
               const char *diag,
               reblock_int m,
               reblock_int n,
               const void *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               void *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

void pztrmr2d_(const char *uplo,
               const char *diag,
               const reblock_int *m,
               const reblock_int *n,
               const void *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               void *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

void Cpztrmr2d(const char *uplo,
               const char *diag,
               reblock_int m,
               reblock_int n,
               const void *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               void *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

void pigemr2do_(const reblock_int *m,
                const reblock_int *n,
                const reblock_int *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                reblock_int *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

void Cpigemr2do(reblock_int m,
                reblock_int n,
                const reblock_int *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                reblock_int *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

void psgemr2do_(const reblock_int *m,
                const reblock_int *n,
                const float *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                float *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

void Cpsgemr2do(reblock_int m,
                reblock_int n,
                const float *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                float *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

void pdgemr2do_(const reblock_int *m,
                const reblock_int *n,
                const double *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                double *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

void Cpdgemr2do(reblock_int m,
                reblock_int n,
                const double *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                double *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

void pcgemr2do_(const reblock_int *m,
                const reblock_int *n,
                const void *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                void *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

void Cpcgemr2do(reblock_int m,
                reblock_int n,
                const void *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                void *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

void pzgemr2do_(const reblock_int *m,
                const reblock_int *n,
                const void *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                void *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

void Cpzgemr2do(reblock_int m,
                reblock_int n,
                const void *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                void *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

void pitrmr2do_(const char *uplo,
                const char *diag,
                const reblock_int *m,
                const reblock_int *n,
                const reblock_int *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                reblock_int *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

void Cpitrmr2do(const char *uplo,
                const char *diag,
                reblock_int m,
                reblock_int n,
                const reblock_int *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                reblock_int *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

void pstrmr2do_(const char *uplo,
                const char *diag,
                const reblock_int *m,
                const reblock_int *n,
                const float *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                float *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

void Cpstrmr2do(const char *uplo,
                const char *diag,
                reblock_int m,
                reblock_int n,
                const float *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                float *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

void pdtrmr2do_(const char *uplo,
                const char *diag,
                const reblock_int *m,
                const reblock_int *n,
                const double *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                double *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

void Cpdtrmr2do(const char *uplo,
                const char *diag,
                reblock_int m,
                reblock_int n,
                const double *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                double *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

void pctrmr2do_(const char *uplo,
                const char *diag,
                const reblock_int *m,
                const reblock_int *n,
                const void *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                void *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

void Cpctrmr2do(const char *uplo,
                const char *diag,
                reblock_int m,
                reblock_int n,
                const void *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                void *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

void pztrmr2do_(const char *uplo,
                const char *diag,
                const reblock_int *m,
                const reblock_int *n,
                const void *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                void *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

void Cpztrmr2do(const char *uplo,
                const char *diag,
                reblock_int m,
                reblock_int n,
                const void *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                void *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // REBLOCK_SCALAPACK_H
