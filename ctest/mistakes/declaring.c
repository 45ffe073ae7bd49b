/* Mistakes in declarations: arrangements, templates, maps. */
#include "mistakes.h"
#include <stdlib.h>

int32_t arrangements(void) {
  int64_t axes = 2, shape[2] = {1, ranks}, list[MAX_RANKS + 1];
  reblock_procs *made = NULL, **out = &made;
  int64_t *shape_at = shape;
  MPI_Comm comm = MPI_COMM_WORLD;
  for (int r = 0; r <= ranks; r++) list[r] = ranks - 1 - r;
  if (mistake("no axis, and so one process", DIFFERS, ONE)) axes = 0;
  if (mistake("-1 axes", ARGUMENT, ANYBODY)) axes = -1;
  if (mistake("more processes than ranks", ARGUMENT, ANYBODY)) shape[1] = ranks + 1;
  if (mistake("more processes than 64 bits hold", ARGUMENT, ANYBODY)) shape[0] = shape[1] = INT64_MAX / 2;
  if (mistake("an axis of no process", ARGUMENT, ANYBODY)) shape[0] = 0;
  if (mistake("an axis of -2 processes", ARGUMENT, ANYBODY)) shape[0] = -2;
  if (mistake("a rank outside", ARGUMENT, ANYBODY)) list[0] = ranks;
  if (mistake("a rank below 0", ARGUMENT, ANYBODY)) list[0] = -1;
  if (mistake("no shape", ARGUMENT, ANYBODY)) shape_at = NULL;
  if (mistake("nowhere to put an arrangement", ARGUMENT, ANYBODY)) out = NULL;
  if (mistake("no communicator", ARGUMENT, ANYBODY)) comm = MPI_COMM_NULL;
  if (ranks > 1 && mistake("a rank twice", ARGUMENT, ANYBODY)) list[0] = list[ranks - 1];
  if (ranks > 1 && mistake("another order of ranks", DIFFERS, ONE)) list[0] = list[1], list[1] = ranks - 1;
  if (ranks > 1 && mistake("another shape", DIFFERS, ONE)) shape[0] = ranks, shape[1] = 1;
  int32_t code = reblock_procs_create(comm, axes, shape_at, list, out);
  if (code && made) report("has an arrangement after an error", code);
  reblock_procs_free(&made);
  return code;
}

/* Axes of templates; errors are reported at once or when the template is committed. */
int32_t templates(void) {
  int64_t lower[2] = {1, 0}, upper[2] = {N, 9}, sizes[MAX_RANKS] = {N}, owners[N + 8], count = ranks, owned = N;
  int64_t axis = 0, onto = 0, block = N, first = me * N / ranks + 1, end = (me + 1) * N / ranks + 1;
  reblock_template *made = NULL;
  int which = 3, again = 0;
  for (int i = 0; i < N + 8; i++) owners[i] = i % ranks;
  if (mistake("BLOCK(m) too small", ARGUMENT, ANYBODY)) which = 0, block = (N - 1) / ranks;
  if (mistake("BLOCK(-1)", ARGUMENT, ANYBODY)) which = 0, block = -1;
  if (mistake("CYCLIC(0)", ARGUMENT, ANYBODY)) which = 1, block = 0;
  if (mistake("CYCLIC(-3)", ARGUMENT, ANYBODY)) which = 1, block = -3;
  if (mistake("sizes of GEN_BLOCK that are too few indices", ARGUMENT, ANYBODY)) which = 2, sizes[0]--;
  if (mistake("a size of GEN_BLOCK below 0", ARGUMENT, ANYBODY)) which = 2, sizes[ranks - 1] -= N + 1;
  if (mistake("too many sizes of GEN_BLOCK", ARGUMENT, ANYBODY)) which = 2, count++;
  if (mistake("GEN_BLOCK without sizes", ARGUMENT, ANYBODY)) which = 5;
  if (mistake("no size of GEN_BLOCK", ARGUMENT, ANYBODY)) which = 2, count = 0;
  if (ranks > 2 && mistake("sizes of GEN_BLOCK beyond 2^64", ARGUMENT, ANYBODY))
    which = 2, sizes[0] = sizes[1] = sizes[2] = INT64_MAX;
  if (mistake("INDIRECT without owners", ARGUMENT, ANYBODY)) which = 7;
  if (mistake("no text", ARGUMENT, ANYBODY)) which = 8;
  if (mistake("too few owners", ARGUMENT, ANYBODY)) owned--;
  if (mistake("an owner outside", ARGUMENT, ANYBODY)) owners[N / 2] = ranks;
  if (mistake("an owner below 0", ARGUMENT, ANYBODY)) owners[0] = -1;
  if (mistake("an axis that the template does not have", ARGUMENT, ANYBODY)) axis = 2;
  if (mistake("an axis that the arrangement does not have", ARGUMENT, ANYBODY)) onto = 1;
  if (mistake("a text that is none of HPF's", TEXT, ANYBODY)) which = 6;
  if (mistake("one axis of the arrangement for two of the template", ARGUMENT, ANYBODY)) again = 1;
  if (mistake("another owner", DIFFERS, ONE) && ranks > 1) owners[0] = ranks - 1 - owners[0];
  if (mistake("another format", DIFFERS, ONE)) which = 1;
  if (mistake("other bounds", DIFFERS, ONE)) upper[1] = 10;
  /* From here on, each rank passes a range of the owners. */
  int last = chosen >= seen;
  if (mistake("a range of owners that is too short", ARGUMENT, ANYBODY)) end--;
  if (mistake("a range of owners that another rank passes", ARGUMENT, ANYBODY))
    end += me < ranks - 1 || ranks == 1, first -= me > 0;
  if (mistake("a range of owners beyond the template", ARGUMENT, ANYBODY)) first += N, end += N;
  if (last) which = 4;
  int32_t code = reblock_template_create(procs, 2, lower, upper, &made);
  if (code) return code;
  if (again) early = reblock_template_dist_block(made, 1, 0, 0);
  int32_t codes[] = {early, 0};
  switch (which) {
  case 0: codes[1] = reblock_template_dist_block(made, axis, onto, block); break;
  case 1: codes[1] = reblock_template_dist_cyclic(made, axis, onto, block); break;
  case 2: codes[1] = reblock_template_dist_gen_block(made, axis, onto, count, sizes); break;
  case 3: codes[1] = reblock_template_dist_indirect(made, axis, onto, owned, owners); break;
  case 4: codes[1] = reblock_template_dist_indirect_local(made, axis, onto, first, end - first, owners); break;
  case 5: codes[1] = reblock_template_dist_gen_block(made, axis, onto, count, NULL); break;
  case 7: codes[1] = reblock_template_dist_indirect(made, axis, onto, owned, NULL); break;
  case 8: codes[1] = reblock_template_dist_text(made, NULL); break;
  default: codes[1] = reblock_template_dist_text(made, "(BLOCKS, *(");
  }
  early = codes[0] ? codes[0] : codes[1];
  if (early && !reblock_message()[0]) report("has an error without a text", early);
  code = reblock_template_commit(made);
  reblock_template_free(&made);
  return code;
}

