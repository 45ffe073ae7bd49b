#include "laid.h"
#include "draw.h"
#include "numbers.h"
#include "shift.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void declare_text(struct laid *l) {
  char text[2048] = "(";
  const struct side *s = l->side;
  for (int k = 0; k < s->template_axes; k++) {
    const struct template_axis *t = &s->t[k];
    char *end = text + strlen(text);
    long long block = t->block;
    if (k) *end++ = ',', *end++ = ' ';
    if (t->kind == COLLAPSED) sprintf(end, "*");
    else if (t->kind == GEN_BLOCK) {
      end += sprintf(end, "GEN_BLOCK(/");
      int64_t procs = s->shape[t->onto];
      for (int64_t c = 0; c < procs; c++) end += sprintf(end, "%s%lld", c ? "," : "", (long long)t->sizes[c]);
      sprintf(end, "/)");
    } else if (t->kind == BLOCK && !block) sprintf(end, "BLOCK");
    else sprintf(end, "%s(%lld)", t->kind == BLOCK ? "BLOCK" : "CYCLIC", block);
  }
  strcat(text, ")");
  int onto = l->element % 2 && s->procs_axes;
  for (int p = 0; p < s->procs_axes && onto; p++)
    sprintf(text + strlen(text), "%s%lld", p ? "," : " ONTO P(", (long long)s->shape[p]);
  if (onto) strcat(text, ")");
  refused(binding->template_dist_text(l->template, text), text);
}

static void declare_axis(struct laid *l, int axis) {
  const struct side *s = l->side;
  const struct template_axis *t = &s->t[axis];
  reblock_template *made = l->template;
  switch (t->kind) {
  case COLLAPSED:
    /* An axis without a declaration is collapsed, too. */
    if (axis % 2) refused(binding->template_dist_collapsed(made, axis), "template_dist_collapsed");
    break;
  case BLOCK: refused(binding->template_dist_block(made, axis, t->onto, t->block), "template_dist_block"); break;
  case CYCLIC: refused(binding->template_dist_cyclic(made, axis, t->onto, t->block), "template_dist_cyclic"); break;
  case GEN_BLOCK:
    refused(binding->template_dist_gen_block(made, axis, t->onto, s->shape[t->onto], t->sizes), "template_dist_gen_block");
    break;
  case INDIRECT:
    if (!t->stretches) {
      refused(binding->template_dist_indirect(made, axis, t->onto, t->extent, t->owners), "template_dist_indirect");
    } else {
      int64_t first = t->cut[l->rank], count = t->cut[l->rank + 1] - first;
      refused(binding->template_dist_indirect_local(made, axis, t->onto, t->lower + first, count, t->owners + first),
              "template_dist_indirect_local");
    }
  }
}

void laid_template(struct laid *l) {
  const struct side *s = l->side;
  int64_t lower[MAX_AXES], upper[MAX_AXES];
  for (int k = 0; k < s->template_axes; k++) lower[k] = s->t[k].lower, upper[k] = lower[k] + s->t[k].extent - 1;
  refused(binding->procs_create(MPI_Comm_c2f(s->group->comm), s->procs_axes, s->shape, s->listed ? s->ranks : NULL, &l->procs),
          "procs_create");
  refused(binding->template_create(l->procs, s->template_axes, lower, upper, &l->template), "template_create");
  if (s->by_text) declare_text(l);
  else
    for (int k = 0; k < s->template_axes; k++) declare_axis(l, k);
  refused(binding->template_commit(l->template), "template_commit");
}

/* Replaces the map by another map that was made from it. */
static void replace(struct laid *l, int32_t code, reblock_map **made, const char *call) {
  if (refused(code, call)) return;
  refused(binding->map_free(&l->map), "map_free");
  l->map = *made;
}

/* Makes the map from this rank's boxes, in their order. */
static void map_from_boxes(struct laid *l) {
  const struct side *s = l->side;
  int64_t extents[MAX_AXES], starts[MAX_BOXES * MAX_AXES], sizes[MAX_BOXES * MAX_AXES], strides[MAX_BOXES * MAX_AXES];
  int64_t offsets[MAX_BOXES], boxes = 0;
  size_t numbers = sizeof(int64_t) * (size_t)s->axes;
  for (int k = 0; k < s->axes; k++) extents[k] = s->a[k].extent;
  for (int b = 0; b < s->boxes; b++) {
    const struct box *box = &s->box[b];
    if (box->owner != l->rank) continue;
    memcpy(starts + boxes * s->axes, box->start, numbers);
    memcpy(sizes + boxes * s->axes, box->size, numbers);
    memcpy(strides + boxes * s->axes, box->strides, numbers);
    offsets[boxes++] = box->offset;
  }
  refused(binding->map_from_boxes(MPI_Comm_c2f(s->group->comm), s->axes, extents, boxes, starts, sizes, s->ordered == ROW_MAJOR,
                               s->plain_offsets ? NULL : offsets, s->plain_strides ? NULL : strides, &l->map),
          "map_from_boxes");
}

