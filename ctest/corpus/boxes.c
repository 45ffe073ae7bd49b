/* Draws the boxes of an array: their bounds, owners and places in storage. Boxes are tiles of a grid, or the parts of
 * a space that is cut repeatedly. Elements outside of the sections may be in no box. */
#include "case.h"
#include "draw.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum numbers of elements between neighbours in one array, and of cuts. */
enum { MAX_GAP = 3, MAX_CUTS = 24 };

static int is_empty(const struct side *s, const struct box *b) {
  for (int k = 0; k < s->axes; k++)
    if (!b->size[k]) return 1;
  return 0;
}

/* Changes the array's indices to count from 0. */
static void count_from_zero(struct side *s) {
  for (int k = 0; k < s->axes; k++) {
    struct array_axis *a = &s->a[k];
    a->section.lower -= a->lower, a->section.upper -= a->lower;
    *a = (struct array_axis){.extent = a->extent, .section = a->section, .align = {REBLOCK_COLLAPSED, 1, 0}};
  }
}

/* Cuts one box in two, repeatedly. */
static void cut(struct side *s, int most) {
  for (int tries = 0; s->boxes < most && tries < 100 && s->axes; tries++) {
    struct box *b = &s->box[between(0, s->boxes - 1)];
    int k = (int)between(0, s->axes - 1);
    if (b->size[k] < 2) continue;
    int64_t first = between(1, b->size[k] - 1);
    struct box *rest = &s->box[s->boxes++];
    *rest = *b;
    rest->start[k] += first, rest->size[k] -= first, b->size[k] = first;
  }
}

/* Cuts all boxes at the same indices of an axis, at equal distances or any. */
static void cut_across(struct side *s, int k) {
  int64_t extent = s->a[k].extent, block = extent ? between(1, extent) : 1, at = 0;
  for (int even = once_in(2); at < extent; ) {
    at += even ? block : between(1, block);
    if (at >= extent || s->boxes * 2 > MAX_BOXES) break;
    for (int b = s->boxes - 1; b >= 0; b--) {
      struct box *low = &s->box[b];
      if (low->start[k] >= at || low->start[k] + low->size[k] <= at) continue;
      struct box *high = &s->box[s->boxes++];
      *high = *low;
      low->size[k] = at - low->start[k];
      high->start[k] = at, high->size[k] -= low->size[k];
    }
  }
}

/* Draws owners: at random, in turn, or one box for each rank. */
static void deal(struct side *s, int one_each) {
  int turn = once_in(2), some = (int)between(1, s->places);
  for (int b = 0; b < s->boxes; b++)
    s->box[b].owner = (int)s->ranks[one_each ? b : turn ? b % some : between(0, some - 1)];
}

/* Removes elements that are in no section from some boxes, and then removes whole boxes. */
static void make_holes(struct side *s) {
  int left = 0;
  for (int b = 0; b < s->boxes; b++) {
    struct box *box = &s->box[b];
    int trimmed = once_in(2), asked = 1;
    for (int k = 0; k < s->axes; k++) {
      const reblock_range *r = &s->a[k].section;
      int64_t end = box->start[k] + box->size[k], step = llabs(r->stride), down = r->stride < 0;
      int64_t low = down && r->lower >= r->upper ? r->lower - (r->lower - r->upper) / step * step : r->lower;
      int64_t high = down ? (r->lower >= r->upper ? r->lower : low - 1) : r->upper, first = low, last = -1;
      for (int64_t i = low; i <= high && i < end; i += step) {
        if (i < box->start[k]) continue;
        if (last < 0) first = i;
        last = i;
      }
      if (last < 0) asked = 0;
      else if (trimmed) box->start[k] = first, box->size[k] = last - first + 1;
    }
    if (asked || once_in(3)) s->box[left++] = *box;
  }
  s->boxes = left, s->holes = 1;
}

/* Adds boxes without elements, at any place. */
static void add_empty(struct side *s) {
  for (int more = s->axes && once_in(4) ? (int)between(1, 3) : 0; more && s->boxes < MAX_BOXES; more--) {
    struct box *b = &s->box[s->boxes++];
    memset(b, 0, sizeof *b);
    b->owner = (int)s->ranks[between(0, s->places - 1)];
    for (int k = 0; k < s->axes; k++)
      b->start[k] = between(0, s->a[k].extent), b->size[k] = between(0, s->a[k].extent - b->start[k]);
    b->size[between(0, s->axes - 1)] = 0;
  }
}

/* Sets strides of a box for axes in this order, with gaps up to `gap` and some strides negative; returns the elements
 * that it spans. */
