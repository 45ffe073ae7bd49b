/* Passes the ends of the range and -1 for every integer argument by value in reblock.h. tests/counts compares the names
 * in this file, "function: argument", with the header. */
#include "mistakes.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum values { LARGE = 1, SMALL = 2, MINUS_ONE = 4, NEGATIVE = SMALL | MINUS_ONE, ALL_OF_THEM = LARGE | NEGATIVE };

/* Returns the integer to pass: the right integer, or one of `wrong` if this rank makes that mistake now. */
static int64_t number_of(const char *argument, int64_t right, enum values wrong, int32_t code) {
  static const struct { enum values which; const char *name; int64_t value; } all[] = {
      {LARGE, "INT64_MAX", INT64_MAX}, {SMALL, "INT64_MIN", INT64_MIN}, {MINUS_ONE, "-1", -1}};
  char what[128];
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!(all[i].which & wrong)) continue;
    snprintf(what, sizeof what, "%s = %s", argument, all[i].name);
    if (mistake(what, code, ANYBODY)) right = all[i].value;
  }
  return right;
}
static int64_t number(const char *argument, int64_t right) { return number_of(argument, right, ALL_OF_THEM, ARGUMENT); }
/* Returns the bytes of an element. If the size on one rank is too large, the error is that sizes differ between ranks,
 * or that the array is too large to store. */
static int64_t element(const char *argument) {
  return number_of(argument, number_of(argument, 8, LARGE, 0), NEGATIVE, ARGUMENT);
}
static int number_int(const char *argument, int right) {
  int64_t n = number(argument, right);
  return n > INT32_MAX ? INT32_MAX : n < INT32_MIN ? INT32_MIN : (int)n;
}

/* The size of a text buffer may be arbitrarily large; if it is below 1, only the length is written. */
static void sizes_of_texts(void) {
  static const int64_t sizes[] = {INT64_MAX, INT64_MIN, -1, 0};
  static const char *const names[] = {"reblock_template_text: size", "reblock_map_text: size", "reblock_plan_explain: size"};
  static char text[1 << 16];
  for (int which = 0; which < 3; which++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      int64_t length = 0;
      memset(text, 7, sizeof text);
      int32_t code = which == 0   ? reblock_template_text(blocks, text, sizes[i], &length)
                     : which == 1 ? reblock_map_text(from, text, sizes[i], &length)
                                  : reblock_plan_explain(plan, text, sizes[i], &length);
      int64_t written = (char *)memchr(text, 7, sizeof text) - text;
      if (code || length <= 0 || written != (sizes[i] > 0 ? length + 1 : 0)) report(names[which], code);
    }
}

int32_t counts_of_arrangements(void) {
  int64_t shape = ranks;
  reblock_procs *made = NULL;
  int32_t code = reblock_procs_create(MPI_COMM_WORLD, number("reblock_procs_create: axes", 1), &shape, NULL, &made);
  reblock_procs_free(&made);
  return code;
}

/* Returns a template of `axes` axes without formats; NULL if that is refused. */
static reblock_template *fresh(int64_t axes) {
  int64_t lower = 1, upper = N;
  reblock_template *made = NULL;
  int32_t code = reblock_template_create(procs, axes, &lower, &upper, &made);
  return code ? NULL : made;
}

