/* Random arrays with all formats, and random lists of their elements. */
#include "irregular.h"

/* An axis of the template is dealt out along an axis of the arrangement, of `procs` processes. */
static void distributed(reblock_template *t, int axis, int onto, int64_t procs, int64_t lower, int64_t n, uint64_t *s) {
  int64_t *list = malloc(sizeof *list * (size_t)(n + procs + 1)), left = n;
  uint64_t seed;
  switch (within(s, 0, 5)) {
  case 0: MUST(reblock_template_dist_block(t, axis, onto, 0)); break;
  case 1: MUST(reblock_template_dist_cyclic(t, axis, onto, within(s, 1, 4))); break;
  case 2:
    for (int64_t p = 0; p < procs; p++) left -= list[p] = p < procs - 1 ? within(s, 0, left) : left;
    MUST(reblock_template_dist_gen_block(t, axis, onto, procs, list));
    break;
  case 3:
    for (int64_t i = 0; i < n; i++) list[i] = within(s, 0, procs - 1);
    MUST(reblock_template_dist_indirect(t, axis, onto, n, list));
    break;
  default: { /* each rank gives a stretch */
    int64_t first = me * n / ranks, end = (me + 1) * n / ranks;
    seed = next(s);
    for (int64_t i = first; i < end; i++) list[i - first] = (int64_t)(hash(seed, (uint64_t)i) % (uint64_t)procs);
    MUST(reblock_template_dist_indirect_local(t, axis, onto, lower + first, end - first, list));
  }
  }
  free(list);
}

static void places(struct array *a) {
  int64_t strides[MOST_AXES], extents[MOST_AXES], before[MOST_AXES], after[MOST_AXES], index[MOST_AXES], place[MOST_AXES];
  int32_t here;
  MUST(reblock_map_elements(a->map, &a->room));
  MUST(reblock_map_local(a->map, extents, NULL, before, after, strides, &a->has_part));
  a->before = 0;
  for (int k = 0; k < a->axes; k++)
    if (strides[k] < 0) a->before -= strides[k] * (extents[k] + before[k] + after[k] - 1);
  if (a->room == 0) a->before = 0;
  a->own = malloc(sizeof *a->own * (size_t)(a->elements + 1));
  for (int64_t e = 0; e < a->elements; e++) {
    int64_t rest = e;
    for (int k = 0; k < a->axes; k++) index[k] = a->lower[k] + rest % a->extents[k], rest /= a->extents[k];
    MUST(reblock_map_local_index(a->map, index, place, &here));
    a->own[e] = here ? a->before : -1;
    for (int k = 0; here && k < a->axes; k++) a->own[e] += place[k] * strides[k];
  }
}

/* Axes in any order in memory, some of them backwards, whatever the order of the map. */
static void turned(struct array *a, uint64_t *s) {
  int64_t strides[MOST_AXES], extents[MOST_AXES], before[MOST_AXES], after[MOST_AXES], stride = 1;
  int order[MOST_AXES] = {0, 1, 2};
  reblock_map *made = NULL;
  for (int k = a->axes - 1; k > 0; k--) {
    int other = (int)within(s, 0, k), kept = order[k];
    order[k] = order[other], order[other] = kept;
  }
  MUST(reblock_map_local(a->map, extents, NULL, before, after, NULL, NULL));
  for (int n = 0; n < a->axes; n++) {
    int64_t k = order[n], room = extents[k] + before[k] + after[k] + within(s, 0, 1), sign = within(s, 0, 3) ? 1 : -1;
    strides[k] = sign * stride, stride *= room ? room : 1;
  }
  MUST(reblock_map_strides(a->map, strides, &made));
  reblock_map_free(&a->map);
  a->map = made;
}

