/* Tests updates beyond plain messages: through intermediate arrays, in place, without a source, in a batch with
 * copies, and with repeated combinations; and the errors of a plan that combines copies.
 *
 *   mpirun -n RANKS updates */
#define N 5040
#include "vector.h"

static int64_t old[N];
static reblock_update update;

/* Returns the number of elements of this rank, in blocks of `block` dealt out cyclically; `index` receives their
 * indices from 0. */
static int64_t own(int64_t block, int64_t *index) {
  int64_t count = 0;
  for (int64_t i = 0; i < N; i++)
    if (i / blocks_of(block) % ranks == me) index[count++] = i;
  return count;
}

static void expect(int holds, const char *what) {
  if (!holds) fprintf(stderr, "updates: rank %d: %s\n", me, what), wrong++;
}

static void prepare(const struct moved *m) {
  static int64_t index[N];
  int64_t count = own(m->from_block, index);
  for (int64_t k = 0; k < count; k++) source[k] = index[k] * index[k] - 70;
  for (int64_t k = 0; k < N; k++) old[k] = target[k] = 5 * k - 9 * me;
}

/* Checks that the target is alpha times the source plus beta times its old value. */
static int is_updated(const struct moved *m, int64_t alpha, int64_t beta) {
  static int64_t index[N];
  int64_t count = own(m->to_block, index), bad = 0;
  for (int64_t k = 0; k < N; k++)
    bad += target[k] != (k < count ? alpha * (index[k] * index[k] - 70) + beta * old[k] : old[k]);
  return !bad;
}

static void set(int64_t alpha, int64_t beta) {
  static int64_t factors[2];
  factors[0] = alpha, factors[1] = beta;
  MUST(reblock_update_init(&update));
  update.type = REBLOCK_INT64, update.alpha = &factors[0], update.beta = &factors[1];
}

/* Tests a schedule of several phases, which has intermediate arrays: only the last write is an update. */
static void through_phases(void) {
  static char json[4096];
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  options.scheduler = "multiphase", options.buffer = 64 << 20;
  for (int copies = 0; copies < 2; copies++) {
    options.copies = copies;
    struct moved m = make(MPI_COMM_WORLD, 1, 60, &options);
    MUST(reblock_plan_explain(m.plan, json, sizeof json, NULL));
    expect(!strstr(json, "\"phases\":1,"), "multiphase has one phase");
    for (int times = 0; times < 3; times++) {
      prepare(&m), set(3 + times, 4);
      MUST(reblock_plan_update(m.plan, source, target, &update));
      expect(is_updated(&m, 3 + times, 4), "phases: not alpha A + beta B");
      prepare(&m), set(0, 7);
      MUST(reblock_plan_update(m.plan, NULL, target, &update));
      expect(is_updated(&m, 0, 7), "phases without a source: not beta B");
    }
    release(&m);
  }
}

/* Tests a copy, an update, and an update that reads no source, in one call. */
static void in_a_batch(void) {
  static int64_t more[2][N];
  struct moved m = make(MPI_COMM_WORLD, 7, 0, NULL);
  reblock_plan *plans[3] = {m.plan, m.plan, m.plan};
  int64_t minus = -1, zero = 0;
  reblock_update nothing, subtracted;
  MUST(reblock_update_init(&nothing)), MUST(reblock_update_init(&subtracted));
  nothing.type = subtracted.type = REBLOCK_INT64;
  nothing.alpha = nothing.beta = &zero;
  subtracted.alpha = NULL, subtracted.beta = &minus;
  const reblock_update *updates[3] = {NULL, &subtracted, &nothing};
  const void *sources[3] = {source, source, NULL};
  void *targets[3] = {target, more[0], more[1]};
  prepare(&m);
  memcpy(more[0], target, sizeof target), memcpy(more[1], target, sizeof target);
  MUST(reblock_plan_update_many(3, plans, sources, targets, updates));
  expect(is_updated(&m, 1, 0), "the copy of a batch");
  memcpy(target, more[0], sizeof target);
  expect(is_updated(&m, 1, -1), "the second of a batch");
  memcpy(target, more[1], sizeof target);
  expect(is_updated(&m, 0, 0), "the third of a batch");
  MUST(reblock_plan_update_many(0, NULL, NULL, NULL, NULL));
  release(&m);
}

/* Tests updates in place: if every element keeps its place, source and target may be one array; otherwise this is an
 * error. */
static void in_place(void) {
  struct moved m = make(MPI_COMM_WORLD, 3, 3, NULL), other = make(MPI_COMM_WORLD, 3, 4, NULL);
  static int64_t index[N];
  int64_t count = own(3, index), bad = 0;
  prepare(&m), set(2, 5);
  MUST(reblock_plan_update(m.plan, target, target, &update));
  for (int64_t k = 0; k < N; k++) bad += target[k] != (k < count ? 7 * old[k] : old[k]);
  expect(!bad, "in place: not (alpha + beta) B");
  prepare(&m);
  if (ranks > 1) {
    wants(reblock_plan_update(other.plan, target, target, &update), REBLOCK_ERR_OVERLAP, "overlap", "in place, though elements move");
    expect(!memcmp(target, old, sizeof old), "something is written in spite of an error");
  }
  /* A source that is not read may be the target. */
  set(0, 3);
  MUST(reblock_plan_update(other.plan, target, target, &update));
  expect(is_updated(&other, 0, 3), "in place without a source: not beta B");
  release(&m), release(&other);
}

/* Tests a plan that combines copies, which needs an update in each execution, even with a single copy. */
static void of_copies(void) {
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  options.copies = 1;
  struct moved m = make(MPI_COMM_WORLD, 2, 0, &options);
  reblock_plan *reverse;
  reblock_request *request;
  prepare(&m);
  wants(reblock_plan_execute(m.plan, source, target), REBLOCK_ERR_ARGUMENT, "combines the copies", "copies without an update");
  MUST(reblock_plan_start(m.plan, source, target, &request));
  wants(reblock_request_wait(&request), REBLOCK_ERR_ARGUMENT, "combines the copies", "copies without an update, started");
  expect(!memcmp(target, old, sizeof old), "something is written in spite of an error");
  set(1, 0);
  MUST(reblock_plan_update(m.plan, source, target, &update));
  expect(is_updated(&m, 1, 0), "the sum of one copy");
  /* The reverse plan is a copy. */
  MUST(reblock_plan_reverse(m.plan, &reverse));
  memcpy(old, source, sizeof source);
  memset(source, 0, sizeof source);
  MUST(reblock_plan_execute(reverse, target, source));
  static int64_t index[N];
  int64_t count = own(2, index);
  expect(!memcmp(source, old, sizeof *source * (size_t)count), "the way back of a plan that combines copies");
  MUST(reblock_plan_free(&reverse));
  release(&m);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1) through_phases();
  in_a_batch();
  in_place();
  of_copies();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("updates: %d ranks, %d wrong\n", ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
