/* Tests calls that fail on one rank after other ranks have sent their data. Nothing may be written, all ranks must
 * return the same code and text, and the next calls must receive their own data, on the same plan and on another
 * communicator. The sequences of calls are random: some ranks are late, and calls are made one at a time or several at
 * once.
 *
 *   mpirun -n RANKS ahead ROUNDS [SEED] */
#define _GNU_SOURCE
#include "reblock.h"
#include "random.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PLANS = 3, COMMS = 2, MAX_CALLS = 3, EMPTY = -7 };
enum mishap { NONE, NO_SOURCE, OTHER_PLAN, OTHER_CALL, NO_PLAN, BAD_UPDATE, OVERLAP, MISHAPS };
static int64_t lengths[PLANS] = {50, 3000, 60000};
static int me, ranks, wrong, turn;
static uint64_t seed, state;
#define SEED ((unsigned long long)seed)

/* Draws a number from 0 to n - 1, equal on all ranks. */
static int below(int n) { return (int)within(&state, 0, n - 1); }

static void expect(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "ahead: rank %d, seed %llu, turn %d: not %s (%s)\n", me, SEED, turn, what, reblock_message());
  wrong++;
}
#define MUST(call) must(call, #call)
static void must(int code, const char *call) {
  if (!code) return;
  fprintf(stderr, "ahead: rank %d, seed %llu, turn %d: %s: %s: %s\n", me, SEED, turn, call, reblock_code_name(code),
          reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A vector with a block-cyclic distribution, three elements at a time. */
struct vector {
  MPI_Comm comm;
  int rank;
  int64_t length, sources, targets;
  reblock_map *from, *to;
  reblock_plan *plan;
};
static struct vector vectors[COMMS][PLANS];

static void make(struct vector *v, MPI_Comm comm, int64_t length) {
  int64_t procs = ranks, three = 3;
  v->comm = comm, v->length = length;
  MPI_Comm_rank(comm, &v->rank);
  MUST(reblock_map_block_cyclic(comm, 1, &length, &procs, NULL, &v->from));
  MUST(reblock_map_block_cyclic(comm, 1, &length, &procs, &three, &v->to));
  MUST(reblock_map_elements(v->from, &v->sources));
  MUST(reblock_map_elements(v->to, &v->targets));
  MUST(reblock_plan_create(comm, v->from, NULL, v->to, NULL, sizeof(int64_t), NULL, &v->plan));
}

/* The values at a place of the source and of the target. */
static int64_t sent(const struct vector *v, int64_t place, int salt) {
  return ((v->length + ranks - 1) / ranks * v->rank + place) * 1000 + salt;
}
static int64_t moved(const struct vector *v, int64_t place, int salt) {
  return ((place / 3 * ranks + v->rank) * 3 + place % 3) * 1000 + salt;
}

/* A call that moves one array. */
struct call {
  const struct vector *v, *other;
  enum mishap mishap;
  int salt, code;
  char text[300];
  int64_t *source, *target;
  reblock_request *request;
};

static void fill(struct call *c) {
  // Room for the longest plan.
  c->source = malloc(sizeof *c->source * (size_t)lengths[PLANS - 1]);
  c->target = malloc(sizeof *c->target * (size_t)lengths[PLANS - 1]);
  for (int64_t k = 0; k < c->v->sources; k++) c->source[k] = sent(c->v, k, c->salt);
  for (int64_t k = 0; k < lengths[PLANS - 1]; k++) c->target[k] = EMPTY;
}

/* Makes the call on this rank, blocking or by a request. `mine`: the mishap is on this rank. */
static void begin(struct call *c, int mine, int at_once) {
  reblock_plan *plan = c->v->plan;
  const int64_t *source = c->source;
  enum mishap mishap = mine ? c->mishap : NONE;
  reblock_update update;
  MUST(reblock_update_init(&update));
  update.type = REBLOCK_FLOAT;
  if (mishap == NO_SOURCE) source = NULL;
  if (mishap == OVERLAP) source = c->target;
  if (mishap == OTHER_PLAN) plan = c->other->plan;
  if (mishap == NO_PLAN) plan = NULL;
  if (mishap == OTHER_CALL) {
    reblock_plan *made = NULL;
    c->code = reblock_plan_create(c->v->comm, c->v->from, NULL, c->v->to, NULL, sizeof(int64_t), NULL, &made);
    expect(c->code && !made, "an error of a call that others do not make");
  } else if (mishap == BAD_UPDATE) {
    c->code = at_once ? reblock_plan_update(plan, source, c->target, &update)
                      : reblock_plan_start_update(plan, source, c->target, &update, &c->request);
  } else {
    c->code = at_once ? reblock_plan_execute(plan, source, c->target) : reblock_plan_start(plan, source, c->target, &c->request);
  }
  snprintf(c->text, sizeof c->text, "%s", c->code ? reblock_message() : "");
}

static void end(struct call *c) {
  if (!c->request) return;
  c->code = reblock_request_wait(&c->request);
  snprintf(c->text, sizeof c->text, "%s", c->code ? reblock_message() : "");
}

/* Checks that all ranks have the same code and text and that the target is right. */
static void check(struct call *c) {
  static const int codes[] = {REBLOCK_OK,         REBLOCK_ERR_ARGUMENT, REBLOCK_ERR_DIFFERS, REBLOCK_ERR_DIFFERS,
                              REBLOCK_ERR_HANDLE, REBLOCK_ERR_ARGUMENT, REBLOCK_ERR_OVERLAP};
  int64_t bad = 0;
  if (c->code != codes[c->mishap]) fprintf(stderr, "ahead: mishap %d, code %d: %s\n", c->mishap, c->code, c->text), wrong++;
  for (int64_t k = 0; k < c->v->targets; k++)
    bad += c->target[k] != (c->mishap ? EMPTY : moved(c->v, k, c->salt));
  for (int64_t k = c->v->targets; k < lengths[PLANS - 1]; k++) bad += c->target[k] != EMPTY;
  expect(!bad, c->mishap ? "an untouched target" : "the right values");
  for (int64_t k = 0; k < c->v->sources; k++) bad += c->source[k] != sent(c->v, k, c->salt);
  expect(!bad, "an untouched source");
  // The failing rank's own text does not name the rank.
  char *text = strncmp(c->text, "rank ", 5) || !strchr(c->text, ':') || c->code == REBLOCK_ERR_DIFFERS ? c->text : strchr(c->text, ':') + 2;
  char first[sizeof c->text];
  snprintf(first, sizeof first, "%s", text);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  expect(!strcmp(first, text), "one text on all ranks");
  free(c->source), free(c->target);
}

/* Makes a random number of calls, the same on all ranks. */
static void sequence(void) {
  struct call calls[MAX_CALLS];
  int count = 1 + below(MAX_CALLS), at_once = below(2), late = below(2 * ranks), backwards = below(2);
  for (int k = 0; k < count; k++) {
    int comm = below(COMMS), p = below(PLANS), victim = below(ranks), mishap = below(2) ? NONE : below(MISHAPS);
    const struct vector *v = &vectors[comm][p];
    // A rank without a plan joins the call in which the other ranks wait, which must be this call and not a later one.
    if (mishap == NO_PLAN && !at_once && k < count - 1) mishap = NONE;
    if (ranks == 1 && (mishap == OTHER_PLAN || mishap == OTHER_CALL || mishap == OVERLAP)) mishap = NONE;
    calls[k] = (struct call){.v = v, .other = &vectors[comm][(p + 1) % PLANS], .mishap = (enum mishap)mishap, .salt = below(1000)};
    fill(&calls[k]);
    if (me == late) usleep(300);
    begin(&calls[k], me == victim, at_once);
  }
  for (int k = 0; k < count; k++) end(&calls[backwards && me % 2 ? count - 1 - k : k]);
  for (int k = 0; k < count; k++) check(&calls[k]);
}

int main(int argc, char **argv) {
  MPI_Comm comms[COMMS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  alarm(120);
  int rounds = argc > 1 ? atoi(argv[1]) : 100;
  seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  state = stream(seed);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comms[1]);
  // Each rank needs different elements on the two sides. Otherwise some mishaps would be valid calls: a rank that reads
  // nothing may pass NULL.
  if (lengths[0] < 5 * ranks) lengths[0] = 5 * ranks;
  for (int c = 0; c < COMMS; c++)
    for (int p = 0; p < PLANS; p++) make(&vectors[c][p], comms[c], lengths[p]);
  for (turn = 0; turn < rounds; turn++) sequence();
  for (int c = 0; c < COMMS; c++) {
    for (int p = 0; p < PLANS; p++) {
      MUST(reblock_plan_free(&vectors[c][p].plan));
      MUST(reblock_map_free(&vectors[c][p].from));
      MUST(reblock_map_free(&vectors[c][p].to));
    }
    MPI_Comm_free(&comms[c]);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("ahead: %d ranks, %d rounds, seed %llu, %d wrong\n", ranks, rounds, SEED, wrong);
  MPI_Finalize();
  return wrong != 0;
}
