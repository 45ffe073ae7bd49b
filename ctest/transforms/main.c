/* Compares reblock's p?tran, p?tranu, p?tranc, p?geadd, p?tradd and p?lacpy with ScaLAPACK's and with their definition
 * (naive.c). Each random problem is solved by both libraries in this process. Whole local arrays are compared,
 * including the bytes between their columns; guard pages lie around them, and A is read-only while the routines run.
 *
 *   REBLOCK_LIB=.../libreblock.so [LARGEST=900] mpirun -n RANKS transforms all|tran|geadd|tradd|lacpy CASES [SEED [ONLY]]
 *
 * This program is linked with ScaLAPACK's routines. reblock is loaded with RTLD_LOCAL, so that ScaLAPACK's own calls
 * cannot reach it. With REBLOCK_LIB=scalapack, ScaLAPACK is compared with itself and with the definition.
 *
 * reblock must equal the definition bit for bit, with two exceptions: NaNs may differ from each other, and if a product
 * is added to another term, or complex numbers are multiplied, the result may differ by one rounding. So must
 * ScaLAPACK, except for the sign of zero and these known differences:
 * - p?tradd adds zeros to the other triangle of C within diagonal blocks, so -0 becomes 0 there.
 * - If alpha and beta are 0, ScaLAPACK writes beta, which may be -0.
 * - If C has copies, ScaLAPACK sums the values of C's processes, most of which are 0.
 * - ScaLAPACK adds complex numbers by ?axpy, which multiplies by 1 + 0i: if one part is infinite or NaN, the other part
 *   becomes NaN, and zeros may lose their sign.
 * - p?lacpy sends no messages. Submatrices with different alignment are compared with the definition only.
 * Any other difference fails the test. */
#define _GNU_SOURCE
#include "../scalapack.h"
#include "transforms.h"
#ifdef ILP64
#include "../wide_blacs.h"
#endif
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_RANKS = 64, CASES_PER_GRID = 32, VARIED = 4 };
enum pair { OURS_AND_THEIRS, OURS_AND_NAIVE, THEIRS_AND_NAIVE, PAIRS };
static int me, ranks, family, large, alone; /* `alone`: without reblock */
static uint64_t seed, state, counts[PAIRS][LIKENESSES], uncompared, failures;
static struct library theirs, ours;
static struct grid grid;
static struct arena arena_a, arena_c;

static int between(int low, int high) { return (int)within(&state, low, high); }

/* Makes a grid of random shape, of some or all ranks in random order. */
static void enter_grid(uint64_t number) {
  state = stream(seed) + (number << 32);
  int order[MAX_RANKS], members = between(0, 3) ? ranks : between(1, ranks), rows;
  for (int r = 0; r < ranks; r++) order[r] = r;
  do rows = between(1, members); while (members % rows);
  int how = between(0, 2);
  Cblacs_get(0, 0, &grid.context);
  if (how < 2) {
    Cblacs_gridinit(&grid.context, how ? "C" : "R", rows, members / rows);
  } else {
    for (int i = ranks - 1; i > 0; i--) { int j = between(0, i), kept = order[i]; order[i] = order[j]; order[j] = kept; }
    Cblacs_gridmap(&grid.context, order, rows, rows, members / rows);
  }
  snprintf(grid.made, sizeof grid.made, "%s", how == 2 ? "gridmap" : how ? "gridinit C" : "gridinit R");
  if (grid.context >= 0) Cblacs_gridinfo(grid.context, &grid.procs[0], &grid.procs[1], &grid.at[0], &grid.at[1]);
}

static void show(const struct problem *p, const char *name, const char *array, size_t number) {
  float single;
  double value;
  if (real_size(p->type) == 4) memcpy(&single, array + 4 * number, 4), value = single;
  else memcpy(&value, array + 8 * number, 8);
  fprintf(stderr, " %s %.17g", name, value);
}

/* Reports a failure, with the command that runs the case alone. `number`: the first wrong real number of C's local
 * array. */
static void report_failure(const struct problem *p, uint64_t k, const char *what, size_t number, const char *const *results) {
  char largest[32] = "";
  if (large) snprintf(largest, sizeof largest, "LARGEST=%d ", large);
  fprintf(stderr, "rank %d: %s; run alone: %smpirun -n %d transforms %s 0 %llu %llu\n", me, what, largest, ranks,
          family < FAMILIES ? family_names[family] : "all", (unsigned long long)seed, (unsigned long long)k);
  describe(stderr, p, &grid);
  if (results) {
    size_t at = number / (1 + (size_t)is_complex(p->type)), row = at % (size_t)p->c.lld, column = at / (size_t)p->c.lld;
    fprintf(stderr, "  first in local element (%zu,%zu), part %zu:", row, column, number % (1 + (size_t)is_complex(p->type)));
    if ((int)row < p->c.local[0]) fprintf(stderr, " C(%d,%d):", p->c.global[0][row] + 1, p->c.global[1][column] + 1);
    show(p, "definition", results[0], number), show(p, "ScaLAPACK", results[1], number), show(p, "reblock", results[2], number);
    fprintf(stderr, "\n");
  }
  failures++;
}

