/* The interface of C. */
#include "binding.h"
#include <stddef.h>

enum { MAX_BATCH = 8 };

static int32_t procs_create(MPI_Fint comm, int64_t axes, const int64_t *shape, const int64_t *ranks, reblock_procs **procs) {
  return reblock_procs_create(MPI_Comm_f2c(comm), axes, shape, ranks, procs);
}

static int32_t map_from_boxes(MPI_Fint comm, int64_t axes, const int64_t *extents, int64_t boxes, const int64_t *starts,
                              const int64_t *sizes, int32_t row_major, const int64_t *offsets, const int64_t *strides,
                              reblock_map **map) {
  return reblock_map_from_boxes(MPI_Comm_f2c(comm), axes, extents, boxes, starts, sizes, row_major, offsets, strides, map);
}

static int32_t plan_create(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                           const reblock_range *to_section, int64_t element, const reblock_plan_options *options,
                           reblock_plan **plan) {
  return reblock_plan_create(MPI_Comm_f2c(comm), from, from_section, to, to_section, element, options, plan);
}

static int32_t plan_shadow(MPI_Fint comm, const reblock_map *map, const int64_t *before, const int64_t *after,
                           const int32_t *periodic, int32_t corners, int64_t element, const reblock_plan_options *options,
                           reblock_plan **plan) {
  return reblock_plan_shadow(MPI_Comm_f2c(comm), map, before, after, periodic, corners, element, options, plan);
}

static int32_t plan_cshift(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                           const reblock_range *to_section, int64_t element, int64_t axes, const int64_t *shifts,
                           const reblock_plan_options *options, reblock_plan **plan) {
  return reblock_plan_cshift(MPI_Comm_f2c(comm), from, from_section, to, to_section, element, axes, shifts, options, plan);
}

static int32_t plan_eoshift(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                            const reblock_range *to_section, int64_t element, int64_t axes, const int64_t *shifts,
                            const void *boundary, const reblock_plan_options *options, reblock_plan **plan) {
  return reblock_plan_eoshift(MPI_Comm_f2c(comm), from, from_section, to, to_section, element, axes, shifts, boundary, options, plan);
}

static int32_t plan_shift_lines(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                                const reblock_range *to_section, int64_t element, int64_t axis, int32_t circular, int64_t count,
                                const int64_t *distances, const void *boundaries, const reblock_plan_options *options,
                                reblock_plan **plan) {
  return reblock_plan_shift_lines(MPI_Comm_f2c(comm), from, from_section, to, to_section, element, axis, circular, count, distances,
                                  boundaries, options, plan);
}

static int32_t plan_gather(MPI_Fint comm, const reblock_map *map, int64_t axis, int64_t count, const int64_t *indices,
                           int64_t element, const reblock_plan_options *options, reblock_plan **plan) {
  return reblock_plan_gather(MPI_Comm_f2c(comm), map, axis, count, indices, element, options, plan);
}

static int32_t plan_scatter(MPI_Fint comm, const reblock_map *map, int64_t axis, int64_t count, const int64_t *indices,
                            int64_t element, const reblock_plan_options *options, reblock_plan **plan) {
  return reblock_plan_scatter(MPI_Comm_f2c(comm), map, axis, count, indices, element, options, plan);
}

static void *data(const struct local *l) { return l->has ? l->base + l->start * l->element : NULL; }

static int32_t execute(reblock_plan *plan, const struct local *source, const struct local *target) {
  return reblock_plan_execute(plan, data(source), data(target));
}

static int32_t start(reblock_plan *plan, const struct local *source, const struct local *target, reblock_request **request) {
  return reblock_plan_start(plan, data(source), data(target), request);
}

static int32_t execute_many(int64_t count, reblock_plan *const *plans, const struct local *sources,
                            const struct local *targets) {
  const void *from[MAX_BATCH];
  void *to[MAX_BATCH];
  for (int64_t i = 0; i < count; i++) from[i] = data(&sources[i]), to[i] = data(&targets[i]);
  return reblock_plan_execute_many(count, plans, from, to);
}

