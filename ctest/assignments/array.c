#include "array.h"
#include "../random.h"

int64_t draw(int64_t low, int64_t high) { return within(&state, low, high); }
int once_in(int n) { return draw(1, n) == 1; }

int64_t count_of(const reblock_range *r) {
  int64_t span = r->stride < 0 ? r->lower - r->upper : r->upper - r->lower, step = llabs(r->stride);
  return span < 0 ? 0 : span / step + 1;
}

int64_t number_of(const struct array *a, const int64_t *index) {
  int64_t number = 0;
  for (int k = a->axes - 1; k >= 0; k--) number = number * a->extent[k] + index[k] - a->lower[k];
  return number;
}

/* Puts the array in boxes along the first axis: one box, or none, on each rank. */
static void in_boxes(struct array *a) {
  int64_t starts[AXES] = {0}, sizes[AXES], from = 0, own = 0, any = 0;
  for (int r = 0; r < ranks; r++) {
    int64_t rest = a->extent[0] - from, size = r == ranks - 1 ? rest : draw(0, rest);
    if (r == me && size) starts[0] = from, own = size, any = 1;
    from += size;
  }
  memcpy(sizes, a->extent, sizeof sizes);
  sizes[0] = own;
  MUST(reblock_map_from_boxes(MPI_COMM_WORLD, a->axes, a->extent, any, starts, sizes, 0, NULL, NULL, &a->map));
}

/* Distributes axis k of the template over axis p of the arrangement, which has `procs` processes. */
static void deal(reblock_template *t, int k, int p, int64_t procs, int64_t extent) {
  int64_t sizes[16], owners[256], left = extent;
  switch (draw(0, 3)) {
  case 0: MUST(reblock_template_dist_block(t, k, p, 0)); break;
  case 1: MUST(reblock_template_dist_cyclic(t, k, p, draw(1, 4))); break;
  case 2:
    for (int i = 0; i < procs; i++) sizes[i] = i == procs - 1 ? left : draw(0, left), left -= sizes[i];
    MUST(reblock_template_dist_gen_block(t, k, p, procs, sizes));
    break;
  default:
    for (int64_t i = 0; i < extent; i++) owners[i] = draw(0, procs - 1);
    MUST(reblock_template_dist_indirect(t, k, p, extent, owners));
  }
}

/* Returns the same map with local axes in random order and gaps. */
static reblock_map *turned(const reblock_map *map, int axes) {
  int64_t extents[AXES], before[AXES], after[AXES], strides[AXES], stride = 1;
  int order[AXES] = {0, 1, 2};
  reblock_map *made;
  for (int k = axes - 1; k > 0; k--) {
    int j = (int)draw(0, k), t = order[k];
    order[k] = order[j], order[j] = t;
  }
  MUST(reblock_map_local(map, extents, NULL, before, after, NULL, NULL));
  for (int n = 0; n < axes; n++) {
    int64_t k = order[n], room = extents[k] + before[k] + after[k] + draw(0, 1);
    strides[k] = stride, stride *= room ? room : 1;
  }
  MUST(reblock_map_strides(map, strides, &made));
  return made;
}

static void dealt_out(struct array *a) {
  reblock_procs *procs;
  reblock_template *t;
  reblock_map *map, *made;
  int64_t shape[2] = {draw(1, ranks), 1}, lower[AXES], upper[AXES];
  shape[1] = draw(1, ranks / shape[0]);
  MUST(reblock_procs_create(MPI_COMM_WORLD, 2, shape, NULL, &procs));
  reblock_align aligns[AXES];
  for (int k = 0; k < a->axes; k++) {
    int64_t stride = once_in(3) ? -1 : 1, last = a->lower[k] + a->extent[k] - 1;
    int64_t from = stride < 0 ? -last : a->lower[k], offset = draw(-3, 3);
    if (!a->extent[k]) from = 0;
    lower[k] = from + offset - draw(0, 2), upper[k] = from + offset + (a->extent[k] ? a->extent[k] : 1) - 1 + draw(0, 2);
    aligns[k] = (reblock_align){k, stride, offset};
  }
  MUST(reblock_template_create(procs, a->axes, lower, upper, &t));
  int first = a->axes ? (int)draw(0, a->axes - 1) : 0;
  for (int p = 0; p < 2 && p < a->axes; p++) {
    int k = (first + p) % a->axes;
    if (!once_in(5)) deal(t, k, p, shape[p], upper[k] - lower[k] + 1);
  }
  MUST(reblock_template_commit(t));
  for (int k = 0; k < a->axes; k++) upper[k] = a->lower[k] + a->extent[k] - 1;
  MUST(reblock_map_create(t, a->axes, a->lower, upper, aligns, NULL, &map));
  int row_major = once_in(3), shadow = once_in(3);
  if (row_major) MUST(reblock_map_row_major(map, &made)), MUST(reblock_map_free(&map)), map = made;
  if (shadow) {
    int64_t before[AXES], after[AXES];
    for (int k = 0; k < a->axes; k++) before[k] = draw(0, 2), after[k] = draw(0, 1);
    MUST(reblock_map_shadow(map, before, after, &made)), MUST(reblock_map_free(&map)), map = made;
  }
  a->map = map;
  if (once_in(5)) a->ordered = map, a->map = turned(map, a->axes);
  MUST(reblock_template_free(&t)), MUST(reblock_procs_free(&procs));
}

