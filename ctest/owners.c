/* Tests INDIRECT distributions for which each rank passes a range of the owners, and then has only its own indices:
 * memory use, relabelling, REDISTRIBUTE, REALIGN and errors. Owners are random. `owner_of` computes the owner of any
 * element on any rank, so each rank checks its own elements.
 *
 *   mpirun -n RANKS owners SEED
 *   mpirun -n RANKS owners large N      commits and moves N indices. Run by hand: a rank needs some 200 bytes for each of
 *                                       its own indices, and none for the indices of other ranks */
#define _GNU_SOURCE
#include "random.h"
#include "reblock.h"
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, ranks, failures;
static void fail(const char *what, long long got, long long want) {
  failures++;
  fprintf(stderr, "rank %d: %s: %lld, expected %lld; %s\n", me, what, got, want, reblock_message());
}
static void expect(const char *what, int32_t code, int32_t want) { if (code != want) fail(what, code, want); }
#define MUST(call) expect(#call, call, REBLOCK_OK)

/* Returns the owner of an index; any rank can compute it. */
static int64_t owner_of(uint64_t seed, int64_t i) {
  return (int64_t)(hash(seed, (uint64_t)i) % (uint64_t)ranks);
}

static reblock_procs *procs;

/* Makes a template of indices 0 to n - 1 with the owners of `seed`, shifted by `turn` coordinates. Ranks pass ranges of
 * nearly equal length, or the last rank passes all. */
static reblock_template *dealt(int64_t n, uint64_t seed, int turn, int last) {
  int64_t first = me * n / ranks, end = (me + 1) * n / ranks, lower = 0, upper = n - 1;
  if (last) first = me < ranks - 1 ? n : 0, end = n;
  int64_t *owners = malloc(sizeof *owners * (size_t)(end - first + 1));
  reblock_template *made = NULL;
  for (int64_t i = first; i < end; i++) owners[i - first] = (owner_of(seed, i) + turn) % ranks;
  MUST(reblock_template_create(procs, 1, &lower, &upper, &made));
  MUST(reblock_template_dist_indirect_local(made, 0, 0, first, end - first, owners));
  free(owners);
  MUST(reblock_template_commit(made));
  return made;
}

static reblock_map *mapped(reblock_template *t) {
  reblock_map *map = NULL;
  MUST(reblock_map_whole(t, &map));
  return map;
}

/* Checks this rank's elements: each is the number of its index, in ascending order. */
static void check(const char *what, const int64_t *data, int64_t n, uint64_t seed, int turn, int64_t held) {
  int64_t count = 0, wrong = 0;
  for (int64_t i = 0; i < n; i++)
    if ((owner_of(seed, i) + turn) % ranks == me) wrong += count >= held || data[count] != i, count++;
  if (count != held) fail(what, held, count);
  if (wrong) fail(what, wrong, 0);
}
static int64_t fill(int64_t *data, int64_t n, uint64_t seed, int turn) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) if ((owner_of(seed, i) + turn) % ranks == me) data[count++] = i;
  return count;
}

/* Checks that the memory of a committed template grows with the rank's own runs, not with all indices. */
static void held(uint64_t seed) {
  int64_t n = 200000 * (int64_t)ranks, own = 0;
  for (int64_t i = 0; i < n; i++) own += owner_of(seed, i) == me;
  for (int round = 0; round < 2; round++) { /* in the first round MPI allocates memory of its own */
    struct mallinfo2 before = mallinfo2();
    reblock_template *t = dealt(n, seed, 0, 0);
    struct mallinfo2 after = mallinfo2();
    long long grown = (long long)(after.uordblks + after.hblkhd) - (long long)(before.uordblks + before.hblkhd);
    if (round && grown > 16 * own + (1 << 18)) fail("bytes held", grown, 16 * own);
    reblock_template_free(&t);
  }
}

