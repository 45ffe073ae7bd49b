#include "naive.h"
#include "draw.h"
#include <stdlib.h>
#include <string.h>

/* Deals out the indices of a template axis one by one: computes the coordinate that owns each index. */
static int64_t *deal(const struct side *s, const struct template_axis *t) {
  int64_t procs = s->shape[t->onto], block = t->block, place = 0, held = 0;
  int64_t *owner = malloc(sizeof *owner * (size_t)(t->extent + 1));
  if (t->kind == BLOCK && !block)
    while (block * procs < t->extent) block++;
  for (int64_t i = 0; i < t->extent; i++) {
    switch (t->kind) {
    case COLLAPSED: break;
    case BLOCK:
      if (held == block) place++, held = 0;
      break;
    case CYCLIC:
      if (held == block) place = place + 1 == procs ? 0 : place + 1, held = 0;
      break;
    case GEN_BLOCK:
      while (held == t->sizes[place]) place++, held = 0;
      break;
    case INDIRECT: place = t->owners[i];
    }
    owner[i] = place;
    held++;
  }
  return owner;
}

/* Returns whether the rank at `coords` has a copy of the array. If the array lies at one index of a template axis,
 * only the owner of that index has it. */
static int has_part(const struct side *s, const int64_t *coords) {
  int aligned[MAX_AXES] = {0}, has = 1;
  for (int k = 0; k < s->axes; k++)
    if (s->a[k].align.axis != REBLOCK_COLLAPSED) aligned[s->a[k].align.axis] = 1;
  for (int k = 0; k < s->template_axes; k++) {
    const struct template_axis *t = &s->t[k];
    if (aligned[k] || t->kind == COLLAPSED || s->rest[k] == REBLOCK_REPLICATED) continue;
    int64_t *owner = deal(s, t);
    has = has && owner[s->rest[k] - t->lower] == coords[t->onto];
    free(owner);
  }
  return has;
}

/* Returns the place of a rank in the row-major list; -1 if it has no place. */
static int place_of(const struct side *s, int rank) {
  for (int i = 0; i < s->places; i++)
    if (s->ranks[i] == rank) return i;
  return -1;
}

static void coords_of(const struct side *s, int place, int64_t *coords) {
  for (int p = s->procs_axes - 1; p >= 0; p--) coords[p] = place % s->shape[p], place /= (int)s->shape[p];
}

/* Returns the elements of axis k before the part of a rank that has no elements. */
static int64_t elements_before(const struct part *p, const struct side *s, int k) {
  const struct array_axis *a = &s->a[k];
  const struct template_axis *t = a->align.axis == REBLOCK_COLLAPSED ? NULL : &s->t[a->align.axis];
  int64_t before = 0, last = a->extent - 1;
  if (!p->has || !p->owner[k] || last < 0 || t->kind == INDIRECT) return 0;
  if (t->kind == CYCLIC) {
    int64_t first = a->align.stride * a->lower + a->align.offset - t->lower, end = first + a->align.stride * last;
    if (llabs(end / t->block - first / t->block) >= s->shape[t->onto]) return 0;
  }
  /* An alignment with a negative stride has the processes in descending order along the axis. */
  int64_t down = a->align.stride < 0 ? -1 : 1, own = p->coords[t->onto];
  if (down * p->owner[k][0] > down * p->owner[k][last]) return 0;
  for (int64_t i = 0; i <= last; i++) before += down * p->owner[k][i] < down * own;
  return before;
}

/* Computes the owners of an axis of the array, and the positions of this rank's elements, in index order. */
static void place_axis(struct part *p, const struct side *s, int k) {
  const struct array_axis *a = &s->a[k];
  const struct template_axis *t = a->align.axis == REBLOCK_COLLAPSED ? NULL : &s->t[a->align.axis];
  int64_t first = 0, last = -1;
  p->position[k] = malloc(sizeof(int64_t) * (size_t)(a->extent + 1));
  if (t && t->kind != COLLAPSED) {
    int64_t *dealt = deal(s, t);
    p->owner[k] = malloc(sizeof(int64_t) * (size_t)(a->extent + 1));
    for (int64_t i = 0; i < a->extent; i++)
      p->owner[k][i] = dealt[a->align.stride * (a->lower + i) + a->align.offset - t->lower];
    free(dealt);
  }
  for (int64_t i = 0; i < a->extent; i++) {
    int own = p->has && (!p->owner[k] || p->owner[k][i] == p->coords[t->onto]);
    if (own && p->len[k] == 0) first = i;
    if (own) last = i;
    p->position[k][i] = own ? p->len[k]++ : -1;
  }
  int run = p->len[k] > 0 && last - first + 1 == p->len[k];
  p->extents[k] = p->has ? p->len[k] + a->before + a->after : 0;
  if (!p->len[k]) first = elements_before(p, s, k);
  p->lower[k] = (run || !p->len[k] ? a->lower + first : 1) - a->before;
}

