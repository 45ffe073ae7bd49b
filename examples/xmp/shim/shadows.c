/* Selects the elements that a call for shadows moves. Like Omni's own functions, a call for some axes also forwards
 * the shadows of the others: programs fill corners by one call for each axis. So along the other axes a node's part
 * includes its shadow, by the sizes of a GEN_BLOCK distribution. An axis with a full shadow that this call does not
 * complete is whole on each node. */
#include "shim.h"

static bool asked_for(const struct wish *wish, int axis) { return wish->before[axis] > 0 || wish->after[axis] > 0; }

static bool hands_on(const struct side *side, const struct wish *wish, int axis) {
  bool shadow = side->layout.before[axis] > 0 || side->layout.after[axis] > 0;
  return shadow && wish->hands_on && !asked_for(wish, axis);
}

/* Returns how many elements along an axis of the array belong to node `at` along an axis of the nodes. */
static int64_t owned(const struct side *side, const reblock_map *map, int64_t nodes_axis, int64_t at, int axis) {
  const struct layout *l = &side->layout;
  int64_t extents[AXES] = {0}, place = at;
  int32_t has_part;
  for (int64_t i = nodes_axis + 1; i < l->nodes_axes; i++) place *= l->shape[i];
  if (reblock_map_part(map, side->lists[place * l->copies], extents, NULL, NULL, NULL, &has_part) != REBLOCK_OK) return 0;
  return extents[axis];
}

/* Replaces axis `t` of the template, with which `axis` of the array is aligned, by a GBLOCK axis whose blocks include
 * the shadows. */
static void with_shadow(struct side *made, const struct side *side, const reblock_map *map, int t, int axis) {
  struct layout *l = &made->layout;
  int64_t total = 0;
  for (int64_t at = 0; at < l->shape[l->nodes_axis[t]]; at++) {
    int64_t own = owned(side, map, l->nodes_axis[t], at, axis), all = own > 0 ? l->before[axis] + own + l->after[axis] : 0;
    append(made, all);
    total += all;
  }
  l->manner[t] = _XMP_N_DIST_GBLOCK;
  l->offset[axis] = l->lower[axis] = l->template_lower[t] = l->before[axis] = l->after[axis] = 0;
  l->upper[axis] = l->template_upper[t] = total - 1;
}

struct side shadow_side(const struct side *side, const reblock_map *map, const struct wish *wish, bool second) {
  struct side made = {.layout = side->layout, .array = side->array, .address = side->address};
  struct layout *l = &made.layout;
  const int64_t *sizes = side->lists + places_of(l) * l->copies;
  for (const int64_t *rank = side->lists; rank < sizes; rank++) append(&made, *rank);
  if (second && side->address != NULL) made.address = side->array->array_addr_p;
  for (int t = 0; t < l->template_axes; t++) {
    int64_t nodes = side->layout.manner[t] == _XMP_N_DIST_GBLOCK ? l->shape[l->nodes_axis[t]] : 0;
    int axis = 0;
    while (axis < l->axes && side->layout.template_axis[axis] != t) axis++;
    if (axis < l->axes && hands_on(side, wish, axis)) with_shadow(&made, side, map, t, axis);
    else
      for (int64_t at = 0; at < nodes; at++) append(&made, sizes[at]);
    sizes += nodes;
  }
  for (int i = 0; i < l->axes; i++) {
    if (second && l->full_shadow[i]) l->template_axis[i] = REBLOCK_COLLAPSED, l->offset[i] = l->full_shadow[i] = 0;
    l->section[i] = (reblock_range){l->lower[i], l->upper[i], 1};
  }
  return made;
}

enum reason shadow_wish(struct wish *wish, const _XMP_array_t *array, const struct widths *widths, enum purpose purpose) {
  int asked = 0;
  *wish = (struct wish){.purpose = purpose, .element = (int64_t)array->type_size, .hands_on = 1};
  if (shim_is_off()) return OFF;
  if (!array->align_template->onto_nodes->is_member) return NOTHING;
  for (int i = 0; i < array->dim; i++) {
    const _XMP_array_info_t *axis = &array->info[i];
    if (purpose == COMPLETE) asked += axis->shadow_type == _XMP_N_SHADOW_FULL;
    if (purpose == COMPLETE || axis->shadow_type != _XMP_N_SHADOW_NORMAL) continue;
    wish->before[i] = widths->given ? widths->before[i] : axis->shadow_size_lo;
    wish->after[i] = widths->given ? widths->after[i] : axis->shadow_size_hi;
    wish->periodic[i] = widths->given && widths->periodic[i] != 0;
    asked += asked_for(wish, i);
  }
  /* If a fill along several axes is asynchronous, Omni moves only the nodes' own elements. */
  if (purpose == FILL && asked > 1 && xmp_is_async()) wish->hands_on = 0;
  return asked > 0 ? MOVED : NOTHING;
}

enum reason move_shadows(_XMP_array_t *array, const struct wish *wish, const reblock_update *update) {
  static struct side side;
  const struct plan *plan;
  _XMP_nodes_t *nodes = array->align_template->onto_nodes;
  enum reason why = describe_array(&side, array, nodes);
  if (why == MOVED) why = plan_for(*(MPI_Comm *)nodes->comm, wish, &side, NULL, &plan);
  return why == MOVED ? execute(plan, &side, &side, update) : why;
}