static void relabelled(uint64_t seed, int64_t n) {
  reblock_template *a = dealt(n, seed, 0, 0), *b = dealt(n, seed, 1, 1);
  reblock_map *from = mapped(a), *to = mapped(b), *now = NULL;
  int64_t *source = malloc(8 * (size_t)(n + 1)), *target = malloc(8 * (size_t)(n + 1)), count = 0;
  int64_t index[2] = {n / 2, n - 1}, rank[2], place[2];
  fill(source, n, seed, 0);
  for (int relabel = 0; relabel < 2; relabel++) {
    reblock_plan_options options;
    reblock_plan *plan = NULL;
    reblock_plan_info info = {0};
    MUST(reblock_plan_options_init(&options));
    options.relabel = relabel;
    MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, &options, &plan));
    MUST(reblock_plan_info_init(&info));
    MUST(reblock_plan_inquire(plan, &info));
    if (relabel && info.sent) fail("bytes sent", info.sent, 0);
    char json[4000];
    MUST(reblock_plan_explain(plan, json, sizeof json, NULL));
    if (ranks > 1 && !strstr(json, "\"traffic\":null")) fail("traffic that no rank knows is described", 1, 0);
    memset(target, -1, 8 * (size_t)(n + 1));
    MUST(reblock_plan_execute(plan, source, target));
    reblock_map *map = to;
    if (relabel) MUST(reblock_plan_target(plan, &now));
    if (now) map = now;
    MUST(reblock_map_elements(map, &count));
    check("moved", target, n, seed, !relabel, count);
    MUST(reblock_map_dereference(map, 2, index, rank, place));
    for (int k = 0; k < 2; k++) {
      int64_t want = (owner_of(seed, index[k]) + !relabel) % ranks, before = 0;
      for (int64_t i = 0; i < index[k]; i++) before += owner_of(seed, i) == owner_of(seed, index[k]);
      if (rank[k] != want) fail("dereferenced rank", rank[k], want);
      if (place[k] != before) fail("dereferenced place", place[k], before);
    }
    MUST(reblock_plan_free(&plan));
    reblock_map_free(&now);
  }
  free(source), free(target);
  reblock_map_free(&from), reblock_map_free(&to), reblock_template_free(&a), reblock_template_free(&b);
}

static void redistributed(uint64_t seed, int64_t n) {
  reblock_template *t = dealt(n, seed, 0, 0), *like[3] = {dealt(n, seed + 1, 0, 1), dealt(n, seed + 1, 0, 0), NULL};
  reblock_map *map = mapped(t), *other;
  reblock_array *a = NULL;
  void *data, *before = NULL;
  int64_t lower = 0, upper = n - 1, extent;
  MUST(reblock_template_create(procs, 1, &lower, &upper, &like[2]));
  MUST(reblock_template_dist_cyclic(like[2], 0, 0, 3));
  MUST(reblock_template_commit(like[2]));
  MUST(reblock_array_create(map, 8, &a));
  MUST(reblock_array_data(a, &data, &extent, NULL, NULL));
  fill(data, n, seed, 0);
  for (int k = 0; k < 2; k++) {
    MUST(reblock_template_redistribute(t, like[k], 0, NULL));
    MUST(reblock_array_data(a, &data, &extent, NULL, NULL));
    check("redistributed", data, n, seed + 1, 0, extent);
    /* A template with the same owners, passed by other ranks, moves nothing. */
    if (k && data != before) fail("an array that stays has moved", 1, 0);
    before = data;
  }
  other = mapped(like[2]);
  MUST(reblock_array_realign(a, other, 0));
  MUST(reblock_array_data(a, &data, &extent, NULL, NULL));
  for (int64_t k = 0; k < extent; k++)
    if (((int64_t *)data)[k] != (k / 3 * ranks + me) * 3 + k % 3) { fail("realigned", k, 0); break; }
  MUST(reblock_array_realign(a, map, 0));
  MUST(reblock_array_data(a, &data, &extent, NULL, NULL));
  check("realigned back", data, n, seed, 0, extent);
  MUST(reblock_array_free(&a));
  reblock_map_free(&map), reblock_map_free(&other), reblock_template_free(&t);
  for (int k = 0; k < 3; k++) reblock_template_free(&like[k]);
}