/* Computes strides in the order of axes, with the case's gaps, which differ between ranks; some are negative. */
static void place_strides(struct part *p, const struct side *s, int rank) {
  uint64_t gaps = s->gaps ? mix(s->gaps + (uint64_t)rank) : 0;
  int64_t next = 1, reach = 0;
  int backward = s->gaps && gaps >> 62 == 0;
  p->elements = p->has;
  for (int n = 0; n < s->axes; n++) {
    int64_t k = s->order[n], extent = p->extents[k];
    p->strides[k] = next;
    if (s->gaps) p->strides[k] = reach + 1 + (int64_t)((gaps >> (4 * n)) % 4 % 3);
    int64_t length = extent > 1 ? p->strides[k] * (extent - 1) : 0;
    reach += length;
    next *= extent;
    if (!extent) p->elements = 0;
    if (!backward || gaps >> n & 1) continue;
    p->strides[k] = -p->strides[k];
    p->start += length;
  }
  if (p->elements) p->elements = reach + 1;
  else p->start = 0;
}

void part_make(struct part *p, const struct side *s, int rank) {
  memset(p, 0, sizeof *p);
  if (s->box) {
    p->rank = rank, p->has = rank >= 0, p->elements = p->has ? s->storage[rank] : 0;
    return;
  }
  int place = place_of(s, rank);
  if (place >= 0) coords_of(s, place, p->coords);
  p->has = place >= 0 && has_part(s, p->coords);
  for (int k = 0; k < s->axes; k++) place_axis(p, s, k);
  place_strides(p, s, rank);
}

void part_free(struct part *p, const struct side *s) {
  for (int k = 0; k < s->axes; k++) free(p->owner[k]), free(p->position[k]);
}

const struct box *box_of(const struct side *s, const int64_t *index) {
  for (int b = 0; b < s->boxes; b++) {
    const struct box *box = &s->box[b];
    int inside = 1;
    for (int k = 0; k < s->axes; k++) inside &= index[k] >= box->start[k] && index[k] < box->start[k] + box->size[k];
    if (inside) return box;
  }
  return NULL;
}

int part_offset(const struct part *p, const struct side *s, const int64_t *index, int64_t *offset) {
  *offset = 0;
  if (!p->has) return 0;
  if (s->box) {
    const struct box *own = box_of(s, index);
    for (int k = 0; own && k < s->axes; k++) *offset += (index[k] - own->start[k]) * own->strides[k];
    if (own) *offset += own->offset;
    return own && own->owner == p->rank;
  }
  for (int k = 0; k < s->axes; k++) {
    int64_t position = p->position[k][index[k] - s->a[k].lower];
    if (position < 0) return 0;
    *offset += p->strides[k] * (s->a[k].before + position);
  }
  return 1;
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int64_t naive_owners(const struct part *p, const struct side *s, const int64_t *index, int64_t *ranks) {
  const struct box *box = s->box ? box_of(s, index) : NULL;
  if (box) ranks[0] = box->owner;
  if (s->box) return box != NULL;
  int64_t count = 0, coords[3];
  for (int place = 0; place < s->places; place++) {
    coords_of(s, place, coords);
    int has = has_part(s, coords);
    for (int k = 0; k < s->axes; k++) {
      if (!p->owner[k]) continue;
      has = has && p->owner[k][index[k] - s->a[k].lower] == coords[s->t[s->a[k].align.axis].onto];
    }
    if (has) ranks[count++] = s->ranks[place];
  }
  qsort(ranks, (size_t)count, sizeof *ranks, ascending);
  return count;
}

int64_t naive_copies(const struct side *s, const int64_t *coords, int64_t *copy) {
  int dealt[3] = {0};
  int64_t count = 1;
  for (int k = 0; k < s->template_axes; k++) {
    int aligned = 0;
    for (int a = 0; a < s->axes; a++) aligned |= s->a[a].align.axis == k;
    if (s->t[k].kind != COLLAPSED && (aligned || s->rest[k] != REBLOCK_REPLICATED)) dealt[s->t[k].onto] = 1;
  }
  *copy = 0;
  if (s->box) return 1;
  for (int p = 0; p < s->procs_axes; p++)
    if (!dealt[p]) *copy = *copy * s->shape[p] + coords[p], count *= s->shape[p];
  return count;
}

void section_of(const struct side *s, int whole, reblock_range *section) {
  for (int k = 0; k < s->axes; k++) {
    const struct array_axis *a = &s->a[k];
    section[k] = whole ? (reblock_range){a->lower, a->lower + a->extent - 1, 1} : a->section;
  }
}

/* Returns whether an index of the walk is within the range. */
static int is_within(const reblock_range *range, int64_t index) {
  return range->stride < 0 ? index >= range->upper : index <= range->upper;
}

int walk_start(const reblock_range *section, int axes, int64_t *index) {
  int any = 1;
  for (int k = 0; k < axes; k++) {
    index[k] = section[k].lower;
    if (!is_within(&section[k], index[k])) any = 0;
  }
  return any;
}

int walk_on(const reblock_range *section, int axes, int64_t *index) {
  for (int k = 0; k < axes; k++) {
    index[k] += section[k].stride;
    if (is_within(&section[k], index[k])) return 1;
    index[k] = section[k].lower;
  }
  return 0;
}

int64_t walk_count(const reblock_range *range) {
  return is_within(range, range->lower) ? (range->upper - range->lower) / range->stride + 1 : 0;
}

int64_t element_number(const struct side *s, const int64_t *index) {
  int64_t number = 0;
  for (int k = s->axes - 1; k >= 0; k--) number = number * s->a[k].extent + index[k] - s->a[k].lower;
  return number;
}
