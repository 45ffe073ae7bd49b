/* Tests removal of named ranks, in the middle of the job, and of hosts. The remaining ranks must have all data, and
 * rank 0 must receive the names of free hosts. */
#include "data.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* While this file exists, the next new process has an invalid host name. */
static char nameless[400];

/* The first processes are on node0. New processes are on one host in pairs: node1, node2, and so on. Each new process,
 * started by a spawn call of its own, adds a byte to a file, whose length is the number of the process. */
int name_host(const char *folder, int comes) {
  char text[400];
  struct stat known = {0};
  snprintf(nameless, sizeof nameless, "%s/nameless", folder);
  if (comes && !unlink(nameless)) return setenv("REBLOCK_HOST", "a,b", 1), 0;
  if (comes) {
    snprintf(text, sizeof text, "%s/come", folder);
    int file = open(text, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file < 0 || write(file, "x", 1) != 1 || fstat(file, &known) || close(file)) abort();
  }
  snprintf(text, sizeof text, "node%d", (int)(known.st_size + 1) / 2);
  return setenv("REBLOCK_HOST", text, 1), 1;
}

/* Runs a process with an invalid host name, without which the job continues. */
int without_name(void) {
  int32_t code = reblock_job_init(MPI_COMM_WORLD, NULL, &job);
  if (code != REBLOCK_ERR_CANCELLED || job || !strstr(reblock_message(), "REBLOCK_HOST")) fail("a name that cannot be used", code);
  return wrong;
}

static int rank_now(void) {
  MPI_Comm comm;
  int me;
  must(reblock_job_get_comm(job, &comm), "comm");
  MPI_Comm_rank(comm, &me);
  return me;
}

static void on_hosts(const char *want) {
  char hosts[200];
  int64_t length = 0;
  must(reblock_job_get_hosts(job, hosts, sizeof hosts, &length), "hosts");
  if (strcmp(hosts, want) || length != (int64_t)strlen(want)) fail(hosts, length);
}

/* Names the leaving ranks or hosts on rank 0. Values on the other ranks differ and must be ignored. */
static void leaves(int64_t count, const int64_t *ranks, const char *hosts) {
  static const int64_t others[] = {1};
  int first = rank_now() == 0;
  must(reblock_job_set_leaving(job, first ? count : 1, first ? ranks : others), "leaving");
  must(reblock_job_set_leaving_hosts(job, first ? hosts : "node0"), "leaving hosts");
}

/* Names leaving ranks or hosts that must be refused: checks that all ranks have the code, and that nothing has
 * changed. */
static void refused(int64_t count, const int64_t *ranks, const char *hosts, int64_t size, int32_t want, const char *words) {
  int32_t state = REBLOCK_JOB_LEAVE, before = working();
  leaves(count, ranks, hosts);
  int32_t code = !size           ? reblock_job_step(job, &state)
                 : size > before ? reblock_job_expand(job, size, &state)
                                 : reblock_job_shrink(job, size, &state);
  if (code != want || state != REBLOCK_JOB_SAME || working() != before) fail(words, code);
  if (rank_now() == 0 && !strstr(reblock_message(), words)) fail(words, code);
  everything(1);
  /* A refused list is forgotten. */
  must(reblock_job_step(job, &state), "a step after who leaves was refused");
  if (state != REBLOCK_JOB_SAME) fail("who was refused leaves later", state);
}

static void all_refused(void) {
  int32_t argument = REBLOCK_ERR_ARGUMENT;
  refused(1, (int64_t[]){6}, "", 0, argument, "rank 6 is to leave, expected one of the 6 active ranks");
  refused(0, NULL, "node1,node9", 0, argument, "the job cannot leave host node9: none of its ranks is on it");
  refused(0, NULL, "node0", 0, argument, "the job cannot leave host node0: rank 0 is on it");
  refused(2, (int64_t[]){2, 3}, "", 5, argument, "2 of 6 ranks are to leave, but the new number of ranks is 5");
  refused(1, (int64_t[]){2}, "", 8, argument, "1 of 6 ranks are to leave, but the new number of ranks is 8");
  refused(1, (int64_t[]){1}, "", 0, REBLOCK_ERR_STATE, "rank 1 cannot leave");
  if (reblock_job_set_leaving(job, 1, (int64_t[]){0}) != argument || reblock_job_set_leaving(job, 1, NULL) != argument ||
      reblock_job_set_leaving(job, -1, NULL) != argument || reblock_job_set_leaving_hosts(job, NULL) != argument ||
      reblock_job_get_hosts(NULL, NULL, 0, NULL) != REBLOCK_ERR_HANDLE)
    fail("who leaves is not refused", 0);
}

/* Makes steps until rank 0 receives the name of a free host. */
static void hears(const char *want) {
  MPI_Comm comm;
  must(reblock_job_get_comm(job, &comm), "comm");
  for (int heard = 0, round = 0; !heard; round++) {
    int32_t state;
    char host[65] = "";
    int64_t length = -1;
    must(reblock_job_step(job, &state), "a step");
    /* A call that asks only for the length, or has too little room, does not consume the name. */
    must(reblock_job_next_freed(job, NULL, 0, &length), "freed"), must(reblock_job_next_freed(job, host, length, NULL), "freed");
    must(reblock_job_next_freed(job, host, sizeof host, &length), "freed");
    if (*host && (strcmp(host, want) || rank_now())) fail(host, length);
    heard = *host || round == 6000;
    MPI_Bcast(&heard, 1, MPI_INT, 0, comm);
    if (round == 6000) fail(want, round);
    usleep(10000);
  }
}

static void none_free(void) {
  int64_t length = -1;
  must(reblock_job_next_freed(job, NULL, 0, &length), "freed");
  if (length) fail("a host is free that is not", length);
}