static void refused(uint64_t seed, int64_t n) {
  reblock_template *t = dealt(n, seed, 0, 0);
  reblock_map *map = mapped(t), *at = NULL;
  reblock_plan *plan = NULL;
  int64_t one = 1, rest = 5, rank, count, index = 0, outside = n, local;
  int32_t here;
  reblock_align align = {REBLOCK_COLLAPSED, 1, 0};
  expect("at one index", reblock_map_create(t, 1, &one, &one, &align, &rest, &at), REBLOCK_ERR_ARGUMENT);
  while (index < n - 1 && owner_of(seed, index) == me) index++;
  int own = owner_of(seed, index) == me;
  expect("owners", reblock_map_owners(map, &index, 1, &rank, &count), own ? REBLOCK_OK : REBLOCK_ERR_ARGUMENT);
  if (!own && !strstr(reblock_message(), "reblock_map_dereference")) fail("no way is named", 0, 1);
  MUST(reblock_map_local_index(map, &index, &local, &here));
  if (here != own) fail("here", here, own);
  /* One rank looks up an index that does not exist, makes a plan without its map, or passes NULL. */
  int bad = me == ranks - 1;
  expect("an index outside", reblock_map_dereference(map, 1, bad ? &outside : &index, &rank, &local), REBLOCK_ERR_ARGUMENT);
  expect("no indices", reblock_map_dereference(map, 1, bad ? NULL : &index, &rank, &local), REBLOCK_ERR_ARGUMENT);
  expect("-1 elements", reblock_map_dereference(map, bad ? -1 : 1, &index, &rank, &local), REBLOCK_ERR_ARGUMENT);
  if (ranks > 1) /* a rank alone looks for other ranks for two seconds */
    expect("no map", reblock_map_dereference(bad ? NULL : map, 1, &index, &rank, &local), REBLOCK_ERR_HANDLE);
  if (ranks > 1)
    expect("a part without its map", reblock_plan_create(MPI_COMM_WORLD, bad ? NULL : map, NULL, map, NULL, 8, NULL, &plan),
           REBLOCK_ERR_ARGUMENT);
  MUST(reblock_map_dereference(map, bad ? 0 : 1, &index, &rank, NULL));
  if (!bad && rank != owner_of(seed, index)) fail("dereferenced", rank, owner_of(seed, index));
  reblock_map_free(&map), reblock_template_free(&t);
}

static void large(int64_t n) {
  double start = MPI_Wtime();
  reblock_template *a = dealt(n, 1, 0, 0), *b;
  int64_t lower = 0, upper = n - 1, count = 0, wrong = 0;
  if (!me) printf("owners: committed in %.1f s\n", MPI_Wtime() - start);
  MUST(reblock_template_create(procs, 1, &lower, &upper, &b));
  MUST(reblock_template_dist_block(b, 0, 0, 0));
  MUST(reblock_template_commit(b));
  reblock_map *from = mapped(b), *to = mapped(a);
  reblock_plan *plan = NULL;
  MUST(reblock_map_elements(to, &count));
  /* Only a part moves, so that the lists of the plan fit in memory, too. */
  reblock_range section = {0, n - 1, n < 10000000 ? 1 : n / 5000000};
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, &section, to, &section, 4, NULL, &plan));
  if (!me) printf("owners: planned after %.1f s\n", MPI_Wtime() - start);
  int64_t block = (n + ranks - 1) / ranks, at = 0;
  int32_t *source = malloc(4 * (size_t)(block + 1)), *target = malloc(4 * (size_t)(count + 1));
  for (int64_t k = 0; k < block; k++) source[k] = (int32_t)(me * block + k);
  for (int64_t k = 0; k < count; k++) target[k] = -1;
  MUST(reblock_plan_execute(plan, source, target));
  for (int64_t i = 0; i < n; i++)
    if (owner_of(1, i) == me) wrong += target[at++] != (i % section.stride ? -1 : (int32_t)i);
  if (wrong || at != count) fail("moved", wrong, 0);
  if (!me) printf("owners: moved and checked after %.1f s\n", MPI_Wtime() - start);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  setenv("REBLOCK_OWNERS", "0", 0);
  int64_t shape = ranks;
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs));
  uint64_t seed = argc > 1 ? (uint64_t)atoll(argv[1]) : 1;
  if (argc > 2) large(atoll(argv[2]));
  else {
    held(seed);
    redistributed(seed, 20000 * (int64_t)ranks); /* arrays large enough to lie in memory of the node */
    for (int64_t n = 1; n < 3000; n = n * 7 + 3) relabelled(seed + (uint64_t)n, n), redistributed(seed, n), refused(seed, n);
  }
  MUST(reblock_procs_free(&procs));
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("owners: %d ranks, seed %llu: %s\n", ranks, (unsigned long long)seed, all ? "FAILED" : "all fine");
  MPI_Finalize();
  return all != 0;
}
