/* Makes the map of Omni's layout: each directive of XcalableMP becomes a call. */
#include <stdio.h>

#include "shim.h"

#define TRY(call) \
  do \
    if ((call) != REBLOCK_OK) goto failed; \
  while (0)

/* A local array is a copy on each executing node. */
static int32_t copies_everywhere(const struct layout *l, MPI_Comm comm, reblock_procs **procs, reblock_template **t) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  TRY(reblock_procs_create(comm, 1, (int64_t[]){ranks}, NULL, procs));
  TRY(reblock_template_create(*procs, l->axes, l->lower, l->upper, t));
  return reblock_template_commit(*t);
failed:
  return REBLOCK_ERR_ARGUMENT;
}

/* nodes, template and distribute. Nodes with copies have one more axis, to which nothing is distributed. */
static int32_t distribution(const struct side *side, MPI_Comm comm, reblock_procs **procs, reblock_template **t) {
  const struct layout *l = &side->layout;
  int64_t shape[AXES + 1];
  for (int i = 0; i < l->nodes_axes; i++) shape[i] = l->shape[i];
  shape[l->nodes_axes] = l->copies;
  TRY(reblock_procs_create(comm, l->nodes_axes + 1, shape, side->lists, procs));
  TRY(reblock_template_create(*procs, l->template_axes, l->template_lower, l->template_upper, t));
  const int64_t *sizes = side->lists + places_of(l) * l->copies;
  for (int i = 0; i < l->template_axes; i++) {
    int64_t onto = l->nodes_axis[i];
    if (l->manner[i] == _XMP_N_DIST_DUPLICATION) continue;
    if (l->manner[i] == _XMP_N_DIST_BLOCK) {
      TRY(reblock_template_dist_block(*t, i, onto, l->width[i]));
    } else if (l->manner[i] == _XMP_N_DIST_GBLOCK) {
      TRY(reblock_template_dist_gen_block(*t, i, onto, shape[onto], sizes));
      sizes += shape[onto];
    } else {
      TRY(reblock_template_dist_cyclic(*t, i, onto, l->width[i]));
    }
  }
  return reblock_template_commit(*t);
failed:
  return REBLOCK_ERR_ARGUMENT;
}

/* Replaces a map by one that was made from it. */
static void instead(reblock_map **map, reblock_map *made) {
  reblock_map_free(map);
  *map = made;
}

/* Directives align and shadow, and the order and strides of Omni's storage. Only this node knows its strides. Without
 * the order, the other nodes would expect another order of elements, and both ends would transpose. */
static int32_t alignment(const struct side *side, const reblock_template *t, reblock_map **map) {
  const struct layout *l = &side->layout;
  reblock_map *made;
  reblock_align aligns[AXES];
  int64_t strides[AXES];
  for (int i = 0; i < l->axes; i++) {
    aligns[i] = (reblock_align){l->is_global ? l->template_axis[i] : i, 1, l->offset[i]};
    if (!l->is_global) continue;
    const _XMP_array_info_t *axis = &side->array->info[i];
    strides[i] = (int64_t)axis->dim_acc * (l->full_shadow[i] ? axis->par_stride : 1);
  }
  TRY(reblock_map_create(t, l->axes, l->lower, l->upper, aligns, NULL, map));
  TRY(reblock_map_shadow(*map, l->before, l->after, &made));
  instead(map, made);
  if (l->row_major) {
    TRY(reblock_map_row_major(*map, &made));
    instead(map, made);
  }
  if (!l->is_global || side->address == NULL) return REBLOCK_OK;
  TRY(reblock_map_strides(*map, strides, &made));
  instead(map, made);
  return REBLOCK_OK;
failed:
  return REBLOCK_ERR_ARGUMENT;
}

enum reason map_of(const struct side *side, MPI_Comm comm, reblock_map **map) {
  reblock_procs *procs = NULL;
  reblock_template *t = NULL;
  *map = NULL;
  int32_t code = side->layout.is_global ? distribution(side, comm, &procs, &t) : copies_everywhere(&side->layout, comm, &procs, &t);
  if (code == REBLOCK_OK) code = alignment(side, t, map);
  if (code != REBLOCK_OK && shim_explains()) fprintf(stderr, "xmp: no map: %s\n", reblock_message());
  if (code != REBLOCK_OK && *map != NULL) reblock_map_free(map);
  if (t != NULL) reblock_template_free(&t);
  if (procs != NULL) reblock_procs_free(&procs);
  return code == REBLOCK_OK ? MOVED : REFUSED;
}

/* Checks that there is room for the process's elements, and that Omni has the first of them at the same index. */
enum reason storage_fits(const struct side *side, const reblock_map *map) {
  const struct layout *l = &side->layout;
  int64_t extents[AXES], before[AXES], first[AXES], at[AXES];
  int32_t has_part, own;
  if (!l->is_global) return MOVED;
  if (reblock_map_local(map, extents, NULL, before, NULL, NULL, &has_part) != REBLOCK_OK) return REFUSED;
  for (int i = 0; i < l->axes; i++)
    if (extents[i] == 0) has_part = 0;
  if (!has_part) return MOVED;
  if (side->address == NULL) return STORAGE;
  for (int i = 0; i < l->axes; i++) at[i] = before[i];
  if (reblock_map_global_index(map, at, first, &own) != REBLOCK_OK || !own) return STORAGE;
  for (int i = 0; i < l->axes; i++) {
    const _XMP_array_info_t *axis = &side->array->info[i];
    if (first[i] != axis->par_lower || extents[i] + l->before[i] + l->after[i] > axis->alloc_size) return STORAGE;
  }
  return MOVED;
}
