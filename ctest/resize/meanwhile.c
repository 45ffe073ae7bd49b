/* Tests constant arrays that move while the program continues: each iteration writes the other arrays and compares all
 * arrays. */
#include "data.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int32_t state_error = REBLOCK_ERR_STATE;

void choose(int64_t constant) {
  for (int k = 0; k < 4; k++)
    if ((constant ^ value.constant) >> k & 1) must(reblock_job_set_constant(job, k, constant >> k & 1), "constant");
  value.constant = constant;
}

/* Makes calls that are not allowed during a resize. They must fail and change nothing. */
static void refused(void) {
  int32_t state;
  static int64_t number;
  if (reblock_job_add_value(job, &number, sizeof number) != state_error) fail("a value is registered while arrays move", 0);
  if (reblock_job_set_constant(job, 0, 1) != state_error) fail("an array is constant while arrays move", 0);
  if (reblock_job_can_resize(job, working() + 1) != state_error) fail("a size is asked for while arrays move", 0);
  if (reblock_job_expand(job, working() + 1, &state) != state_error || !strstr(reblock_message(), "reblock_job_step"))
    fail("a resize begins while arrays move", state);
}

/* Changes a descriptor until a resize point has seen it; returns whether the resize was cancelled. */
static int called_off(int32_t *state) {
  int rows = desc_b[2];
  desc_b[2] = rows - 1;
  int32_t code = reblock_job_step(job, state);
  desc_b[2] = rows;
  if (!code && *state != REBLOCK_JOB_MOVING) fail("a resize with another descriptor than at its begin", *state);
  if (code && (code != state_error || !strstr(reblock_message(), "have changed"))) fail("a descriptor that changes", code);
  return code != 0;
}

static int ranks_of_world(void) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

int meanwhile(int64_t rounds, int64_t most, int print) {
  int32_t state = REBLOCK_JOB_RESIZED;
  int moved = 0, meanwhile = 0, off = 0;
  must(reblock_job_set_policy(job, any_size, &most), "policy");
  if (reblock_job_set_constant(job, 4, 1) != REBLOCK_ERR_ARGUMENT) fail("a value is constant", 4);
  for (;;) {
    int was = state, before;
    everything(1);
    if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
    if (was == REBLOCK_JOB_MOVING) usleep(1000);
    else if (value.points++ == rounds) break;
    value.round++;
    if (was != REBLOCK_JOB_MOVING) choose(of(1, 2, 8) & 15);
    some(was == REBLOCK_JOB_MOVING ? ~value.constant : 15);
    before = working();
    if (was == REBLOCK_JOB_MOVING && value.round % 3 == 0) refused();
    if (was == REBLOCK_JOB_MOVING && of(3, 4, 8) % 4 == 0) {
      off += called_off(&state);
      continue;
    }
    must(reblock_job_step(job, &state), "step");
    if (state == REBLOCK_JOB_LEAVE) return 0;
    if (state == REBLOCK_JOB_MOVING && working() != before) fail("ranks change while arrays move", working());
    if (state != REBLOCK_JOB_RESIZED) continue;
    moved++, meanwhile += was == REBLOCK_JOB_MOVING;
    /* Check on the first rank only, since other ranks may have been parked. */
    if (print && (was == REBLOCK_JOB_MOVING) != !!value.constant) fail("constant arrays move at once, or others meanwhile", was);
  }
  /* If the job ends during a resize, the resize has no effect. */
  if (state != REBLOCK_JOB_MOVING) {
    int first = ranks_of_world(), now = working();
    choose(15);
    must(reblock_job_set_policy_text(job, ""), "no policy");
    if (now < most) must(reblock_job_expand(job, most, &state), "the last expand");
    else if (now > 1) must(reblock_job_shrink(job, 1, &state), "the last shrink");
    if (first > 1 && state != REBLOCK_JOB_MOVING) fail("the last resize is not under way", state);
  }
  everything(1);
  if (print) printf("resize: %d resizes, %d of them while the program went on, %d called off\n", moved, meanwhile, off);
  return 1;
}

/* Makes steps until the resize is over; returns its result. */
static int32_t over(int32_t code, int32_t *state) {
  while (!code && *state == REBLOCK_JOB_MOVING) {
    value.round++, some(~value.constant);
    code = reblock_job_step(job, state);
  }
  everything(1);
  return code;
}

void refused_meanwhile(int me, int ranks) {
  int32_t state, code;
  choose(5);
  refusals = me == ranks - 1 ? 0 : me == 0;
  code = over(reblock_job_shrink(job, ranks - 1, &state), &state);
  if (code != REBLOCK_ERR_MEMORY || working() != ranks) fail("rank 0 has no storage", code);
  refusals = me == ranks - 1;
  code = over(reblock_job_shrink(job, ranks - 1, &state), &state);
  /* The last rank stays in this shrink until all ranks are back. */
  if (me < ranks - 1) {
    if (code || working() != ranks - 1) fail("a shrink while the program goes on", code);
    code = over(reblock_job_expand(job, ranks, &state), &state);
    if (code != REBLOCK_ERR_MEMORY || working() != ranks - 1) fail("the last rank has no storage", code);
    code = over(reblock_job_expand(job, ranks, &state), &state);
  }
  if (code || state != REBLOCK_JOB_RESIZED || working() != ranks) fail("the last rank comes back", code);
  everything(1);
  if (blocks != 4) fail("blocks that are held", blocks);
}