/* Returns whether ScaLAPACK may return a wrong sign of zero. */
static int loses_signs(const struct problem *p) {
  const double *alpha = p->alpha, *beta = p->beta;
  int none = !alpha[0] && !alpha[1] && !beta[0] && !beta[1], ones = alpha[0] == 1 && !alpha[1] && beta[0] == 1 && !beta[1];
  return p->family == TRADD || none || (is_complex(p->type) && ones) || p->c.source[0] < 0 || p->c.source[1] < 0;
}

#ifdef STANDIN
#include "../cuda/standin.h"
/* Calls reblock with A and C in memory whose kind each rank draws by itself, mostly of a device. Some arrays are not
 * aligned. */
static void solve_in_memory_of_kinds(const struct library *l, const struct problem *p, const char *a, const char *c, char *out) {
  static uint64_t mine;
  if (!mine) mine = stream(seed) + (uint64_t)me + 1;
  struct placed arrays[2];
  for (int k = 0; k < 2; k++) {
    enum memory_kind kind = within(&mine, 0, 1) ? DEVICE_ARRAY : (enum memory_kind)within(&mine, 0, MEMORY_KINDS - 1);
    size_t offset = (size_t)within(&mine, 0, 3) * element_size(p->type);
    arrays[k] = placed(kind, k ? c : a, k ? p->c.bytes : p->sharing == APART ? p->a.bytes : 0, offset);
  }
  call_ours(l, p, arrays[p->sharing != APART].data, arrays[1].data);
  if (standin_pending()) fprintf(stderr, "work of the device is not complete\n"), abort();
  char *kept = malloc(p->a.bytes + 1);
  take_back(&arrays[0], kept);
  if (p->sharing == APART && p->a.bytes && memcmp(kept, a, p->a.bytes)) fprintf(stderr, "A has changed\n"), failures++;
  free(kept);
  take_back(&arrays[1], out);
}
#endif

/* Calls one library; `out` receives C's local array. */
static void solve(void call(const struct library *, const struct problem *, const void *, void *), const struct library *l,
                  const struct problem *p, const char *before, char *out) {
  char *a = place(&arena_a, p->a.bytes, p->flush), *c = place(&arena_c, p->c.bytes, !p->flush);
  if (p->sharing == APART) fill(&p->a, p->type, me, a), protect(&arena_a, 0);
  if (p->c.bytes) memcpy(c, before, p->c.bytes);
#ifdef STANDIN
  if (call == call_ours) solve_in_memory_of_kinds(l, p, a, c, out);
  else
#endif
  {
    call(l, p, p->sharing == APART ? a : c, c);
    if (p->c.bytes) memcpy(out, c, p->c.bytes);
  }
  if (p->sharing == APART) protect(&arena_a, 1);
}

/* reblock keeps checked calls and finds them by their arguments. So each fourth case is the previous case with one
 * argument changed. */
static int is_varied(uint64_t k) { return k % VARIED == VARIED - 1; }