void laid_map(struct laid *l) {
  const struct side *s = l->side;
  int64_t lower[MAX_AXES], upper[MAX_AXES], before[MAX_AXES], after[MAX_AXES];
  reblock_align aligns[MAX_AXES];
  reblock_map *made = NULL;
  for (int k = 0; k < s->axes; k++) {
    lower[k] = s->a[k].lower, upper[k] = lower[k] + s->a[k].extent - 1;
    before[k] = s->a[k].before, after[k] = s->a[k].after;
    aligns[k] = s->a[k].align;
  }
  if (s->whole) refused(binding->map_whole(l->template, &l->map), "map_whole");
  else
    refused(binding->map_create(l->template, s->axes, lower, upper, s->plain_aligns ? NULL : aligns,
                               s->plain_rest ? NULL : s->rest, &l->map), "map_create");
  if (s->shadowed) replace(l, binding->map_shadow(l->map, before, after, &made), &made, "map_shadow");
  if (s->ordered == ROW_MAJOR) replace(l, binding->map_row_major(l->map, &made), &made, "map_row_major");
  if (s->ordered == LISTED) replace(l, binding->map_order(l->map, s->order, &made), &made, "map_order");
  if (s->gaps) replace(l, binding->map_strides(l->map, l->part.strides, &made), &made, "map_strides");
}

void laid_begin(struct laid *l, const struct side *side, int64_t element) {
  memset(l, 0, sizeof *l);
  l->side = side, l->element = element, l->rank = -1;
  l->member = side->group->comm != MPI_COMM_NULL;
  if (l->member) MPI_Comm_rank(side->group->comm, &l->rank);
  part_make(&l->part, side, l->rank);
}

void laid_allocate(struct laid *l) {
  l->memory = guarded_make((size_t)(l->part.elements * l->element), (int)(mix(l->side->gaps + (uint64_t)l->element) % 3));
  l->want = malloc(l->memory.opened + 1);
}

void laid_declare(struct laid *l, const struct side *side, int64_t element) {
  laid_begin(l, side, element);
  laid_allocate(l);
  if (!l->member) return;
  if (side->box) map_from_boxes(l);
  else {
    laid_template(l);
    laid_map(l);
  }
  int64_t length = 0;
  refused(binding->map_text(l->map, l->text, sizeof l->text, &length), "map_text");
  int64_t got = (int64_t)strlen(l->text);
  if (l->map && length < (int64_t)sizeof l->text && length != got) complain("map_text says another length");
}

void laid_release(struct laid *l) {
  /* Objects may be freed in any order: an object lives as long as another object uses it. */
  int template_first = (int)(mix((uint64_t)l->element) % 2);
  if (template_first) refused(binding->template_free(&l->template), "template_free");
  refused(binding->procs_free(&l->procs), "procs_free");
  refused(binding->map_free(&l->map), "map_free");
  refused(binding->template_free(&l->template), "template_free");
  if (l->map || l->template || l->procs) complain("a handle that was freed is not NULL");
}

void laid_free(struct laid *l) {
  laid_release(l);
  part_free(&l->part, l->side);
  guarded_free(&l->memory);
  free(l->want);
}

struct local laid_local(const struct laid *l) {
  static const int64_t one = 1;
  const struct part *p = &l->part;
  if (l->side->box)
    return (struct local){.has = p->has, .base = l->memory.data, .bytes = p->elements * l->element, .element = l->element,
                          .axes = 1, .extents = &p->elements, .strides = &one};
  return (struct local){.has = l->part.has, .base = l->memory.data, .bytes = l->part.elements * l->element,
                        .element = l->element, .start = l->part.start, .axes = l->side->axes,
                        .extents = l->part.extents, .strides = l->part.strides};
}

/* Writes the bytes of an element, which encode its number and the round. */
static void write_element(char *at, int64_t bytes, int64_t number, int round) {
  for (int64_t b = 0; b < bytes; b++) at[b] = (char)((number >> 8 * (b % 3)) + 37 * round + 11 * b);
}

/* Writes an element of this array, or a number in a copy. */
static void write_value(const struct laid *l, char *at, int64_t copy, int64_t number, int round) {
  if (!l->type) write_element(at, l->element, number, round);
  else number_write(at, l->type, hash((uint64_t)(number * MAX_RANKS + copy), (uint64_t)round));
}

char *laid_wanted(struct laid *l, int64_t offset) {
  return l->want + (l->memory.data - l->memory.open) + (l->part.start + offset) * l->element;
}

void laid_value(const struct laid *l, char *at, const int64_t *index, int round) {
  write_value(l, at, l->copy, element_number(l->side, index), round);
}

