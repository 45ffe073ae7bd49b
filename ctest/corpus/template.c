/* Draws the template of an array, and the template's distribution. */
#include "case.h"
#include "draw.h"
#include <stdlib.h>
#include <string.h>

/* Draws a template axis with a stride, in either direction, and some room at both ends. */
static void align(struct side *s, int k, int axis, int plain) {
  static const int64_t strides[] = {1, 1, 1, -1, 2, 3, -2, -3};
  struct array_axis *a = &s->a[k];
  struct template_axis *t = &s->t[axis];
  int64_t stride = strides[between(0, 7)], lead = between(0, 4), trail = between(0, 4), lower = between(-30, 30);
  if (!feature(ALIGNMENTS, 1)) lead = trail = 0;
  if (plain || left_out[ALIGNMENTS]) stride = 1, lower = a->lower - lead;
  int64_t steps = a->extent ? a->extent - 1 : 0, span = (stride < 0 ? -stride : stride) * steps;
  t->lower = lower;
  t->extent = a->extent ? lead + span + 1 + trail : lead + trail;
  a->align = (reblock_align){axis, stride, lower + lead + (stride < 0 ? span : 0) - stride * a->lower};
}

/* Aligns some axes of the array with axes of the template, in any order, and collapses the other axes. Some axes of the
 * template may be left over. */
static void draw_alignment(struct side *s) {
  int64_t order[MAX_AXES];
  int plain = once_in(8), extra = (int)between(0, 2), aligned = 0, taken = 0, which[MAX_AXES] = {0};
  for (int k = 0; k < s->axes; k++) which[k] = !feature(ALIGNMENTS, 5) || plain, aligned += which[k];
  if (left_out[COPIES]) extra = 0;
  if (aligned + extra > MAX_AXES) extra = 0;
  if (aligned + extra == 0 && !feature(SCALARS, 2)) extra = 1;
  s->template_axes = aligned + extra;
  for (int k = 0; k < s->template_axes; k++) order[k] = k;
  if (feature(ALIGNMENTS, 2) && !plain) shuffle(order, s->template_axes);
  for (int k = 0; k < s->axes; k++) {
    if (which[k]) align(s, k, (int)order[taken++], plain);
    else s->a[k].align = (reblock_align){REBLOCK_COLLAPSED, 1, 0};
  }
  for (; taken < s->template_axes; taken++) {
    struct template_axis *t = &s->t[order[taken]];
    t->lower = between(-9, 9), t->extent = once_in(20) ? 0 : between(1, 12);
  }
  for (int k = 0; k < s->template_axes; k++) {
    int64_t at = s->t[k].lower + between(0, s->t[k].extent ? s->t[k].extent - 1 : 0);
    s->rest[k] = s->t[k].extent == 0 || once_in(2) ? REBLOCK_REPLICATED : at;
  }
  s->plain_aligns = plain;
  s->plain_rest = once_in(4);
  if (s->plain_rest)
    for (int k = 0; k < s->template_axes; k++) s->rest[k] = REBLOCK_REPLICATED;
}

