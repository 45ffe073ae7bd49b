/* Compares the library's answers about a map with elements dealt out one by one. */
#include "declared.h"
#include "draw.h"
#include "laid.h"
#include <stdlib.h>
#include <string.h>

static int differ(const int64_t *got, const int64_t *want, int count) {
  for (int k = 0; k < count; k++)
    if (got[k] != want[k]) return 1;
  return 0;
}

static void check_local(const struct laid *l) {
  const struct side *s = l->side;
  const struct part *p = &l->part;
  int64_t extents[MAX_AXES], lower[MAX_AXES], before[MAX_AXES], after[MAX_AXES], strides[MAX_AXES];
  int64_t elements = -1, axes = -1;
  int32_t has = -1;
  refused(binding->map_axes(l->map, &axes), "map_axes");
  if (axes != s->axes) complain("map_axes says %lld, expected %d", (long long)axes, s->axes);
  refused(binding->map_bounds(l->map, extents, lower), "map_bounds");
  for (int k = 0; k < s->axes; k++)
    if (extents[k] != s->a[k].lower || lower[k] != s->a[k].lower + s->a[k].extent - 1)
      complain("map_bounds differs on axis %d", k);
  if (refused(binding->map_local(l->map, extents, lower, before, after, strides, &has), "map_local")) return;
  refused(binding->map_elements(l->map, &elements), "map_elements");
  if (has != p->has) complain("map_local says has %d, expected %d", has, p->has);
  if (elements != p->elements)
    complain("map_elements says %lld, expected %lld", (long long)elements, (long long)p->elements);
  for (int k = 0; k < s->axes; k++) {
    int64_t wide = p->has ? 1 : 0;
    if (extents[k] != p->len[k])
      complain("axis %d has %lld elements, expected %lld", k, (long long)extents[k], (long long)p->len[k]);
    if (before[k] != wide * s->a[k].before || after[k] != wide * s->a[k].after) complain("axis %d: other shadows", k);
    if (p->has && lower[k] != p->lower[k])
      complain("axis %d starts with %lld, expected %lld", k, (long long)lower[k], (long long)p->lower[k]);
  }
  if (p->elements && differ(strides, p->strides, s->axes)) complain("map_local says other strides");
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Checks the owners of an element and its place on this rank. */
static void check_index(const struct laid *l, const int64_t *index) {
  int64_t ranks[MAX_RANKS], want[MAX_RANKS], local[MAX_AXES], back[MAX_AXES], offset, count = -1;
  const struct side *s = l->side;
  const struct part *p = &l->part;
  int32_t here = -1, own = -1;
  int64_t owners = naive_owners(p, s, index, want), number = element_number(s, index);
  int32_t code = binding->map_owners(l->map, index, MAX_RANKS, ranks, &count);
  /* With owners_apart, a rank has no owners of other ranks' indices. */
  if (code == REBLOCK_ERR_ARGUMENT && owners_apart() && !part_offset(p, s, index, &offset)) count = owners;
  else if (refused(code, "map_owners")) return;
  else if (count > 0 && count <= MAX_RANKS) qsort(ranks, (size_t)count, sizeof *ranks, ascending);
  if (code) memcpy(ranks, want, sizeof *ranks * (size_t)owners);
  if (count != owners || differ(ranks, want, (int)owners))
    complain("element %lld: %lld owners, first %lld, expected %lld, first %lld", (long long)number, (long long)count,
             count > 0 ? (long long)ranks[0] : -1, (long long)owners, (long long)want[0]);
  if (refused(binding->map_local_index(l->map, index, local, &here), "map_local_index")) return;
  int has = part_offset(p, s, index, &offset);
  if (here != has) complain("element %lld: here is %d, expected %d", (long long)number, here, has);
  if (!has || !here) return;
  for (int k = 0; k < s->axes; k++) offset -= local[k] * p->strides[k];
  if (offset) complain("element %lld: local_index is off by %lld", (long long)number, (long long)offset);
  if (refused(binding->map_global_index(l->map, local, back, &own), "map_global_index")) return;
  if (!own || differ(back, index, s->axes))
    complain("element %lld: global_index does not lead back to it", (long long)number);
}

/* Checks the positions of the storage: as many own positions as this rank has elements, and all others in the
 * shadow. */
static void check_storage(const struct laid *l) {
  const struct part *p = &l->part;
  reblock_range storage[MAX_AXES];
  int64_t local[MAX_AXES], index[MAX_AXES];
  for (int k = 0; k < l->side->axes; k++) storage[k] = (reblock_range){0, p->extents[k] - 1, 1};
  int steps = p->has ? 200 : 0, axes = l->side->axes;
  for (int more = walk_start(storage, axes, local); more && steps--; more = walk_on(storage, axes, local)) {
    int32_t own = -1, want = 1;
    for (int k = 0; k < axes; k++) {
      int64_t at = local[k] - l->side->a[k].before;
      if (at < 0 || at >= p->len[k]) want = 0;
    }
    if (refused(binding->map_global_index(l->map, local, index, &own), "map_global_index")) return;
    if (own != want) complain("global_index says own is %d, expected %d", own, want);
  }
}

enum { ASKED = 80 };

/* Looks up different elements on each rank: for each element, the lowest rank that has it, and its place on that
 * rank. */
static void check_dereference(const struct laid *l, int64_t index[][MAX_AXES], int asked) {
  const struct side *s = l->side;
  int64_t flat[ASKED * MAX_AXES], ranks[ASKED], places[ASKED * MAX_AXES], want[MAX_RANKS], offset;
  struct part parts[MAX_RANKS];
  for (int e = 0; e < asked; e++) memcpy(flat + e * s->axes, index[e], sizeof *flat * (size_t)s->axes);
  if (refused(reblock_map_dereference(l->map, asked, flat, ranks, places), "map_dereference")) return;
  for (int r = 0; r < s->group->count; r++) part_make(&parts[r], s, r);
  for (int e = 0; e < asked; e++) {
    int64_t owners = naive_owners(&l->part, s, index[e], want), number = element_number(s, index[e]);
    if (!owners || ranks[e] != want[0]) {
      complain("element %lld: dereference says rank %lld, expected %lld", (long long)number, (long long)ranks[e],
               (long long)want[0]);
      continue;
    }
    if (!part_offset(&parts[want[0]], s, index[e], &offset)) offset = -1;
    for (int k = 0; k < s->axes; k++) offset -= places[e * s->axes + k] * parts[want[0]].strides[k];
    if (offset) complain("element %lld: dereference is off by %lld", (long long)number, (long long)offset);
  }
  for (int r = 0; r < s->group->count; r++) part_free(&parts[r], s);
}

void laid_inquire(const struct laid *l) {
  if (!l->map) return;
  reblock_range all[MAX_AXES];
  int64_t index[MAX_AXES], number = 0, elements = 1, asked[ASKED][MAX_AXES];
  int count = 0;
  section_of(l->side, 1, all);
  for (int k = 0; k < l->side->axes; k++) elements *= l->side->a[k].extent;
  /* Check about 60 elements. */
  int64_t every = elements / 60 + 1;
  if (l->side->box) {
    boxes_inquire(l, every);
    return;
  }
  check_local(l);
  check_storage(l);
  for (int more = walk_start(all, l->side->axes, index); more; more = walk_on(all, l->side->axes, index)) {
    if ((number + l->rank) % every == 0 && count < ASKED) memcpy(asked[count++], index, sizeof index);
    if (number++ % every == 0) check_index(l, index);
  }
  if (binding != &c_binding) return;
  check_dereference(l, asked, count);
  check_declared(l);
}