int32_t counts_of_templates(void) {
  int64_t sizes[MAX_RANKS] = {N}, owners[N] = {0}, lengths[1] = {N};
  reblock_template *made = NULL;
  int32_t code = REBLOCK_OK;
#define DESCRIBED(function, ...) \
  if (!code) made = fresh(1), code = function(made, __VA_ARGS__), reblock_template_free(&made)
  if (!(made = fresh(number("reblock_template_create: axes", 1)))) return ARGUMENT;
  reblock_template_free(&made);
  DESCRIBED(reblock_template_dist_collapsed, number("reblock_template_dist_collapsed: axis", 0));
  DESCRIBED(reblock_template_dist_block, number("reblock_template_dist_block: axis", 0),
            number("reblock_template_dist_block: procs_axis", 0),
            number_of("reblock_template_dist_block: block", N, NEGATIVE, ARGUMENT));
  DESCRIBED(reblock_template_dist_cyclic, number("reblock_template_dist_cyclic: axis", 0),
            number("reblock_template_dist_cyclic: procs_axis", 0),
            number_of("reblock_template_dist_cyclic: block", 3, NEGATIVE, ARGUMENT));
  DESCRIBED(reblock_template_dist_gen_block, number("reblock_template_dist_gen_block: axis", 0),
            number("reblock_template_dist_gen_block: procs_axis", 0),
            number("reblock_template_dist_gen_block: processes", ranks), sizes);
  DESCRIBED(reblock_template_dist_indirect, number("reblock_template_dist_indirect: axis", 0),
            number("reblock_template_dist_indirect: procs_axis", 0),
            number("reblock_template_dist_indirect: indices", N), owners);
  DESCRIBED(reblock_template_dist_indirect_runs, number("reblock_template_dist_indirect_runs: axis", 0),
            number("reblock_template_dist_indirect_runs: procs_axis", 0),
            number("reblock_template_dist_indirect_runs: runs", 1), owners, lengths);
  DESCRIBED(reblock_template_dist_indirect_local, number("reblock_template_dist_indirect_local: axis", 0),
            number("reblock_template_dist_indirect_local: procs_axis", 0),
            number("reblock_template_dist_indirect_local: lower", 1),
            number("reblock_template_dist_indirect_local: indices", N), owners);
#undef DESCRIBED
  return code;
}

int32_t counts_of_maps(void) {
  int64_t lower = 1, upper = N, index = 1, owner, coords;
  int32_t inside;
  reblock_map *map = NULL;
  reblock_format format;
  sizes_of_texts();
  int32_t code = reblock_format_init(&format);
  if (!code) code = reblock_template_format(blocks, number("reblock_template_format: axis", 0), &format);
  if (!code) code = reblock_map_create(blocks, number("reblock_map_create: axes", 1), &lower, &upper, NULL, NULL, &map);
  if (!code) code = reblock_map_format(from, number("reblock_map_format: axis", 0), &format);
  /* Room for any number of ranks is not a mistake. */
  if (!code) code = reblock_map_owners(from, &index, INT64_MAX, &owner, NULL);
  if (!code) code = reblock_map_owners(from, &index, number_of("reblock_map_owners: most", 1, NEGATIVE, ARGUMENT), &owner, NULL);
  if (!code) code = reblock_map_part(from, number("reblock_map_part: rank", 0), NULL, NULL, NULL, NULL, NULL);
  /* -1 is the calling process. */
  int64_t rank = number_of("reblock_procs_coords: rank", 0, LARGE | SMALL, ARGUMENT);
  if (!code) code = reblock_procs_coords(procs, rank, &coords, &inside);
  reblock_map_free(&map);
  return code;
}

int32_t counts_of_made_maps(void) {
  int64_t extents[1] = {N}, shape[1] = {ranks}, starts[1] = {me ? N : 0}, sizes[1] = {me ? 0 : N}, indices[2] = {1, N}, found[2];
  int gsizes[1] = {N}, distribs[1] = {MPI_DISTRIBUTE_BLOCK}, dargs[1] = {MPI_DISTRIBUTE_DFLT_DARG}, psizes[1] = {ranks};
  reblock_map *made = NULL;
  MPI_Comm world = MPI_COMM_WORLD;
  int32_t code = reblock_map_block_cyclic(world, number("reblock_map_block_cyclic: axes", 1), extents, shape, NULL, &made);
  reblock_map_free(&made);
  if (!code) code = reblock_map_from_darray(world, number_int("reblock_map_from_darray: axes", 1), gsizes, distribs, dargs, psizes,
                                            number_int("reblock_map_from_darray: order", MPI_ORDER_C), &made);
  reblock_map_free(&made);
  if (!code) code = reblock_map_from_text(world, number("reblock_map_from_text: axes", 1), extents, "(BLOCK)", &made);
  reblock_map_free(&made);
  if (!code) code = reblock_map_from_boxes(world, number("reblock_map_from_boxes: axes", 1), extents,
                                           number("reblock_map_from_boxes: boxes", 1), starts, sizes, 0, NULL, NULL, &made);
  reblock_map_free(&made);
  if (!code) code = reblock_map_dereference(from, number("reblock_map_dereference: elements", 2), indices, found, NULL);
  return code;
}

