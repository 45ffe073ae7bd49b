/* Mapped arrays. The value of each element is its place in the whole array. */
#include "hpf.h"
#include <string.h>

static reblock_template *template_of(reblock_procs *procs, int axes, const int64_t *extents) {
  reblock_template *template;
  int64_t lower[AXES] = {0}, upper[AXES];
  for (int k = 0; k < axes; k++) upper[k] = extents[k] - 1;
  MUST(reblock_template_create(procs, axes, lower, upper, &template));
  return template;
}

static reblock_map *committed(reblock_template *template) {
  reblock_map *map;
  MUST(reblock_template_commit(template));
  MUST(reblock_map_whole(template, &map));
  MUST(reblock_template_free(&template));
  return map;
}

reblock_map *map_text(reblock_procs *procs, int axes, const int64_t *extents, const char *layout) {
  reblock_template *template = template_of(procs, axes, extents);
  MUST(reblock_template_dist_text(template, layout));
  return committed(template);
}

reblock_map *map_gen_block(reblock_procs *procs, int64_t extent, const int64_t *sizes) {
  reblock_template *template = template_of(procs, 1, &extent);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MUST(reblock_template_dist_gen_block(template, 0, 0, ranks, sizes));
  return committed(template);
}

reblock_map *map_indirect(reblock_procs *procs, int64_t extent, const int64_t *owners) {
  reblock_template *template = template_of(procs, 1, &extent);
  MUST(reblock_template_dist_indirect(template, 0, 0, extent, owners));
  return committed(template);
}

/* Calls `visit` with each double of this rank and its expected value; returns the sum of the results. */
static int64_t each(const struct array *a, int64_t (*visit)(double *mine, double place)) {
  int64_t n[AXES], at[AXES], sum = 0;
  for (int k = 0; k < AXES; k++) n[k] = k < a->axes ? a->counts[k] : 1;
  for (at[2] = 0; at[2] < n[2]; at[2]++)
    for (at[1] = 0; at[1] < n[1]; at[1]++)
      for (at[0] = 0; at[0] < n[0]; at[0]++) {
        int64_t place = 0, offset = 0;
        for (int k = a->axes - 1; k >= 0; k--) {
          place = place * a->extents[k] + a->indices[k][at[k]];
          offset += at[k] * a->strides[k];
        }
        for (int64_t c = 0; c < a->components; c++)
          sum += visit(&a->data[offset * a->components + c], (double)(place * a->components + c));
      }
  return sum;
}

static int64_t fill(double *mine, double place) { return *mine = place, 0; }
static int64_t differs(double *mine, double place) { return *mine != place; }

/* Returns the description of the array, without data. */
static struct array array_of(reblock_map *map, int64_t components) {
  struct array a = {.map = map, .components = components};
  int64_t axes, lower[AXES], upper[AXES], local[AXES] = {0}, index[AXES];
  MUST(reblock_map_axes(map, &axes));
  MUST(reblock_map_bounds(map, lower, upper));
  MUST(reblock_map_local(map, a.counts, NULL, NULL, NULL, a.strides, NULL));
  MUST(reblock_map_elements(map, &a.elements));
  a.axes = (int)axes;
  for (int k = 0; k < a.axes; k++) {
    a.extents[k] = upper[k] - lower[k] + 1;
    a.indices[k] = malloc((size_t)(a.counts[k] + 1) * sizeof(int64_t));
    for (local[k] = 0; a.elements > 0 && local[k] < a.counts[k]; local[k]++) {
      MUST(reblock_map_global_index(map, local, index, NULL));
      a.indices[k][local[k]] = index[k] - lower[k];
    }
    local[k] = 0;
  }
  return a;
}

reblock_map *map_boxes(reblock_procs *procs, int axes, const int64_t *extents, const char *layout) {
  struct array blocks = array_of(map_text(procs, axes, extents, layout), 1);
  int64_t starts[AXES] = {0};
  reblock_map *map;
  for (int k = 0; blocks.elements > 0 && k < axes; k++) starts[k] = blocks.indices[k][0];
  MUST(reblock_map_from_boxes(MPI_COMM_WORLD, axes, extents, 1, starts, blocks.counts, 0, NULL, NULL, &map));
  array_free(&blocks);
  return map;
}

struct array array_make(reblock_map *map, int64_t components) {
  struct array a = array_of(map, components);
  a.data = malloc((size_t)(a.elements * components + 1) * sizeof(double));
  each(&a, fill);
  return a;
}

struct array array_owned(const struct array *like) {
  reblock_array *owner;
  reblock_map *map;
  void *data;
  MUST(reblock_array_create(like->map, like->components * (int64_t)sizeof(double), &owner));
  MUST(reblock_array_map(owner, &map));
  MUST(reblock_array_data(owner, &data, NULL, NULL, NULL));
  struct array a = array_of(map, like->components);
  a.owner = owner;
  a.data = data;
  each(&a, fill);
  return a;
}

void array_clear(struct array *a) {
  memset(a->data, 0xff, (size_t)(a->elements * a->components) * sizeof(double)); /* no place: not a number */
}

int64_t array_wrong(const struct array *a) {
  int64_t wrong = each(a, differs);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

void array_free(struct array *a) {
  for (int k = 0; k < a->axes; k++) free(a->indices[k]);
  if (a->owner == NULL) free(a->data);
  else MUST(reblock_array_free(&a->owner));
  MUST(reblock_map_free(&a->map));
}
