/* Library that makes reblock's results wrong, for tests/trial; to preload first. After each trial of PDGEMR2D by
 * reblock, the last rank spoils its result by the next of the FAULTS, which are separated by commas: `element` (last
 * element of its array), `byte` (a byte of the padding below its first column), `column` (its last column as before the
 * call), `row` (one row too many), `source` (padding of A), `nothing` (its array as before the call), `before` and
 * `behind` (an element before and after the array).
 * RESULT is the array that reblock writes: `copy` or `b`. The copy is the array to which the trial copies B before the
 * call. Needs REBLOCK_TRANSPORT=mpi: a large message of reblock by MPI shows that its call has begun, and its next
 * MPI_Iallreduce that the call has ended. */
#define _GNU_SOURCE
#include "scalapack.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message of this many bytes or more carries elements. */
enum { LARGE = 1000 };

/* The current call of the program. */
static struct {
  int made, sent;
  double *a, *b, *copy, *column, *whole;
  size_t bytes, height, width, ld;
  size_t a_height;
} call;

static int by_reblock(const void *caller) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libreblock");
}
#define BY_REBLOCK by_reblock(__builtin_return_address(0))

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) fprintf(stderr, "spoil: there is no %s\n", name), abort();
  return found;
}

void blacs_gridinfo_(const int *, int *, int *, int *, int *);
int numroc_(const int *, const int *, const int *, const int *, const int *);

static void size_of(const int *desc, size_t *height, size_t *width) {
  int rows, cols, row, col, zero = 0;
  blacs_gridinfo_(&desc[1], &rows, &cols, &row, &col);
  *height = (size_t)numroc_(&desc[2], &desc[4], &row, &zero, &rows);
  *width = (size_t)numroc_(&desc[3], &desc[5], &col, &zero, &cols);
}

/* The routine that the program calls. */
void pdgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja, const int *desca, void *b,
               const int *ib, const int *jb, const int *descb, const int *context) {
  static gemr2d *reblock;
  size_t unused;
  if (!reblock) reblock = (gemr2d *)next("pdgemr2d_");
  size_of(desca, &call.a_height, &unused);
  size_of(descb, &call.height, &call.width);
  call.a = (double *)a, call.b = b, call.ld = (size_t)descb[8];
  call.bytes = sizeof(double) * ((call.width - 1) * call.ld + call.height);
  call.column = malloc(sizeof(double) * call.height), call.whole = malloc(call.bytes);
  for (size_t i = 0; i < call.height; i++) call.column[i] = call.b[(call.width - 1) * call.ld + i];
  reblock(m, n, a, ia, ja, desca, b, ib, jb, descb, context);
  free(call.column), free(call.whole);
  call.b = NULL;
  call.made++;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  if (call.b && from == call.b && bytes == call.bytes && BY_REBLOCK) call.copy = to;
  return memmove(to, from, bytes);
}

static int has_sent(int count, MPI_Datatype type) {
  int size;
  MPI_Type_size(type, &size);
  return call.b && (size_t)count * (size_t)size >= LARGE;
}

int MPI_Isend(const void *message, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  if (has_sent(count, type) && BY_REBLOCK) call.sent = 1;
  return PMPI_Isend(message, count, type, to, tag, comm, request);
}

int MPI_Issend(const void *message, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  if (has_sent(count, type) && BY_REBLOCK) call.sent = 1;
  return PMPI_Issend(message, count, type, to, tag, comm, request);
}

/* Applies the fault of this call to the result. */
static void spoil(double *result) {
  const char *fault = getenv("FAULTS");
  for (int k = 0; fault && k < call.made; k++) fault = strchr(fault, ',') ? strchr(fault, ',') + 1 : NULL;
  size_t length = fault ? strcspn(fault, ",") : 0, last = (call.width - 1) * call.ld;
#define IS(name) (length == strlen(name) && !strncmp(fault, name, length))
  if (IS("element")) result[last + call.height - 1] += 1;
  if (IS("byte")) ((char *)(result + call.height))[3] ^= 1;
  if (IS("column")) for (size_t i = 0; i < call.height; i++) result[last + i] = call.column[i];
  if (IS("row"))
    for (size_t j = 0; j + 1 < call.width; j++) result[j * call.ld + call.height] = 7;
  if (IS("nothing")) memmove(result, call.whole, call.bytes);
  if (IS("source")) call.a[call.a_height] = 7;
  if (IS("before")) result[-1] = 7;
  if (IS("behind")) result[last + call.height] = 7;
}

static double *result(void) {
  const char *where = getenv("RESULT");
  return where && !strcmp(where, "b") ? call.b : call.copy;
}

int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  int me, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (call.sent && BY_REBLOCK) {
    call.sent = 0;
    if (me == ranks - 1) spoil(result());
  } else if (call.b && result() && BY_REBLOCK) {
    /* From here on, reblock may begin its call. */
    memmove(call.whole, result(), call.bytes);
  }
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}
