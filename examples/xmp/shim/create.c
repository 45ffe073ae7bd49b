/* Makes the plan for a call of Omni, and executes it. */
#include <stdio.h>

#include "shim.h"

static int32_t create_shadow_plan(MPI_Comm comm, const struct wish *wish, const reblock_map *map, reblock_plan **plan) {
  bool back = wish->purpose == ADD;
  reblock_plan *fills;
  int32_t code = reblock_plan_shadow(comm, map, wish->before, wish->after, wish->periodic, !back, wish->element, NULL, &fills);
  if (code != REBLOCK_OK || !back) {
    *plan = fills;
    return code;
  }
  code = reblock_plan_reverse(fills, plan);
  reblock_plan_free(&fills);
  return code;
}

int32_t create_plan(MPI_Comm comm, const struct wish *wish, const struct side *from, const reblock_map *source, const struct side *to,
                    const reblock_map *target, reblock_plan **plan) {
  if (wish->purpose == FILL || wish->purpose == ADD) return create_shadow_plan(comm, wish, target, plan);
  int64_t all[AXES];
  reblock_plan_options options;
  int32_t code = reblock_plan_options_init(&options);
  if (code != REBLOCK_OK) return code;
  options.overlap = wish->overlap || wish->purpose == COMPLETE;
  if (wish->spread) {
    for (int i = 0; i < to->layout.axes; i++) all[i] = i;
    options.spread = all;
    options.spread_count = to->layout.axes;
  }
  return reblock_plan_create(comm, source, from->layout.section, target, to->layout.section, wish->element, &options, plan);
}

static void *behind(void *address, ptrdiff_t bytes) { return address == NULL ? NULL : (char *)address + bytes; }

enum reason execute(const struct plan *plan, const struct side *from, const struct side *to, const reblock_update *update) {
  const void *source = behind(from->address, plan->source);
  void *target = behind(to->address, plan->target);
  int32_t code;
  if (xmp_is_async() && plan->wish.purpose != COMPLETE) {
    reblock_request *request;
    code = reblock_plan_start_update(plan->plan, source, target, update, &request);
    if (code == REBLOCK_OK) keep_request(_XMP_get_current_async()->async_id, request);
  } else {
    code = reblock_plan_update(plan->plan, source, target, update);
  }
  if (code == REBLOCK_OK) return MOVED;
  if (shim_explains()) fprintf(stderr, "xmp: not moved: %s\n", reblock_message());
  if (code == REBLOCK_ERR_MPI) _XMP_fatal("reblock: MPI failed while data was moving");
  return REFUSED;
}
