/* Mistakes in plans for shadows, and in their use. */
#include "mistakes.h"

/* Returns the map of the vector, in blocks or cyclic, with a shadow of 2 elements before and 3 behind. */
static reblock_map *shadowed(const reblock_map *map) {
  reblock_map *made = NULL;
  int32_t code = reblock_map_shadow(map, (int64_t[]){2}, (int64_t[]){3}, &made);
  if (code) report("has no map with a shadow", code);
  return made;
}

int32_t shadow_plans(void) {
  int64_t before = 1, after = 2, element = 8, *before_at = &before, *after_at = &after, same = 0;
  int32_t periodic = 1, corners = 0;
  reblock_map *map = shadowed(from), *other = shadowed(to), *freed = shadowed(from);
  const reblock_map *used = map, *gone = freed;
  reblock_map_free(&freed);
  reblock_plan *made = NULL, **out = &made;
  reblock_plan_options options, *options_at = &options;
  MPI_Comm comm = MPI_COMM_WORLD;
  if (reblock_plan_options_init(&options)) report("has no options", 1);
  if (mistake("more before than the map has", ARGUMENT, ANYBODY)) before = 3;
  if (mistake("more behind than the map has", ARGUMENT, ANYBODY)) after = 4;
  if (mistake("-1 elements before", ARGUMENT, ANYBODY)) before = -1;
  if (mistake("-1 elements behind", ARGUMENT, ANYBODY)) after = -1;
  if (mistake("another width", DIFFERS, ONE)) before = 0;
  if (mistake("all that the map has, on one rank", DIFFERS, ONE)) before_at = after_at = NULL;
  if (mistake("nothing before", ARGUMENT, ANYBODY)) before_at = NULL;
  if (mistake("nothing behind", ARGUMENT, ANYBODY)) after_at = NULL;
  if (mistake("an axis that is not periodic", DIFFERS, ONE)) periodic = 0;
  if (mistake("corners", DIFFERS, ONE)) corners = 1;
  if (mistake("elements of 0 bytes", ARGUMENT, ANYBODY)) element = 0;
  if (mistake("elements of -8 bytes", ARGUMENT, ANYBODY)) element = -8;
  if (mistake("elements of another size", DIFFERS, ONE)) element = 4;
  if (ranks > 1 && mistake("an axis in several blocks", ARGUMENT, ALL)) used = other;
  if (ranks > 1 && mistake("an array in several blocks", ARGUMENT, ONE)) used = other;
  if (mistake("a map without a shadow", ARGUMENT, ANYBODY)) used = from;
  if (mistake("no map at all", ARGUMENT, ALL)) used = NULL;
  if (mistake("an arrangement as the map", HANDLE, ANYBODY)) used = (const reblock_map *)procs;
  if (mistake("a map that is freed", HANDLE, ANYBODY)) used = gone;
  if (mistake("relabelling", ARGUMENT, ANYBODY)) options.relabel = 1;
  if (mistake("axes in another order", ARGUMENT, ANYBODY)) options.axes = &same, options.axes_count = 1;
  if (mistake("copies that are combined", ARGUMENT, ANYBODY)) options.copies = 1;
  if (mistake("entries to skip, without a list", ARGUMENT, ANYBODY)) options.skip = 1;
  if (mistake("a scheduler that shadows do not have", SETTINGS, ANYBODY)) options.scheduler = "circulant";
  if (mistake("an unknown transport", SETTINGS, ANYBODY)) options.transport = "pigeons";
  if (mistake("options without reblock_plan_options_init", ARGUMENT, ANYBODY)) options = (reblock_plan_options){0};
  if (mistake("a window on one rank", DIFFERS, ONE)) options.window = 7;
  if (mistake("nowhere to put a plan", ARGUMENT, ANYBODY)) out = NULL;
  if (mistake("no communicator", ARGUMENT, ANYBODY)) comm = MPI_COMM_NULL;
  if (ranks > 1 && mistake("a communicator that lacks ranks of the map", ARGUMENT, ALL)) comm = MPI_COMM_SELF;
  int32_t code;
  if (mistake("another function", DIFFERS, ONE)) code = reblock_plan_create(comm, from, NULL, to, NULL, 8, NULL, out);
  else code = reblock_plan_shadow(comm, used, before_at, after_at, &periodic, corners, element, options_at, out);
  if (code && made) report("has a plan after an error", code);
  reblock_plan_free(&made), reblock_map_free(&map), reblock_map_free(&other);
  return code;
}

/* Executes a plan that fills shadows, or a plan that combines elements with shadows. */
int32_t shadow_moves(void) {
  static int64_t more[ROOM];
  const void *from_at = target;
  void *to_at = target;
  reblock_map *map = shadowed(from);
  int32_t periodic = 1;
  int64_t one = 1, two = 2;
  reblock_plan *fill = NULL, *back = NULL;
  reblock_update update, *used = &update;
  int32_t code = reblock_plan_shadow(MPI_COMM_WORLD, map, NULL, NULL, &periodic, 0, 8, NULL, &fill);
  if (!code) code = reblock_plan_reverse(fill, &back);
  if (!code) code = reblock_update_init(&update);
  if (code) report("cannot make plans", code);
  update.type = REBLOCK_INT64, update.beta = &one;
  reblock_plan *carried_out = back;
  if (mistake("no update where elements are combined", ARGUMENT, ANYBODY)) used = NULL;
  if (mistake("a beta of 0 where elements are combined", ARGUMENT, ANYBODY)) update.beta = NULL;
  if (mistake("a beta of 2 where elements are combined", ARGUMENT, ANYBODY)) update.beta = &two;
  if (mistake("another combination", DIFFERS, ONE)) update.combine = REBLOCK_MAXIMUM;
  if (mistake("an update of smaller numbers", ARGUMENT, ANYBODY)) update.type = REBLOCK_INT32;
  if (mistake("no source", ARGUMENT, ANYBODY)) from_at = NULL;
  if (mistake("no target", ARGUMENT, ANYBODY)) to_at = NULL;
  if (mistake("a source beside the target", OVERLAP, ANYBODY)) from_at = target + 1;
  if (mistake("the other plan", DIFFERS, ONE)) carried_out = fill;
  if (mistake("an array that is filled twice", OVERLAP, ANYBODY)) {
    code = reblock_plan_update_many(2, (reblock_plan *[]){back, fill}, (const void *[]){target, target},
                                    (void *[]){target, target}, (const reblock_update *[]){used, NULL});
  } else if (mistake("no update of the second array", ARGUMENT, ANYBODY)) {
    code = reblock_plan_update_many(2, (reblock_plan *[]){fill, back}, (const void *[]){more, target},
                                    (void *[]){more, target}, (const reblock_update *[]){NULL, NULL});
  } else {
    code = reblock_plan_update(carried_out, from_at, to_at, used);
  }
  reblock_plan_free(&fill), reblock_plan_free(&back), reblock_map_free(&map);
  return code;
}
