/* WHICH plan does a call of Omni's need, and how is it carried out? */
#include <stdio.h>

#include "shim.h"

int32_t create_plan(MPI_Comm comm, const struct wish *wish, const struct side *from, const reblock_map *source, const struct side *to,
                    const reblock_map *target, reblock_plan **plan) {
  if (wish->purpose == FILL_SHADOWS)
    return reblock_plan_shadow(comm, source, wish->before, wish->after, wish->periodic, 1, wish->element, NULL, plan);
  int64_t all[AXES];
  reblock_plan_options options;
  int32_t code = reblock_plan_options_init(&options);
  if (code != REBLOCK_OK) return code;
  options.overlap = wish->overlap;
  if (wish->spread) {
    for (int i = 0; i < to->layout.axes; i++) all[i] = i;
    options.spread = all;
    options.spread_count = to->layout.axes;
  }
  return reblock_plan_create(comm, source, from->layout.section, target, to->layout.section, wish->element, &options, plan);
}

enum reason execute(reblock_plan *plan, const struct side *from, const struct side *to) {
  int32_t code = reblock_plan_execute(plan, from->address, to->address);
  if (code == REBLOCK_OK) return MOVED;
  if (shim_explains()) fprintf(stderr, "xmp: not moved: %s\n", reblock_message());
  if (code == REBLOCK_ERR_MPI) _XMP_fatal("reblock: MPI failed while data was moving");
  return REFUSED;
}