/* Maps are made locally, by each rank. */
int32_t maps(void) {
  int64_t lower[2] = {1, 1}, upper[2] = {N, 5}, rest = REBLOCK_REPLICATED, before[2] = {1, 2}, after[2] = {0, 3};
  int64_t order[2] = {1, 0}, strides[2] = {100, 2 * N * 100}, axes = 2;
  reblock_align aligns[2] = {{0, 1, 0}, {REBLOCK_COLLAPSED, 1, 0}};
  reblock_map *map = NULL, *shadowed = NULL, *ordered = NULL, *spread = NULL;
  int64_t *lower_at = lower;
  if (mistake("a map of -1 axes", ARGUMENT, ANYBODY)) axes = -1;
  if (mistake("a map of 99 axes", ARGUMENT, ANYBODY)) axes = 99;
  if (mistake("an array beyond its template", ARGUMENT, ANYBODY)) upper[0]++;
  if (mistake("an alignment beyond the template", ARGUMENT, ANYBODY)) aligns[0].offset = -1;
  if (mistake("an alignment with overflow", ARGUMENT, ANYBODY)) aligns[0].stride = aligns[0].offset = INT64_MAX;
  if (mistake("an alignment of stride 0", ARGUMENT, ANYBODY)) aligns[0].stride = 0;
  if (mistake("an alignment with no axis of the template", ARGUMENT, ANYBODY)) aligns[0].axis = 1;
  if (mistake("an alignment with axis -7", ARGUMENT, ANYBODY)) aligns[0].axis = -7;
  if (mistake("an alignment of two axes with one", ARGUMENT, ANYBODY)) aligns[1].axis = 0;
  if (mistake("a place outside the template", ARGUMENT, ANYBODY)) aligns[0].axis = REBLOCK_COLLAPSED, rest = N + 1;
  if (mistake("no lower bounds", ARGUMENT, ANYBODY)) lower_at = NULL;
  if (mistake("a shadow of -1", ARGUMENT, ANYBODY)) before[0] = -1;
  if (mistake("a shadow of 2^63 - 1", ARGUMENT, ANYBODY)) after[1] = INT64_MAX;
  if (mistake("an order with an axis twice", ARGUMENT, ANYBODY)) order[0] = 0;
  if (mistake("an order with axis -1", ARGUMENT, ANYBODY)) order[1] = -1;
  if (mistake("a stride of 0", ARGUMENT, ANYBODY)) strides[1] = 0;
  if (mistake("strides that put two elements in one place", ARGUMENT, ANYBODY)) strides[0] = strides[1] = 3;
  int32_t code = reblock_map_create(blocks, axes, lower_at, upper, aligns, &rest, &map);
  if (!code) code = reblock_map_shadow(map, before, after, &shadowed);
  if (!code) code = reblock_map_order(shadowed, order, &ordered);
  if (!code) code = reblock_map_strides(ordered, strides, &spread);
  if (code && spread) report("has a map after an error", code);
  reblock_map_free(&map), reblock_map_free(&shadowed), reblock_map_free(&ordered), reblock_map_free(&spread);
  return code;
}

