/* Invalid or freed handles, and calls at the wrong time. */
#include "mistakes.h"

/* Passes invalid handles to each local call. */
int32_t handles(void) {
  void *handle = NULL, *made = NULL;
  reblock_map *freed = NULL;
  reblock_plan_info info = {0};
  reblock_format format;
  int64_t number[16] = {0};
  int32_t flag, code = REBLOCK_OK;
  enum { NONE, NULL_ONE, FREED, OTHER, FOREIGN } kind = NONE;
  if (mistake("NULL for a handle", HANDLE, ALL)) kind = NULL_ONE;
  if (mistake("a handle that was freed", HANDLE, ALL)) kind = FREED;
  if (mistake("a handle of another kind", HANDLE, ALL)) kind = OTHER;
  if (mistake("an address that is no handle", HANDLE, ALL)) kind = FOREIGN;
  if (kind == NONE) return REBLOCK_OK;
  if (kind == FREED) {
    if (reblock_map_row_major(from, &freed)) report("cannot make a map", 0);
    handle = freed;
    reblock_map_free(&freed);
  }
  if (kind == FOREIGN) handle = number;
  void *map = kind == OTHER ? procs : handle, *other = kind == OTHER ? from : handle;
  int32_t codes[] = {
      reblock_procs_axes(other, number), reblock_procs_shape(other, number),
      reblock_procs_coords(other, 0, number, &flag),
      reblock_template_create(other, 1, number, number, (reblock_template **)&made), reblock_template_dist_collapsed(other, 0),
      reblock_template_dist_block(other, 0, 0, 0), reblock_template_dist_cyclic(other, 0, 0, 1),
      reblock_template_dist_gen_block(other, 0, 0, 1, number),
      reblock_template_dist_indirect(other, 0, 0, 1, number), reblock_template_dist_indirect_local(other, 0, 0, 1, 1, number),
      reblock_template_text(other, text_room, 8, number),
      reblock_map_create(other, 1, number, number, NULL, NULL, (reblock_map **)&made),
      reblock_map_whole(other, (reblock_map **)&made),
      reblock_map_shadow(map, number, number, (reblock_map **)&made), reblock_map_row_major(map, (reblock_map **)&made),
      reblock_map_order(map, number, (reblock_map **)&made), reblock_map_strides(map, number, (reblock_map **)&made),
      reblock_map_axes(map, number), reblock_map_bounds(map, number, number), reblock_map_elements(map, number),
      reblock_map_local(map, number, number, number, number, number, &flag),
      reblock_map_owners(map, number, 1, number, number),
      reblock_map_local_index(map, number, number, &flag), reblock_map_global_index(map, number, number, &flag),
      reblock_map_text(map, text_room, 8, number), reblock_plan_inquire(other, &info),
      reblock_plan_target(other, (reblock_map **)&made), reblock_plan_explain(other, text_room, 8, number),
      reblock_map_format(map, 0, &format), reblock_template_dist_text(other, "(*)"), reblock_array_element(other, number),
      reblock_scope_procs(other, "P", (reblock_procs **)&made), reblock_scope_map(other, "A", (reblock_map **)&made),
      reblock_scope_template(other, "T", (reblock_template **)&made),
      reblock_array_data(other, &made, NULL, NULL, NULL), reblock_array_map(other, (reblock_map **)&made)};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    if (codes[i] == REBLOCK_ERR_HANDLE) continue;
    fprintf(stderr, "call %d of handles: ", (int)i);
    report("takes what is no handle", codes[i]);
    code = codes[i];
  }
  if (made) report("has made something of what is no handle", 0);
  reblock_procs_axes(NULL, number); /* The text that is checked belongs to the last call. */
  return code ? code : REBLOCK_ERR_HANDLE;
}