/* Makes the template equal to the array. */
static void draw_whole(struct side *s) {
  s->template_axes = s->axes;
  for (int k = 0; k < s->axes; k++) {
    s->t[k].lower = s->a[k].lower, s->t[k].extent = s->a[k].extent;
    s->a[k].align = (reblock_align){k, 1, 0};
    s->rest[k] = REBLOCK_REPLICATED;
  }
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Draws 0, extent and `count - 1` cuts between them, some of them equal. */
static void draw_cuts(int64_t *cut, int count, int64_t extent) {
  int few = once_in(3);
  for (int c = 1; c < count; c++) cut[c] = few && once_in(2) ? (once_in(2) ? 0 : extent) : between(0, extent);
  cut[0] = 0, cut[count] = extent;
  qsort(cut, (size_t)count + 1, sizeof *cut, ascending);
}

int owners_apart(void) { return getenv("REBLOCK_OWNERS") != NULL; }

static void draw_owners(const struct side *s, struct template_axis *t, int procs) {
  int64_t use[MAX_RANKS], cut[MAX_RANKS + 1];
  for (int c = 0; c < procs; c++) use[c] = c;
  shuffle(use, procs);
  int64_t used = once_in(2) ? procs : between(1, procs), run = once_in(2) ? 1 : between(2, 9);
  t->owners = malloc(sizeof *t->owners * (size_t)(t->extent + 1));
  for (int64_t i = 0; i < t->extent; i++) {
    int again = i > 0 && !once_in((int)run);
    int64_t owner = use[between(0, used - 1)];
    t->owners[i] = again ? t->owners[i - 1] : owner;
  }
  t->stretches = once_in(owners_apart() ? 1 : 3);
  draw_cuts(cut, s->group->count, t->extent);
  memcpy(t->cut, cut, sizeof cut[0] * (size_t)(s->group->count + 1));
}

static void draw_format(const struct side *s, struct template_axis *t) {
  int procs = (int)s->shape[t->onto];
  int64_t fair = (t->extent + procs - 1) / procs, cut[MAX_RANKS + 1];
  switch (between(0, left_out[INDIRECTS] ? 6 : owners_apart() ? 15 : 8)) {
  case 0: case 1: t->kind = BLOCK; break;
  case 2: t->kind = BLOCK, t->block = fair + between(fair ? 0 : 1, once_in(3) ? 4 : 1); break;
  case 3: t->kind = CYCLIC, t->block = 1; break;
  case 4: t->kind = CYCLIC, t->block = between(2, 5); break;
  case 5: t->kind = CYCLIC, t->block = between(1, t->extent + 3); break;
  case 6:
    t->kind = GEN_BLOCK;
    draw_cuts(cut, procs, t->extent);
    for (int c = 0; c < procs; c++) t->sizes[c] = cut[c + 1] - cut[c];
    if (once_in(4)) t->sizes[procs - 1] += between(0, 5);
    break;
  default: t->kind = INDIRECT, draw_owners(s, t, procs);
  }
}

/* Puts axes with several elements of the array first, since only their distribution has an effect. */
static void put_long_axes_first(const struct side *s, int64_t *order) {
  int64_t sorted[MAX_AXES], count = 0;
  for (int wanted = 1; wanted >= 0; wanted--) {
    for (int n = 0; n < s->template_axes; n++) {
      int is_long = 0;
      for (int k = 0; k < s->axes; k++) is_long |= s->a[k].align.axis == order[n] && s->a[k].extent > 1;
      if (is_long == wanted) sorted[count++] = order[n];
    }
  }
  memcpy(order, sorted, sizeof *order * (size_t)s->template_axes);
}

/* Returns whether HPF's notation, which distributes axes in order over the arrangement's axes, can express the
 * distribution. */
static int has_text(const struct side *s) {
  int next = 0;
  for (int k = 0; k < s->template_axes; k++) {
    if (s->t[k].kind == INDIRECT) return 0;
    if (s->t[k].kind != COLLAPSED && s->t[k].onto != next++) return 0;
  }
  return s->template_axes > 0;
}

void draw_formats(struct side *s) {
  int64_t order[MAX_AXES];
  for (int k = 0; k < s->template_axes; k++) order[k] = k;
  int in_order = once_in(2);
  if (!in_order) shuffle(order, s->template_axes);
  int most = 0, useful = !once_in(4), next = 0;
  if (useful) put_long_axes_first(s, order);
  for (int p = 1; p < s->procs_axes && useful; p++)
    if (s->shape[p] > s->shape[most]) most = p;
  for (int n = 0; n < s->procs_axes; n++) {
    int copies = feature(COPIES, 6), p = (most + n) % s->procs_axes;
    if (copies || next >= s->template_axes) continue;
    struct template_axis *t = &s->t[order[next++]];
    t->onto = p;
    draw_format(s, t);
  }
  /* If ranks have only their own indices of INDIRECT axes, the array cannot lie at one index of such an axis, and any
   * axis may become INDIRECT later. */
  for (int k = 0; k < s->template_axes && owners_apart(); k++) s->rest[k] = REBLOCK_REPLICATED;
  s->by_text = feature(TEXTS, 2) && has_text(s);
}

void draw_template(struct side *s) {
  s->whole = once_in(6);
  if (s->whole) draw_whole(s);
  else draw_alignment(s);
  draw_formats(s);
}
