/* Draws the arrays of the library in a case, and their steps. All arrays are aligned with one template. A step
 * redistributes the template or realigns an array. */
#include "case.h"
#include "draw.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void take_template(struct side *s, const struct side *other) {
  s->group = other->group;
  s->procs_axes = other->procs_axes, s->places = other->places, s->listed = other->listed;
  memcpy(s->shape, other->shape, sizeof s->shape);
  memcpy(s->ranks, other->ranks, sizeof s->ranks);
  s->template_axes = other->template_axes, s->by_text = other->by_text;
  memcpy(s->t, other->t, sizeof s->t);
  for (int k = 0; k < s->template_axes; k++) {
    struct template_axis *t = &s->t[k];
    if (!t->owners) continue;
    size_t bytes = sizeof *t->owners * (size_t)(t->extent + 1);
    t->owners = memcpy(malloc(bytes), t->owners, bytes);
  }
}

/* Aligns an axis of the array with some of the indices of a template axis. */
static void draw_within(struct array_axis *a, const struct template_axis *t, int axis, int64_t room) {
  int64_t stride = between(1, 3), most = t->extent ? (t->extent - 1) / stride + 1 : 0;
  if (most > room) most = room;
  a->lower = between(-20, 20), a->extent = once_in(2) ? most : between(0, most);
  int64_t span = a->extent ? (a->extent - 1) * stride : 0;
  int64_t first = t->lower + (t->extent > span ? between(0, t->extent - 1 - span) : 0);
  int backward = feature(ALIGNMENTS, 3);
  if (backward) first += span, stride = -stride;
  a->align = (reblock_align){axis, stride, first - stride * a->lower};
}

void draw_along(struct side *s, const struct side *first) {
  int64_t order[MAX_AXES], room = MAX_ELEMENTS / 4;
  memset(s, 0, sizeof *s);
  take_template(s, first);
  int aligned = (int)between(0, s->template_axes < 4 ? s->template_axes : 4);
  int collapsed = aligned == 0 || once_in(4);
  for (int k = 0; k < s->template_axes; k++) order[k] = k;
  shuffle(order, s->template_axes);
  s->axes = aligned + collapsed;
  for (int k = 0; k < aligned; k++) {
    draw_within(&s->a[k], &s->t[order[k]], (int)order[k], room);
    room /= s->a[k].extent ? s->a[k].extent : 1;
  }
  if (collapsed)
    s->a[aligned] = (struct array_axis){
      .lower = between(-9, 9), .extent = between(0, room < 6 ? room : 6), .align = {REBLOCK_COLLAPSED, 1, 0}};
  for (int k = 0; k < s->template_axes; k++) {
    int64_t at = s->t[k].lower + between(0, s->t[k].extent ? s->t[k].extent - 1 : 0);
    s->rest[k] = s->t[k].extent == 0 || once_in(2) || owners_apart() ? REBLOCK_REPLICATED : at;
  }
  s->whole_section = 1;
  draw_local(s);
}

/* Redistributes the template of `s`, for all arrays aligned with it. */
static void draw_like(struct side *s, const int64_t *pool, int pooled) {
  draw_arrangement(s, pool, pooled);
  for (int k = 0; k < s->template_axes; k++) {
    struct template_axis *t = &s->t[k];
    free(t->owners);
    *t = (struct template_axis){.lower = t->lower, .extent = t->extent};
  }
  draw_formats(s);
}

/* Draws another template for the same array. */
static void draw_realigned(struct side *s, const int64_t *pool, int pooled) {
  side_free(s);
  memset(s->t, 0, sizeof s->t);
  draw_arrangement(s, pool, pooled);
  draw_local(s);
  draw_template(s);
}

static void draw_step(struct arrays *a, int n, const int64_t *pool, int pooled) {
  struct step *step = &a->step[n];
  step->of = (int)between(0, a->count - 1);
  step->realigned = once_in(3) ? step->of : -1;
  for (int i = 0; i < a->count; i++) {
    step->dead[i] = once_in(4) && (step->realigned < 0 || i == step->of) &&
                    a->templates[n][i] == a->templates[n][step->of];
    a->side[n + 1][i] = a->side[n][i];
    take_template(&a->side[n + 1][i], &a->side[n][i]);
    a->templates[n + 1][i] = a->templates[n][i];
  }
  struct side *changed = &a->side[n + 1][step->of];
  if (step->realigned >= 0) {
    draw_realigned(changed, pool, pooled);
    a->templates[n + 1][step->of] = n + 1;
  } else {
    draw_like(changed, pool, pooled);
    for (int i = 0; i < a->count; i++) {
      if (i == step->of || a->templates[n][i] != a->templates[n][step->of]) continue;
      side_free(&a->side[n + 1][i]);
      take_template(&a->side[n + 1][i], changed);
    }
  }
  for (int i = 0; i < a->count; i++) a->side[n + 1][i].gaps = 0;
}

void draw_arrays(struct arrays *a, const struct group *enclosing, const int64_t *extents, int axes) {
  int64_t pool[MAX_RANKS];
  int count = enclosing->count;
  for (int i = 0; i < count; i++) pool[i] = enclosing->members[i];
  shuffle(pool, count);
  a->count = (int)between(1, MAX_ARRAYS), a->steps = (int)between(1, MAX_STEPS);
  draw_side(&a->side[0][0], enclosing, extents, axes, pool, count);
  for (int i = 1; i < a->count; i++) draw_along(&a->side[0][i], &a->side[0][0]);
  for (int i = 0; i < a->count; i++) {
    /* The library allocates the storage and so chooses its strides. */
    a->side[0][i].gaps = 0;
    a->element[i] = once_in(2) ? 8 : between(1, 40);
  }
  for (int n = 0; n < a->steps; n++) {
    shuffle(pool, count);
    draw_step(a, n, pool, count);
  }
}

void arrays_free(struct arrays *a) {
  for (int n = 0; n <= a->steps; n++)
    for (int i = 0; i < a->count; i++) side_free(&a->side[n][i]);
}

void arrays_print(const struct arrays *a) {
  for (int n = 0; n <= a->steps && a->count; n++) {
    if (n) {
      const struct step *step = &a->step[n - 1];
      fprintf(stderr, "  %s %d; dead:", step->realigned < 0 ? "REDISTRIBUTE the template of" : "REALIGN", step->of);
      for (int i = 0; i < a->count; i++)
        if (step->dead[i]) fprintf(stderr, " %d", i);
      fputs("\n", stderr);
    }
    for (int i = 0; i < a->count; i++) {
      fprintf(stderr, "  array %d, elements of %lld bytes, template %d\n", i, (long long)a->element[i], a->templates[n][i]);
      side_print("it is", &a->side[n][i]);
    }
  }
}
