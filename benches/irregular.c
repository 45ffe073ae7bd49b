/* Compares gathers and scatters by lists of indices with PETSc's VecScatter on the same lists. Elements are doubles in
 * blocks of equal size, as PETSc stores them. Times making and executing the plans, in turn, after both results have
 * been verified.
 *
 *   mpirun -n RANKS irregular [ELEMENTS A RANK] [ROUNDS] */
#include "median.h"
#include <math.h>
#include <mpi.h>
#include <petscvec.h>
#include <reblock.h>
#include <stdio.h>
#include <time.h>

#define MUST(call) do { if ((call) != 0) fprintf(stderr, "%s: %s\n", #call, reblock_message()), MPI_Abort(MPI_COMM_WORLD, 1); } while (0)
#define PETSC(call) do { if ((call) != 0) MPI_Abort(MPI_COMM_WORLD, 1); } while (0)

enum { MAX_ROUNDS = 99 };
static int me, ranks;
static int64_t each, all, count, *list;
static double *array, *local, *theirs;
static reblock_map *map;
static Vec whole, own;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the time from the arrival of all ranks until the last rank is done. */
static double span(void (*run)(void)) {
  double ends[2];
  MPI_Barrier(MPI_COMM_WORLD);
  ends[0] = -now();
  run();
  ends[1] = now();
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return ends[0] + ends[1];
}

static int64_t wrapped(int64_t i) { return (i % all + all) % all; }

/* Lists of a rank: the next rank's elements; any elements; elements of the next rank and others, each in ascending
 * order; and the neighbours of each point of a mesh within the rank's rows, with the point itself. */
static const char *const names[] = {"regular", "random", "sorted", "mesh"};
static void draw(int kind) {
  int64_t row = (int64_t)sqrt((double)each);
  uint64_t state = 88172645463325252u + (uint64_t)me;
  count = kind == 3 ? 5 * each : each;
  list = malloc(sizeof *list * (size_t)count);
  for (int64_t k = 0; k < count; k++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    if (kind == 0) list[k] = wrapped((me + 1) * each + k);
    if (kind == 1) list[k] = (int64_t)(state % (uint64_t)all);
    if (kind == 2) list[k] = wrapped((me * each + 2 * k + (int64_t)(state % 2)) % all);
    if (kind == 3) list[k] = wrapped(me * each + k / 5 + (int64_t[]){0, -1, 1, -row, row}[k % 5]);
  }
}

static reblock_plan *gather, *scatter;
static VecScatter forward;
static IS from, to;
static reblock_update add;
static void make_gather(void) { MUST(reblock_plan_gather(MPI_COMM_WORLD, map, 0, count, list, 8, NULL, &gather)); }
static void make_scatter(void) { MUST(reblock_plan_scatter(MPI_COMM_WORLD, map, 0, count, list, 8, NULL, &scatter)); }
static void make_petsc(void) { PETSC(VecScatterCreate(whole, from, own, to, &forward)); }
static void run_gather(void) { MUST(reblock_plan_execute(gather, array, local)); }
static void run_scatter(void) { MUST(reblock_plan_update(scatter, local, array, &add)); }
static void petsc_gather(void) {
  PETSC(VecScatterBegin(forward, whole, own, INSERT_VALUES, SCATTER_FORWARD));
  PETSC(VecScatterEnd(forward, whole, own, INSERT_VALUES, SCATTER_FORWARD));
}
static void petsc_scatter(void) {
  PETSC(VecScatterBegin(forward, own, whole, ADD_VALUES, SCATTER_REVERSE));
  PETSC(VecScatterEnd(forward, own, whole, ADD_VALUES, SCATTER_REVERSE));
}
static void free_gather(void) { MUST(reblock_plan_free(&gather)); }
static void free_scatter(void) { MUST(reblock_plan_free(&scatter)); }
static void free_petsc(void) { PETSC(VecScatterDestroy(&forward)); }

