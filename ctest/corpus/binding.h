/* The library's interface in one language, as a table of functions with C's arguments. Only the binding itself
 * interprets its handles. Communicators are Fortran handles, which every language can hold. */
#ifndef CORPUS_BINDING_H
#define CORPUS_BINDING_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>

/* A rank's local array: `bytes` bytes from `base` on. `start` is the number of elements before the element at position
 * 0 of all axes. `has` is 0 on a rank without a part of the array. */
struct local {
  int32_t has;
  char *base;
  int64_t bytes, element, start, axes;
  const int64_t *extents, *strides;
};

struct binding {
  const char *name;
  const char *(*message)(void);

  int32_t (*procs_create)(MPI_Fint comm, int64_t axes, const int64_t *shape, const int64_t *ranks, reblock_procs **procs);
  int32_t (*procs_free)(reblock_procs **procs);
  int32_t (*template_create)(const reblock_procs *procs, int64_t axes, const int64_t *lower, const int64_t *upper,
                             reblock_template **made);
  int32_t (*template_dist_collapsed)(reblock_template *t, int64_t axis);
  int32_t (*template_dist_block)(reblock_template *t, int64_t axis, int64_t onto, int64_t block);
  int32_t (*template_dist_cyclic)(reblock_template *t, int64_t axis, int64_t onto, int64_t block);
  int32_t (*template_dist_gen_block)(reblock_template *t, int64_t axis, int64_t onto, int64_t processes, const int64_t *sizes);
  int32_t (*template_dist_indirect)(reblock_template *t, int64_t axis, int64_t onto, int64_t indices, const int64_t *owners);
  int32_t (*template_dist_indirect_local)(reblock_template *t, int64_t axis, int64_t onto, int64_t lower, int64_t indices,
                                 const int64_t *owners);
  int32_t (*template_dist_text)(reblock_template *t, const char *distribution);
  int32_t (*template_commit)(reblock_template *t);
  int32_t (*template_free)(reblock_template **t);

  int32_t (*map_create)(const reblock_template *t, int64_t axes, const int64_t *lower, const int64_t *upper,
                        const reblock_align *aligns, const int64_t *rest, reblock_map **map);
  int32_t (*map_whole)(const reblock_template *t, reblock_map **map);
  int32_t (*map_shadow)(const reblock_map *map, const int64_t *before, const int64_t *after, reblock_map **made);
  int32_t (*map_row_major)(const reblock_map *map, reblock_map **made);
  int32_t (*map_order)(const reblock_map *map, const int64_t *order, reblock_map **made);
  int32_t (*map_strides)(const reblock_map *map, const int64_t *strides, reblock_map **made);
  int32_t (*map_from_boxes)(MPI_Fint comm, int64_t axes, const int64_t *extents, int64_t boxes, const int64_t *starts,
                            const int64_t *sizes, int32_t row_major, const int64_t *offsets, const int64_t *strides,
                            reblock_map **map);
  int32_t (*map_free)(reblock_map **map);

  int32_t (*map_axes)(const reblock_map *map, int64_t *axes);
  int32_t (*map_bounds)(const reblock_map *map, int64_t *lower, int64_t *upper);
  int32_t (*map_local)(const reblock_map *map, int64_t *extents, int64_t *lower, int64_t *before, int64_t *after,
                       int64_t *strides, int32_t *has_part);
  int32_t (*map_elements)(const reblock_map *map, int64_t *elements);
  int32_t (*map_owners)(const reblock_map *map, const int64_t *index, int64_t most, int64_t *ranks, int64_t *owners);
  int32_t (*map_local_index)(const reblock_map *map, const int64_t *index, int64_t *local, int32_t *here);
  int32_t (*map_global_index)(const reblock_map *map, const int64_t *local, int64_t *index, int32_t *own);
  int32_t (*map_text)(const reblock_map *map, char *text, int64_t size, int64_t *length);