/* Writes the round's elements to the expected contents. */
static void want_elements(struct laid *l, int round) {
  int64_t index[MAX_AXES], offset;
  reblock_range all[MAX_AXES];
  section_of(l->side, 1, all);
  if (!l->part.elements) return;
  for (int more = walk_start(all, l->side->axes, index); more; more = walk_on(all, l->side->axes, index))
    if (part_offset(&l->part, l->side, index, &offset))
      laid_value(l, laid_wanted(l, offset), index, round);
}

void laid_fill(struct laid *l, int round) {
  guarded_fill(&l->memory, (uint64_t)round);
  memcpy(l->want, l->memory.open, l->memory.opened);
  want_elements(l, round);
  memcpy(l->memory.open, l->want, l->memory.opened);
}

void laid_keep(struct laid *l, int round) {
  memcpy(l->want, l->memory.open, l->memory.opened);
  want_elements(l, round);
}

/* Updates the expected element with an element of the source, by number, or copies it. */
static void want_value(struct laid *l, char *at, const struct origin *from, int64_t number, int round) {
  char value[16];
  if (!from->update) write_value(l, at, 0, number, round);
  for (int64_t copy = 0; from->update && copy < from->copies; copy++) {
    number_write(value, l->type, hash((uint64_t)(number * MAX_RANKS + copy), (uint64_t)round));
    update_apply(from->update, at, value, copy > 0);
  }
}

/* Updates the expected element with the boundary value of a shifted line. */
static void want_boundary(const struct laid *l, char *at, const struct origin *from, uint64_t line) {
  char value[MAX_BYTES];
  shift_boundary(value, l->type, l->element, line);
  if (from->update) update_apply(from->update, at, value, 0);
  else memcpy(at, value, (size_t)l->element);
}

/* Writes the pattern and, in an array of numbers, numbers. */
static void begin_target(struct laid *l, int round) {
  guarded_fill(&l->memory, (uint64_t)round + 100);
  memcpy(l->want, l->memory.open, l->memory.opened);
  if (!l->type) return;
  want_elements(l, round + 50);
  memcpy(l->memory.open, l->want, l->memory.opened);
}

void laid_want(struct laid *l, const struct origin *from, int round) {
  int64_t index[MAX_AXES], source[MAX_AXES], offset;
  uint64_t line = 0;
  reblock_range to_section[MAX_AXES], from_section[MAX_AXES];
  begin_target(l, round);
  section_of(l->side, l->side->whole_section, to_section);
  section_of(from->side, from->side->whole_section, from_section);
  l->written = 0;
  int axes = from->side->axes;
  int more = walk_start(to_section, l->side->axes, index), other = walk_start(from_section, axes, source);
  if (from->axes) other = more;
  while (more && other) {
    int any = !from->axes || shift_source(from->shift, from->axes, axes, to_section, index, from_section, source, &line);
    if (part_offset(&l->part, l->side, index, &offset)) {
      if (any) want_value(l, laid_wanted(l, offset), from, element_number(from->side, source), round);
      else if (from->shift->bounded) want_boundary(l, laid_wanted(l, offset), from, line);
      l->written += any;
    }
    more = walk_on(to_section, l->side->axes, index);
    other = from->axes ? more : walk_on(from_section, axes, source);
  }
  if (more != other) complain("the case itself is wrong: sections do not conform");
}

void laid_want_own(struct laid *l, const reblock_update *update, int round) {
  int64_t index[MAX_AXES], offset;
  reblock_range all[MAX_AXES];
  char value[16];
  begin_target(l, round);
  section_of(l->side, 1, all);
  if (!l->part.elements) return;
  for (int more = walk_start(all, l->side->axes, index); more; more = walk_on(all, l->side->axes, index)) {
    if (!part_offset(&l->part, l->side, index, &offset)) continue;
    memcpy(value, laid_wanted(l, offset), (size_t)l->element);
    update_apply(update, laid_wanted(l, offset), value, 0);
  }
}

/* Returns whether byte `i` belongs to the expected number; any NaN equals any other. */
static int is_same_number(const struct laid *l, size_t i) {
  size_t before = (size_t)(l->memory.data - l->memory.open), element = (size_t)l->element;
  if (!l->type || i < before || i >= before + l->memory.bytes) return 0;
  size_t at = before + (i - before) / element * element;
  return number_same(l->memory.open + at, l->want + at, l->type);
}

void laid_check(const struct laid *l, const char *name, const char *when) {
  for (size_t i = 0; i < l->memory.opened; i++) {
    if (l->memory.open[i] == l->want[i] || is_same_number(l, i)) continue;
    long long at = (long long)i - (l->memory.data - l->memory.open);
    complain("%s: byte %lld of %s's %lld (element %lld) is %02x, expected %02x", when, at, name,
             (long long)l->memory.bytes, at / (long long)l->element, l->memory.open[i] & 255, l->want[i] & 255);
    return;
  }
}
