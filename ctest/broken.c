/* Tests the HPF interface if MPI fails or returns impossible results, after such a failure, after MPI_Finalize, and if
 * the settings of one rank are invalid or differ from those of other ranks. All ranks must return the same code with a
 * text, and nothing may be written.
 *
 *   REBLOCK_TRANSPORT=mpi mpirun -n RANKS broken
 *   mpirun -n RANKS broken settings : -n 1 env REBLOCK_WINDOW=OTHER broken settings */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 1000 };
#include "vector.h"

static int failing, lying;

/* Wraps MPI's function: fails on all ranks on demand. */
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  return failing ? MPI_ERR_OTHER : PMPI_Isend(data, count, type, to, tag, comm, request);
}

/* Wraps MPI's function: on demand, fails or reports a request that does not exist, which reblock must treat as an
 * internal error. */
int MPI_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  int code = PMPI_Testsome(count, requests, done, indices, statuses);
  if (lying && *done > 0) indices[0] = -1;
  return code;
}

/* Returns an uncommitted template. */
static reblock_template *opened(const struct moved *m) {
  int64_t lower = 1, upper = N;
  reblock_template *open = NULL;
  MUST(reblock_template_create(m->procs, 1, &lower, &upper, &open));
  return open;
}

/* Makes each collective call in a state in which all must fail. */
static void all_fail(MPI_Comm comm, struct moved *m, reblock_template *open, int32_t code, const char *text) {
  int64_t shape = ranks;
  reblock_procs *procs = NULL;
  reblock_plan *plan = NULL;
  reblock_array *array = NULL;
  reblock_request *request = NULL;
  reblock_scope *scope = NULL;
  int64_t index = 1, rank;
  empty();
  wants(reblock_plan_execute(m->plan, source, target), code, text, "execute");
  wants(reblock_plan_start(m->plan, source, target, &request), code, text, "start");
  wants(reblock_template_commit(open), code, text, "commit");
  wants(reblock_procs_create(comm, 1, &shape, NULL, &procs), code, text, "an arrangement");
  wants(reblock_plan_create(comm, m->from, NULL, m->to, NULL, 8, NULL, &plan), code, text, "a plan");
  wants(reblock_array_create(m->from, 8, &array), code, text, "an array");
  wants(reblock_template_redistribute(m->template, m->template, 0, NULL), code, text, "redistribute");
  wants(reblock_map_dereference(m->from, 1, &index, &rank, NULL), code, text, "dereference");
  wants(reblock_scope_create(comm, &scope), code, text, "a scope");
  wants(reblock_save(comm, "/nonexistent/reblock.npy", m->from, source, 8, NULL), code, text, "save");
  if (procs || plan || array || request || scope) wrong++, fprintf(stderr, "broken: rank %d: something is made\n", me);
  is_empty(text);
}

/* Checks that the redistribution of `moved` over `comm` fails after the `fault`, with this status and a text that
 * contains `word`. Nothing may be written, and objects of the communicator must be unusable from then on. */
static void breaks(MPI_Comm comm, struct moved *moved, reblock_template *open, int *fault, int32_t status, const char *word,
                   const char *what) {
  empty();
  *fault = 1;
  wants(reblock_plan_execute(moved->plan, source, target), status, word, what);
  *fault = 0;
  is_empty(what);
  all_fail(comm, moved, open, REBLOCK_ERR_BROKEN, "unusable");
}

static void faults(void) {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  struct moved here = make(MPI_COMM_WORLD, 0, 1, NULL), there = make(other, 0, 1, NULL);
  reblock_template *open = opened(&here), *other_open = opened(&there);
  reblock_plan_options options;
  reblock_plan *plan = NULL;
  execute(&here), execute(&there);
  /* All messages go by MPI, unless the options of a plan select another transport. */
  MUST(reblock_plan_options_init(&options));
  options.transport = "shm";
  if (ranks > 1) {
    MUST(reblock_plan_create(other, there.from, NULL, there.to, NULL, 8, &options, &plan));
    MUST(reblock_plan_free(&plan));
    breaks(MPI_COMM_WORLD, &here, open, &failing, REBLOCK_ERR_MPI, "MPI_Isend", "MPI fails");
    MPI_Comm third;
    MPI_Comm_dup(MPI_COMM_WORLD, &third);
    struct moved lied = make(third, 0, 1, NULL);
    reblock_template *lied_open = opened(&lied);
    breaks(third, &lied, lied_open, &lying, REBLOCK_ERR_INTERNAL, "internal error", "MPI says what cannot be");
    MUST(reblock_template_free(&lied_open));
    release(&lied);
    MPI_Comm_free(&third);
  }
  execute(&there);
  MUST(reblock_template_free(&open));
  release(&here);
  MPI_Comm_free(&other);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("broken: %d ranks, %d wrong\n", ranks, wrong);
  MPI_Finalize();
  all_fail(MPI_COMM_WORLD, &there, other_open, REBLOCK_ERR_STATE, "finalized");
  int64_t lower, upper;
  MUST(reblock_map_bounds(there.from, &lower, &upper));
  MUST(reblock_template_free(&other_open));
  release(&there);
}

/* Gives the last rank other settings than the other ranks, through the launcher. */
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