static void compare(const char *name, const char *what, int rounds, void (*ours)(void), void (*petsc)(void), void (*ours_free)(void)) {
  double times[2][MAX_ROUNDS];
  for (int k = 0; k < rounds; k++) {
    times[0][k] = span(ours);
    if (ours_free) ours_free();
    times[1][k] = span(petsc);
    if (ours_free) free_petsc();
  }
  double a = median(times[0], rounds), b = median(times[1], rounds);
  if (me == 0) printf("%-8s %-14s %10.3f ms %10.3f ms  %5.2f\n", name, what, 1e3 * a, 1e3 * b, a / b);
}

static void verify(int kind) {
  int bad = 0;
  for (int64_t k = 0; k < each; k++) array[k] = (double)(me * each + k);
  run_gather();
  for (int64_t k = 0; k < count; k++) bad |= local[k] != (double)list[k];
  for (int64_t k = 0; k < count; k++) local[k] = theirs[k] = 1, bad |= 0;
  double *kept = malloc(sizeof *kept * (size_t)each);
  for (int64_t k = 0; k < each; k++) array[k] = 0;
  run_scatter();
  for (int64_t k = 0; k < each; k++) kept[k] = array[k], array[k] = 0;
  petsc_scatter();
  for (int64_t k = 0; k < each; k++) bad |= kept[k] != array[k];
  free(kept);
  if (bad) fprintf(stderr, "irregular: %s is wrong\n", names[kind]), MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
  PETSC(PetscInitialize(&argc, &argv, NULL, NULL));
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  each = argc > 1 ? atoll(argv[1]) : 200000;
  int rounds = argc > 2 ? atoi(argv[2]) : 15;
  rounds = rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
  all = each * ranks;
  int64_t shape = ranks, block = each;
  MUST(reblock_map_block_cyclic(MPI_COMM_WORLD, 1, &all, &shape, &block, &map));
  MUST(reblock_update_init(&add));
  double one = 1;
  add.type = REBLOCK_DOUBLE, add.beta = &one;
  array = malloc(sizeof *array * (size_t)each);
  if (me == 0) printf("%d ranks, %lld doubles each       reblock         PETSc  ratio\n", ranks, (long long)each);
  for (int kind = 0; kind < 4; kind++) {
    draw(kind);
    local = malloc(sizeof *local * (size_t)count), theirs = malloc(sizeof *theirs * (size_t)count);
    PetscInt *places = malloc(sizeof *places * (size_t)count);
    for (int64_t k = 0; k < count; k++) places[k] = (PetscInt)list[k];
    PETSC(VecCreateMPIWithArray(MPI_COMM_WORLD, 1, (PetscInt)each, PETSC_DECIDE, array, &whole));
    PETSC(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, (PetscInt)count, theirs, &own));
    PETSC(ISCreateGeneral(PETSC_COMM_SELF, (PetscInt)count, places, PETSC_COPY_VALUES, &from));
    PETSC(ISCreateStride(PETSC_COMM_SELF, (PetscInt)count, 0, 1, &to));
    compare(names[kind], "make", rounds, make_gather, make_petsc, free_gather);
    compare(names[kind], "make scatter", rounds, make_scatter, make_petsc, free_scatter);
    make_gather(), make_scatter(), make_petsc();
    verify(kind);
    compare(names[kind], "gather", rounds, run_gather, petsc_gather, NULL);
    compare(names[kind], "scatter", rounds, run_scatter, petsc_scatter, NULL);
    free_gather(), free_scatter(), free_petsc();
    PETSC(ISDestroy(&from));
    PETSC(ISDestroy(&to));
    PETSC(VecDestroy(&whole));
    PETSC(VecDestroy(&own));
    free(local), free(theirs), free(places), free(list);
  }
  MUST(reblock_map_free(&map));
  free(array);
  PetscFinalize();
}