static int32_t start_many(int64_t count, reblock_plan *const *plans, const struct local *sources,
                          const struct local *targets, reblock_request **request) {
  const void *from[MAX_BATCH];
  void *to[MAX_BATCH];
  for (int64_t i = 0; i < count; i++) from[i] = data(&sources[i]), to[i] = data(&targets[i]);
  return reblock_plan_start_many(count, plans, from, to, request);
}

static int32_t move(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                    const reblock_range *to_section, int64_t element, const struct local *source, const struct local *target) {
  return reblock_move(MPI_Comm_f2c(comm), from, from_section, to, to_section, element, data(source), data(target));
}

static int32_t update(reblock_plan *plan, const struct local *source, const struct local *target, const reblock_update *update) {
  return reblock_plan_update(plan, data(source), data(target), update);
}

static int32_t start_update(reblock_plan *plan, const struct local *source, const struct local *target,
                            const reblock_update *update, reblock_request **request) {
  return reblock_plan_start_update(plan, data(source), data(target), update, request);
}

static int32_t update_many(int64_t count, reblock_plan *const *plans, const struct local *sources, const struct local *targets,
                           const reblock_update *const *updates) {
  const void *from[MAX_BATCH];
  void *to[MAX_BATCH];
  for (int64_t i = 0; i < count; i++) from[i] = data(&sources[i]), to[i] = data(&targets[i]);
  return reblock_plan_update_many(count, plans, from, to, updates);
}

static int32_t start_update_many(int64_t count, reblock_plan *const *plans, const struct local *sources,
                                 const struct local *targets, const reblock_update *const *updates, reblock_request **request) {
  const void *from[MAX_BATCH];
  void *to[MAX_BATCH];
  for (int64_t i = 0; i < count; i++) from[i] = data(&sources[i]), to[i] = data(&targets[i]);
  return reblock_plan_start_update_many(count, plans, from, to, updates, request);
}

static int32_t move_update(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                           const reblock_range *to_section, int64_t element, const struct local *source,
                           const struct local *target, const reblock_update *update) {
  return reblock_move_update(MPI_Comm_f2c(comm), from, from_section, to, to_section, element, data(source), data(target), update);
}

#define SAME(function) .function = reblock_##function
const struct binding c_binding = {
  .name = "c", SAME(message),
  .procs_create = procs_create, SAME(procs_free),
  SAME(template_create), SAME(template_dist_collapsed), SAME(template_dist_block), SAME(template_dist_cyclic),
  SAME(template_dist_gen_block), SAME(template_dist_indirect), SAME(template_dist_indirect_local),
  SAME(template_dist_text), SAME(template_commit), SAME(template_free),
  SAME(map_create), SAME(map_whole), SAME(map_shadow), SAME(map_row_major), SAME(map_order), SAME(map_strides),
  .map_from_boxes = map_from_boxes, SAME(map_free),
  SAME(map_axes), SAME(map_bounds), SAME(map_local), SAME(map_elements), SAME(map_owners), SAME(map_local_index),
  SAME(map_global_index), SAME(map_text),
  .plan_create = plan_create, .plan_cshift = plan_cshift, .plan_eoshift = plan_eoshift, .plan_shift_lines = plan_shift_lines,
  .plan_gather = plan_gather, .plan_scatter = plan_scatter, .plan_shadow = plan_shadow, SAME(plan_inquire), SAME(plan_target), SAME(plan_free),
  .plan_execute = execute, .plan_execute_many = execute_many, .plan_start = start, .plan_start_many = start_many,
  SAME(request_test), SAME(request_wait), SAME(request_free), SAME(plan_reverse), .move = move,
  .plan_update = update, .plan_update_many = update_many, .plan_start_update = start_update,
  .plan_start_update_many = start_update_many, .move_update = move_update, .has_aliases = 1,
  SAME(array_create), SAME(array_map), SAME(array_data), SAME(array_free), SAME(template_redistribute), SAME(array_realign),
};
