/* Random layouts, and the values of their elements. */
#include "../random.h"
#include "saved.h"

static uint64_t state;
void seed(uint64_t seed) { state = stream(seed); }
uint64_t draw(uint64_t below) { return next(&state) % below; }

int64_t elements_of(const struct array *array) {
  int64_t n = 1;
  for (int k = 0; k < array->axes; k++) n *= array->extents[k];
  return n;
}

unsigned char value_of(const struct array *array, int64_t place, int64_t byte) {
  uint64_t x = (uint64_t)place * 0x9e3779b97f4a7c15u + (uint64_t)byte * 0xbf58476d1ce4e5b9u + array->version;
  return (unsigned char)((x ^ x >> 29) >> 5);
}

static void format(reblock_template *template, int k, int onto, int64_t extent, int64_t procs) {
  switch (draw(4)) {
  case 0: MUST(reblock_template_dist_block(template, k, onto, 0)); break;
  case 1: MUST(reblock_template_dist_cyclic(template, k, onto, 1 + (int64_t)draw(5))); break;
  case 2: {
    int64_t sizes[MAX_RANKS], left = extent;
    for (int64_t p = 0; p < procs; p++) left -= sizes[p] = p + 1 < procs ? (int64_t)draw((uint64_t)left + 1) : left;
    MUST(reblock_template_dist_gen_block(template, k, onto, procs, sizes));
    break;
  }
  default: {
    int64_t *owners = malloc(sizeof *owners * (size_t)(extent + 1));
    for (int64_t i = 0; i < extent; i++) owners[i] = (int64_t)draw((uint64_t)procs);
    MUST(reblock_template_dist_indirect(template, k, onto, extent, owners));
    free(owners);
  }
  }
}

/* Returns a map with a slab of one axis on each rank, as one box; some slabs are empty. */
static reblock_map *slabs(const struct array *array, MPI_Comm comm, int size) {
  int64_t start[MAX_AXES] = {0}, extents[MAX_AXES], at = 0;
  int rank, axis = (int)draw((uint64_t)array->axes);
  reblock_map *map;
  MPI_Comm_rank(comm, &rank);
  memcpy(extents, array->extents, sizeof extents);
  for (int r = 0; r < size; r++) {
    int64_t left = array->extents[axis] - at, count = r + 1 < size ? (int64_t)draw((uint64_t)left + 1) : left;
    if (r == rank) start[axis] = at, extents[axis] = count;
    at += count;
  }
  int with_empty = (int)draw(2), row_major = (int)draw(2), boxes = extents[axis] > 0 || with_empty;
  MUST(reblock_map_from_boxes(comm, array->axes, array->extents, boxes, start, extents, row_major, NULL, NULL, &map));
  return map;
}

struct laid lay(const struct array *array, MPI_Comm comm, int has_shadow) {
  int size;
  MPI_Comm_size(comm, &size);
  int64_t a = 1 + (int64_t)draw((uint64_t)size), b = 1 + (int64_t)draw((uint64_t)(size / a));
  int64_t shape[2] = {a, b}, lower[MAX_AXES], upper[MAX_AXES], before[MAX_AXES], after[MAX_AXES];
  int64_t list[MAX_RANKS];
  for (int r = 0; r < size; r++) list[r] = r;
  for (int r = size - 1; r > 0; r--) {
    int other = (int)draw((uint64_t)r + 1);
    int64_t t = list[r];
    list[r] = list[other], list[other] = t;
  }
  reblock_procs *procs;
  reblock_template *template;
  reblock_map *map;
  struct laid laid = {0};
  if (draw(4) == 0) {
    laid.map = slabs(array, comm, size), laid.in_boxes = 1;
    MUST(reblock_map_elements(laid.map, &laid.elements));
    laid.storage = malloc((size_t)(laid.elements * array->element + 1));
    return laid;
  }
  MUST(reblock_procs_create(comm, 2, shape, list, &procs));
  for (int k = 0; k < array->axes; k++) {
    lower[k] = (int64_t)draw(9) - 4, upper[k] = lower[k] + array->extents[k] - 1;
    before[k] = has_shadow ? (int64_t)draw(3) : 0, after[k] = has_shadow ? (int64_t)draw(3) : 0;
  }
  MUST(reblock_template_create(procs, array->axes, lower, upper, &template));
  /* If no axis of the array is distributed over some axis of the arrangement, there are copies. */
  int axis = (int)draw((uint64_t)array->axes);
  format(template, axis, 0, array->extents[axis], a);
  if (array->axes > 1 && draw(4)) {
    axis = (axis + 1) % array->axes;
    format(template, axis, 1, array->extents[axis], b);
  }
  MUST(reblock_template_commit(template));
  MUST(reblock_map_whole(template, &map));
  if (draw(2)) {
    MUST(reblock_map_shadow(map, before, after, &laid.map));
    MUST(reblock_map_free(&map));
    map = laid.map;
  }
  if (draw(2)) {
    MUST(reblock_map_row_major(map, &laid.map));
    MUST(reblock_map_free(&map));
  } else {
    laid.map = map;
  }
  MUST(reblock_template_free(&template));
  MUST(reblock_procs_free(&procs));
  MUST(reblock_map_elements(laid.map, &laid.elements));
  laid.storage = malloc((size_t)(laid.elements * array->element + 1));
  return laid;
}

/* Visits the storage: `what` 0 fills it, 1 counts wrong elements, 2 counts bytes that have changed. */
static int64_t each(const struct array *array, const struct laid *laid, int what) {
  int64_t extents[MAX_AXES], before[MAX_AXES], after[MAX_AXES], strides[MAX_AXES], lower[MAX_AXES], count = 0, bad = 0;
  int64_t full[MAX_AXES], at[MAX_AXES] = {0}, index[MAX_AXES];
  int32_t has, own;
  if (!what) memset(laid->storage, 0xee, (size_t)(laid->elements * array->element));
  MUST(reblock_map_local(laid->map, extents, lower, before, after, strides, &has));
  if (!has || !laid->elements) return 0;
  int64_t origin[MAX_AXES], places = 1;
  for (int k = 0; k < array->axes; k++) full[k] = extents[k] + before[k] + after[k], places *= full[k];
  /* Place 0 of each axis is the array's lower bound. */
  MUST(reblock_map_bounds(laid->map, origin, NULL));
  for (int64_t n = 0; n < places; n++) {
    int64_t place = 0, step = 1, offset = 0;
    MUST(reblock_map_global_index(laid->map, at, index, &own));
    for (int k = 0; k < array->axes; k++) {
      place += (index[k] - origin[k]) * step, step *= array->extents[k], offset += at[k] * strides[k];
    }
    unsigned char *bytes = laid->storage + offset * array->element;
    for (int64_t b = 0; b < array->element; b++) {
      unsigned char good = own && what != 2 ? value_of(array, place, b) : 0xee;
      if (!what && own) bytes[b] = good;
      bad += bytes[b] != good;
    }
    count += own;
    for (int k = 0; k < array->axes && ++at[k] == full[k]; k++) at[k] = 0;
  }
  return bad;
}

void fill(const struct array *array, struct laid *laid) { each(array, laid, 0); }
void empty(const struct array *array, struct laid *laid) {
  memset(laid->storage, 0xee, (size_t)(laid->elements * array->element));
}
int64_t differ(const struct array *array, const struct laid *laid) { return each(array, laid, 1); }
int is_empty(const struct array *array, const struct laid *laid) { return each(array, laid, 2) == 0; }

void let_go(struct laid *laid) {
  MUST(reblock_map_free(&laid->map));
  free(laid->storage);
}
