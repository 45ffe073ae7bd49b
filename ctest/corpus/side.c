/* Draws the mapping of one array of a case: bounds, sections, shadows and the order of the local array. template.c
 * draws its distribution. */
#include "case.h"
#include "draw.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists the ranks of the group that are in the pool, in the pool's order. If none is, lists all ranks of the group. */
static int ranks_in_pool(const struct side *s, const int64_t *pool, int pooled, int64_t *ranks) {
  int count = 0;
  for (int i = 0; i < pooled; i++)
    for (int r = 0; r < s->group->count; r++)
      if (s->group->members[r] == pool[i]) ranks[count++] = r;
  if (count) return count;
  for (int r = 0; r < s->group->count; r++) ranks[r] = r;
  return s->group->count;
}

void draw_arrangement(struct side *s, const int64_t *pool, int pooled) {
  int most = ranks_in_pool(s, pool, pooled, s->ranks), rest;
  s->procs_axes = (int)(once_in(5) ? 3 : between(1, 2));
  s->places = rest = once_in(3) ? (int)between(1, most) : most;
  if (feature(SCALARS, 15)) {
    s->procs_axes = 0, s->places = 1, s->listed = 1;
    return;
  }
  int64_t factor = 1;
  for (int k = 0; k + 1 < s->procs_axes; k++) {
    int tries = 4;
    do factor = between(1, rest); while (rest % factor || (factor == 1 && tries--));
    s->shape[k] = factor;
    rest /= (int)factor;
  }
  s->shape[s->procs_axes - 1] = rest;
  shuffle(s->shape, s->procs_axes);
  s->listed = !once_in(4);
  if (!s->listed)
    for (int r = 0; r < s->places; r++) s->ranks[r] = r;
}

/* Draws bounds with room for a section of `extent` indices, with a limit on all elements. */
static void draw_axis(struct array_axis *a, int64_t extent, int sections, int64_t *room) {
  int64_t stride = once_in(2) ? 1 : between(2, 4), lead = between(0, 3), trail = between(0, 3);
  int64_t span = extent ? (extent - 1) * stride + 1 : 0, least = extent ? extent : 1;
  a->lower = once_in(3) ? 1 : between(-20, 20);
  if (!sections || lead + span + trail > *room * least) stride = 1, lead = trail = 0, span = extent;
  a->extent = lead + span + trail;
  int64_t lower = a->lower + lead, loose = extent && a->extent > lead + span && stride > 1;
  /* The last index of a triplet may be below its upper end. */
  a->section = (reblock_range){lower, lower + span - 1 + loose, stride};
  if (!extent && lead) a->section.upper = lower - between(1, 3);
  /* Reverse the section: from the last index to the first. */
  if (sections && once_in(3)) {
    int64_t beyond = extent ? -(lead > 0 && stride > 1) : between(1, 3);
    a->section = (reblock_range){extent ? lower + span - 1 : lower, lower + beyond, -stride};
  }
  *room = *room * least / (a->extent ? a->extent : 1);
}

static void draw_shadows(struct side *s) {
  int64_t storage = 1, widths[2];
  s->shadowed = feature(SHADOWS, 3);
  for (int k = 0; k < s->axes; k++) storage *= s->a[k].extent + 1;
  for (int k = 0; k < s->axes; k++) {
    for (int end = 0; end < 2; end++) widths[end] = once_in(2) ? 0 : between(1, 3);
    int64_t now = s->a[k].extent + 1, then = now + widths[0] + widths[1];
    if (!s->shadowed || storage / now * then > MAX_STORAGE) continue;
    s->a[k].before = widths[0], s->a[k].after = widths[1];
    storage = storage / now * then;
  }
}

static void draw_order(struct side *s) {
  int which = (int)between(0, 3);
  for (int k = 0; k < s->axes; k++) s->order[k] = k;
  uint64_t gaps = draw() | 1;
  int64_t listed[MAX_AXES];
  memcpy(listed, s->order, sizeof listed);
  shuffle(listed, s->axes);
  if (feature(ORDERS, 1)) s->ordered = which < 2 ? COLUMN_MAJOR : which == 2 ? ROW_MAJOR : LISTED;
  if (s->ordered == LISTED) memcpy(s->order, listed, sizeof listed);
  if (s->ordered == ROW_MAJOR)
    for (int k = 0; k < s->axes; k++) s->order[k] = s->axes - 1 - k;
  s->gaps = feature(STRIDES, 4) ? gaps : 0;
}

