/* Mistakes with several communicators, and ranks that call different functions. */
#include "mistakes.h"

static reblock_plan *planned(MPI_Comm comm) {
  reblock_plan *made = NULL;
  int32_t code = reblock_plan_create(comm, from, NULL, to, NULL, 8, NULL, &made);
  if (code) report("cannot make a plan of another communicator", code);
  return made;
}

/* Returns a template in blocks of this size on ranks of a communicator, committed or not. */
static reblock_template *dealt(MPI_Comm comm, int64_t shape, int64_t block, int commit) {
  int64_t lower = 1, upper = N;
  reblock_procs *on = NULL;
  reblock_template *made = NULL;
  int32_t code = reblock_procs_create(comm, 1, &shape, NULL, &on);
  if (!code) code = reblock_template_create(on, 1, &lower, &upper, &made);
  if (!code) code = reblock_template_dist_cyclic(made, 0, 0, block);
  if (!code && commit) code = reblock_template_commit(made);
  if (code) report("cannot make a template", code);
  reblock_procs_free(&on);
  return made;
}

/* Passes plans of two communicators in one call. */
int32_t communicators(void) {
  static int64_t more[ROOM];
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  reblock_plan *there = planned(other), *executed[2] = {plan, plan}, *started[2] = {plan, plan};
  reblock_request *request = NULL;
  const void *sources[2] = {source, source};
  void *targets[2] = {more, target};
  if (mistake("executing plans of two communicators", ARGUMENT, ANYBODY)) executed[1] = there;
  if (mistake("starting plans of two communicators", ARGUMENT, ANYBODY)) started[1] = there;
  int32_t code = reblock_plan_execute_many(2, executed, sources, targets);
  targets[1] = targets[0], targets[0] = target;
  if (!code) {
    empty_target();
    code = reblock_plan_start_many(2, started, sources, targets, &request);
  }
  if (request) code = reblock_request_wait(&request);
  reblock_plan_free(&there);
  MPI_Comm_free(&other);
  return code;
}

/* Passes objects of a freed communicator on some rank, while other ranks pass valid objects. */
int32_t gone(void) {
  static int64_t copy[ROOM];
  MPI_Comm freed;
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  reblock_plan *stale = planned(freed), *used = plan, *started = plan;
  reblock_template *committed = dealt(MPI_COMM_WORLD, ranks, 7, 0), *open = dealt(freed, ranks, 7, 0);
  reblock_template *old = dealt(freed, ranks, 7, 1), *changed = dealt(MPI_COMM_WORLD, ranks, 7, 1);
  reblock_map *map = NULL, *made_of = from;
  reblock_array *array = NULL;
  reblock_request *request = NULL;
  if (reblock_map_whole(old, &map)) report("cannot make a map", 0);
  reblock_template *good[2] = {committed, changed};
  MPI_Comm_free(&freed);
  if (mistake("executing a plan of a freed communicator", STATE, ANYBODY)) used = stale;
  if (mistake("starting a plan of a freed communicator", STATE, ONE)) started = stale;
  if (mistake("committing a template of a freed communicator", STATE, ONE)) committed = open;
  if (mistake("an array of a freed communicator", STATE, ONE)) made_of = map;
  if (mistake("redistributing a template of a freed communicator", STATE, ONE)) changed = old;
  int32_t code = reblock_plan_execute(used, source, copy);
  if (!code) code = reblock_plan_start(started, source, copy, &request);
  if (request) code = reblock_request_wait(&request);
  if (!code) code = reblock_template_commit(committed);
  if (!code) code = reblock_array_create(made_of, 8, &array);
  if (!code) code = reblock_template_redistribute(changed, cyclic, 0, NULL);
  if (array) reblock_array_free(&array);
  reblock_plan_free(&stale), reblock_map_free(&map);
  reblock_template_free(&good[0]), reblock_template_free(&good[1]);
  reblock_template_free(&open), reblock_template_free(&old);
  return code;
}

/* Calls another function on some rank than on the others. */
int32_t functions(void) {
  static int64_t copy[ROOM];
  reblock_template *open = dealt(MPI_COMM_WORLD, ranks, 7, 0), *changed = dealt(MPI_COMM_WORLD, ranks, 7, 1);
  reblock_plan *made = NULL;
  reblock_array *array = NULL, *second = NULL;
  int32_t code = reblock_array_create(from, 8, &array);
  if (code) report("cannot make an array", code);
  int executes = mistake("executing where others commit", DIFFERS, ONE);
  int plans_it = mistake("making a plan where others execute", DIFFERS, ONE);
  int frees = mistake("freeing an array where others make one", DIFFERS, ONE);
  int realigns = mistake("realigning where others redistribute", DIFFERS, ONE);
  int saves = mistake("saving where others load", DIFFERS, ONE);
  code = executes ? reblock_plan_execute(plan, source, copy) : reblock_template_commit(open);
  reblock_map *early_map = NULL;
  if (code && reblock_map_whole(open, &early_map) != REBLOCK_ERR_STATE) report("has committed a template", code);
  if (code && reblock_template_commit(open)) report("cannot commit afterwards", code);
  if (!code)
    code = plans_it ? reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, NULL, &made)
                    : reblock_plan_execute(plan, source, copy);
  if (made) report("has a plan after an error", code);
  if (!code) code = frees ? reblock_array_free(&array) : reblock_array_create(to, 8, &second);
  if (!array || (code && second)) report("has freed or made an array", code);
  if (!code) code = realigns ? reblock_array_realign(array, to, 0) : reblock_template_redistribute(changed, cyclic, 0, NULL);
  const char *file = "/nonexistent/reblock/mistakes.npy";
  if (!code) {
    code = saves ? reblock_array_save(array, file, NULL) : reblock_array_load(array, file, NULL);
    if (code == REBLOCK_ERR_FILE) code = REBLOCK_OK; /* all load a file that does not exist */
  }
  reblock_array_free(&array);
  if (second) reblock_array_free(&second);
  reblock_template_free(&open), reblock_template_free(&changed);
  return code;
}

/* Passes arrangements larger than the communicator of the object that changes: each rank has an array of its own. */
int32_t outside(void) {
  reblock_template *own = dealt(MPI_COMM_SELF, 1, 7, 1), *like = dealt(MPI_COMM_SELF, 1, 5, 1), *given = like;
  reblock_map *map = NULL, *moved = NULL, *aligned;
  reblock_array *array = NULL;
  int64_t *data = NULL;
  int32_t code = reblock_map_whole(own, &map);
  if (!code) code = reblock_map_whole(like, &moved);
  if (!code) code = reblock_array_create(map, 8, &array);
  if (code) report("cannot make an array", code);
  if (reblock_array_data(array, (void **)&data, NULL, NULL, NULL)) report("has no array", code);
  aligned = moved;
  data[0] = 7 + me;
  if (ranks > 1 && mistake("a template like one on other ranks, too", ARGUMENT, ANYBODY)) given = cyclic;
  if (ranks > 1 && mistake("a map on other ranks, too", ARGUMENT, ANYBODY)) aligned = to;
  code = reblock_template_redistribute(own, given, 0, NULL);
  if (!code) code = reblock_array_realign(array, aligned, 0);
  if (reblock_array_data(array, (void **)&data, NULL, NULL, NULL) || data[0] != 7 + me)
    report("has another value in its array", code);
  reblock_array_free(&array), reblock_map_free(&map), reblock_map_free(&moved);
  reblock_template_free(&own), reblock_template_free(&like);
  return code;
}