void make_array(struct array *a, uint64_t *s) {
  int64_t upper[MOST_AXES], shape[MOST_AXES + 1], list[64], used = 1, widths[2][MOST_AXES];
  int onto[MOST_AXES], dims = 0;
  reblock_procs *procs = NULL;
  reblock_template *t = NULL;
  a->axes = (int)within(s, 1, MOST_AXES);
  a->row_major = (int)within(s, 0, 1);
  a->elements = 1;
  for (int k = 0; k < a->axes; k++) {
    a->lower[k] = within(s, -5, 5);
    /* Some are so large that lists are sorted and told by other ways. */
    int64_t most = a->axes == 1 ? (within(s, 0, 4) ? 300 : 20000) : a->axes == 2 ? 24 : 9;
    a->extents[k] = within(s, within(s, 0, 19) > 0, most);
    upper[k] = a->lower[k] + a->extents[k] - 1;
    a->elements *= a->extents[k];
    onto[k] = -1;
    if (within(s, 0, 3) > 0) {
      onto[k] = dims;
      shape[dims] = within(s, 1, ranks / used > 4 ? 4 : ranks / used);
      used *= shape[dims++];
    }
  }
  a->copies = within(s, 0, 4) == 0 && used * 2 <= ranks ? 2 : 1;
  if (a->copies > 1 || dims == 0) shape[dims++] = a->copies, used *= a->copies;
  /* Random ranks in a random order. */
  for (int r = 0; r < ranks; r++) list[r] = r;
  for (int r = 0; r < ranks; r++) {
    int64_t other = within(s, r, ranks - 1), kept = list[r];
    list[r] = list[other], list[other] = kept;
  }
  MUST(reblock_procs_create(MPI_COMM_WORLD, dims, shape, list, &procs));
  MUST(reblock_template_create(procs, a->axes, a->lower, upper, &t));
  for (int k = 0; k < a->axes; k++)
    if (onto[k] >= 0) distributed(t, k, onto[k], shape[onto[k]], a->lower[k], a->extents[k], s);
  MUST(reblock_template_commit(t));
  MUST(reblock_map_whole(t, &a->map));
  if (within(s, 0, 2) == 0) {
    reblock_map *made = NULL;
    for (int k = 0; k < a->axes; k++) widths[0][k] = within(s, 0, 2), widths[1][k] = within(s, 0, 2);
    MUST(reblock_map_shadow(a->map, widths[0], widths[1], &made));
    reblock_map_free(&a->map);
    a->map = made;
  }
  if (a->row_major) {
    reblock_map *made = NULL;
    MUST(reblock_map_row_major(a->map, &made));
    reblock_map_free(&a->map);
    a->map = made;
  }
  if (within(s, 0, 3) == 0) turned(a, s);
  reblock_template_free(&t), reblock_procs_free(&procs);
  places(a);
}

void free_array(struct array *a) {
  reblock_map_free(&a->map);
  free(a->own);
}

struct list list_of(const struct array *a, int64_t axis, uint64_t seed, int r) {
  uint64_t state = stream(hash(seed, (uint64_t)r)), *s = &state;
  int64_t each = axis == REBLOCK_ALL_AXES ? a->axes : 1, kind = within(s, 0, 5), count = within(s, 0, a->elements > 1000 ? 6000 : each > 1 ? 60 : 40);
  int64_t first[MOST_AXES];
  struct list l = {kind == 0 || a->elements == 0 ? 0 : count, NULL};
  l.indices = malloc(sizeof *l.indices * (size_t)(l.count * each + 1));
  for (int64_t k = 0; k < each; k++) {
    int64_t d = axis == REBLOCK_ALL_AXES ? k : axis, n = a->extents[d];
    first[k] = n ? within(s, 0, n - 1) : 0;
    for (int64_t e = 0; e < l.count; e++) {
      int64_t i = within(s, 0, n - 1); /* any, neighbours one after the other, few that come again */
      if (kind == 1) i = (first[k] + e / (k + 1)) % n;
      if (kind == 2) i = (first[k] + i % 3) % n;
      if (kind == 3) i = e * n / l.count;
      l.indices[e * each + k] = a->lower[d] + i;
    }
  }
  return l;
}

int64_t named(const struct array *a, int64_t axis, const struct list *l) {
  int64_t n = l->count;
  if (axis != REBLOCK_ALL_AXES) for (int k = 0; k < a->axes; k++) if (k != axis) n *= a->extents[k];
  return n;
}

void each_named(const struct array *a, int64_t axis, const struct list *l,
                void (*body)(void *, int64_t, int64_t), void *data) {
  int64_t n = named(a, axis, l);
  for (int64_t at = 0; at < n; at++) {
    int64_t rest = at, index[MOST_AXES], element = 0, step = 1;
    if (axis == REBLOCK_ALL_AXES) {
      for (int k = 0; k < a->axes; k++) index[k] = l->indices[at * a->axes + k] - a->lower[k];
    } else {
      for (int turn = 0; turn < a->axes; turn++) {
        int k = a->row_major ? a->axes - 1 - turn : turn;
        int64_t extent = k == axis ? l->count : a->extents[k];
        index[k] = rest % extent, rest /= extent;
        if (k == axis) index[k] = l->indices[index[k]] - a->lower[k];
      }
    }
    for (int k = 0; k < a->axes; k++) element += index[k] * step, step *= a->extents[k];
    body(data, at, element);
  }
}
