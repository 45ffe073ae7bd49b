/* Tests every policy on 4 ranks, some of them parked: checks the job's size at each resize point. The round is a value
 * of the job, so that ranks that come back continue with the others. */
#include "data.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char file[200], text[220];
static int me, ranks;
static double expected;

/* Replaces a file by one with that text, as a resource manager does. */
static void put(const char *words) {
  char beside[220];
  snprintf(beside, sizeof beside, "%s.new", file);
  FILE *out = fopen(beside, "w");
  if (!out || fputs(words, out) < 0 || fclose(out) || rename(beside, file)) fail("a file cannot be written", 0);
}

static void list(void) { must(reblock_job_set_policy_text(job, "3,1,4"), "a list"); }
static void no_file(void) { must(reblock_job_set_policy_text(job, text), "a file"); }
static void three(void) { put("3\n"); }
static void rubbish(void) { put("as many\nas there are\n"); }
static void too_many(void) { put("2147483648"); }
static void two(void) { put(" 2 "); }
static void folder(void) { if (unlink(file) || mkdir(file, 0700)) fail("no folder", 0); }
static void gone(void) { if (rmdir(file)) fail("no folder to remove", 0); }
static void four(void) { put("4"); }
static void sweet(void) { unlink(file), must(reblock_job_set_policy_text(job, "sweet:1,2,4:0.2"), "sweet spot"); }
static void at_one(void) { must(reblock_job_set_policy_text(job, "1"), "a list"); }
static void none(void) { must(reblock_job_set_policy_text(job, ""), "no policy"); }

/* A policy that returns the answer in its context. */
static int64_t answers(void *context, int64_t now, double seconds) {
  if (now != ranks || seconds < expected * (1 - 1e-6) || seconds > expected * (1 + 1e-6)) fail("a policy gets wrong arguments", now);
  return *(int64_t *)context;
}
static int64_t answer[] = {3, 0, -1, 1ll << 32, 4};
#define ANSWERS(name, k) static void name(void) { must(reblock_job_set_policy(job, answers, &answer[k]), "a function"); }
ANSWERS(asks_three, 0) ANSWERS(asks_none, 1) ANSWERS(asks_less, 2) ANSWERS(asks_more, 3) ANSWERS(asks_four, 4)

/* The action before a resize point, if any, and the number of ranks after it. The first policy is that of
 * REBLOCK_RESIZE. */
static const struct { void (*before)(void); int after; } rounds[] = {
  {NULL, 2}, {NULL, 4}, {NULL, 4}, {list, 3}, {NULL, 1}, {NULL, 4}, {NULL, 4},
  {no_file, 4}, {three, 3}, {NULL, 3}, {rubbish, 3}, {NULL, 3}, {two, 2}, {too_many, 2}, {two, 2}, {folder, 2}, {gone, 2}, {four, 4},
  {at_one, 1}, {sweet, 2}, {NULL, 4}, {NULL, 2}, {NULL, 2}, {NULL, 2},
  {asks_three, 3}, {asks_none, 3}, {asks_less, 3}, {asks_more, 3}, {asks_four, 4}, {none, 4},
};

/* Returns the seconds of an iteration, in which more than two ranks give no speed-up. */
static double slowest(void) { return 1.0 / (ranks > 2 ? 2 : ranks); }

/* A policy that waits for a request in which the ranks at the resize point take part. */
static reblock_request *request;
static int64_t waits(void *context, int64_t now, double seconds) {
  (void)context, (void)now, (void)seconds;
  must(reblock_request_wait(&request), "a request, in a policy");
  return 0;
}

static void waited_for(void) {
  static const char *const formats[] = {"(BLOCK)", "(CYCLIC)"};
  int32_t state = REBLOCK_JOB_LEAVE;
  int64_t extent = 1 << 20, *data[2], elements;
  MPI_Comm comm;
  reblock_map *maps[2];
  reblock_plan *plan = NULL;
  must(reblock_job_get_comm(job, &comm), "comm");
  for (int k = 0; k < 2; k++) {
    must(reblock_map_from_text(comm, 1, &extent, formats[k], &maps[k]), "a map"), must(reblock_map_elements(maps[k], &elements), "elements");
    data[k] = calloc((size_t)elements + 1, sizeof **data);
  }
  must(reblock_plan_create(comm, maps[0], NULL, maps[1], NULL, sizeof **data, NULL, &plan), "a plan");
  must(reblock_plan_start(plan, data[0], data[1], &request), "start");
  if (me == 0) must(reblock_job_set_policy(job, waits, NULL), "a policy that waits");
  must(reblock_job_step(job, &state), "a step in which a policy waits");
  if (state != REBLOCK_JOB_SAME) fail("a policy that waits", state);
  if (request) must(reblock_request_wait(&request), "wait");
  for (int k = 0; k < 2; k++) reblock_map_free(&maps[k]), free(data[k]);
  reblock_plan_free(&plan);
  none();
}

void policies(const char *folder_) {
  int32_t state;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  snprintf(file, sizeof file, "%s/size", folder_), snprintf(text, sizeof text, "file:%s", file);
  if (me == 0) unlink(file), rmdir(file);
  while (value.round < (int64_t)(sizeof rounds / sizeof *rounds)) {
    ranks = working();
    /* Only rank 0's policy is called. */
    if (me == 0 && rounds[value.round].before) rounds[value.round].before();
    /* Report two iterations. The last rank is the slowest. */
    expected = slowest();
    for (int k = 0; k < 2; k++) must(reblock_job_set_seconds(job, (k ? 1.5 : 0.5) * expected * (me == ranks - 1 ? 1 : 0.1)), "log");
    value.round++;
    everything(0);
    must(reblock_job_step(job, &state), "step");
    if (working() != rounds[value.round - 1].after) fail("a policy leads to another size", working());
    if (state == REBLOCK_JOB_SAME && working() != ranks) fail("a resize is not reported", ranks);
    everything(1);
    if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  waited_for();
}
