/* Mistakes in plans and moves. */
#include "mistakes.h"
#include <string.h>

int32_t plans(void) {
  reblock_range whole = {1, N, 1}, a = whole, b = whole;
  int64_t element = 8;
  reblock_map *source_map = from, *target_map = to;
  reblock_plan *made = NULL, **out = &made;
  reblock_plan_options options;
  MPI_Comm comm = MPI_COMM_WORLD;
  reblock_plan_options_init(&options);
  if (mistake("elements of 0 bytes", ARGUMENT, ANYBODY)) element = 0;
  if (mistake("elements of -8 bytes", ARGUMENT, ANYBODY)) element = -8;
  if (mistake("elements of 2^60 bytes", ARGUMENT, ANYBODY)) element = INT64_C(1) << 60;
  if (mistake("elements of another size", DIFFERS, ONE)) element = 4;
  if (mistake("another section of the source", DIFFERS, ONE)) a.lower = 2, b.upper = N - 1;
  if (mistake("another section of the target", DIFFERS, ONE)) a.upper = N - 1, b.lower = 2;
  if (mistake("another source", DIFFERS, ONE)) source_map = to;
  if (mistake("another target", DIFFERS, ONE)) target_map = from;
  if (mistake("a section that starts too low", ARGUMENT, ANYBODY)) a = (reblock_range){0, N - 1, 1};
  if (mistake("a section that ends too high", ARGUMENT, ANYBODY)) b = (reblock_range){2, N + 1, 1};
  if (mistake("a section of stride 0", ARGUMENT, ANYBODY)) a.stride = 0;
  if (mistake("a section of stride -1", ARGUMENT, ANYBODY)) b.stride = -1;
  if (mistake("sections that do not conform", ARGUMENT, ANYBODY)) b = (reblock_range){1, N, 2};
  if (mistake("neither source nor target", ARGUMENT, ALL)) source_map = target_map = NULL;
  if (mistake("an arrangement as the source", HANDLE, ANYBODY)) source_map = (reblock_map *)procs;
  if (mistake("a scheduler that there is not", SETTINGS, ANYBODY)) options.scheduler = "no-such-scheduler";
  if (mistake("a transport that there is not", SETTINGS, ANYBODY)) options.transport = "pigeons";
  /* CYCLIC(5) to BLOCK: the larger block is no multiple of the smaller one. */
  if ((N + ranks - 1) / ranks % 5 && mistake("a scheduler that cannot run this", SETTINGS, ANYBODY)) options.scheduler = "circulant";
  if (mistake("a scheduler with a name that is no text", ARGUMENT, ANYBODY)) options.scheduler = "\xff";
  if (mistake("a window of -1", 0, ANYBODY)) options.window = -1;
  if (mistake("a buffer of -1 bytes", ARGUMENT, ANYBODY)) options.buffer = -1;
  if (mistake("a buffer of 1 byte", SETTINGS, ANYBODY)) options.buffer = 1;
  if (mistake("another window", DIFFERS, ONE)) options.window = 3;
  if (mistake("copies that others do not combine", DIFFERS, ONE)) options.copies = 1;
  static const int64_t in_order[] = {0, 1}, next_axis[] = {1}, negative[] = {-1};
  if (mistake("axes that others do not give", DIFFERS, ONE)) options.axes = in_order, options.axes_count = 1;
  if (mistake("an axis that there is not", ARGUMENT, ALL)) options.axes = next_axis, options.axes_count = 1;
  if (mistake("an axis of -1", ARGUMENT, ANYBODY)) options.axes = negative, options.axes_count = 1;
  if (mistake("too many axes", ARGUMENT, ALL)) options.axes = in_order, options.axes_count = 2;
  if (mistake("no axes", ARGUMENT, ALL)) options.axes = in_order, options.axes_count = 0;
  if (mistake("a number of axes below 0", ARGUMENT, ANYBODY)) options.axes = in_order, options.axes_count = -1;
  if (mistake("more axes than there can be", ARGUMENT, ANYBODY)) options.axes = in_order, options.axes_count = INT64_MAX;
  if (mistake("entries to skip, without a list", ARGUMENT, ANYBODY)) options.skip = 1;
  if (mistake("options of no known size", ARGUMENT, ANYBODY)) options.size = 3;
  if (mistake("options that are larger than any", ARGUMENT, ANYBODY)) options.size += 8;
  if (mistake("options of version 99", ARGUMENT, ANYBODY)) options.version = 99;
  if (mistake("nowhere to put a plan", ARGUMENT, ANYBODY)) out = NULL;
  if (mistake("no communicator", ARGUMENT, ANYBODY)) comm = MPI_COMM_NULL;
  if (ranks > 1 && mistake("a communicator that lacks ranks of the maps", ARGUMENT, ALL)) comm = MPI_COMM_SELF;
  int32_t code = reblock_plan_create(comm, source_map, &a, target_map, &b, element, &options, out);
  if (code && made) report("has a plan after an error", code);
  reblock_plan_free(&made);
  return code;
}

