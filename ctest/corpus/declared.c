/* Checks that the library reports templates, and parts of other ranks, as they were declared and dealt out. */
#include "declared.h"
#include "draw.h"

static const int64_t kinds[] = {REBLOCK_FORMAT_COLLAPSED, REBLOCK_FORMAT_BLOCK, REBLOCK_FORMAT_CYCLIC,
                                REBLOCK_FORMAT_GEN_BLOCK, REBLOCK_FORMAT_INDIRECT};

/* Checks the template as reported by the map. */
static void check_template(const struct laid *l) {
  const struct side *s = l->side;
  int64_t axes = -1, lower[MAX_AXES], upper[MAX_AXES], aligned[MAX_AXES], rest[MAX_AXES], want;
  if (refused(reblock_map_template(l->map, &axes, lower, upper, aligned, rest), "map_template")) return;
  if (axes != s->template_axes) complain("map_template says %lld axes, expected %d", (long long)axes, s->template_axes);
  for (int t = 0; t < s->template_axes; t++) {
    int with = -1;
    for (int k = 0; k < s->axes; k++)
      if (s->a[k].align.axis == t) with = k;
    if (lower[t] != s->t[t].lower || upper[t] != s->t[t].lower + s->t[t].extent - 1)
      complain("map_template has other bounds of axis %d", t);
    if (aligned[t] != with) complain("axis %d of the template is aligned with %lld, expected %d", t, (long long)aligned[t], with);
    want = with >= 0 ? 0 : s->plain_rest || s->whole ? REBLOCK_REPLICATED : s->rest[t];
    if (rest[t] != want) complain("the array lies at %lld of axis %d, expected %lld", (long long)rest[t], t, (long long)want);
  }
}

/* Checks the template's own report, and the distribution of its axes. */
static void check_formats(const struct laid *l) {
  const struct side *s = l->side;
  int64_t axes = -1, lower[MAX_AXES], upper[MAX_AXES];
  reblock_format format;
  refused(reblock_template_axes(l->template, &axes), "template_axes");
  if (axes != s->template_axes) complain("template_axes says %lld, expected %d", (long long)axes, s->template_axes);
  if (refused(reblock_template_bounds(l->template, lower, upper), "template_bounds")) return;
  for (int t = 0; t < s->template_axes; t++) {
    const struct template_axis *axis = &s->t[t];
    if (lower[t] != axis->lower || upper[t] != axis->lower + axis->extent - 1) complain("template_bounds differs on axis %d", t);
    refused(reblock_format_init(&format), "format_init");
    if (refused(reblock_template_format(l->template, t, &format), "template_format")) return;
    int64_t onto = axis->kind == COLLAPSED ? -1 : axis->onto;
    if (format.kind != kinds[axis->kind] || format.procs_axis != onto || format.template_axis != t || format.stride != 1 ||
        format.offset != 0 || format.procs != (onto < 0 ? 1 : s->shape[onto]))
      complain("axis %d of the template has another format", t);
    if (axis->kind == CYCLIC && format.block != axis->block) complain("axis %d of the template has other blocks", t);
  }
}

/* Checks the part of each rank, and of a rank that does not exist. */
static void check_parts(const struct laid *l) {
  const struct side *s = l->side;
  for (int r = 0; r <= s->group->count; r++) {
    int64_t extents[MAX_AXES], lower[MAX_AXES], first[MAX_AXES], last[MAX_AXES], least, most;
    int32_t has = -1;
    struct part part;
    int32_t code = reblock_map_part(l->map, r, extents, lower, first, last, &has);
    if (code == REBLOCK_ERR_ARGUMENT && owners_apart() && r != l->rank) continue;
    if (refused(code, "map_part")) return;
    part_make(&part, s, r < s->group->count ? r : -1);
    if (has != part.has) complain("map_part says rank %d has %d, expected %d", r, has, part.has);
    for (int k = 0; has && part.has && k < s->axes; k++) {
      least = 1, most = 0;
      for (int64_t i = 0; i < s->a[k].extent; i++) {
        if (part.position[k][i] == 0) least = s->a[k].lower + i;
        if (part.position[k][i] >= 0) most = s->a[k].lower + i;
      }
      if (extents[k] != part.len[k] || lower[k] != part.lower[k] || first[k] != least || last[k] != most)
        complain("rank %d: axis %d: %lld elements of %lld to %lld, expected %lld of %lld to %lld", r, k,
                 (long long)extents[k], (long long)first[k], (long long)last[k], (long long)part.len[k], (long long)least,
                 (long long)most);
    }
    part_free(&part, s);
  }
}

/* Checks the places of the arrangement. */
static void check_procs(const struct laid *l) {
  reblock_procs *procs = NULL;
  int64_t coords[3], rank = -1;
  int32_t inside = 0;
  if (refused(reblock_map_procs(l->map, &procs), "map_procs")) return;
  for (int r = 0; r < l->side->group->count; r++) {
    if (refused(reblock_procs_coords(procs, r, coords, &inside), "procs_coords") || !inside) continue;
    if (!refused(reblock_procs_rank_at(procs, coords, &rank), "procs_rank_at") && rank != r)
      complain("procs_rank_at says rank %lld, expected %d", (long long)rank, r);
  }
  refused(reblock_procs_free(&procs), "procs_free");
}

void check_declared(const struct laid *l) {
  check_template(l);
  if (l->template) check_formats(l);
  check_parts(l);
  check_procs(l);
}
