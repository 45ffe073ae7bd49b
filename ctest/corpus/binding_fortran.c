/* The interface of Fortran: passes arrays to binding_*.f90. The arrays are of any Fortran type with the size of an
 * element, and have the rank of the map or, if elements are contiguous and in order, rank 1. */
#include "binding.h"
#include "draw.h"
#include <ISO_Fortran_binding.h>

/* An action on two arrays: `fortran_job` in binding_moving.f90. */
enum task { EXECUTE, START, DESCRIBE };
struct job { int32_t task, number; reblock_plan *plan; reblock_request *request; const reblock_update *update; int32_t stat; };

/* There is one Fortran subroutine for each type. The subroutines for type(*) and for characters take elements of any
 * size. */
#define TYPES(F)                                                                                                    \
  F(int8_t, 1) F(Bool, 1) F(int16_t, 2) F(int32_t, 4) F(float, 4)                                                   \
  F(int64_t, 8) F(double, 8) F(float_Complex, 8) F(double_Complex, 16)                                              \
  F(long_double, 16) F(char, 0) F(other, 0)
#define DECLARE(type, bytes) void fortran_do_##type(struct job *, CFI_cdesc_t *source, CFI_cdesc_t *target);
TYPES(DECLARE)
#define ENTRY(type, bytes) {CFI_type_##type, bytes, fortran_do_##type},
static const struct { CFI_type_t type; int64_t bytes; void (*use)(struct job *, CFI_cdesc_t *, CFI_cdesc_t *); } types[] = {
  TYPES(ENTRY)};
enum { NUMBER_OF_TYPES = sizeof types / sizeof *types };

/* Fills in a descriptor; returns NULL if the argument must be absent. */
static CFI_cdesc_t *described(CFI_cdesc_t *made, const struct local *l, int type, uint64_t chance) {
  if (!l->has && chance % 2) return NULL;
  int ordered = l->start == 0, rank = l->has && ordered && chance / 2 % 4 == 0 ? 1 : (int)l->axes;
  CFI_index_t extents[CFI_MAX_RANK] = {0};
  for (int k = 0; k < rank && l->has; k++) extents[k] = rank == l->axes ? l->extents[k] : l->bytes / l->element;
  static char nothing[64];
  char *base = l->has && l->bytes ? l->base + l->start * l->element : nothing;
  if (CFI_establish(made, base, CFI_attribute_other, types[type].type, (size_t)l->element, (CFI_rank_t)rank, extents))
    MPI_Abort(MPI_COMM_WORLD, 2);
  for (int k = 0; k < rank && l->has && rank == l->axes; k++) made->dim[k].sm = (CFI_index_t)(l->strides[k] * l->element);
  return made;
}

static int32_t with_arrays(struct job *job, const struct local *source, const struct local *target) {
  CFI_CDESC_T(CFI_MAX_RANK) from, to;
  uint64_t chance = mix((uint64_t)source->bytes * 64 + (uint64_t)target->bytes + (uint64_t)job->task);
  int type = (int)(chance % NUMBER_OF_TYPES);
  while (types[type].bytes && types[type].bytes != source->element) type = (type + 1) % NUMBER_OF_TYPES;
  CFI_cdesc_t *a = described((CFI_cdesc_t *)&from, source, type, chance / 64);
  CFI_cdesc_t *b = described((CFI_cdesc_t *)&to, target, type, chance / 4096);
  types[type].use(job, a, b);
  return job->stat;
}

static int32_t execute(reblock_plan *plan, const struct local *source, const struct local *target) {
  struct job job = {.task = EXECUTE, .plan = plan};
  return with_arrays(&job, source, target);
}

static int32_t start(reblock_plan *plan, const struct local *source, const struct local *target, reblock_request **request) {
  struct job job = {.task = START, .plan = plan};
  int32_t stat = with_arrays(&job, source, target);
  *request = job.request;
  return stat;
}

int32_t fortran_execute_described(int64_t count, reblock_plan *const *plans);
int32_t fortran_start_described(int64_t count, reblock_plan *const *plans, reblock_request **request);

static void describe(int64_t count, const struct local *sources, const struct local *targets) {
  for (int64_t i = 0; i < count; i++) {
    struct job job = {.task = DESCRIBE, .number = (int32_t)i + 1};
    with_arrays(&job, &sources[i], &targets[i]);
  }
}

static int32_t execute_many(int64_t count, reblock_plan *const *plans, const struct local *sources,
                            const struct local *targets) {
  describe(count, sources, targets);
  return fortran_execute_described(count, plans);
}

