#include "data.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* More ranks than an int can count. */
#define TOO_MANY 4000000000

static int64_t asks_too_much(void *context, int64_t ranks, double seconds) {
  (void)context, (void)ranks, (void)seconds;
  return TOO_MANY;
}

static int64_t asks_for_one(void *context, int64_t ranks, double seconds) {
  (void)context, (void)ranks, (void)seconds;
  return 1;
}

/* A policy that returns an invalid size changes nothing. */
static void unchanged(const char *what) {
  int32_t state = 7;
  expect(reblock_job_step(job, &state), 0, what);
  if (state != REBLOCK_JOB_SAME) fail(what, state);
}

void expect(int32_t code, int32_t want, const char *what) {
  if (code != want) fail(what, code);
  everything(1);
  if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
  value.round++;
  everything(0);
}

void mistakes(int me, int ranks) {
  int32_t state = 7;
  char name[64], policy[80];
  int kept = desc_a[2];
  if (me == ranks - 1) desc_a[2] -= 1;
  expect((desc_a[2] = kept, reblock_job_step(job, &state)), 0, "a good descriptor");
  int32_t code;
  if (ranks > 1) {
    if (me == ranks - 1) desc_a[2] = kept - 1;
    code = reblock_job_expand(job, ranks + 1, &state);
    desc_a[2] = kept;
    expect(code, REBLOCK_ERR_DIFFERS, "a descriptor that is wrong on one rank");
  }
  if (me == 0) desc_b[8] = 0;
  code = reblock_job_step(job, &state);
  if (me == 0) desc_b[8] = desc_b[8] ? desc_b[8] : 1000;
  if (me == 0) {
    int count;
    descriptor(desc_b, N, M, 5, 7, 0, 1, desc_b[1], &count);
  }
  expect(code, REBLOCK_ERR_ARGUMENT, "LLD_ of 0 on one rank");
  expect(reblock_job_shrink(job, 0, &state), REBLOCK_ERR_ARGUMENT, "shrink to 0 ranks");
  expect(reblock_job_expand(job, TOO_MANY, &state), REBLOCK_ERR_ARGUMENT, "expand to more than an int counts");
  expect(reblock_job_expand(job, 1ll << 40, &state), REBLOCK_ERR_ARGUMENT, "expand to more than 32 bits count");
  if (reblock_job_can_resize(job, TOO_MANY) != REBLOCK_ERR_ARGUMENT) fail("more ranks than an int counts are possible", 0);
  if (ranks > 1) {
    expect(reblock_job_shrink(job, 1, &state), REBLOCK_ERR_STATE, "shrink below the first world");
    code = me == 0 ? reblock_job_step(job, &state) : reblock_job_shrink(job, 1, &state);
    expect(code, REBLOCK_ERR_DIFFERS, "a step that the others do not make");
    MPI_Comm comm;
    reblock_procs *procs = NULL;
    int64_t shape = ranks;
    must(reblock_job_get_comm(job, &comm), "comm");
    code = me == 0 ? reblock_job_step(job, &state) : reblock_procs_create(comm, 1, &shape, NULL, &procs);
    if (procs) fail("an arrangement that one rank does not make", 0);
    expect(code, REBLOCK_ERR_DIFFERS, "a step while the others make an arrangement");
    code = me == 0 ? reblock_job_expand(job, ranks + 1, &state) : reblock_job_shrink(job, 1, &state);
    expect(code, REBLOCK_ERR_DIFFERS, "one rank grows, the others shrink");
    code = reblock_job_expand(job, me == 0 ? ranks + 1 : ranks + 2, &state);
    expect(code, REBLOCK_ERR_DIFFERS, "another size on one rank");
    reblock_job *none = NULL;
    code = reblock_job_step(me == 0 ? none : job, &state);
    expect(code, REBLOCK_ERR_HANDLE, "no job on one rank");
  }
  expect(reblock_job_expand(job, ranks, &state), REBLOCK_ERR_ARGUMENT, "expand to the size that there is");
  if (reblock_job_set_formats(job, 0, NULL, NULL) != REBLOCK_ERR_ARGUMENT) fail("no function for formats", 0);
  dealing = REFUSES;
  expect(reblock_job_expand(job, ranks + 1, &state), REBLOCK_ERR_ARGUMENT, "formats that are refused on one rank");
  dealing = DIFFERS;
  if (ranks > 1) expect(reblock_job_expand(job, ranks + 1, &state), REBLOCK_ERR_DIFFERS, "formats that differ on one rank");
  dealing = DEALS;
  if (reblock_job_set_policy_text(job, "often") != REBLOCK_ERR_ARGUMENT) fail("a policy that is none", 0);
  if (reblock_job_set_policy_text(job, "4000000000") != REBLOCK_ERR_ARGUMENT) fail("a policy of too many ranks", 0);
  must(reblock_job_set_policy(job, asks_for_one, NULL), "policy");
  code = reblock_job_step(job, &state);
  if (ranks > 1 && state != REBLOCK_JOB_SAME) fail("a policy that asks for too few ranks", state);
  expect(code, ranks > 1 ? REBLOCK_ERR_STATE : 0, "a policy that asks for a size that cannot be reached");
  must(reblock_job_set_policy(job, asks_too_much, NULL), "policy");
  unchanged("a policy that says too many ranks");
  snprintf(name, sizeof name, "/tmp/reblock-resize-%d", (int)getpid());
  snprintf(policy, sizeof policy, "file:%s", name);
  must(reblock_job_set_policy_text(job, policy), "policy");
  unchanged("a policy file that is not there");
  /* An error is reported once, until the policy returns a number. */
  char good[16];
  snprintf(good, sizeof good, "%d", ranks);
  const char *rubbish[] = {"as many as there are\n", "other rubbish\n", good, "4000000000\n"};
  for (int k = 0; k < 4; k++) {
    FILE *file = fopen(name, "w");
    fputs(rubbish[k], file);
    fclose(file);
    unchanged("rubbish in the policy file");
  }
  unlink(name);
  reblock_job_times times;
  reblock_job_price price;
  must(reblock_job_times_init(&times), "times");
  must(reblock_job_price_init(&price), "price");
  must(reblock_job_get_times(job, &times), "times");
  must(reblock_job_get_price(job, 2 * ranks, &price), "price");
  if (price.bytes <= 0 || price.messages <= 0 || !isfinite(price.seconds)) fail("a price that cannot be", price.bytes);
}