/* Sizes larger than any memory. */
int32_t sizes(void) {
  int64_t lower = 1, upper = INT64_C(1) << 50, element = 8;
  reblock_range section = {1, upper, 7};
  reblock_template *template = NULL, *plain = NULL;
  reblock_map *stepped = NULL, *local = NULL;
  reblock_plan *made = NULL;
  reblock_array *array = NULL;
  int32_t code = reblock_template_create(procs, 1, &lower, &upper, &template);
  if (!code) code = reblock_template_dist_cyclic(template, 0, 0, 5);
  if (!code) code = reblock_template_commit(template);
  if (!code) code = reblock_map_whole(template, &stepped);
  upper = (upper - 1) / 7 + 1;
  if (!code) code = reblock_template_create(procs, 1, &lower, &upper, &plain);
  if (!code) code = reblock_template_dist_block(plain, 0, 0, 0);
  if (!code) code = reblock_template_commit(plain);
  if (!code) code = reblock_map_whole(plain, &local);
  if (code) report("cannot make large maps", code);
  if (ranks > 1 && mistake("a plan with more runs than memory holds", MEMORY, ALL))
    code = reblock_plan_create(MPI_COMM_WORLD, stepped, &section, local, NULL, 8, NULL, &made);
  if (mistake("an array of more bytes than addresses", MEMORY, ANYBODY)) element = INT64_MAX;
  if (mistake("an array of more memory than there is", MEMORY, ALL)) element = INT64_C(1) << 38;
  if (!code) code = reblock_array_create(from, element, &array);
  if (code && (made || array)) report("has a plan or an array after an error", code);
  if (array) reblock_array_free(&array);
  reblock_plan_free(&made);
  reblock_map_free(&stepped), reblock_map_free(&local);
  reblock_template_free(&template), reblock_template_free(&plain);
  return code;
}

/* Makes mistakes in the arrays of a redistribution: blocking, by a request, or as one of two. */
static int32_t moved(int how) {
  reblock_plan *two[2] = {plan, plan};
  static int64_t more[N + 64];
  int64_t *from_at = source, *to_at = target;
  if (mistake("no source array", ARGUMENT, ANYBODY)) from_at = NULL;
  if (mistake("no target array", ARGUMENT, ANYBODY)) to_at = NULL;
  /* On one rank, both layouts are equal, so nothing moves. */
  if (ranks > 1 && mistake("the source as the target", OVERLAP, ANYBODY)) from_at = target;
  if (mistake("a target that overlaps the source", OVERLAP, ANYBODY)) from_at = target + 1;
  const void *sources[2] = {source, from_at};
  void *targets[2] = {more, to_at};
  reblock_request *request = NULL, **out = &request;
  int32_t code = 0;
  if (how == 0) return reblock_plan_execute(plan, from_at, to_at);
  if (how == 2) {
    if (mistake("one target for both", OVERLAP, ANYBODY)) targets[0] = targets[1];
    if (mistake("no plan for one", HANDLE, ANYBODY)) two[1] = NULL;
    if (mistake("no plan for both", HANDLE, ONE)) two[0] = two[1] = NULL;
    if (mistake("no list of plans", ARGUMENT, ONE)) return reblock_plan_execute_many(2, NULL, sources, targets);
    if (mistake("no list of sources", ARGUMENT, ONE)) return reblock_plan_execute_many(2, two, NULL, targets);
    if (mistake("no list of targets", ARGUMENT, ONE)) return reblock_plan_execute_many(2, two, sources, NULL);
    if (mistake("-1 plans", ARGUMENT, ONE)) return reblock_plan_execute_many(-1, two, sources, targets);
    return reblock_plan_execute_many(2, two, sources, targets);
  }
  if (how == 1 && mistake("nowhere to put a request", ARGUMENT, ANYBODY)) out = NULL;
  if (how == 1) code = reblock_plan_start(plan, from_at, to_at, out);
  else code = reblock_plan_start_many(2, two, sources, targets, out);
  if (code && request) report("has a request after an error", code);
  if (code || !request) return code;
  code = reblock_request_wait(&request);
  if (request) report("has a request after waiting for it", code);
  return code;
}
int32_t executes(void) { return moved(0); }
int32_t starts(void) { return moved(1); }
int32_t executes_of_many(void) { return moved(2); }
int32_t starts_of_many(void) { return moved(3); }
