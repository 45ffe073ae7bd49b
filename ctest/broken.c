/* What does the HPF interface say where MPI fails, after that, and when MPI is finalized? And where the settings of one rank
 * cannot be used, or differ from those of the others? The same code on all ranks, with a text; nothing is written.
 *
 *   REBLOCK_TRANSPORT=mpi mpirun -n RANKS broken
 *   mpirun -n RANKS broken settings : -n 1 env REBLOCK_WINDOW=OTHER broken settings */
#include "reblock.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 1000, UNTOUCHED = -7 };
static int me, ranks, wrong, failing;

/* Stands between reblock and MPI, which fails on all ranks where that is wanted. */
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  return failing ? MPI_ERR_OTHER : PMPI_Isend(data, count, type, to, tag, comm, request);
}

static void wants(int32_t code, int32_t wanted, const char *text, const char *what) {
  if (code == wanted && strstr(reblock_message(), text)) return;
  fprintf(stderr, "broken: rank %d: %s: %s, \"%s\", expected %s with \"%s\"\n", me, what, reblock_code_name(code),
          reblock_message(), reblock_code_name(wanted), text);
  wrong++;
}
#define MUST(call) wants(call, REBLOCK_OK, "", #call)

struct moved { reblock_procs *procs; reblock_template *template, *open; reblock_map *from, *to; reblock_plan *plan; };
static int64_t source[N], target[N];

static reblock_map *mapped(reblock_procs *procs, int64_t block, reblock_template **template) {
  int64_t lower = 1, upper = N;
  reblock_map *map = NULL;
  MUST(reblock_template_create(procs, 1, &lower, &upper, template));
  if (block) MUST(reblock_dist_cyclic(*template, 0, 0, block));
  else MUST(reblock_dist_block(*template, 0, 0, 0));
  MUST(reblock_template_commit(*template));
  MUST(reblock_map_whole(*template, &map));
  return map;
}

static struct moved make(MPI_Comm comm) {
  struct moved m = {0};
  int64_t shape = ranks, lower = 1, upper = N;
  reblock_template *first = NULL;
  MUST(reblock_procs_create(comm, 1, &shape, NULL, &m.procs));
  m.from = mapped(m.procs, 0, &first);
  m.to = mapped(m.procs, 1, &m.template);
  MUST(reblock_template_free(&first));
  MUST(reblock_template_create(m.procs, 1, &lower, &upper, &m.open));
  MUST(reblock_plan_create(comm, m.from, NULL, m.to, NULL, sizeof *source, NULL, &m.plan));
  return m;
}

static void empty(void) { for (int k = 0; k < N; k++) target[k] = UNTOUCHED; }
static void is_empty(const char *what) {
  for (int k = 0; k < N; k++)
    if (target[k] != UNTOUCHED) { wrong++, fprintf(stderr, "broken: rank %d: %s: something is written\n", me, what); return; }
}
/* The elements are the indices. */
static void execute(const struct moved *m) {
  int64_t count = 0, bad = 0, block = (N + ranks - 1) / ranks;
  for (int64_t k = 0; k < block; k++) source[k] = me * block + k;
  empty();
  MUST(reblock_execute(m->plan, source, target));
  MUST(reblock_map_elements(m->to, &count));
  for (int64_t k = 0; k < count; k++) bad += target[k] != k * ranks + me;
  if (bad) wrong++, fprintf(stderr, "broken: rank %d: %d elements are wrong\n", me, (int)bad);
}

/* Each collective call, where none can do anything. */
static void all_fail(MPI_Comm comm, struct moved *m, int32_t code, const char *text) {
  int64_t shape = ranks;
  reblock_procs *procs = NULL;
  reblock_plan *plan = NULL;
  reblock_array *array = NULL;
  reblock_request *request = NULL;
  reblock_scope *scope = NULL;
  int64_t index = 1, rank;
  empty();
  wants(reblock_execute(m->plan, source, target), code, text, "execute");
  wants(reblock_start(m->plan, source, target, &request), code, text, "start");
  wants(reblock_template_commit(m->open), code, text, "commit");
  wants(reblock_procs_create(comm, 1, &shape, NULL, &procs), code, text, "an arrangement");
  wants(reblock_plan_create(comm, m->from, NULL, m->to, NULL, 8, NULL, &plan), code, text, "a plan");
  wants(reblock_array_create(m->from, 8, &array), code, text, "an array");
  wants(reblock_redistribute(m->template, m->template, 0, NULL), code, text, "redistribute");
  wants(reblock_map_dereference(m->from, 1, &index, &rank, NULL), code, text, "dereference");
  wants(reblock_scope_create(comm, &scope), code, text, "a scope");
  wants(reblock_save(comm, "/nonexistent/reblock.npy", m->from, source, 8, NULL), code, text, "save");
  if (procs || plan || array || request || scope) wrong++, fprintf(stderr, "broken: rank %d: something is made\n", me);
  is_empty(text);
}

static void release(struct moved *m) {
  MUST(reblock_plan_free(&m->plan));
  MUST(reblock_map_free(&m->from));
  MUST(reblock_map_free(&m->to));
  MUST(reblock_template_free(&m->template));
  MUST(reblock_template_free(&m->open));
  MUST(reblock_procs_free(&m->procs));
}

static void faults(void) {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  struct moved here = make(MPI_COMM_WORLD), there = make(other);
  reblock_options options;
  reblock_plan *plan = NULL;
  execute(&here), execute(&there);
  /* All messages go by MPI, so ranks do not know of a memory that they share. */
  MUST(reblock_options_init(&options));
  options.transport = "shm";
  if (ranks > 1) {
    wants(reblock_plan_create(other, there.from, NULL, there.to, NULL, 8, &options, &plan), REBLOCK_ERR_SETTINGS, "shm",
          "memory that is not shared");
    empty();
    failing = 1;
    wants(reblock_execute(here.plan, source, target), REBLOCK_ERR_MPI, "MPI_Isend", "MPI fails");
    failing = 0;
    is_empty("MPI fails");
    all_fail(MPI_COMM_WORLD, &here, REBLOCK_ERR_BROKEN, "unusable");
  }
  execute(&there);
  release(&here);
  MPI_Comm_free(&other);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("broken: %d ranks, %d wrong\n", ranks, wrong);
  MPI_Finalize();
  all_fail(MPI_COMM_WORLD, &there, REBLOCK_ERR_STATE, "finalized");
  int64_t lower, upper;
  MUST(reblock_map_bounds(there.from, &lower, &upper));
  release(&there);
}

/* The last rank has other settings than the others, which were given to the launcher. */
static void settings(void) {
  int64_t shape = ranks;
  reblock_procs *procs = NULL;
  reblock_scope *scope = NULL;
  for (int again = 0; again < 2; again++) {
    wants(reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs), REBLOCK_ERR_SETTINGS, "REBLOCK_WINDOW", "an arrangement");
    wants(reblock_scope_create(MPI_COMM_WORLD, &scope), REBLOCK_ERR_SETTINGS, "REBLOCK_WINDOW", "a scope");
  }
  if (procs || scope) wrong++;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("broken: settings, %d ranks, %d wrong\n", ranks, wrong);
  MPI_Finalize();
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  alarm(60);
  if (argc == 2 && !strcmp(argv[1], "settings")) settings();
  else faults();
  return wrong != 0;
}
