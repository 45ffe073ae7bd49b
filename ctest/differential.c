/* Compares reblock's results with ScaLAPACK's, bit for bit: solves random problems by both in this process and
 * compares whole local arrays, padding included.
 *
 *   REBLOCK_LIB=.../libreblock.so [LARGEST=900] [CASES_PER_GRID=90] mpirun -n RANKS differential ge|tr CASES [SEED
 *   [ONLY]]
 *
 * This program is linked with ScaLAPACK's routines. reblock is loaded with RTLD_LOCAL, so that no call within
 * ScaLAPACK reaches reblock: the oracle is the unchanged original. The seed is printed; a case that fails prints the
 * command that runs it alone.
 *
 * With -DILP64, reblock is libreblock_ilp64, with 64-bit integers, and this program gives it a BLACS with such
 * integers. The oracle stays the 32-bit ScaLAPACK. Its pd* routines stand for pi*, since both then move 8 bytes. */
#define _GNU_SOURCE
#include "random.h"
#include "scalapack.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_RANKS = 64 };

static int me, ranks, trapezoid, large;
static uint64_t seed, state;

static uint64_t draw(void) { return next(&state); }
static int between(int low, int high) { return (int)within(&state, low, high); }
static void restart(uint64_t number) { state = stream(seed) + number; }

#ifdef ILP64
#include "wide_blacs.h"
typedef int64_t integer;
static const char their_letters[] = "dsdcz";
#else
typedef int integer;
static const char their_letters[] = "isdcz";
#endif
static const char letters[] = "isdcz";
static const int sizes[] = {sizeof(integer), 4, 8, 8, 16};
struct library { void *ge[5], *geo[5], *tr[5], *tro[5]; } theirs, ours;

