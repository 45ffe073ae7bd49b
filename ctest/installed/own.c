/* A program in C and in C++ that links libreblock_core: p?gemr2d must be ScaLAPACK's, with the program's own
 * declaration, and plans and arrays of a BLACS context must work. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <reblock.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
int pdgemr2d_(int *m, int *n, double *a, int *ia, int *ja, int *desca, double *b, int *ib, int *jb, int *descb, int *context);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int desca[9], double *b, int ib, int jb, int descb[9], int context);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_exit(int keep_mpi);
#ifdef __cplusplus
}
#endif

enum { N = 12 };
#define MUST(call) if ((call) != REBLOCK_OK) return fprintf(stderr, "%s: %s\n", #call, reblock_message()), 1

/* Returns whether the routine is in a file whose name contains `word`. */
static int is_of(void *routine, const char *word) {
  Dl_info from;
  return dladdr(routine, &from) && strstr(from.dli_fname, word) && !strstr(from.dli_fname, "reblock");
}

int main(int argc, char **argv) {
  int me, ranks, context, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  wrong += !is_of((void *)pdgemr2d_, "scalapack") || !is_of((void *)Cpdgemr2d, "scalapack");
  if (wrong) fprintf(stderr, "p?gemr2d is not ScaLAPACK's\n");

  int64_t extent = N;
  double source[N], target[N];
  reblock_map *from, *to;
  reblock_plan *plan;
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 1, &extent, "(BLOCK)", &from));
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 1, &extent, "(CYCLIC)", &to));
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, sizeof *source, NULL, &plan));
  for (int i = 0; i < N / ranks; i++) source[i] = me * N / ranks + i;
  MUST(reblock_plan_execute(plan, source, target));
  for (int i = 0; i < N / ranks; i++) wrong += target[i] != i * ranks + me;

  /* reblock must find BLACS, and ScaLAPACK must move arrays of the library in its contexts. */
  int one = 1, n = N, descriptor[9] = {1, 0, N, N, N, N, 0, 0, N};
  void *memory, *moved;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", 1, ranks);
  descriptor[1] = context;
  MUST(reblock_blacs_alloc(context, (int64_t)sizeof(double) * N * N, &memory));
  MUST(reblock_blacs_alloc(context, (int64_t)sizeof(double) * N * N, &moved));
  for (int i = 0; i < N * N; i++) ((double *)memory)[i] = i;
  pdgemr2d_(&n, &n, (double *)memory, &one, &one, descriptor, (double *)moved, &one, &one, descriptor, &context);
  wrong += me == 0 && memcmp(memory, moved, sizeof(double) * N * N) != 0;
  MUST(reblock_blacs_free(context, &memory));
  MUST(reblock_blacs_free(context, &moved));

  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("libreblock_core beside ScaLAPACK: %d wrong\n", wrong);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
