/* Compares reblock's plan for shadows of planes and cubes in blocks with MPI_Neighbor_alltoallw, which has a subarray
 * for each neighbour, and with PETSc's DMDA. */
#include "hpf.h"

enum { TURNS = 101, NEIGHBOURS = 2 * AXES };

struct halo {
  MPI_Comm grid;
  int neighbours, counts[NEIGHBOURS];
  MPI_Aint places[NEIGHBOURS];
  MPI_Datatype sends[NEIGHBOURS], receives[NEIGHBOURS];
  double *data;
  reblock_plan *plan;
};

static void by_types(const void *what) {
  const struct halo *h = what;
  MPI_Neighbor_alltoallw(h->data, h->counts, h->places, h->sends, h->data, h->counts, h->places, h->receives, h->grid);
}

static void by_plan(const void *what) {
  const struct halo *h = what;
  MUST(reblock_plan_execute(h->plan, h->data, h->data));
}

/* Makes types of the slabs of `width` elements at both ends of each axis: first the slabs to send, then those of the
 * shadow. */
static void types(struct halo *h, int axes, const int *own, int width) {
  int whole[AXES], part[AXES], at[AXES];
  for (int k = 0; k < axes; k++) whole[k] = own[k] + 2 * width;
  for (int n = 0; n < 2 * axes; n++) {
    int k = n / 2, high = n % 2;
    for (int j = 0; j < axes; j++) part[j] = j == k ? width : own[j], at[j] = width;
    at[k] = high ? own[k] : width;
    MPI_Type_create_subarray(axes, whole, part, at, MPI_ORDER_FORTRAN, MPI_DOUBLE, &h->sends[n]);
    at[k] = high ? own[k] + width : 0;
    MPI_Type_create_subarray(axes, whole, part, at, MPI_ORDER_FORTRAN, MPI_DOUBLE, &h->receives[n]);
    MPI_Type_commit(&h->sends[n]), MPI_Type_commit(&h->receives[n]);
    h->counts[n] = 1, h->places[n] = 0;
  }
  h->neighbours = 2 * axes;
}

/* Sets each element to its place in the whole array, and the shadow to -1. */
static void numbered(struct halo *h, int axes, const int *own, const int *first, int width, int64_t side) {
  int64_t at[AXES] = {0}, n = 0;
  for (;; n++) {
    int64_t place = 0;
    int inside = 1;
    for (int k = axes - 1; k >= 0; k--) {
      inside &= at[k] >= width && at[k] < own[k] + width;
      place = place * side + first[k] + at[k] - width;
    }
    h->data[n] = inside ? (double)place : -1;
    int k = 0;
    while (k < axes && ++at[k] == own[k] + 2 * width) at[k++] = 0;
    if (k == axes) return;
  }
}

/* Measures an array of `side` elements along each axis on `shape` processes, which divide it; not periodic. */
void against_neighbours(const char *name, int axes, int64_t side, const int *shape, int width) {
  if (!is_wanted(name)) return;
  struct halo h = {.plan = NULL};
  int me, periodic[AXES] = {0}, own[AXES], first[AXES], at[AXES];
  int64_t extents[AXES], procs[AXES], widths[AXES];
  size_t elements = 1;
  MPI_Cart_create(MPI_COMM_WORLD, axes, shape, periodic, 0, &h.grid);
  MPI_Comm_rank(h.grid, &me);
  MPI_Cart_coords(h.grid, me, axes, at);
  for (int k = 0; k < axes; k++) {
    own[k] = (int)side / shape[k], first[k] = at[k] * own[k];
    extents[k] = side, procs[k] = shape[k], widths[k] = width, elements *= (size_t)(own[k] + 2 * width);
  }
  reblock_map *whole, *map;
  MUST(reblock_map_block_cyclic(MPI_COMM_WORLD, axes, extents, procs, NULL, &whole));
  MUST(reblock_map_shadow(whole, widths, widths, &map));
  MUST(reblock_plan_shadow(MPI_COMM_WORLD, map, NULL, NULL, NULL, 0, sizeof(double), NULL, &h.plan));
  types(&h, axes, own, width);
  double *data[2];
  for (int way = 0; way < 2; way++) {
    h.data = data[way] = malloc(elements * sizeof(double));
    numbered(&h, axes, own, first, width, side);
    if (way) by_plan(&h);
    else by_types(&h);
  }
  for (size_t n = 0; n < elements; n++) {
    if (data[0][n] == data[1][n]) continue;
    fprintf(stderr, "%s: rank %d has other shadows\n", name, me);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  contest(name, TURNS, &(struct way){"Neighbor_a2aw", by_types, &h, 0, NULL}, &(struct way){"reblock", by_plan, &h, 0, NULL});
  struct ghosts *ghosts = ghosts_make(name, axes, side, shape, width);
  if (ghosts != NULL) {
    const struct way ours = {"reblock", by_plan, &h, 0, NULL};
    contest(name, TURNS, &(struct way){"GlobalToLocal", ghosts_from_global, ghosts, 0, NULL}, &ours);
    contest(name, TURNS, &(struct way){"LocalToLocal", ghosts_in_place, ghosts, 0, NULL}, &ours);
    ghosts_free(ghosts);
  }
  for (int n = 0; n < h.neighbours; n++) MPI_Type_free(&h.sends[n]), MPI_Type_free(&h.receives[n]);
  free(data[0]), free(data[1]);
  MUST(reblock_plan_free(&h.plan)), MUST(reblock_map_free(&map)), MUST(reblock_map_free(&whole));
  MPI_Comm_free(&h.grid);
}
