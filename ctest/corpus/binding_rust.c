/* The interface of Rust: calls the functions in rust/. Dropping a Rust request also frees its vectors, so requests are
 * freed only when they are complete. */
#include "binding.h"

#define FUNCTIONS(F)                                                                                                \
  F(message) F(procs_create) F(procs_free) F(template_create) F(template_dist_collapsed) F(template_dist_block) \
  F(template_dist_cyclic) F(template_dist_gen_block) F(template_dist_indirect) F(template_dist_indirect_local) \
  F(template_dist_text) F(template_commit) F(template_free) F(map_create) F(map_whole) F(map_shadow) \
  F(map_row_major) F(map_order) F(map_strides) F(map_from_boxes) F(map_free) F(map_axes) F(map_bounds) F(map_local) F(map_elements) \
  F(map_owners) F(map_local_index) F(map_global_index) F(map_text) F(plan_create) F(plan_cshift) F(plan_eoshift) F(plan_shift_lines) F(plan_gather) \
  F(plan_scatter) F(plan_shadow) F(plan_reverse) F(plan_inquire) F(plan_target) \
  F(plan_free) F(plan_execute) F(plan_execute_many) F(plan_start) F(plan_start_many) F(request_test) \
  F(request_wait) F(plan_fill) F(plan_start_fill) F(plan_update) F(plan_update_many) F(plan_start_update) F(plan_start_update_many) F(array_create) F(array_map) F(array_data) F(array_free) F(template_redistribute) \
  F(array_realign)
#define TYPED(function) extern __typeof__(*c_binding.function) rust_##function;
FUNCTIONS(TYPED)
#define SET(function) .function = rust_##function,
const struct binding rust_binding = {.name = "rust", FUNCTIONS(SET)};