void draw_local(struct side *s) {
  for (int k = 0; k < s->axes; k++) s->a[k].before = s->a[k].after = 0;
  s->ordered = COLUMN_MAJOR;
  draw_shadows(s);
  draw_order(s);
}

void draw_side(struct side *s, const struct group *enclosing, const int64_t *extents, int axes, const int64_t *pool,
               int pooled) {
  s->group = draw_group(enclosing);
  draw_arrangement(s, pool, pooled);
  s->axes = axes;
  int64_t room = MAX_ELEMENTS;
  for (int k = 0; k < axes; k++) room /= extents[k] ? extents[k] : 1;
  int sections = feature(SECTIONS, 2);
  for (int k = 0; k < axes; k++) draw_axis(&s->a[k], extents[k], sections, &room);
  s->whole_section = !sections && once_in(2);
  draw_local(s);
  draw_template(s);
}

void side_free(struct side *s) {
  for (int k = 0; k < s->template_axes; k++) free(s->t[k].owners);
  free(s->box);
}

static void print_list(const char *before, const int64_t *list, int64_t count, const char *after) {
  fputs(before, stderr);
  for (int64_t i = 0; i < count; i++) fprintf(stderr, "%s%lld", i ? "," : "", (long long)list[i]);
  fputs(after, stderr);
}

/* Prints equal neighbours as one entry: 3*0,2*1. */
static void print_runs(const int64_t *list, int64_t count) {
  for (int64_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && list[end] == list[i]; end++) continue;
    fprintf(stderr, "%s%lld*%lld", i ? "," : "", (long long)(end - i), (long long)list[i]);
  }
}

static void print_format(const struct side *s, const struct template_axis *t) {
  static const char *const names[] = {"*", "BLOCK", "CYCLIC", "GEN_BLOCK", "INDIRECT"};
  fprintf(stderr, " %s", names[t->kind]);
  if (t->block) fprintf(stderr, "(%lld)", (long long)t->block);
  if (t->kind == GEN_BLOCK) print_list("(/", t->sizes, s->shape[t->onto], "/)");
  if (t->kind == INDIRECT) fputs("(/", stderr), print_runs(t->owners, t->extent), fputs("/)", stderr);
  if (t->stretches) fprintf(stderr, " in stretches");
  if (t->kind != COLLAPSED) fprintf(stderr, " on axis %d", t->onto);
}

void side_print(const char *name, const struct side *s) {
  fprintf(stderr, "  %s:", name);
  print_list(" P(", s->shape, s->procs_axes, ")");
  print_list(" ranks ", s->ranks, s->places, " of the communicator of");
  for (int i = 0; i < s->group->count; i++) fprintf(stderr, " %d", s->group->members[i]);
  for (int k = 0; k < s->template_axes; k++) {
    const struct template_axis *t = &s->t[k];
    fprintf(stderr, "\n    template axis %d: %lld:%lld", k, (long long)t->lower, (long long)(t->lower + t->extent - 1));
    print_format(s, t);
    int aligned = 0;
    for (int a = 0; a < s->axes; a++) aligned |= s->a[a].align.axis == k;
    if (!aligned && s->rest[k] != REBLOCK_REPLICATED) fprintf(stderr, ", array at %lld", (long long)s->rest[k]);
  }
  for (int k = 0; k < s->axes; k++) {
    const struct array_axis *a = &s->a[k];
    fprintf(stderr, "\n    array axis %d: %lld:%lld", k, (long long)a->lower, (long long)(a->lower + a->extent - 1));
    if (a->align.axis != REBLOCK_COLLAPSED)
      fprintf(stderr, " at %lld*i%+lld of axis %lld", (long long)a->align.stride, (long long)a->align.offset,
              (long long)a->align.axis);
    if (a->before || a->after) fprintf(stderr, ", shadow %lld %lld", (long long)a->before, (long long)a->after);
    if (!s->whole_section)
      fprintf(stderr, ", section %lld:%lld:%lld", (long long)a->section.lower, (long long)a->section.upper,
              (long long)a->section.stride);
  }
  print_list("\n    order ", s->order, s->axes, s->gaps ? ", strides with gaps\n" : "\n");
  if (s->box) boxes_print(s);
}