/* Tests maps in which each rank has a box of two elements. */
int32_t counts_of_boxes(void) {
  int64_t extents[1] = {number("reblock_map_from_boxes: extents[0]", N)};
  int64_t starts[1] = {number("reblock_map_from_boxes: starts[0]", 2 * me)};
  int64_t sizes[1] = {number("reblock_map_from_boxes: sizes[0]", 2)};
  int64_t offsets[1] = {number("reblock_map_from_boxes: offsets[0]", 0)};
  int64_t strides[1] = {number("reblock_map_from_boxes: strides[0]", 1)};
  reblock_map *made = NULL;
  int32_t code = reblock_map_from_boxes(MPI_COMM_WORLD, 1, extents, 1, starts, sizes, 0, offsets, strides, &made);
  reblock_map_free(&made);
  return code;
}

/* Tests scalars. A scalar has no index, so a list of indices has no entry, whatever the number of elements. */
int32_t counts_of_scalars(void) {
  static const int64_t none[1] = {0};
  int64_t rank;
  reblock_map *map = NULL, *made = NULL;
  reblock_plan *gathers = NULL;
  MPI_Comm world = MPI_COMM_WORLD;
  int32_t code = reblock_map_block_cyclic(world, 0, none, none, NULL, &map);
  if (code) report("has no map of a scalar", code);
  code = reblock_map_dereference(map, number("reblock_map_dereference: elements of a scalar", 1), none, &rank, NULL);
  int64_t boxes = me == 0;
  boxes = number("reblock_map_from_boxes: boxes of a scalar", boxes);
  if (!code) code = reblock_map_from_boxes(world, 0, none, boxes, none, none, 0, NULL, NULL, &made);
  reblock_map_free(&made);
  int64_t count = number("reblock_plan_gather: count of a scalar", 2);
  if (!code) code = reblock_plan_gather(world, map, REBLOCK_ALL_AXES, count, none, 8, NULL, &gathers);
  reblock_plan_free(&gathers), reblock_map_free(&map);
  return code;
}

int32_t counts_of_plans(void) {
  int64_t indices[2] = {1, N}, shift = 1, width = 1;
  MPI_Comm world = MPI_COMM_WORLD;
  reblock_plan *made = NULL;
  reblock_map *wide = NULL;
  int32_t code = reblock_map_shadow(from, &width, &width, &wide);
#define PLANNED(call) \
  if (!code) code = call; \
  reblock_plan_free(&made)
  PLANNED(reblock_plan_create(world, from, NULL, to, NULL, element("reblock_plan_create: element"), NULL, &made));
  /* -1 selects elements by all their indices, here one. */
  PLANNED(reblock_plan_gather(world, from, number_of("reblock_plan_gather: axis", 0, LARGE | SMALL, ARGUMENT),
                              number("reblock_plan_gather: count", 2), indices, element("reblock_plan_gather: element"), NULL,
                              &made));
  PLANNED(reblock_plan_scatter(world, from, number_of("reblock_plan_scatter: axis", 0, LARGE | SMALL, ARGUMENT),
                               number("reblock_plan_scatter: count", 2), indices, element("reblock_plan_scatter: element"), NULL,
                               &made));
  PLANNED(reblock_plan_cshift(world, from, NULL, to, NULL, element("reblock_plan_cshift: element"),
                              number("reblock_plan_cshift: axes", 1), &shift, NULL, &made));
  PLANNED(reblock_plan_eoshift(world, from, NULL, to, NULL, element("reblock_plan_eoshift: element"),
                               number("reblock_plan_eoshift: axes", 1), &shift, indices, NULL, &made));
  PLANNED(reblock_plan_shift_lines(world, from, NULL, to, NULL, element("reblock_plan_shift_lines: element"),
                                   number("reblock_plan_shift_lines: axis", 0), 0, number("reblock_plan_shift_lines: count", 1),
                                   &shift, indices, NULL, &made));
  PLANNED(reblock_plan_shadow(world, wide, NULL, NULL, NULL, 0, element("reblock_plan_shadow: element"), NULL, &made));
#undef PLANNED
  reblock_map_free(&wide);
  return code;
}

/* Counts in the options of a plan. */
int32_t counts_of_options(void) {
  static const int64_t in_order[] = {0, 1};
  reblock_plan_options options;
  reblock_plan *made = NULL;
  if (reblock_plan_options_init(&options)) report("has no options", 1);
  options.buffer = number_of("options: buffer", 0, NEGATIVE, ARGUMENT);
  options.window = number_of("options: window", 0, NEGATIVE, ARGUMENT);
  options.axes = in_order, options.axes_count = number("options: axes_count", 1);
  options.spread = in_order, options.spread_count = number("options: spread_count", 0);
  options.size = number("options: size", options.size);
  options.version = number("options: version", options.version);
  int32_t code = reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, &options, &made);
  reblock_plan_free(&made);
  return code;
}