static int32_t start_many(int64_t count, reblock_plan *const *plans, const struct local *sources,
                          const struct local *targets, reblock_request **request) {
  describe(count, sources, targets);
  return fortran_start_described(count, plans, request);
}

static int32_t update(reblock_plan *plan, const struct local *source, const struct local *target, const reblock_update *update) {
  struct job job = {.task = EXECUTE, .plan = plan, .update = update};
  return with_arrays(&job, source, target);
}

static int32_t start_update(reblock_plan *plan, const struct local *source, const struct local *target,
                            const reblock_update *update, reblock_request **request) {
  struct job job = {.task = START, .plan = plan, .update = update};
  int32_t code = with_arrays(&job, source, target);
  *request = job.request;
  return code;
}

int32_t fortran_update_described(int64_t count, reblock_plan *const *plans, const reblock_update *const *updates);
int32_t fortran_start_update_described(int64_t count, reblock_plan *const *plans, const reblock_update *const *updates,
                                       reblock_request **request);

static int32_t update_many(int64_t count, reblock_plan *const *plans, const struct local *sources, const struct local *targets,
                           const reblock_update *const *updates) {
  describe(count, sources, targets);
  return fortran_update_described(count, plans, updates);
}

static int32_t start_update_many(int64_t count, reblock_plan *const *plans, const struct local *sources,
                                 const struct local *targets, const reblock_update *const *updates, reblock_request **request) {
  describe(count, sources, targets);
  return fortran_start_update_described(count, plans, updates, request);
}

int32_t fortran_plan_shift_lines(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                                 const reblock_range *to_section, int64_t element, int64_t axis, int32_t circular, int64_t count,
                                 const int64_t *distances, CFI_cdesc_t *boundary, const reblock_plan_options *options,
                                 reblock_plan **plan);

/* Boundary values are an array of elements. */
static int32_t plan_shift_lines(MPI_Fint comm, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                                const reblock_range *to_section, int64_t element, int64_t axis, int32_t circular, int64_t count,
                                const int64_t *distances, const void *boundaries, const reblock_plan_options *options,
                                reblock_plan **plan) {
  CFI_CDESC_T(1) made;
  CFI_index_t extents[] = {(CFI_index_t)count};
  CFI_cdesc_t *boundary = boundaries ? (CFI_cdesc_t *)&made : NULL;
  if (boundary && CFI_establish(boundary, (void *)(uintptr_t)boundaries, CFI_attribute_other, CFI_type_other, (size_t)element, 1, extents))
    MPI_Abort(MPI_COMM_WORLD, 2);
  return fortran_plan_shift_lines(comm, from, from_section, to, to_section, element, axis, circular, count, distances, boundary,
                                  options, plan);
}

/* All other functions have C's arguments: binding_*.f90. */
#define FUNCTIONS(F)                                                                                                \
  F(message) F(procs_create) F(procs_free) F(template_create) F(template_dist_collapsed) F(template_dist_block) \
  F(template_dist_cyclic) F(template_dist_gen_block) F(template_dist_indirect) F(template_dist_indirect_local) \
  F(template_dist_text) F(template_commit) F(template_free) F(map_create) F(map_whole) F(map_shadow) \
  F(map_row_major) F(map_order) F(map_strides) F(map_from_boxes) F(map_free) F(map_axes) F(map_bounds) F(map_local) F(map_elements) \
  F(map_owners) F(map_local_index) F(map_global_index) F(map_text) F(plan_create) F(plan_cshift) F(plan_eoshift) F(plan_gather) \
  F(plan_scatter) F(plan_shadow) F(plan_reverse) F(plan_inquire) F(plan_target) \
  F(plan_free) F(request_test) F(request_wait) F(request_free) F(array_create) F(array_map) F(array_data) \
  F(array_free) F(template_redistribute) F(array_realign)
#define TYPED(function) extern __typeof__(*c_binding.function) fortran_##function;
FUNCTIONS(TYPED)
#define SET(function) .function = fortran_##function,
const struct binding fortran_binding = {
  .name = "fortran", FUNCTIONS(SET) .plan_shift_lines = plan_shift_lines, .plan_execute = execute,
  .plan_execute_many = execute_many, .plan_start = start, .plan_start_many = start_many, .plan_update = update,
  .plan_update_many = update_many, .plan_start_update = start_update, .plan_start_update_many = start_update_many,
  .has_aliases = 1};
