/* Compares the library's answers about an array in boxes with the drawn boxes. */
#include "draw.h"
#include "laid.h"
#include <string.h>

static int differ(const int64_t *got, const int64_t *want, int count) {
  return count && memcmp(got, want, sizeof *got * (size_t)count) != 0;
}

static void check_whole(const struct laid *l) {
  const struct side *s = l->side;
  int64_t lower[MAX_AXES], upper[MAX_AXES], axes = -1, elements = -1;
  refused(binding->map_axes(l->map, &axes), "map_axes");
  if (axes != s->axes) complain("map_axes says %lld, expected %d", (long long)axes, s->axes);
  refused(binding->map_bounds(l->map, lower, upper), "map_bounds");
  for (int k = 0; k < s->axes; k++)
    if (lower[k] || upper[k] != s->a[k].extent - 1) complain("map_bounds differs on axis %d", k);
  refused(binding->map_elements(l->map, &elements), "map_elements");
  if (elements != l->part.elements)
    complain("map_elements says %lld, expected %lld", (long long)elements, (long long)l->part.elements);
}

/* Checks the local array: that of the rank's only box, at the start of the storage. */
static void check_local(const struct laid *l) {
  const struct side *s = l->side;
  const struct box *only = NULL;
  int64_t boxes = 0, extents[MAX_AXES], lower[MAX_AXES], before[MAX_AXES], after[MAX_AXES], strides[MAX_AXES], got = -1;
  int32_t has = -1;
  for (int b = 0; b < s->boxes; b++) {
    int64_t elements = s->box[b].owner == l->rank;
    for (int k = 0; k < s->axes; k++) elements *= s->box[b].size[k];
    if (elements) boxes++, only = &s->box[b];
  }
  if (binding == &c_binding && !refused(reblock_map_boxes(l->map, &got), "map_boxes") && got != boxes)
    complain("map_boxes says %lld, expected %lld", (long long)got, (long long)boxes);
  int32_t code = binding->map_local(l->map, extents, lower, before, after, strides, &has);
  if (boxes > 1 || (only && only->offset)) {
    if (code != REBLOCK_ERR_ARGUMENT) complain("map_local of %lld boxes says %s", (long long)boxes, reblock_code_name(code));
    return;
  }
  if (refused(code, "map_local") || !only) return;
  if (!has || differ(extents, only->size, s->axes) || differ(lower, only->start, s->axes) || differ(strides, only->strides, s->axes))
    complain("map_local has another box");
}

/* Checks the owner and the place of an element. */
static void check_element(const struct laid *l, const int64_t *index) {
  const struct side *s = l->side;
  int64_t owner = -1, owners = -1, local[MAX_AXES], offset, got, number = element_number(s, index);
  int32_t here = -1;
  int has = part_offset(&l->part, s, index, &offset);
  int32_t code = binding->map_owners(l->map, index, 1, &owner, &owners);
  /* A rank has no owners of other ranks' elements. */
  if (has ? code || owners != 1 || owner != l->rank : code != REBLOCK_ERR_ARGUMENT)
    complain("element %lld: map_owners says %s, rank %lld", (long long)number, reblock_code_name(code), (long long)owner);
  if (refused(binding->map_local_index(l->map, index, local, &here), "map_local_index")) return;
  if (here != has) complain("element %lld: here is %d, expected %d", (long long)number, here, has);
  const struct box *box = box_of(s, index);
  for (int k = 0; k < s->axes && has && here; k++)
    if (local[k] != index[k] - box->start[k]) complain("element %lld: local_index is off by axis %d", (long long)number, k);
  if (binding != &c_binding || refused(reblock_map_offset(l->map, index, &got, &here), "map_offset")) return;
  if (here != has || (has && got != offset))
    complain("element %lld: map_offset says %lld, expected %lld", (long long)number, (long long)got, (long long)offset);
}

enum { ASKED = 80 };

/* Looks up different elements on each rank. */
static void check_dereference(const struct laid *l, const int64_t *asked, int count) {
  const struct side *s = l->side;
  int64_t ranks[ASKED], places[ASKED * MAX_AXES];
  if (refused(reblock_map_dereference(l->map, count, asked, ranks, places), "map_dereference")) return;
  for (int e = 0; e < count; e++) {
    const int64_t *index = asked + e * s->axes;
    const struct box *box = box_of(s, index);
    int right = ranks[e] == box->owner;
    for (int k = 0; k < s->axes; k++) right &= places[e * s->axes + k] == index[k] - box->start[k];
    if (!right) complain("element %lld: dereference says rank %lld", (long long)element_number(s, index), (long long)ranks[e]);
  }
}

void boxes_inquire(const struct laid *l, int64_t every) {
  reblock_range all[MAX_AXES];
  int64_t index[MAX_AXES], number = 0, asked[ASKED * MAX_AXES];
  int count = 0, axes = l->side->axes;
  check_whole(l);
  check_local(l);
  section_of(l->side, 1, all);
  for (int more = walk_start(all, axes, index); more; more = walk_on(all, axes, index)) {
    int turn = (number + l->rank) % every == 0 && count < ASKED && box_of(l->side, index);
    if (turn) memcpy(asked + axes * count++, index, sizeof *index * (size_t)axes);
    if (number++ % every == 0) check_element(l, index);
  }
  if (binding == &c_binding) check_dereference(l, asked, count);
}