  int32_t (*plan_create)(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                         const reblock_range *to_section, int64_t element, const reblock_plan_options *options,
                         reblock_plan **plan);
  int32_t (*plan_cshift)(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                         const reblock_range *to_section, int64_t element, int64_t axes, const int64_t *shifts,
                         const reblock_plan_options *options, reblock_plan **plan);
  int32_t (*plan_eoshift)(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                          const reblock_range *to_section, int64_t element, int64_t axes, const int64_t *shifts,
                          const void *boundary, const reblock_plan_options *options, reblock_plan **plan);
  int32_t (*plan_shift_lines)(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                              const reblock_range *to_section, int64_t element, int64_t axis, int32_t circular, int64_t count,
                              const int64_t *distances, const void *boundaries, const reblock_plan_options *options,
                              reblock_plan **plan);
  int32_t (*plan_gather)(MPI_Fint comm, const reblock_map *map, int64_t axis, int64_t count, const int64_t *indices,
                         int64_t element, const reblock_plan_options *options, reblock_plan **plan);
  int32_t (*plan_scatter)(MPI_Fint comm, const reblock_map *map, int64_t axis, int64_t count, const int64_t *indices,
                          int64_t element, const reblock_plan_options *options, reblock_plan **plan);
  int32_t (*plan_shadow)(MPI_Fint comm, const reblock_map *map, const int64_t *before, const int64_t *after,
                         const int32_t *periodic, int32_t corners, int64_t element, const reblock_plan_options *options,
                         reblock_plan **plan);
  int32_t (*plan_reverse)(const reblock_plan *plan, reblock_plan **reverse);
  int32_t (*plan_inquire)(const reblock_plan *plan, reblock_plan_info *info);
  int32_t (*plan_target)(const reblock_plan *plan, reblock_map **map);
  int32_t (*plan_free)(reblock_plan **plan);
  int32_t (*plan_execute)(reblock_plan *plan, const struct local *source, const struct local *target);
  int32_t (*plan_execute_many)(int64_t count, reblock_plan *const *plans, const struct local *sources,
                          const struct local *targets);
  int32_t (*plan_start)(reblock_plan *plan, const struct local *source, const struct local *target, reblock_request **request);
  int32_t (*plan_start_many)(int64_t count, reblock_plan *const *plans, const struct local *sources, const struct local *targets,
                        reblock_request **request);
  /* NULL if an interface has no such function. */
  int32_t (*request_free)(reblock_request **request);
  int32_t (*request_test)(reblock_request **request, int32_t *done);
  int32_t (*request_wait)(reblock_request **request);

  /* In a batch with any update, the updates of other arrays may be NULL. */
  int32_t (*plan_update)(reblock_plan *plan, const struct local *source, const struct local *target, const reblock_update *update);
  int32_t (*plan_update_many)(int64_t count, reblock_plan *const *plans, const struct local *sources, const struct local *targets,
                              const reblock_update *const *updates);
  int32_t (*plan_start_update)(reblock_plan *plan, const struct local *source, const struct local *target,
                               const reblock_update *update, reblock_request **request);
  int32_t (*plan_start_update_many)(int64_t count, reblock_plan *const *plans, const struct local *sources,
                                    const struct local *targets, const reblock_update *const *updates,
                                    reblock_request **request);

  /* has_aliases: source and target may be one array. Otherwise plan_fill and plan_start_fill execute plans of shadows.
   * `update` may be NULL. A function is NULL if it is not tested in an interface. */
  int32_t has_aliases;
  int32_t (*plan_fill)(reblock_plan *plan, const struct local *array, const reblock_update *update);
  int32_t (*plan_start_fill)(reblock_plan *plan, const struct local *array, const reblock_update *update,
                             reblock_request **request);
  int32_t (*move)(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                  const reblock_range *to_section, int64_t element, const struct local *source, const struct local *target);
  int32_t (*move_update)(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                         const reblock_range *to_section, int64_t element, const struct local *source,
                         const struct local *target, const reblock_update *update);

  int32_t (*array_create)(const reblock_map *map, int64_t element, reblock_array **array);
  int32_t (*array_map)(const reblock_array *array, reblock_map **map);
  int32_t (*array_data)(const reblock_array *array, void **data, int64_t *extents, int64_t *lower, int64_t *strides);
  int32_t (*array_free)(reblock_array **array);
  int32_t (*template_redistribute)(reblock_template *t, const reblock_template *like, int64_t arrays, reblock_array *const *dead);
  int32_t (*array_realign)(reblock_array *array, const reblock_map *map, int32_t dead);
};

extern const struct binding c_binding, fortran_binding, rust_binding;
/* The interface of C for arrays in the memory of GPUs (ctest/cuda/binding_device.c). */
struct binding device_binding(void);
/* The binding that the case uses. */
extern const struct binding *binding;
#endif
