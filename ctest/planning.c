/* Tests that vectors of 10^9 elements are planned in every format, with plans whose memory does not depend on their
 * length. Compares the elements that each rank keeps, sends and receives with counts by the formats' definitions.
 * Moves no data.
 *
 *   mpirun -n RANKS planning */
#include "random.h"
#include "reblock.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { N = 1000000000, RUNS = 2000, BYTES = 8, MAX_KIB = 400 << 10 };
static int me, ranks, wrong;
static int64_t sizes[64], owners[RUNS], lengths[RUNS];

#define MUST(call) must(call, #call)
static void must(int32_t code, const char *call) {
  if (!code) return;
  fprintf(stderr, "planning: rank %d: %s: %s: %s\n", me, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

enum kind { BLOCK, BLOCK_M, CYCLIC, CYCLIC_K, GEN_BLOCK, INDIRECT, KINDS };
struct format { enum kind kind; int64_t block; const char *name; };
static const struct format formats[] = {
    {BLOCK, 0, "BLOCK"}, {BLOCK_M, 400000001, "BLOCK(400000001)"}, {CYCLIC, 1, "CYCLIC"}, {CYCLIC_K, 777, "CYCLIC(777)"},
    {CYCLIC_K, 1000, "CYCLIC(1000)"}, {GEN_BLOCK, 0, "GEN_BLOCK"}, {INDIRECT, 0, "INDIRECT"},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Draws the formats: blocks of unequal lengths, one of them 0, and runs of unequal lengths with irregular owners. */
static void deal(void) {
  int64_t left = N;
  uint64_t state = 12345;
  for (int r = ranks - 1; r >= 0; r--) left -= sizes[r] = r == 0 ? left : r == 1 && ranks > 2 ? 0 : left / 3;
  left = N;
  for (int k = 0; k < RUNS; k++) {
    owners[k] = within(&state, 0, ranks - 1);
    left -= lengths[k] = k == RUNS - 1 ? left : within(&state, 0, 2 * left / (RUNS - k) - 1);
  }
}

static reblock_map *mapped(reblock_procs *procs, const struct format *f) {
  int64_t lower = 0, upper = N - 1;
  reblock_template *template;
  reblock_map *map;
  MUST(reblock_template_create(procs, 1, &lower, &upper, &template));
  switch (f->kind) {
  case BLOCK: case BLOCK_M: MUST(reblock_template_dist_block(template, 0, 0, ranks > 2 ? f->block : 0)); break;
  case CYCLIC: case CYCLIC_K: MUST(reblock_template_dist_cyclic(template, 0, 0, f->block)); break;
  case GEN_BLOCK: MUST(reblock_template_dist_gen_block(template, 0, 0, ranks, sizes)); break;
  default: MUST(reblock_template_dist_indirect_runs(template, 0, 0, RUNS, owners, lengths));
  }
  MUST(reblock_template_commit(template));
  MUST(reblock_map_whole(template, &map));
  MUST(reblock_template_free(&template));
  return map;
}

/* Computes run k of this rank in a format, by definition: its first index and the index behind it. Returns 0 if there
 * is none. */
static int run_of(const struct format *f, int64_t k, int64_t *first, int64_t *end) {
  int64_t block = f->block;
  switch (f->kind) {
  case BLOCK: case BLOCK_M:
    if (k > 0) return 0;
    if (!block || ranks <= 2) block = (N + ranks - 1) / ranks;
    *first = me * block, *end = *first + block;
    break;
  case CYCLIC: case CYCLIC_K: *first = (k * ranks + me) * block, *end = *first + block; break;
  case GEN_BLOCK:
    if (k > 0) return 0;
    *first = 0;
    for (int r = 0; r < me; r++) *first += sizes[r];
    *end = *first + sizes[me];
    break;
  default: /* runs in list order; runs of other ranks are empty */
    if (k >= RUNS) return 0;
    static int64_t at, next;
    if (k == 0) at = next = 0;
    for (; next <= k; next++) *first = at, at += lengths[next];
    *end = owners[k] == me ? at : *first;
    return 1;
  }
  if (*end > N) *end = N;
  return *first < N;
}

/* Returns the number of indices below `end` that this rank has in a format. */
static int64_t below(const struct format *f, int64_t end) {
  int64_t cycle = f->block * ranks, first, behind, sum = 0;
  if (f->kind == CYCLIC || f->kind == CYCLIC_K) {
    int64_t rest = end % cycle - me * f->block;
    return end / cycle * f->block + (rest < 0 ? 0 : rest > f->block ? f->block : rest);
  }
  for (int64_t k = 0; run_of(f, k, &first, &behind) && first < end; k++) sum += (behind < end ? behind : end) - first;
  return sum;
}

/* Returns the elements that stay on this rank: takes the runs of the side with fewer runs and counts them on the other
 * side. */
static int64_t kept(const struct format *a, const struct format *b) {
  int swap = (a->kind == CYCLIC || a->kind == CYCLIC_K) && (b->kind != CYCLIC && b->kind != CYCLIC_K);
  if (a->block && b->block && a->block < b->block) swap = 1;
  const struct format *runs = swap ? b : a, *other = swap ? a : b;
  int64_t first, end, sum = 0;
  if (runs->kind == CYCLIC && other->kind == CYCLIC) return below(other, N);
  if (runs->kind == INDIRECT && other->kind == INDIRECT) return below(other, N);
  for (int64_t k = 0; run_of(runs, k, &first, &end); k++)
    if (first < end) sum += below(other, end) - below(other, first);
  return sum;
}

static void compare(reblock_map *from, reblock_map *to, const struct format *a, const struct format *b) {
  reblock_plan *plan;
  reblock_plan_info info;
  int64_t stay = kept(a, b) * BYTES, had = below(a, N) * BYTES, gets = below(b, N) * BYTES, count[2];
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, BYTES, NULL, &plan));
  MUST(reblock_plan_info_init(&info));
  MUST(reblock_plan_inquire(plan, &info));
  MUST(reblock_map_elements(from, &count[0]));
  MUST(reblock_map_elements(to, &count[1]));
  if (info.kept != stay || info.sent != had - stay || info.received != gets - stay || count[0] * BYTES != had ||
      count[1] * BYTES != gets) {
    fprintf(stderr, "planning: rank %d: %s to %s: keeps %lld bytes, sends %lld and receives %lld, expected %lld, %lld and %lld\n",
            me, a->name, b->name, (long long)info.kept, (long long)info.sent, (long long)info.received, (long long)stay,
            (long long)(had - stay), (long long)(gets - stay));
    wrong++;
  }
  MUST(reblock_plan_free(&plan));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  deal();
  int64_t shape = ranks;
  reblock_procs *procs;
  reblock_map *maps[FORMATS];
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs));
  for (int f = 0; f < FORMATS; f++) maps[f] = mapped(procs, &formats[f]);
  double start = MPI_Wtime();
  for (int a = 0; a < FORMATS; a++)
    for (int b = 0; b < FORMATS; b++) compare(maps[a], maps[b], &formats[a], &formats[b]);
  for (int f = 0; f < FORMATS; f++) MUST(reblock_map_free(&maps[f]));
  MUST(reblock_procs_free(&procs));
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  if (used.ru_maxrss > MAX_KIB) wrong++, fprintf(stderr, "planning: rank %d took %ld KiB\n", me, used.ru_maxrss);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me)
    printf("planning: %d plans of 10^9 elements in %.1f s, %ld MiB, %d wrong\n", FORMATS * FORMATS, MPI_Wtime() - start,
           used.ru_maxrss >> 10, wrong);
  MPI_Finalize();
  return wrong != 0;
}