static void run_case(uint64_t k) {
  uint64_t change = is_varied(k) ? hash(seed, k) | 1ull << 63 : 0;
  state = stream(seed) + ((k - !!change) << 1) + 1;
  struct problem p;
  if (grid.context < 0) return; /* not called there */
  draw_problem(&p, &grid, &state, family, large, change);
#ifdef ILP64
  if (p.family == LACPY) p.comparable = 0; /* it asks the Fortran BLACS, which is not the one of 32 bits here */
#endif
  char *before = malloc(p.c.bytes + 1), *results[3];
  double *bound = malloc((p.c.bytes / 4 + 1) * sizeof *bound);
  for (int r = 0; r < 3; r++) results[r] = malloc(p.c.bytes + 1);
  fill(&p.c, p.type, me, before);
  expect(&p, before, results[0], bound);
  if (p.comparable) solve(call_theirs, &theirs, &p, before, results[1]);
  else memcpy(results[1], results[0], p.c.bytes), uncompared++;
  /* A repeated call takes another path than the first: half of all cases are called twice. */
  for (uint64_t time = k & 1; time < 2 && (p.comparable || !alone); time++) solve(call_ours, &ours, &p, before, results[2]);
  if (alone && !p.comparable) memcpy(results[2], results[0], p.c.bytes);
  struct tally tally[PAIRS];
  compare(p.type, results[2], results[1], p.c.bytes, bound, &tally[OURS_AND_THEIRS]);
  compare(p.type, results[2], results[0], p.c.bytes, bound, &tally[OURS_AND_NAIVE]);
  compare(p.type, results[1], results[0], p.c.bytes, bound, &tally[THEIRS_AND_NAIVE]);
  for (int pair = p.comparable ? OURS_AND_THEIRS : OURS_AND_NAIVE; pair < PAIRS; pair++)
    for (int l = 0; l < LIKENESSES; l++) counts[pair][l] += tally[pair].counts[l];
  const char *const all[] = {results[0], results[1], results[2]};
  for (enum likeness l = SPOILT; l <= DIFFERENT; l++) {
    const struct tally *we = &tally[OURS_AND_NAIVE], *they = &tally[THEIRS_AND_NAIVE];
    if (alone && tally[OURS_AND_THEIRS].counts[l]) report_failure(&p, k, "ScaLAPACK differs from itself", tally[OURS_AND_THEIRS].first[l], all);
    else if (!alone && we->counts[l]) report_failure(&p, k, "reblock is wrong", we->first[l], all);
    else if (they->counts[l] && (l == DIFFERENT || (l == SIGN_OF_ZERO && !loses_signs(&p))))
      report_failure(&p, k, "ScaLAPACK is wrong", they->first[l], all);
  }
  for (int r = 0; r < 3; r++) free(results[r]);
  free(before), free(bound), free_problem(&p);
}

static void summary(uint64_t cases, const char *kind) {
  static const char *const pairs[] = {"reblock and ScaLAPACK", "reblock and the definition", "ScaLAPACK and the definition"};
  MPI_Allreduce(MPI_IN_PLACE, counts, PAIRS * LIKENESSES, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (me) return;
  for (int pair = 0; pair < PAIRS; pair++)
    printf("  %s: %llu numbers the same, %llu not a number in both, %llu within a rounding, %llu "
           "spoilt by another part, %llu zeros of the other sign\n", pairs[pair],
           (unsigned long long)counts[pair][SAME], (unsigned long long)counts[pair][BOTH_NAN],
           (unsigned long long)counts[pair][ROUNDED], (unsigned long long)counts[pair][SPOILT],
           (unsigned long long)counts[pair][SIGN_OF_ZERO]);
  printf("transforms %s: %llu cases, %llu of them not ScaLAPACK's, %llu failures\n", kind, (unsigned long long)cases,
         (unsigned long long)uncompared, (unsigned long long)failures);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *path = getenv("REBLOCK_LIB");
  if (argc < 3 || !path || ranks > MAX_RANKS) {
    if (!me) fprintf(stderr, "REBLOCK_LIB=libreblock.so mpirun -n RANKS %s all|FAMILY CASES [SEED [ONLY]]\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (family = 0; family < FAMILIES && strcmp(argv[1], family_names[family]); family++) {}
  load_library(&theirs, RTLD_DEFAULT, "scalapack");
  if (!strcmp(path, "scalapack")) {
    load_library(&ours, RTLD_DEFAULT, "scalapack");
    alone = 1;
  } else {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) { fprintf(stderr, "%s\n", dlerror()); MPI_Abort(MPI_COMM_WORLD, 2); }
    load_library(&ours, handle, "libreblock");
  }
  large = getenv("LARGEST") ? atoi(getenv("LARGEST")) : 0;
  uint64_t cases = strtoull(argv[2], NULL, 10), first = 0;
  seed = argc > 3 ? strtoull(argv[3], NULL, 10) : (uint64_t)time(NULL);
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (argc > 4) { first = strtoull(argv[4], NULL, 10); cases = first + 1; first -= is_varied(first); }
  if (!me) printf("transforms %s: %d ranks, seed %llu\n", argv[1], ranks, (unsigned long long)seed), fflush(stdout);
  for (uint64_t k = first; k < cases; k++) {
    if (k == first || k % CASES_PER_GRID == 0) {
      if (k != first && grid.context >= 0) Cblacs_gridexit(grid.context);
      enter_grid(k / CASES_PER_GRID);
    }
    run_case(k);
  }
  if (cases > first && grid.context >= 0) Cblacs_gridexit(grid.context);
  summary(cases - first, argv[1]);
  Cblacs_exit(1);
  MPI_Finalize();
  return failures != 0;
}
