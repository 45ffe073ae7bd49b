/* Finds the ranks, among the participating nodes, that have the places of an array's nodes. Omni numbers nodes with
 * the first axis varying fastest, and supports subsets of nodes: p(*,1:2) are two nodes in each row of p. Then one
 * rank of every row has each place, and there is a copy of the array for each row. */
#include "shim.h"

void append(struct side *side, int64_t number) {
  if (side->count == side->room) {
    side->room = side->room > 0 ? 2 * side->room : 16;
    side->lists = realloc(side->lists, sizeof *side->lists * (size_t)side->room);
    if (side->lists == NULL) _XMP_fatal("no memory for the ranks of nodes");
  }
  side->lists[side->count++] = number;
}

int64_t places_of(const struct layout *l) {
  int64_t places = 1;
  for (int i = 0; i < l->nodes_axes; i++) places *= l->shape[i];
  return places;
}

/* Converts coordinates of nodes to coordinates of the nodes that contain them. Omni's own function for this reads
 * beyond the end of the list of axes. */
static void go_up(const _XMP_nodes_t *nodes, int *coords) {
  const _XMP_nodes_t *all = nodes->inherit_nodes;
  int rank = 0;
  for (int i = nodes->dim - 1; i >= 0; i--) rank = rank * nodes->info[i].size + coords[i];
  for (int i = 0; i < all->dim; i++) {
    const _XMP_nodes_inherit_info_t *part = &nodes->inherit_info[i];
    int size = part->shrink ? 1 : (part->upper - part->lower) / part->stride + 1;
    coords[i] = part->shrink ? all->info[i].rank : part->lower + part->stride * (rank % size);
    rank /= size;
  }
}

/* Returns the place of a rank in row-major order of the coordinates; -1: it has none; -2: it cannot be determined. */
static int64_t place_of(int rank, _XMP_nodes_t *nodes, _XMP_nodes_t *taking_part) {
  int from[AXES], at[AXES];
  int64_t place = 0;
  _XMP_calc_rank_array(taking_part, from, rank);
  for (_XMP_nodes_t *part = taking_part; !_XMP_calc_coord_on_target_nodes2(part, from, nodes, at); part = part->inherit_nodes) {
    if (part->inherit_nodes == NULL) return -2;
    go_up(part, from);
  }
  for (int i = 0; i < nodes->dim; i++) {
    if (at[i] < 0 || at[i] >= nodes->info[i].size) return -1;
    place = place * nodes->info[i].size + at[i];
  }
  return place;
}

/* Lists the ranks of the nodes that have the array, and no others. */
static enum reason list_own_ranks(struct side *side, const _XMP_nodes_t *nodes) {
  const struct layout *l = &side->layout;
  int64_t at[AXES] = {0};
  for (int64_t place = places_of(l); place > 0; place--) {
    int64_t rank = 0;
    for (int i = nodes->dim - 1; i >= 0; i--) rank = rank * l->shape[i] + at[i];
    append(side, rank);
    for (int i = nodes->dim - 1; i >= 0 && ++at[i] == l->shape[i]; i--) at[i] = 0;
  }
  return MOVED;
}

enum reason list_ranks(struct side *side, _XMP_nodes_t *nodes, _XMP_nodes_t *taking_part) {
  struct layout *l = &side->layout;
  l->nodes_axes = nodes->dim;
  for (int i = 0; i < nodes->dim; i++) l->shape[i] = nodes->info[i].size;
  int64_t places = places_of(l);
  if (nodes == taking_part && places == nodes->comm_size) {
    l->copies = 1;
    return list_own_ranks(side, nodes);
  }

  int ranks = taking_part->comm_size, inside = 0;
  int64_t *place = malloc(sizeof *place * (size_t)ranks);
  int64_t *seen = calloc((size_t)places, sizeof *seen);
  if (place == NULL || seen == NULL) _XMP_fatal("no memory for the ranks of nodes");
  enum reason why = MOVED;
  for (int rank = 0; rank < ranks; rank++) {
    place[rank] = place_of(rank, nodes, taking_part);
    if (place[rank] == -2) why = NODES;
    if (place[rank] >= 0) inside++;
  }
  l->copies = inside / places;
  if (l->copies == 0) why = NODES;
  int64_t start = side->count;
  for (int64_t i = 0; i < places * l->copies; i++) append(side, -1);
  for (int rank = 0; rank < ranks && why == MOVED; rank++) {
    if (place[rank] < 0) continue;
    int64_t copy = seen[place[rank]]++;
    if (copy == l->copies) why = NODES;
    else side->lists[start + place[rank] * l->copies + copy] = rank;
  }
  for (int64_t i = start; i < side->count; i++)
    if (side->lists[i] < 0) why = NODES;
  free(place);
  free(seen);
  return why;
}
