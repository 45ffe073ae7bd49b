/* Tests that each option of a job has its effect. */
#include "data.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void blacs_gridinfo_(const int *, int *, int *, int *, int *);

/* Checks that every storage of the job, including the storage that the program registers, comes from the job's
 * allocator and is returned to it. */
static void balanced(const char *what) {
  int64_t held = (a != NULL) + (b != NULL) + (c != NULL) + (d != NULL);
  if (blocks != held) fail(what, blocks - held);
}

static void resized(int32_t code, const int32_t *state, int ranks, const char *what) {
  must(code, what);
  balanced(what);
  if (*state == REBLOCK_JOB_LEAVE) return;
  if (*state != REBLOCK_JOB_RESIZED || working() != ranks) fail(what, working());
  everything(1);
  if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Checks which sizes of 1 to 6 the job can reach. */
static void reaches(const char *sizes) {
  for (int ranks = 1; ranks <= 6; ranks++) {
    int32_t code = reblock_job_can_resize(job, ranks);
    if (code != (sizes[ranks - 1] == '1' ? REBLOCK_OK : REBLOCK_ERR_STATE)) fail("a size that can or cannot be reached", ranks);
  }
}

/* Two ranks per spawn call, and no parking: from 1 rank to 5 by two calls, whose processes leave together. A new
 * process receives the round of the other ranks, and begins with it. */
void options(int32_t *state) {
  static const char *rests = "expected 1 or 3 or 5, or more than 5";
  int32_t joined, code;
  must(reblock_job_joined(job, &joined), "joined");
  if (!joined) value.round = 1, everything(0), reaches("111111"), resized(reblock_job_expand(job, 5, state), state, 5, "1 to 5");
  else resized(REBLOCK_OK, (int32_t[]){REBLOCK_JOB_RESIZED}, 5, "what has come");
  reaches("101011");
  code = reblock_job_shrink(job, 4, state);
  if (code != REBLOCK_ERR_STATE || !strstr(reblock_message(), rests)) fail("half of a spawn call leaves", code);
  if (*state != REBLOCK_JOB_SAME || working() != 5) fail("a refused size changes something", working());
  everything(1);
  resized(reblock_job_shrink(job, 3, state), state, 3, "5 to 3");
  if (*state == REBLOCK_JOB_LEAVE) return;
  reaches("101111");
  resized(reblock_job_shrink(job, 1, state), state, 1, "3 to 1");
}

/* Tests an array on one process, by an arrangement without axes, which moves with the job. */
static void on_one(reblock_job *own, int64_t **data) {
  int64_t lower = 0, upper = 6, room;
  MPI_Comm comm;
  reblock_procs *procs = NULL;
  reblock_template *template = NULL;
  reblock_map *map = NULL;
  must(reblock_job_get_comm(own, &comm), "comm");
  must(reblock_procs_create(comm, 0, NULL, NULL, &procs), "an arrangement without axes");
  must(reblock_template_create(procs, 1, &lower, &upper, &template), "template");
  must(reblock_template_commit(template), "commit"), must(reblock_map_whole(template, &map), "map");
  must(reblock_map_elements(map, &room), "elements");
  *data = room ? malloc(sizeof **data * (size_t)room) : NULL;
  for (int64_t k = 0; k < room; k++) (*data)[k] = k;
  must(reblock_job_add_array(own, map, sizeof **data, (void **)data), "an array that one process has");
  reblock_map_free(&map), reblock_template_free(&template), reblock_procs_free(&procs);
}

void skewed(void) {
  enum { SIZE = 240, BLOCK = 2 };
  for (int skew = 0; skew <= 2; skew += 2) {
    int rows, cols, row, col, context, count, desc[9], want[2] = {skew ? 3 : 2, skew ? 2 : 3};
    int32_t state;
    int64_t *data, *one;
    reblock_job_options given;
    reblock_job *own;
    must(reblock_job_options_init(&given), "options");
    given.park = 1, given.skew = skew;
    must(reblock_job_init(MPI_COMM_WORLD, &given, &own), "init");
    must(reblock_job_get_blacs(own, 0, 0, &context), "blacs");
    descriptor(desc, SIZE, SIZE, BLOCK, BLOCK, 0, 0, context, &count);
    data = calloc(count, sizeof *data);
    must(reblock_job_add_matrix(own, desc, sizeof *data, (void **)&data), "matrix");
    on_one(own, &one);
    must(reblock_job_shrink(own, 4, &state), "6 to 4");
    /* Parked ranks return together with all others. */
    MPI_Comm comm;
    int ranks;
    must(reblock_job_get_comm(own, &comm), "comm");
    MPI_Comm_size(comm, &ranks);
    if (ranks == 4) must(reblock_job_expand(own, 6, &state), "4 to 6");
    must(reblock_job_get_blacs(own, 0, 0, &context), "blacs");
    blacs_gridinfo_(&context, &rows, &cols, &row, &col);
    if (rows != want[0] || cols != want[1] || desc[1] != context) fail("the option skew gives another grid", rows);
    must(reblock_job_finalize(&own), "finalize");
    for (int64_t k = 0; one && k < 7; k++)
      if (one[k] != k) fail("an array that one process has", k);
    free(data), free(one);
  }
}

static int32_t begun(int me, int ranks, const char *what, int32_t want, void change(reblock_job_options *)) {
  reblock_job_options given;
  reblock_job *none = NULL;
  must(reblock_job_options_init(&given), "options");
  if (me == ranks - 1) change(&given);
  int32_t code = reblock_job_init(MPI_COMM_WORLD, &given, &none);
  if (code != want || none) fail(what, code);
  return code;
}

static void smaller(reblock_job_options *given) { given->size--; }
static void larger(reblock_job_options *given) { given->size += 8; }
static void newer(reblock_job_options *given) { given->version++; }
static void no_unit(reblock_job_options *given) { given->unit = -1; }
static void wide_unit(reblock_job_options *given) { given->unit = 1ll << 33; }
static void no_skew(reblock_job_options *given) { given->skew = -1; }
static void no_program(reblock_job_options *given) { given->command = "/nowhere/a-program"; }
static void no_release(reblock_job_options *given) { given->allocate = allocate; }
static void other_unit(reblock_job_options *given) { given->unit = 3; }
static void parks(reblock_job_options *given) { given->park = 1; }
static void skews(reblock_job_options *given) { given->skew = 3; }
static void *takes(int64_t bytes, void *context) {
  (void)context;
  return malloc(bytes);
}

void misfits(int me, int ranks) {
  int32_t bad = REBLOCK_ERR_ARGUMENT;
  allocate = takes;
  begun(me, ranks, "options that are too short on one rank", bad, smaller);
  begun(me, ranks, "options that are too long on one rank", bad, larger);
  begun(me, ranks, "options of another version on one rank", bad, newer);
  begun(me, ranks, "a negative unit on one rank", bad, no_unit);
  begun(me, ranks, "a unit of more than 32 bits on one rank", bad, wide_unit);
  begun(me, ranks, "a negative skew on one rank", bad, no_skew);
  begun(me, ranks, "a command that is not there on one rank", bad, no_program);
  begun(me, ranks, "allocate without release on one rank", bad, no_release);
  begun(me, ranks, "another unit on one rank", REBLOCK_ERR_DIFFERS, other_unit);
  begun(me, ranks, "park on one rank only", REBLOCK_ERR_DIFFERS, parks);
  begun(me, ranks, "skew on one rank only", REBLOCK_ERR_DIFFERS, skews);
  allocate = NULL;
}

/* Settings are read once, so a program has only this job. */
int settings(int me, int ranks) {
  if (me == ranks - 1) setenv("REBLOCK_RESIZE", "\xff", 1);
  int32_t code = reblock_job_init(MPI_COMM_WORLD, NULL, &job);
  if (code != REBLOCK_ERR_SETTINGS || job) fail("REBLOCK_RESIZE that is not UTF-8 on one rank", code);
  return wrong;
}