/* Passes handles that one rank has freed, in collective calls in which other ranks pass valid handles. */
int32_t stale(void) {
  static int64_t copy[ROOM];
  reblock_template *template = NULL, *committed;
  reblock_map *copied = NULL, *made_of = from, *aligned = to;
  reblock_plan *second = NULL, *used = plan;
  reblock_array *array = NULL, *freed = NULL, *realigned, *released;
  reblock_scope *scope = NULL, *directed;
  reblock_request *request = NULL, *over;
  int64_t lower = 1, upper = N;
  int32_t codes[] = {reblock_template_create(procs, 1, &lower, &upper, &template), reblock_map_row_major(from, &copied),
                     reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, NULL, &second),
                     reblock_array_create(from, 8, &array), reblock_array_create(from, 8, &freed),
                     reblock_scope_create(MPI_COMM_WORLD, &scope), reblock_plan_start(plan, source, copy, &request)};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i]) report("cannot make what is freed", codes[i]);
  reblock_map *old_map = copied;
  reblock_plan *old_plan = second;
  reblock_array *old_array = freed;
  reblock_request *old_request = request;
  if (reblock_map_free(&copied) || reblock_plan_free(&second) || reblock_array_free(&freed) || reblock_request_wait(&request))
    report("cannot free", 0);
  committed = template, realigned = released = array, directed = scope, over = NULL;
  if (mistake("executing a plan that is freed", HANDLE, ONE)) used = old_plan;
  if (mistake("committing a template that is freed", HANDLE, ONE)) reblock_template_free(&template);
  if (mistake("an array of a map that is freed", HANDLE, ONE)) made_of = old_map;
  if (mistake("an array like a map that is freed", HANDLE, ANYBODY)) aligned = old_map;
  if (mistake("realigning an array that is freed", HANDLE, ONE)) realigned = old_array;
  if (mistake("freeing an array twice", HANDLE, ONE)) released = old_array;
  int nowhere = mistake("freeing an array that is nowhere", ARGUMENT, ONE);
  if (mistake("a directive of no scope", HANDLE, ONE)) directed = NULL;
  if (mistake("waiting twice for a request", HANDLE, ALL)) over = old_request;
  int32_t code = reblock_plan_execute(used, source, copy);
  if (!code) code = reblock_template_commit(committed);
  reblock_array *made = NULL;
  if (!code) code = reblock_array_create(made_of, 8, &made);
  if (!code) code = reblock_array_realign(realigned, aligned, 0);
  if (!code) code = reblock_scope_directive(directed, "TEMPLATE T(10)");
  if (!code && over) code = reblock_request_wait(&over);
  if (!code) {
    code = reblock_array_free(nowhere ? NULL : &released);
    if (!code) array = NULL;
  }
  /* The next collective call must wait until no rank looks for others. */
  MPI_Barrier(MPI_COMM_WORLD);
  if (array) reblock_array_free(&array);
  if (made) reblock_array_free(&made);
  reblock_template_free(&template), reblock_scope_free(&scope);
  return code;
}

/* Passes invalid handles to collective calls: if one rank fails, the others must receive the error. A rank whose handle
 * does not identify the communicator looks for waiting ranks for some seconds, so there are few of these mistakes by
 * all ranks together. */
int32_t refusals(void) {
  reblock_template *template = NULL;
  reblock_map *made_of = from;
  reblock_request *request = NULL;
  reblock_array *array = NULL, *given;
  reblock_plan *used = plan, *started = plan;
  static int64_t copy[ROOM];
  int64_t lower = 1, upper = N;
  if (reblock_template_create(procs, 1, &lower, &upper, &template)) report("cannot make a template", 0);
  reblock_template *committed = template;
  if (reblock_array_create(from, 8, &array)) report("cannot make an array", 0);
  given = array;
  if (mistake("executing no plan", HANDLE, ANYBODY)) used = NULL;
  if (mistake("executing a map", HANDLE, ONE)) used = (reblock_plan *)from;
  if (mistake("starting no plan", HANDLE, ONE)) started = NULL;
  if (mistake("committing no template", HANDLE, ONE)) committed = NULL;
  if (mistake("committing an arrangement", HANDLE, ONE)) committed = (reblock_template *)procs;
  if (mistake("an array without a map", HANDLE, ONE)) made_of = NULL;
  if (mistake("realigning no array", HANDLE, ONE)) given = NULL;
  int32_t code = reblock_plan_execute(used, source, copy);
  if (!code) code = reblock_plan_start(started, source, copy, &request);
  if (!code) code = reblock_request_wait(&request);
  if (!code) code = reblock_template_commit(committed);
  reblock_array *second = NULL;
  if (!code) code = reblock_array_create(made_of, 8, &second);
  if (!code) code = reblock_array_realign(given, to, 0);
  /* The next collective call must wait until no rank looks for others. */
  MPI_Barrier(MPI_COMM_WORLD);
  reblock_array_free(&array);
  if (second) reblock_array_free(&second);
  reblock_template_free(&template);
  return code;
}

/* Calls at the wrong time. */
int32_t times(void) {
  reblock_template *fresh = NULL;
  reblock_map *map = NULL;
  reblock_request *request = NULL;
  int64_t lower = 1, upper = N;
  int32_t done, code = REBLOCK_OK;
  reblock_template_create(procs, 1, &lower, &upper, &fresh);
  if (mistake("a map of a template that is not committed", STATE, ALL)) code = reblock_map_whole(fresh, &map);
  if (mistake("a template that is committed twice", STATE, ALL)) code = reblock_template_commit(blocks);
  if (mistake("a format for a template that is committed", STATE, ALL)) code = reblock_template_dist_cyclic(blocks, 0, 0, 2);
  if (mistake("waiting for no request", HANDLE, ALL)) code = reblock_request_wait(&request);
  if (mistake("asking for no request", HANDLE, ALL)) code = reblock_request_test(&request, &done);
  if (mistake("waiting for what is nowhere", ARGUMENT, ALL)) code = reblock_request_wait(NULL);
  if (mistake("freeing what is nowhere", ARGUMENT, ALL)) code = reblock_map_free(NULL);
  if (mistake("descriptors without BLACS", STATE, ALL)) code = reblock_map_from_blacs((reblock_int[9]){1}, &map);
  if (mistake("no descriptor", ARGUMENT, ALL)) code = reblock_map_from_blacs(NULL, &map);
  if (map) report("has a map after an error", code);
  reblock_template_free(&fresh);
  return code;
}