static int64_t stride(const struct side *s, struct box *b, const int64_t *order, int gap, int backward) {
  int64_t reach = 0;
  b->offset = 0;
  for (int n = 0; n < s->axes; n++) {
    int64_t k = order[n], step = reach + 1 + (gap ? between(0, gap) : 0), length = (b->size[k] - 1) * step;
    int turned = backward && once_in(3);
    b->strides[k] = turned ? -step : step;
    if (turned) b->offset += length;
    reach += length;
  }
  return reach + 1;
}

/* Places each box by itself, in any order if offsets are given. */
static void place_apart(struct side *s) {
  int64_t order[MAX_AXES], turn[MAX_BOXES];
  s->plain_offsets = once_in(3), s->plain_strides = once_in(3);
  int gap = s->plain_strides || once_in(2) ? 0 : MAX_GAP;
  for (int b = 0; b < s->boxes; b++) turn[b] = b;
  if (!s->plain_offsets) shuffle(turn, s->boxes);
  for (int n = 0; n < s->boxes; n++) {
    struct box *b = &s->box[turn[n]];
    int64_t *end = &s->storage[b->owner];
    if (is_empty(s, b)) continue;
    memcpy(order, s->order, sizeof order);
    if (!s->plain_strides && once_in(2)) shuffle(order, s->axes);
    /* With negative strides, the first element of a box is not the first element in storage. */
    int64_t span = stride(s, b, order, gap, !s->plain_strides && !s->plain_offsets && once_in(3));
    int64_t before = s->plain_offsets || once_in(2) ? 0 : between(0, MAX_GAP);
    b->offset += *end + before;
    *end += before + span;
  }
}

/* Places all boxes of a rank in one array as large as the whole, in which they interleave. */
static void place_in_one(struct side *s) {
  struct box whole = {0};
  int64_t order[MAX_AXES];
  for (int k = 0; k < s->axes; k++) whole.size[k] = s->a[k].extent > 0 ? s->a[k].extent : 1;
  memcpy(order, s->order, sizeof order);
  if (once_in(2)) shuffle(order, s->axes);
  stride(s, &whole, order, once_in(2) ? MAX_GAP - 1 : 0, 0);
  for (int b = 0; b < s->boxes; b++) {
    struct box *box = &s->box[b];
    memcpy(box->strides, whole.strides, sizeof box->strides);
    int64_t last = 0;
    for (int k = 0; k < s->axes; k++)
      box->offset += box->start[k] * box->strides[k], last += (box->size[k] - 1) * box->strides[k];
    if (is_empty(s, box)) continue;
    if (box->offset + last + 1 > s->storage[box->owner]) s->storage[box->owner] = box->offset + last + 1;
  }
}

/* Checks that an array as large as the whole, with gaps, is small enough. */
static int fits(const struct side *s) {
  int64_t storage = 1;
  for (int k = 0; k < s->axes; k++) storage *= s->a[k].extent + MAX_GAP;
  return storage <= MAX_STORAGE;
}

void draw_boxes(struct side *s) {
  side_free(s);
  memset(s->t, 0, sizeof s->t);
  s->template_axes = 0, s->whole = 0, s->by_text = 0, s->shadowed = 0, s->gaps = 0;
  count_from_zero(s);
  s->ordered = once_in(2) ? ROW_MAJOR : COLUMN_MAJOR;
  for (int k = 0; k < s->axes; k++) s->order[k] = s->ordered == ROW_MAJOR ? s->axes - 1 - k : k;
  s->box = calloc(MAX_BOXES, sizeof *s->box);
  s->boxes = 1;
  int64_t any = 1;
  for (int k = 0; k < s->axes; k++) s->box[0].size[k] = s->a[k].extent, any *= s->a[k].extent;
  int one_each = any && once_in(4), grid = !one_each && once_in(2);
  if (one_each) cut(s, s->places);
  else if (!grid) cut(s, (int)between(1, MAX_CUTS));
  for (int k = 0; k < s->axes && grid; k++) cut_across(s, k);
  deal(s, one_each && s->boxes <= s->places);
  if (!s->whole_section && any && once_in(2)) make_holes(s);
  add_empty(s);
  if (once_in(3) && fits(s)) place_in_one(s);
  else place_apart(s);
}

static void print_list(const char *before, const struct side *s, const int64_t *list) {
  fputs(before, stderr);
  for (int k = 0; k < s->axes; k++) fprintf(stderr, "%s%lld", k ? "," : "", (long long)list[k]);
}

void boxes_print(const struct side *s) {
  fprintf(stderr, "    in boxes%s%s\n", s->plain_offsets ? ", without offsets" : "", s->plain_strides ? ", without strides" : "");
  for (int b = 0; b < s->boxes; b++) {
    const struct box *box = &s->box[b];
    fprintf(stderr, "      rank %d:", box->owner);
    print_list(" from ", s, box->start);
    print_list(" of ", s, box->size);
    fprintf(stderr, " at %lld", (long long)box->offset);
    print_list(" by ", s, box->strides);
    fputs("\n", stderr);
  }
}