/* Allocates this rank's storage. */
static void allocate(struct array *a) {
  int32_t has = 1;
  int64_t boxes = 0;
  MUST(reblock_map_elements(a->map, &a->room));
  MUST(reblock_map_boxes(a->map, &boxes));
  if (boxes < 0) MUST(reblock_map_local(a->map, NULL, NULL, NULL, NULL, NULL, &has));
  a->has = has;
  size_t bytes = sizeof(int64_t) * (size_t)((a->room + 1) * a->words);
  a->data = malloc(bytes), a->want = malloc(bytes);
}

void array_onto(struct array *a, reblock_map *map) {
  if (!map) return;
  MUST(reblock_map_free(&a->map));
  free(a->data), free(a->want);
  a->map = map;
  allocate(a);
}

void array_draw(struct array *a, int axes, int words, const int64_t *lower, const int64_t *extent) {
  int64_t from_zero = axes > 0;
  memset(a, 0, sizeof *a);
  a->axes = axes, a->words = words, a->elements = 1;
  for (int k = 0; k < axes; k++) a->lower[k] = lower[k], a->extent[k] = extent[k], a->elements *= extent[k];
  for (int k = 0; k < axes; k++) from_zero = from_zero && lower[k] == 0 && extent[k] > 0;
  if (from_zero && once_in(2)) in_boxes(a);
  else dealt_out(a);
  allocate(a);
  a->all = malloc(sizeof(int64_t) * (size_t)((a->elements + 1) * words));
}

void array_draw_around(struct array *a, int axes, int words, const int64_t *counts) {
  int64_t lower[AXES], extent[AXES], zero = once_in(4);
  for (int k = 0; k < axes; k++) {
    lower[k] = zero ? 0 : draw(-9, 9);
    extent[k] = counts[k] ? (counts[k] - 1) * draw(1, 3) + 1 + draw(0, 4) : draw(0, 4);
  }
  array_draw(a, axes, words, lower, extent);
}

void section_draw(const struct array *a, const int64_t *counts, reblock_range *section) {
  for (int k = 0; k < a->axes; k++) {
    int64_t n = counts[k], most = n > 1 ? (a->extent[k] - 1) / (n - 1) : 3, stride = draw(1, most < 3 ? most : 3);
    int64_t span = n ? (n - 1) * stride : 0, lower = a->lower[k] + (n ? draw(0, a->extent[k] - 1 - span) : 0);
    section[k] = (reblock_range){lower, lower + span, stride};
    if (once_in(3)) section[k] = (reblock_range){lower + span, lower, -stride};
    if (!n) section[k].upper = section[k].lower - section[k].stride;
  }
}

static void spread_out(struct array *a, int64_t *storage) {
  int64_t index[AXES], offset;
  int32_t here;
  for (int64_t w = 0; w < (a->room + 1) * a->words; w++) storage[w] = -7 - w;
  for (int k = 0; k < a->axes; k++) index[k] = a->lower[k];
  for (int64_t n = 0; n < a->elements; n++) {
    MUST(reblock_map_offset(a->map, index, &offset, &here));
    if (here) memcpy(storage + offset * a->words, a->all + n * a->words, sizeof(int64_t) * (size_t)a->words);
    for (int k = 0; k < a->axes && ++index[k] == a->lower[k] + a->extent[k]; k++) index[k] = a->lower[k];
  }
}

void array_fill(struct array *a) {
  for (int64_t w = 0; w < a->elements * a->words; w++) a->all[w] = (int64_t)(next(&state) >> 20);
  spread_out(a, a->data);
}

void array_check(struct array *a, const char *what) {
  spread_out(a, a->want);
  if (memcmp(a->want, a->data, sizeof(int64_t) * (size_t)((a->room + 1) * a->words))) complain(what);
}

void array_free(struct array *a) {
  MUST(reblock_map_free(&a->map)), MUST(reblock_map_free(&a->ordered));
  free(a->all), free(a->data), free(a->want);
}