/* Bounds of templates and arrays, local to each rank. */
int32_t bounds(void) {
  int64_t lower[16] = {0}, upper[16] = {0}, axes = 2, place[2] = {0}, index[2], elements, other = -1, shape = 1;
  int64_t *lower_at = lower, *upper_at = upper;
  reblock_align free_axes[2] = {{REBLOCK_COLLAPSED, 1, 0}, {REBLOCK_COLLAPSED, 1, 0}};
  int64_t array_lower[2] = {1, 1}, array_upper[2] = {9, 9};
  reblock_template *made = NULL, **out = &made, *alone = NULL;
  reblock_procs *first = NULL;
  reblock_map *map = NULL, *elsewhere = NULL, *asked = from;
  upper[0] = 9;
  int32_t set_up = reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &first);
  if (!set_up) set_up = reblock_template_create(first, 1, lower, upper, &alone);
  if (!set_up) set_up = reblock_template_commit(alone);
  if (!set_up) set_up = reblock_map_whole(alone, &elsewhere);
  if (set_up) report("cannot set up", set_up);
  if (mistake("a template of 16 axes", ARGUMENT, ANYBODY)) axes = 16;
  if (mistake("a template of -1 axes", ARGUMENT, ANYBODY)) axes = -1;
  if (mistake("a template of 2^62 + 1 indices", ARGUMENT, ANYBODY)) upper[1] = INT64_C(1) << 62;
  if (mistake("a template of all indices", ARGUMENT, ANYBODY)) lower[1] = INT64_MIN, upper[1] = INT64_MAX;
  if (mistake("a template without lower bounds", ARGUMENT, ANYBODY)) lower_at = NULL;
  if (mistake("a template without upper bounds", ARGUMENT, ANYBODY)) upper_at = NULL;
  if (mistake("nowhere to put a template", ARGUMENT, ANYBODY)) out = NULL;
  if (mistake("an array of 2^62 + 1 indices", ARGUMENT, ANYBODY)) array_lower[0] = 0, array_upper[0] = INT64_C(1) << 62;
  if (mistake("a local array of 2^120 elements", ARGUMENT, ANYBODY)) array_upper[0] = array_upper[1] = INT64_C(1) << 60;
  if (mistake("the coordinates of rank -7", ARGUMENT, ANYBODY)) other = -7;
  if (mistake("a place of an array on rank 0 only", ARGUMENT, ALL)) asked = me ? elsewhere : from, place[0] = me ? 0 : N;
  int32_t code = reblock_template_create(procs, axes, lower_at, upper_at, out);
  if (!code) code = reblock_map_create(blocks, 2, array_lower, array_upper, free_axes, NULL, &map);
  if (!code) code = reblock_map_elements(map, &elements);
  if (!code) code = reblock_procs_coords(procs, other, index, NULL);
  if (!code) code = reblock_map_global_index(asked, place, index, NULL);
  if (code && made && axes != 2) report("has a template after an error", code);
  reblock_map_free(&elsewhere), reblock_map_free(&map);
  reblock_template_free(&made), reblock_template_free(&alone);
  reblock_procs_free(&first);
  return code;
}

/* Inquiries, local to each rank. */
int32_t inquiries(void) {
  int64_t index = 7, ranks_of[1], count, local, first = 0, back, length, axis = 0, most = 1;
  char line[200];
  int32_t here, own;
  reblock_format format;
  int64_t *index_at = &index;
  if (mistake("an index below the first", ARGUMENT, ANYBODY)) index = 0;
  if (mistake("an index behind the last", ARGUMENT, ANYBODY)) index = N + 1;
  if (mistake("no index", ARGUMENT, ANYBODY)) index_at = NULL;
  if (mistake("a position outside the local array", ARGUMENT, ANYBODY)) first = N + 1;
  if (mistake("a position below 0", ARGUMENT, ANYBODY)) first = -1;
  if (mistake("an axis that there is not", ARGUMENT, ANYBODY)) axis = 1;
  if (mistake("room for -1 ranks", ARGUMENT, ANYBODY)) most = -1;
  int32_t code = reblock_map_owners(from, index_at, most, ranks_of, &count);
  if (!code) code = reblock_map_local_index(from, index_at, &local, &here);
  if (!code) code = reblock_map_global_index(from, &first, &back, &own);
  if (!code) code = reblock_format_init(&format);
  if (!code) code = reblock_map_format(from, axis, &format);
  return code ? code : reblock_map_text(from, line, sizeof line, &length);
}
