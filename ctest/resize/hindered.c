/* Tests constant arrays that move to processes that come late, or while a process ends; the working ranks continue.
 * Also tests processes that cannot be started. */
#include "data.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 20, CONSTANT = 5, CONSTANTS = 2, COME = 2 };

/* This file exists once the working ranks have made some steps. */
static char sign[400];
/* Number of blocks of storage that a new process gets before it ends; -1 if it does not end. */
static int until_end = -1;

static void *late(int64_t bytes, void *context) {
  if (context != &blocks) fail("another context in allocate", bytes);
  while (access(sign, F_OK)) usleep(1000);
  if (until_end-- == 0) _exit(3);
  blocks++;
  return malloc(bytes);
}

void hinder(const char *program, const char *mode, int comes) {
  snprintf(sign, sizeof sign, "%s.%s", program, mode);
  if (!comes) return;
  allocate = late;
  if (!strcmp(mode, "dies-meanwhile")) until_end = 0;
  /* After this number of blocks, all constant arrays have arrived. */
  if (!strcmp(mode, "dies-switching")) until_end = CONSTANTS;
}

/* Runs the working ranks in a mode. If a process should have ended and nothing failed, the exit status reports this. */
void hindered(const char *mode, int me) {
  int32_t state;
  int steps = 0, ranks = working();
  choose(CONSTANT);
  remove(sign);
  must(reblock_job_expand(job, ranks + COME, &state), "expand");
  for (; state == REBLOCK_JOB_MOVING; steps++) {
    if (steps == STEPS && me == 0) fclose(fopen(sign, "w"));
    if (steps == STEPS && me == 1 && !strcmp(mode, "dies-working")) _exit(3);
    value.round++, some(~value.constant);
    usleep(1000);
    must(reblock_job_step(job, &state), "a step");
    everything(1);
  }
  if (steps <= STEPS) fail("arrays arrive although late processes have no storage for them", steps);
  if (state != REBLOCK_JOB_RESIZED || working() != ranks + COME) fail("processes that come late are not there", state);
}

void refused_constant(int ranks) {
  int32_t state;
  choose(CONSTANT);
  expect(reblock_job_expand(job, ranks, &state), REBLOCK_ERR_MPI, "processes that cannot be started, for constant arrays");
  must(reblock_job_step(job, &state), "a step after that");
  if (state != REBLOCK_JOB_SAME) fail("a resize is under way that was refused", state);
  everything(1);
}
