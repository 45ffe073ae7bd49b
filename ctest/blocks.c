/* Compares redistributions of block-cyclic matrices, declared by HPF directives or ScaLAPACK's descriptors, with
 * ScaLAPACK's pdgemr2d, bit for bit. Whole local arrays are compared, padding included.
 *
 *   REBLOCK_LIB=.../libreblock.so mpirun -n RANKS blocks CASES [SEED]
 *
 * As in differential.c, ScaLAPACK is linked and reblock is loaded with RTLD_LOCAL, so that the oracle is the
 * original. */
#define _GNU_SOURCE
#include "random.h"
#include "scalapack.h"
#include "reblock.h"
#include "reblock_scalapack.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The functions of reblock that this program calls, without the prefix of their names. */
#define FUNCTIONS(X) \
  X(procs_create) X(procs_free) X(template_create) X(template_dist_cyclic) X(template_commit) X(template_free) X(map_whole) \
  X(map_strides) X(map_from_blacs) X(map_free) X(plan_create) X(plan_free) X(plan_execute) X(message)
#define POINTER(name) __typeof__(reblock_##name) *name;
static struct { FUNCTIONS(POINTER) } reblock;

static int me, ranks;
static uint64_t state;

static int between(int low, int high) { return (int)within(&state, low, high); }

static void load(void) {
  const char *path = getenv("REBLOCK_LIB");
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) fprintf(stderr, "REBLOCK_LIB: %s\n", path ? dlerror() : "is not set"), MPI_Abort(MPI_COMM_WORLD, 2);
#define LOAD(name) \
  reblock.name = (__typeof__(reblock.name))dlsym(library, "reblock_" #name); \
  if (!reblock.name) fprintf(stderr, "reblock_" #name " is missing\n"), MPI_Abort(MPI_COMM_WORLD, 2);
  FUNCTIONS(LOAD)
  Dl_info info;
  if (!dladdr((void *)pdgemr2d_, &info) || !strstr(info.dli_fname, "scalapack"))
    fprintf(stderr, "pdgemr2d_ is not ScaLAPACK's\n"), MPI_Abort(MPI_COMM_WORLD, 2);
}

static void demand(int32_t code, const char *call) {
  if (code) fprintf(stderr, "rank %d: %s: %s\n", me, call, reblock.message()), MPI_Abort(MPI_COMM_WORLD, 1);
}
#define DEMAND(call) demand(call, #call)

/* A matrix on the first rows x cols ranks; its map is made from the descriptor, or by directives. */
struct matrix {
  int grid[2], at[2], desc[9], start[2], described;
  size_t elements;
  double *data;
  reblock_map *map;
};

static reblock_map *declared(const struct matrix *x) {
  reblock_procs *procs = NULL;
  reblock_template *template = NULL;
  reblock_map *packed = NULL, *map = NULL;
  int64_t shape[2] = {x->grid[0], x->grid[1]}, strides[2] = {1, x->desc[8]};
  int64_t lower[2] = {1, 1}, upper[2] = {x->desc[2], x->desc[3]};
  DEMAND(reblock.procs_create(MPI_COMM_WORLD, 2, shape, NULL, &procs));
  DEMAND(reblock.template_create(procs, 2, lower, upper, &template));
  for (int d = 0; d < 2; d++) DEMAND(reblock.template_dist_cyclic(template, d, d, x->desc[4 + d]));
  DEMAND(reblock.template_commit(template));
  DEMAND(reblock.map_whole(template, &packed));
  DEMAND(reblock.map_strides(packed, strides, &map));
  DEMAND(reblock.map_free(&packed));
  DEMAND(reblock.template_free(&template));
  DEMAND(reblock.procs_free(&procs));
  return map;
}

static void make(struct matrix *x, const int *extent) {
  memset(x, 0, sizeof *x);
  x->grid[0] = between(1, ranks);
  x->grid[1] = between(1, ranks / x->grid[0]);
  x->desc[0] = 1, x->desc[1] = new_grid("R", x->grid[0], x->grid[1]);
  x->described = between(0, 1);
  int inside = x->desc[1] >= 0, local[2] = {0, 0};
  if (inside) Cblacs_gridinfo(x->desc[1], &x->grid[0], &x->grid[1], &x->at[0], &x->at[1]);
  for (int d = 0; d < 2; d++) {
    x->start[d] = between(1, 9);
    x->desc[2 + d] = x->start[d] - 1 + extent[d] + between(0, 5);
    x->desc[4 + d] = between(1, 9);
    x->desc[6 + d] = x->described ? between(0, x->grid[d] - 1) : 0;
    if (inside) local[d] = local_count(x->desc[2 + d], x->desc[4 + d], x->at[d], x->desc[6 + d], x->grid[d]);
  }
  x->desc[8] = (local[0] ? local[0] : 1) + between(0, 3);
  x->elements = inside ? (size_t)x->desc[8] * (size_t)local[1] : 0;
  x->data = malloc(sizeof *x->data * (x->elements + 1));
  for (size_t i = 0; i < x->elements; i++) x->data[i] = (double)i + 1e6 * me;
  reblock_int desc[9];
  for (int i = 0; i < 9; i++) desc[i] = x->desc[i];
  if (!x->described) x->map = declared(x);
  else if (inside) DEMAND(reblock.map_from_blacs(desc, &x->map));
}

static void destroy(struct matrix *x) {
  DEMAND(reblock.map_free(&x->map));
  if (x->desc[1] >= 0) Cblacs_gridexit(x->desc[1]);
  free(x->data);
}

static void section(const struct matrix *x, const int *extent, reblock_range *made) {
  for (int d = 0; d < 2; d++) made[d] = (reblock_range){x->start[d], x->start[d] + extent[d] - 1, 1};
}

static int run_case(int all) {
  int extent[2] = {between(0, 40), between(0, 40)};
  struct matrix a, b;
  reblock_range from[2], to[2];
  reblock_plan *plan = NULL;
  make(&a, extent), make(&b, extent);
  size_t bytes = sizeof *b.data * b.elements;
  double *want = malloc(bytes + 1);
  memcpy(want, b.data, bytes);
  pdgemr2d_(&extent[0], &extent[1], a.data, &a.start[0], &a.start[1], a.desc, want, &b.start[0], &b.start[1], b.desc,
            &all);
  section(&a, extent, from), section(&b, extent, to);
  const reblock_range *from_at = a.map ? from : NULL, *to_at = b.map ? to : NULL;
  DEMAND(reblock.plan_create(MPI_COMM_WORLD, a.map, from_at, b.map, to_at, sizeof *b.data, NULL, &plan));
  DEMAND(reblock.plan_execute(plan, a.desc[1] >= 0 ? a.data : NULL, b.desc[1] >= 0 ? b.data : NULL));
  DEMAND(reblock.plan_free(&plan));
  int wrong = memcmp(want, b.data, bytes) != 0;
  free(want);
  destroy(&a), destroy(&b);
  return wrong;
}

int main(int argc, char **argv) {
  int wrong = 0, cases = argc > 1 ? atoi(argv[1]) : 100;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (!me) printf("blocks: %d ranks, seed %llu\n", ranks, (unsigned long long)seed), fflush(stdout);
  load();
  int all = new_grid("R", 1, ranks);
  for (int k = 0; k < cases; k++) {
    state = seed + (uint64_t)k * 1000003;
    int failed = run_case(all);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (failed && !me) fprintf(stderr, "case %d differs on %d ranks\n", k, failed);
    wrong += failed != 0;
  }
  if (!me) printf("blocks: %d cases, %d differ\n", cases, wrong);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong != 0;
}
