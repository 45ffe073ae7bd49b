/* Describes the layout of an array in numbers, from Omni's descriptors. Properties that differ between nodes (the
 * node's part, the address of its storage) are left out. */
#include "shim.h"

static bool distributed(const _XMP_array_info_t *axis) {
  return axis->align_manner != _XMP_N_ALIGN_NOT_ALIGNED && axis->align_manner != _XMP_N_ALIGN_DUPLICATION;
}

static bool in_blocks(const _XMP_array_info_t *axis) {
  return axis->align_manner == _XMP_N_ALIGN_BLOCK || axis->align_manner == _XMP_N_ALIGN_GBLOCK;
}

/* Omni's stride is 0 for a single index. */
static void describe_section(struct layout *l, const _XMP_gmv_desc_t *desc) {
  for (int i = 0; i < desc->ndims; i++) {
    bool index = desc->st[i] == 0;
    l->section[i] = (reblock_range){desc->lb[i], index ? desc->lb[i] : desc->ub[i], index ? 1 : desc->st[i]};
  }
}

static void describe_template(struct side *side, const _XMP_template_t *t) {
  struct layout *l = &side->layout;
  l->template_axes = t->dim;
  for (int i = 0; i < t->dim; i++) {
    const _XMP_template_chunk_t *chunk = &t->chunk[i];
    l->template_lower[i] = t->info[i].ser_lower;
    l->template_upper[i] = t->info[i].ser_upper;
    l->manner[i] = chunk->dist_manner;
    if (chunk->dist_manner == _XMP_N_DIST_DUPLICATION) continue;
    l->nodes_axis[i] = chunk->onto_nodes_index;
    if (chunk->dist_manner == _XMP_N_DIST_BLOCK) l->width[i] = (int64_t)chunk->par_chunk_width;
    if (chunk->dist_manner == _XMP_N_DIST_CYCLIC) l->width[i] = 1;
    if (chunk->dist_manner == _XMP_N_DIST_BLOCK_CYCLIC) l->width[i] = (int64_t)chunk->par_width;
    if (chunk->dist_manner == _XMP_N_DIST_GBLOCK)
      for (int j = 0; j < chunk->onto_nodes_info->size; j++)
        append(side, chunk->mapping_array[j + 1] - chunk->mapping_array[j]);
  }
}

/* A full shadow has room for the whole axis. In it, the node's own elements are at their global places, at equal
 * distances. */
static enum reason describe_axis(struct side *side, int i) {
  struct layout *l = &side->layout;
  const _XMP_array_info_t *axis = &side->array->info[i];
  l->lower[i] = axis->ser_lower;
  l->upper[i] = axis->ser_upper;
  l->template_axis[i] = axis->align_template_index < 0 ? REBLOCK_COLLAPSED : axis->align_template_index;
  l->offset[i] = axis->align_template_index < 0 ? 0 : axis->align_subscript;
  if (axis->shadow_type == _XMP_N_SHADOW_NONE) return MOVED;
  if (axis->shadow_type == _XMP_N_SHADOW_FULL) {
    if (!distributed(axis)) return MOVED;
    if (axis->align_manner == _XMP_N_ALIGN_BLOCK_CYCLIC) return SHADOW;
    l->full_shadow[i] = 1;
    if (side->address != NULL)
      side->address = (char *)side->address + (size_t)(axis->par_lower - axis->ser_lower) * axis->dim_acc * side->array->type_size;
    return MOVED;
  }
  if (!in_blocks(axis)) return SHADOW;
  l->before[i] = axis->shadow_size_lo;
  l->after[i] = axis->shadow_size_hi;
  return MOVED;
}

/* Clears a side, but keeps the memory of its lists for this call. */
static void begin(struct side *side) {
  *side = (struct side){.lists = side->lists, .room = side->room};
}

enum reason describe_array(struct side *side, _XMP_array_t *array, _XMP_nodes_t *nodes) {
  begin(side);
  struct layout *l = &side->layout;
  enum reason why = MOVED;
  l->axes = array->dim;
  l->is_global = 1;
  l->row_major = array->order == MPI_ORDER_C;
  side->array = array;
  side->address = array->is_allocated ? array->array_addr_p : NULL;
  side->nodes = list_ranks(side, array->align_template->onto_nodes, nodes);
  describe_template(side, array->align_template);
  for (int i = 0; i < l->axes; i++) {
    enum reason axis = describe_axis(side, i);
    if (axis != MOVED) why = axis;
  }
  return why;
}

/* The extent of a C pointer's slowest axis is unknown: the axis ends with the section. */
static void describe_local(struct side *side, const _XMP_gmv_desc_t *desc, int order) {
  begin(side);
  struct layout *l = &side->layout;
  l->axes = desc->ndims;
  l->row_major = order == MPI_ORDER_C;
  for (int i = 0; i < desc->ndims; i++) {
    int last = desc->st[i] < 0 ? desc->lb[i] : desc->ub[i];
    l->lower[i] = desc->a_lb[i];
    l->upper[i] = desc->a_ub[i] < last ? last : desc->a_ub[i];
  }
  side->address = desc->local_data;
}

enum reason describe_side(struct side *side, const _XMP_gmv_desc_t *desc, _XMP_nodes_t *nodes, int order) {
  enum reason why = MOVED;
  if (desc->is_global) why = describe_array(side, desc->a_desc, nodes);
  else describe_local(side, desc, order);
  describe_section(&side->layout, desc);
  return why;
}