/* Starts processes without a valid host name: all ranks must receive the error, and nothing may change. */
static void unnamed(int64_t ranks) {
  int32_t state = REBLOCK_JOB_LEAVE, before = working();
  if (rank_now() == 0 && close(open(nameless, O_WRONLY | O_CREAT, 0600))) abort();
  int32_t code = reblock_job_expand(job, ranks, &state);
  if (code != REBLOCK_ERR_SETTINGS || state != REBLOCK_JOB_SAME || working() != before) fail("a process without a name comes", code);
  if (rank_now() == 0 && !strstr(reblock_message(), "REBLOCK_HOST")) fail("a process without a name comes", code);
  everything(1);
}

/* A policy that names leaving ranks and gives no size. */
static int64_t clears(void *context, int64_t ranks, double seconds) {
  (void)seconds;
  int32_t state;
  char hosts[200];
  must(reblock_job_get_hosts(job, hosts, sizeof hosts, NULL), "hosts, of a policy");
  if (reblock_job_step(job, &state) != REBLOCK_ERR_STATE) fail("a policy makes a resize point", ranks);
  if (strstr(hosts, context)) must(reblock_job_set_leaving_hosts(job, context), "leaving, of a policy");
  return 0;
}

static int64_t two(void *context, int64_t ranks, double seconds) {
  (void)context, (void)ranks, (void)seconds;
  return 2;
}

/* Tests that a size that failed because a named rank cannot leave is tried again once no rank is named. Returns whether
 * this process stays. */
static int insists(void) {
  int32_t state = REBLOCK_JOB_LEAVE;
  int me = rank_now();
  if (me == 0) must(reblock_job_set_policy(job, two, NULL), "policy");
  leaves(1, (int64_t[]){1}, "");
  if (reblock_job_step(job, &state) != REBLOCK_ERR_STATE || state != REBLOCK_JOB_SAME) fail("a rank of the first world leaves", state);
  must(reblock_job_step(job, &state), "the last one leaves");
  if (state != (me == 2 ? REBLOCK_JOB_LEAVE : REBLOCK_JOB_RESIZED)) fail("the last one leaves, or does not", state);
  if (me < 2) on_hosts("node0,node0"), everything(1);
  return me < 2;
}

/* Writes all data with new values. New processes begin here. */
static void next(void) { value.round++, everything(0); }

/* Grows from 2 ranks to 6, with a spawn call for each rank. Then two ranks in the middle leave, then a host, then a
 * rank that a policy names; and new ranks join. */
int leaving(void) {
  int32_t state = REBLOCK_JOB_SAME, joined;
  must(reblock_job_joined(job, &joined), "joined");
  if (joined) everything(1), all_good();
  for (;;) {
    int me = rank_now(), should = -1;
    switch (value.round) {
    case 0:
      on_hosts("node0,node0");
      next(), must(reblock_job_expand(job, 6, &state), "2 to 6");
      break;
    case 1:
      on_hosts("node0,node0,node1,node1,node2,node2");
      all_refused(), next();
      leaves(3, (int64_t[]){4, 2, 4}, "");
      must(reblock_job_step(job, &state), "two of the middle leave");
      should = me == 2 || me == 4 ? 6 : me - (me > 2) - (me > 4);
      break;
    case 2:
      on_hosts("node0,node0,node1,node2");
      none_free(), next();
      leaves(0, NULL, " node1");
      must(reblock_job_shrink(job, 3, &state), "a host is left");
      should = me == 2 ? 6 : me - (me > 2);
      break;
    case 3:
      on_hosts("node0,node0,node2");
      hears("node1"), none_free(), unnamed(4), next();
      must(reblock_job_expand(job, 4, &state), "3 to 4");
      break;
    case 4:
      on_hosts("node0,node0,node2,node3");
      next();
      if (me == 0) must(reblock_job_set_policy(job, clears, "node2"), "policy");
      must(reblock_job_step(job, &state), "a policy names a host");
      should = me == 2 ? 6 : me - (me > 2);
      break;
    default:
      on_hosts("node0,node0,node3");
      hears("node2"), none_free();
      return insists();
    }
    if ((state == REBLOCK_JOB_LEAVE) != (should == 6)) fail("a rank leaves, or does not", me);
    if (state == REBLOCK_JOB_LEAVE) return 0;
    if (state != REBLOCK_JOB_RESIZED || (should >= 0 && rank_now() != should)) fail("another rank", rank_now());
    everything(1);
    if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* Parks ranks in the middle, which come back with the highest rank numbers; then parks other ranks. */
void parting(int ranks) {
  int32_t state;
  static const int64_t sets[][3] = {{2, 1, 3}, {1, 1, 0}, {2, 2, 4}, {3, 1, 2}};
  for (int round = 0; round < 4; round++) {
    int me = rank_now(), parked = 0;
    next();
    int count = (int)sets[round][0] < 3 ? (int)sets[round][0] : 2;
    for (int k = 1; k <= count; k++) parked += me == sets[round][k];
    leaves(count, &sets[round][1], "");
    if (sets[round][0] < 3) must(reblock_job_step(job, &state), "some are parked");
    /* Two named ranks, and the last rank. */
    else must(reblock_job_shrink(job, ranks - 3, &state), "some are parked");
    parked |= sets[round][0] == 3 && me == ranks - 1;
    /* A parked rank stays in this call until it is needed. */
    if (!parked) everything(1), must(reblock_job_expand(job, ranks, &state), "all come back");
    if (parked && rank_now() < ranks - 3) fail("a rank that was parked comes back among the others", rank_now());
    everything(1);
    if (working() != ranks || !all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
  }
}
