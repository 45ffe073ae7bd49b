// reblock: moves distributed arrays from one layout to another over MPI.
// Made from the Rust sources by `make headers`; do not edit.

#ifndef REBLOCK_H
#define REBLOCK_H

#include <stdint.h>

// The host's Fortran INTEGER: define REBLOCK_ILP64 to use libreblock_ilp64.
#ifdef REBLOCK_ILP64
typedef int64_t reblock_int;
#else
typedef int32_t reblock_int;
#endif

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, for instance "0.1.0".
const char *reblock_version(void);

// Bytes that reblock's buffers take in this process now. They are kept from call to call, and given back with the BLACS
// context that they were made for, or when MPI is finalized.
int64_t reblock_buffer_bytes(void);

// The most bytes that reblock's buffers took in this process at any time.
int64_t reblock_buffer_bytes_most(void);

// The most bytes that reblock's buffers may take for a redistribution of a section of which each process of the larger
// grid has `local_bytes` on average: an eighth of that, at least 1 MiB and at most 32 MiB, or what REBLOCK_BUFFER says.
// -1 if `local_bytes` is negative or REBLOCK_BUFFER cannot be used.
int64_t reblock_buffer_limit(int64_t local_bytes);

// An array of `bytes` bytes, zero at first, in memory that processes of a node share: a redistribution within `context`
// out of such an array copies each element once, straight into the receiver's array, instead of twice. Collective over
// the processes of the BLACS context `context`; each has an array of its own size. It lives until `reblock_free`, or
// until the context is left. NULL, on all processes of a node, if there is no memory for all of them.
void *reblock_alloc(int64_t bytes,
                    reblock_int context);

// Frees an array of `reblock_alloc` with the same `context`, when no process uses any that was allocated with it. 0; or
// -1 if there is no such array.
int32_t reblock_free(void *array,
                     reblock_int context);

// ScaLAPACK's PIGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PIGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PSGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PSGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PDGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PDGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PCGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PCGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PZGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PZGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PITRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PITRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PSTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PSTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PDTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PDTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PCTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PCTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PZTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PZTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PIGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PIGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PSGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PSGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PDGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PDGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PCGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PCGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PZGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PZGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PITRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PITRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PSTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PSTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PDTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PDTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PCTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PCTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PZTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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

// ScaLAPACK's PZTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
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
}  // extern "C"
#endif  // __cplusplus

#endif  /* REBLOCK_H */
