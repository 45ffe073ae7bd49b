/* Mistakes in plans of lists of indices, and in their use. */
#include "mistakes.h"

enum { NAMED = 5 };

/* Makes a plan, executes it, and requests the reverse plan, which does not exist for lists. */
static int32_t listed(int scatters) {
  int64_t axis = 0, count = NAMED, element = 8, indices[NAMED] = {1, N, 7, 7, N / 2}, values[NAMED] = {1, 2, 3, 4, 5};
  const int64_t *list = indices, one = 0;
  const reblock_map *map = from;
  MPI_Comm comm = MPI_COMM_WORLD;
  reblock_plan *made = NULL, *back = NULL, **place = &made;
  reblock_plan_options options;
  if (reblock_plan_options_init(&options)) report("has no options", 1);
  if (mistake("an index below the first", ARGUMENT, ANYBODY)) indices[2] = 0;
  if (mistake("an index beyond the last", ARGUMENT, ANYBODY)) indices[4] = N + 1;
  if (mistake("an index far beyond", ARGUMENT, ANYBODY)) indices[0] = INT64_MIN;
  if (mistake("axis 1 of one", ARGUMENT, ALL)) axis = 1;
  if (mistake("axis -2", ARGUMENT, ANYBODY)) axis = -2;
  if (mistake("another axis", DIFFERS, ONE)) axis = REBLOCK_ALL_AXES;
  if (mistake("-1 indices", ARGUMENT, ANYBODY)) count = -1;
  if (mistake("more indices than memory holds", ARGUMENT, ANYBODY)) count = INT64_MAX;
  if (mistake("no list", ARGUMENT, ANYBODY)) list = NULL;
  if (mistake("elements of 0 bytes", ARGUMENT, ANYBODY)) element = 0;
  if (mistake("elements of -8 bytes", ARGUMENT, ANYBODY)) element = -8;
  if (mistake("elements of other bytes", DIFFERS, ONE)) element = 16;
  if (mistake("another map", DIFFERS, ONE)) map = to;
  if (mistake("no map on any rank", ARGUMENT, ALL)) map = NULL;
  if (mistake("a plan as a map", HANDLE, ANYBODY)) map = (const reblock_map *)plan;
  if (mistake("no place for the plan", ARGUMENT, ANYBODY)) place = NULL;
  if (mistake("relabelling", ARGUMENT, ANYBODY)) options.relabel = 1;
  if (mistake("the copies of a source", ARGUMENT, ANYBODY)) options.copies = 1;
  if (mistake("axes in another order", ARGUMENT, ANYBODY)) options.axes = &one, options.axes_count = 1;
  if (mistake("a scheduler for graphs", SETTINGS, ALL)) options.scheduler = "edge-colouring";
  if (mistake("an unknown scheduler", SETTINGS, ALL)) options.scheduler = "none";
  if (mistake("an unknown transport", SETTINGS, ANYBODY)) options.transport = "pigeon";
  if (mistake("options of no size", ARGUMENT, ANYBODY)) options.size = 0;
  if (mistake("another window", DIFFERS, ONE)) options.window = 7;
  if (mistake("entries that only one skips", DIFFERS, ONE)) options.skip = 1;
  if (mistake("an index beyond the last, where those below the first are skipped", ARGUMENT, ALL)) options.skip = 1, indices[1] = 0, indices[4] = N + 1;
  int32_t code = 0;
  if (mistake("the other way", DIFFERS, ONE)) scatters = !scatters;
  code = (scatters ? reblock_plan_scatter : reblock_plan_gather)(comm, map, axis, count, list, element, &options, place);
  if (code) return code;
  const void *from_at = scatters ? (void *)values : (void *)source;
  void *to_at = scatters ? (void *)target : (void *)values;
  if (mistake("no source array", ARGUMENT, ALL)) from_at = NULL;
  if (mistake("no target array", ARGUMENT, ALL)) to_at = NULL;
  if (mistake("a target that overlaps the source", OVERLAP, ALL)) to_at = (char *)from_at + 8;
  if (mistake("the way back", ARGUMENT, ALL)) code = reblock_plan_reverse(made, &back);
  if (!code) code = reblock_plan_execute(made, from_at, to_at);
  int32_t freed = reblock_plan_free(&made);
  return code ? code : freed;
}
int32_t gathers(void) { return listed(0); }
int32_t scatters(void) { return listed(1); }