int32_t counts_of_moves(void) {
  static int64_t more[ROOM];
  reblock_plan *plans[1] = {plan};
  const void *sources[1] = {source};
  void *targets[1] = {more};
  const reblock_update *updates[1] = {NULL};
  reblock_request *request = NULL;
  MPI_Comm world = MPI_COMM_WORLD;
  int32_t code = reblock_plan_execute_many(number("reblock_plan_execute_many: arrays", 1), plans, sources, targets);
  if (!code) code = reblock_plan_update_many(number("reblock_plan_update_many: arrays", 1), plans, sources, targets, updates);
  if (!code) code = reblock_plan_start_many(number("reblock_plan_start_many: arrays", 1), plans, sources, targets, &request);
  if (request) code = reblock_request_wait(&request);
  if (!code) code = reblock_plan_start_update_many(number("reblock_plan_start_update_many: arrays", 1), plans, sources, targets,
                                                   updates, &request);
  if (request) code = reblock_request_wait(&request);
  if (!code) code = reblock_move(world, from, NULL, to, NULL, element("reblock_move: element"), source, more);
  if (!code) code = reblock_move_update(world, from, NULL, to, NULL, element("reblock_move_update: element"), source, more, NULL);
  return code;
}

int32_t counts_of_storage(void) {
  static int64_t loaded[ROOM];
  char file[64], ranks_line[64], line[64];
  int pid = (int)getpid();
  MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(file, sizeof file, "/tmp/reblock-counts.%d.npy", pid);
  snprintf(line, sizeof line, "DIMENSION A(%d)", N);
  snprintf(ranks_line, sizeof ranks_line, "PROCESSORS P(%d)", ranks);
  reblock_array *array = NULL, *named = NULL;
  reblock_scope *scope = NULL;
  reblock_template *template = fresh(1);
  int32_t code = reblock_template_commit(template);
  if (!code) code = reblock_scope_create(MPI_COMM_WORLD, &scope);
  if (!code) code = reblock_scope_directive(scope, ranks_line);
  if (!code) code = reblock_scope_directive(scope, line);
  if (!code) code = reblock_scope_directive(scope, "DISTRIBUTE A(BLOCK) ONTO P");
  if (code) report("cannot set up", code);
  code = reblock_array_create(from, element("reblock_array_create: element"), &array);
  if (!code) code = reblock_scope_array(scope, "A", element("reblock_scope_array: element"), &named);
  if (!code) code = reblock_save(MPI_COMM_WORLD, file, from, source, element("reblock_save: element"), NULL);
  if (!code) code = reblock_load(MPI_COMM_WORLD, file, from, loaded, element("reblock_load: element"), NULL);
  if (!code) {
    int64_t arrays = number("reblock_template_redistribute: arrays", 0);
    code = reblock_template_redistribute(template, blocks, arrays, &array);
  }
  if (array) reblock_array_free(&array);
  if (named) reblock_array_free(&named);
  reblock_scope_free(&scope), reblock_template_free(&template);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!me) unlink(file);
  return code;
}

int32_t counts_of_grids(void) {
  int64_t extents[2] = {100, 100}, block[2] = {10, 10}, present[2] = {1, 4}, grid[2];
  double seconds;
  /* Every skew is valid: values below 1 mean no skew, and a large skew is limited by the number of processes. */
  int64_t skews[] = {INT64_MAX, INT64_MIN, -1};
  for (int i = 0; i < 3; i++) {
    int32_t code = reblock_grid_for(4, extents, block, 8, present, skews[i], grid, &seconds);
    if (code || grid[0] * grid[1] != 4) report("reblock_grid_for: skew", code);
  }
  if (reblock_buffer_limit(-1) != -1 || reblock_buffer_limit(INT64_MIN) != -1 || reblock_buffer_limit(INT64_MAX) <= 0)
    report("reblock_buffer_limit: local_bytes", 0);
  return reblock_grid_for(number("reblock_grid_for: processes", 4), extents, block, element("reblock_grid_for: element"), present,
                          2, grid, &seconds);
}
