/* Compares the predicted price of a resize with its plan and with the messages sent. This program wraps MPI and adds up
 * the data, all of which goes by MPI (REBLOCK_TRANSPORT). */
#include "data.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t sent, messages;

static void count(int bytes, int tag) {
  /* Odd tags are for agreement between ranks. */
  if (tag >= 16 && tag % 3 == 1) sent += bytes, messages++;
}

int MPI_Isend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm, MPI_Request *q) {
  count(n, tag);
  return PMPI_Isend(b, n, t, to, tag, comm, q);
}

int MPI_Issend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm, MPI_Request *q) {
  count(n, tag);
  return PMPI_Issend(b, n, t, to, tag, comm, q);
}

/* Sums bytes and messages of all working ranks. */
static void sums(int64_t *all) {
  int64_t mine[2] = {sent, messages};
  MPI_Comm comm;
  must(reblock_job_get_comm(job, &comm), "comm");
  MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, comm);
}

/* Returns the plan's figures for a matrix that moves from all `ranks` ranks to the first `fewer`, or back. */
static void planned(int fewer, int ranks, int shrinks, reblock_job_price *price) {
  int64_t lower[2] = {0, 0}, upper[2] = {M - 1, N - 1}, shape[2], who[8];
  const int64_t sizes[2] = {shrinks ? ranks : fewer, shrinks ? fewer : ranks};
  reblock_map *maps[2];
  reblock_plan *plan;
  reblock_plan_info info;
  MPI_Comm comm;
  char json[4000], *at;
  must(reblock_job_get_comm(job, &comm), "comm");
  for (int k = 0; k < 8; k++) who[k] = k;
  for (int k = 0; k < 2; k++) {
    reblock_procs *procs;
    reblock_template *template;
    must(reblock_grid_for(sizes[k], NULL, NULL, 0, NULL, 0, shape, NULL), "grid_for");
    must(reblock_procs_create(comm, 2, shape, who, &procs), "procs");
    must(reblock_template_create(procs, 2, lower, upper, &template), "template");
    must(reblock_template_dist_cyclic(template, 0, 0, 4), "cyclic");
    must(reblock_template_dist_cyclic(template, 1, 1, 3), "cyclic");
    must(reblock_template_commit(template), "commit");
    must(reblock_map_whole(template, &maps[k]), "map");
    reblock_template_free(&template), reblock_procs_free(&procs);
  }
  must(reblock_plan_create(comm, maps[0], NULL, maps[1], NULL, 8, NULL, &plan), "plan");
  must(reblock_plan_info_init(&info), "info");
  must(reblock_plan_inquire(plan, &info), "inquire");
  must(reblock_plan_explain(plan, json, sizeof json, NULL), "explain");
  int64_t mine[2] = {info.sent, info.messages_sent}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, comm);
  price->bytes = all[0], price->messages = all[1];
  at = strstr(json, "\"steps\":");
  price->steps = at ? atoll(at + 8) : -1;
  at = strstr(json, "\"price_seconds\":");
  price->seconds = at ? atof(at + 16) : -1;
  reblock_plan_free(&plan), reblock_map_free(&maps[0]), reblock_map_free(&maps[1]);
}

/* Tests the price with only the first matrix registered. */
static void one_matrix(int ranks) {
  int context, count, desc[9];
  int32_t state;
  double *data;
  reblock_job *all = job;
  reblock_job_options given;
  reblock_job_price price, plan[2];
  must(reblock_job_options_init(&given), "options");
  given.park = 1;
  must(reblock_job_init(MPI_COMM_WORLD, &given, &job), "init");
  must(reblock_job_get_blacs(job, 0, 0, &context), "blacs");
  descriptor(desc, M, N, 4, 3, 0, 0, context, &count);
  data = calloc(count, sizeof *data);
  must(reblock_job_add_matrix(job, desc, sizeof *data, (void **)&data), "matrix");
  must(reblock_job_price_init(&price), "price");
  for (int fewer = 1; fewer < ranks; fewer += 2) {
    for (int k = 0; k < 2; k++) planned(fewer, ranks, k == 0, &plan[k]);
    for (int k = 0; k < 2; k++) {
      must(reblock_job_get_price(job, k ? ranks : fewer, &price), "price");
      if (price.bytes != plan[k].bytes || price.messages != plan[k].messages) fail("a price with other messages than its plan", fewer);
      if (price.steps != plan[k].steps) fail("a price with other steps than its plan", price.steps);
      if (price.seconds != plan[k].seconds) fail("a price with other seconds than its plan", fewer);
      must(k ? reblock_job_expand(job, ranks, &state) : reblock_job_shrink(job, fewer, &state), "resize");
      /* Parked ranks return together with all others. */
      if (!k && state == REBLOCK_JOB_RESIZED && working() == ranks) break;
    }
  }
  must(reblock_job_finalize(&job), "finalize");
  free(data);
  job = all;
}

void priced(int me, int ranks) {
  for (int fewer = 1; fewer < ranks; fewer += 2) {
    int64_t before[2], after[2], bytes;
    int32_t state;
    reblock_job_price there, back;
    must(reblock_job_price_init(&there), "price");
    must(reblock_job_price_init(&back), "price");
    sums(before);
    must(reblock_job_get_price(job, fewer, &there), "price");
    must(reblock_job_shrink(job, fewer, &state), "shrink");
    if (working() == fewer) {
      must(reblock_job_get_price(job, ranks, &back), "price");
      must(reblock_job_expand(job, ranks, &state), "expand");
    }
    sums(after);
    bytes = there.bytes + back.bytes;
    if (me == 0 && (bytes <= 0 || after[0] - before[0] != bytes)) fail("other bytes are sent than the price says", after[0] - before[0]);
    everything(1);
    if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  one_matrix(ranks);
}