static void *symbol(void *handle, const char *format, char letter, const char *home) {
  char name[32];
  Dl_info info;
  snprintf(name, sizeof name, format, letter);
  void *f = dlsym(handle, name);
  if (!f || !dladdr(f, &info) || !strstr(info.dli_fname, home)) {
    fprintf(stderr, "%s is not in %s but in %s\n", name, home, f ? info.dli_fname : "no library");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return f;
}
static void load(struct library *l, void *handle, const char *letters, const char *home) {
  for (int t = 0; t < 5; t++) {
    l->ge[t] = symbol(handle, "p%cgemr2d_", letters[t], home);
    l->geo[t] = symbol(handle, "p%cgemr2do_", letters[t], home);
    l->tr[t] = symbol(handle, "p%ctrmr2d_", letters[t], home);
    l->tro[t] = symbol(handle, "p%ctrmr2do_", letters[t], home);
  }
}

/* A context of some of the ranks in `pool`, in random order or in gridinit's order. */
struct grid { int context, rows, cols, row, col, members; char made[16]; };
static void shuffle(int *list, int n) {
  for (int i = n - 1; i > 0; i--) { int j = between(0, i), t = list[i]; list[i] = list[j]; list[j] = t; }
}
static struct grid make_grid(const int *pool, int n, int members) {
  struct grid g = {.members = members};
  int order[MAX_RANKS];
  memcpy(order, pool, sizeof(int) * (size_t)n);
  do g.rows = between(1, members); while (members % g.rows);
  g.cols = members / g.rows;
  int how = between(0, 3);
  Cblacs_get(0, 0, &g.context);
  if (how < 2 && members == ranks) {
    Cblacs_gridinit(&g.context, how ? "C" : "R", g.rows, g.cols);
    strcpy(g.made, how ? "gridinit C" : "gridinit R");
  } else {
    if (how < 3) shuffle(order, n);
    Cblacs_gridmap(&g.context, order, g.rows, g.rows, g.cols);
    strcpy(g.made, "gridmap");
  }
  Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
  MPI_Allreduce(MPI_IN_PLACE, &g.rows, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &g.cols, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return g;
}

/* Ranks set up slots only after some dozens of calls on a grid: with 32 cases, only if a setting asks for slots. */
static uint64_t cases_per_grid = 32;

/* The grids of `cases_per_grid` cases. B's ranks are, at random, equal to, nested in, overlapping or disjoint from
 * A's. */
struct world { struct grid all, a, b; int everyone; } world;
static void leave_world(void) {
  struct grid *g[] = {&world.all, &world.a, &world.b};
  for (int i = 0; i < 3; i++) if (g[i]->context >= 0) Cblacs_gridexit(g[i]->context);
}
static void enter_world(uint64_t number) {
  restart(number << 32);
  int pool[MAX_RANKS], n;
  for (int r = 0; r < ranks; r++) pool[r] = r;
  world.everyone = between(0, 2) == 0;
  n = world.everyone ? ranks : between(1, ranks);
  if (!world.everyone) shuffle(pool, ranks);
  world.all = make_grid(pool, n, n);
  int na = between(0, 1) ? n : between(1, n), nb = between(0, 1) ? n : between(1, n);
  world.a = make_grid(pool, n, na);
  if (n > 1 && between(0, 3) == 0) { /* a pool disjoint from A's */
    na = between(1, n - 1);
    nb = between(1, n - na);
    if (world.a.context >= 0) Cblacs_gridexit(world.a.context);
    world.a = make_grid(pool, na, na);
    world.b = make_grid(pool + na, n - na, nb);
  } else {
    world.b = make_grid(pool, n, nb);
  }
}

struct matrix { int desc[9], start[2]; size_t bytes; char *data; };
static void random_matrix(struct matrix *x, const struct grid *g, const int *extent, int size) {
  int procs[2] = {g->rows, g->cols}, at[2] = {g->row, g->col}, local[2] = {0, 0};
  x->desc[0] = between(0, 1) ? 1 : -77; /* DTYPE is not examined */
  x->desc[1] = g->context;
  for (int d = 0; d < 2; d++) {
    x->start[d] = between(0, 1) ? 1 : between(1, 12);
    x->desc[2 + d] = x->start[d] - 1 + extent[d] + (between(0, 1) ? 0 : between(0, 9));
    int kind = between(0, 3), whole = x->desc[2 + d] > 0 ? x->desc[2 + d] : 1;
    x->desc[4 + d] = kind == 0 ? between(1, 3) : kind == 1 ? between(1, whole) : kind == 2 ? whole + between(0, 20)
                                                                                            : between(1, 8);
    x->desc[6 + d] = between(0, 1) ? 0 : between(0, procs[d] - 1);
    if (g->context >= 0) local[d] = local_count(x->desc[2 + d], x->desc[4 + d], at[d], x->desc[6 + d], procs[d]);
  }
  int slack = between(0, 1) ? 0 : between(1, 5);
  x->desc[8] = local[0] + slack > 0 ? local[0] + slack : 1;
  x->bytes = g->context >= 0 ? (size_t)x->desc[8] * (size_t)local[1] * (size_t)size : 0;
  x->data = x->bytes ? malloc(x->bytes) : NULL;
  uint64_t common = state;
  state ^= (uint64_t)(me + 1) << 20;
  for (size_t i = 0; i < x->bytes; i++) x->data[i] = (char)draw();
  state = common;
  draw();
  if (g->context < 0) { /* outside the grid all entries but the context are garbage, or -1 as some programs set them */
    int garbage = between(0, 1) ? -1 : 12345678;
    for (int i = 0; i < 9; i++) if (i != 1) x->desc[i] = garbage;
    x->desc[1] = -1;
    x->start[0] = x->start[1] = garbage;
  } else {
    draw();
  }
}

/* Calls one library, with integers of type INT. */
#define SOLVE(name, INT)                                                                                               \
  static void name(const struct library *l, int type, int old, const char *uplo, const char *diag, const int *extent,  \
                   const struct matrix *a, const struct matrix *b, void *out) {                                        \
    INT c = world.all.context, m = extent[0], n = extent[1], desca[9], descb[9];                                       \
    INT ia = a->start[0], ja = a->start[1], ib = b->start[0], jb = b->start[1];                                        \
    for (int i = 0; i < 9; i++) desca[i] = a->desc[i], descb[i] = b->desc[i];                                          \
    typedef void ge(INT *, INT *, void *, INT *, INT *, INT *, void *, INT *, INT *, INT *, INT *);                    \
    typedef void geo(INT *, INT *, void *, INT *, INT *, INT *, void *, INT *, INT *, INT *);                          \
    typedef void tr(const char *, const char *, INT *, INT *, void *, INT *, INT *, INT *, void *, INT *, INT *,       \
                    INT *, INT *, int, int);                                                                           \
    typedef void tro(const char *, const char *, INT *, INT *, void *, INT *, INT *, INT *, void *, INT *, INT *,      \
                     INT *, int, int);                                                                                 \
    void *in = a->data;                                                                                                \
    if (trapezoid && old)                                                                                              \
      ((tro *)l->tro[type])(uplo, diag, &m, &n, in, &ia, &ja, desca, out, &ib, &jb, descb, 1, 1);                      \
    else if (trapezoid)                                                                                                \
      ((tr *)l->tr[type])(uplo, diag, &m, &n, in, &ia, &ja, desca, out, &ib, &jb, descb, &c, 1, 1);                    \
    else if (old) ((geo *)l->geo[type])(&m, &n, in, &ia, &ja, desca, out, &ib, &jb, descb);                            \
    else ((ge *)l->ge[type])(&m, &n, in, &ia, &ja, desca, out, &ib, &jb, descb, &c);                                   \
  }
SOLVE(solve_theirs, int)
SOLVE(solve_ours, integer)

#ifdef STANDIN
#include "cuda/standin.h"
/* Calls reblock with A and B in memory whose kind each rank draws by itself, mostly of a device. Some arrays are not
 * aligned. */
static void solve_in_memory_of_kinds(int type, int old, const char *uplo, const char *diag, const int *extent, const struct matrix *a,
                                     const struct matrix *b, char *out) {
  static uint64_t mine;
  if (!mine) mine = stream(seed) + (uint64_t)me + 1;
  int size = sizes[type];
  struct placed arrays[2];
  for (int k = 0; k < 2; k++) {
    enum memory_kind kind = within(&mine, 0, 1) ? DEVICE_ARRAY : (enum memory_kind)within(&mine, 0, MEMORY_KINDS - 1);
    arrays[k] = placed(kind, k ? out : a->data, k ? b->bytes : a->bytes, (size_t)(within(&mine, 0, 3) * size));
  }
  struct matrix there = *a;
  there.data = a->bytes ? arrays[0].data : NULL;
  solve_ours(&ours, type, old, uplo, diag, extent, &there, b, b->bytes ? arrays[1].data : NULL);
  if (standin_pending()) fprintf(stderr, "work of the device is not complete\n"), MPI_Abort(MPI_COMM_WORLD, 3);
  take_back(&arrays[1], out);
  take_back(&arrays[0], a->data);
}
#endif

static void describe(const char *name, const struct matrix *x, const struct grid *g) {
  fprintf(stderr, "  %s: %dx%d grid by %s, desc", name, g->rows, g->cols, g->made);
  for (int i = 0; i < 9; i++) fprintf(stderr, " %d", x->desc[i]);
  fprintf(stderr, ", from (%d,%d)\n", x->start[0], x->start[1]);
}

/* Returns 0 for equal results, 1 for different ones, 2 if ScaLAPACK cannot run the case. */
static int run_case(uint64_t number) {
  restart((number << 1) + 1);
  int type = between(0, 4), old = world.everyone && between(0, 5) == 0;
  int largest = large ? large : between(0, 3) ? 40 : 150, extent[2] = {between(0, largest), between(0, largest)};
  if (between(0, 7) == 0) extent[between(0, 1)] = 1;
  const char *uplo = &"UuLl?"[between(0, 4)], *diag = &"UuNn?"[between(0, 4)];
  struct matrix a, b;
  random_matrix(&a, &world.a, extent, sizes[type]);
  random_matrix(&b, &world.b, extent, sizes[type]);
  char *got = malloc(b.bytes + 1), *want = malloc(b.bytes + 1), *kept = malloc(a.bytes + 1);
  if (b.bytes) { memcpy(got, b.data, b.bytes); memcpy(want, b.data, b.bytes); }
  if (a.bytes) memcpy(kept, a.data, a.bytes);
  int bad = 0;
  if (world.all.context >= 0) {
    solve_theirs(&theirs, type, old, uplo, diag, extent, &a, &b, b.bytes ? want : NULL);
    /* A repeated call takes another path than the first: half of all cases are called twice. */
    for (uint64_t time = number & 1; time < 2; time++) {
      if (b.bytes) memcpy(got, b.data, b.bytes);
#ifdef STANDIN
      solve_in_memory_of_kinds(type, old, uplo, diag, extent, &a, &b, got);
#else
      solve_ours(&ours, type, old, uplo, diag, extent, &a, &b, b.bytes ? got : NULL);
#endif
    }
    bad = (b.bytes && memcmp(got, want, b.bytes)) || (a.bytes && memcmp(kept, a.data, a.bytes));
  }
  if (bad) {
    char set[64] = "";
    if (large) snprintf(set, sizeof set, "LARGEST=%d ", large);
    snprintf(set + strlen(set), sizeof set - strlen(set), "CASES_PER_GRID=%llu ", (unsigned long long)cases_per_grid);
    fprintf(stderr, "rank %d differs; run alone: %smpirun -n %d ctest/differential %s 0 %llu %llu\n", me, set,
            ranks, trapezoid ? "tr" : "ge", (unsigned long long)seed, (unsigned long long)number);
    fprintf(stderr, "  p%c%smr2d%s %dx%d uplo %c diag %c\n", letters[type], trapezoid ? "tr" : "ge", old ? "o" : "",
            extent[0], extent[1], *uplo, *diag);
    describe("A", &a, &world.a);
    describe("B", &b, &world.b);
  }
  free(a.data); free(b.data); free(got); free(want); free(kept);
  return bad;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *path = getenv("REBLOCK_LIB");
  if (argc < 3 || !path || ranks > MAX_RANKS) {
    if (!me) fprintf(stderr, "REBLOCK_LIB=libreblock.so mpirun -n RANKS %s ge|tr CASES [SEED [ONLY]]\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) { fprintf(stderr, "%s\n", dlerror()); MPI_Abort(MPI_COMM_WORLD, 2); }
  load(&theirs, RTLD_DEFAULT, their_letters, "scalapack");
  load(&ours, handle, letters, "libreblock");
  trapezoid = argv[1][0] == 't';
  large = getenv("LARGEST") ? atoi(getenv("LARGEST")) : 0;
  if (getenv("CASES_PER_GRID")) cases_per_grid = strtoull(getenv("CASES_PER_GRID"), NULL, 10);
  uint64_t cases = strtoull(argv[2], NULL, 10), first = 0, failures = 0;
  seed = argc > 3 ? strtoull(argv[3], NULL, 10) : (uint64_t)time(NULL);
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (argc > 4) { first = strtoull(argv[4], NULL, 10); cases = first + 1; }
  if (!me) printf("differential %s: %d ranks, seed %llu\n", argv[1], ranks, (unsigned long long)seed), fflush(stdout);
  for (uint64_t k = first; k < cases; k++) {
    if (k == first || k % cases_per_grid == 0) {
      if (k != first) leave_world();
      enter_world(k / cases_per_grid);
    }
    failures += (uint64_t)run_case(k);
  }
  if (cases > first) leave_world();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("differential %s: %llu cases, %llu differences\n", argv[1], (unsigned long long)(cases - first),
                  (unsigned long long)failures);
  Cblacs_exit(1);
  MPI_Finalize();
  return failures != 0;
}
