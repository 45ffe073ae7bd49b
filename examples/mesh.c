/* An unstructured mesh gets a new partition: cells of 24 bytes and their neighbours move from a random INDIRECT
 * distribution to one by recursive bisection of the coordinates, both arrays in one batch. Cells are numbered in random
 * order. The owners of the new partition are computed on the ranks that have the cells. An INDIRECT distribution takes
 * owners in stretches of indices, so reblock also moves the owners to these stretches. */
#include "must.h"

enum { SIDE = 200, CELLS = SIDE * SIDE, RANKS = 4, NEIGHBOURS = 4, HALVINGS = 50, NONE = -1 };

struct cell { double x, y, value; };
struct links { int64_t cells[NEIGHBOURS]; };

/* Cell c is at place c * INVERSE mod CELLS of the plane, counted row by row. The program uses this only to make the
 * mesh, and to check the result. */
enum { FACTOR = 7919, INVERSE = 17679 };
static int64_t place_of(int64_t cell) { return cell * INVERSE % CELLS; }
static int64_t cell_at(int64_t row, int64_t col) {
  return row < 0 || row >= SIDE || col < 0 || col >= SIDE ? NONE : (row * SIDE + col) * FACTOR % CELLS;
}

static struct cell cell_of(int64_t c) {
  int64_t place = place_of(c);
  double jitter = (double)(c % 97) / 200;
  return (struct cell){(double)(place % SIDE) + jitter, (double)(place / SIDE) - jitter, (double)(c % 1000)};
}

static struct links links_of(int64_t c) {
  int64_t row = place_of(c) / SIDE, col = place_of(c) % SIDE;
  return (struct links){{cell_at(row - 1, col), cell_at(row + 1, col), cell_at(row, col - 1), cell_at(row, col + 1)}};
}

static int64_t random_owner(int64_t c) { return (int64_t)((uint64_t)c * 0x9E3779B97F4A7C15u >> 32) % RANKS; }

static reblock_template *cells_on(reblock_procs *procs) {
  reblock_template *template;
  int64_t lower[1] = {0}, upper[1] = {CELLS - 1};
  MUST(reblock_template_create(procs, 1, lower, upper, &template));
  return template;
}

static reblock_map *committed(reblock_template *template) {
  reblock_map *map;
  MUST(reblock_template_commit(template));
  MUST(reblock_map_whole(template, &map));
  MUST(reblock_template_free(&template));
  return map;
}

static int64_t elements_of(reblock_map *map) {
  int64_t elements;
  MUST(reblock_map_elements(map, &elements));
  return elements;
}

static int64_t number_of(reblock_map *map, int64_t local) {
  int64_t cell;
  MUST(reblock_map_global_index(map, &local, &cell, NULL));
  return cell;
}

/* Returns the map of an INDIRECT distribution; each rank gives the owners of a block of the cells. */
static reblock_map *indirect(reblock_procs *procs, reblock_map *blocks, const int64_t *owners) {
  reblock_template *template = cells_on(procs);
  int64_t count, lower;
  MUST(reblock_map_local(blocks, &count, &lower, NULL, NULL, NULL, NULL));
  MUST(reblock_template_dist_indirect_local(template, 0, 0, lower, count, owners));
  return committed(template);
}

static double coordinate(struct cell cell, int level) { return level % 2 ? cell.y : cell.x; }

/* Returns the coordinate that halves the cells of a part. Collective. */
static double median(int64_t count, const struct cell *cells, const int64_t *parts, int64_t part, int level) {
  double low = -1, high = SIDE + 1;
  for (int n = 0; n < HALVINGS; n++) {
    double middle = (low + high) / 2;
    int64_t counts[2] = {0, 0}; /* all cells of the part; those below */
    for (int64_t k = 0; k < count; k++)
      if (parts[k] == part) counts[0]++, counts[1] += coordinate(cells[k], level) < middle;
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (2 * counts[1] < counts[0]) low = middle;
    else high = middle;
  }
  return high;
}

/* Computes the owner of each of this rank's cells: cuts the cells in two by x, and each half by y. Collective. */
static void bisect(int64_t count, const struct cell *cells, int64_t *parts) {
  for (int64_t k = 0; k < count; k++) parts[k] = 0;
  for (int level = 0; 1 << level < RANKS; level++) {
    double cuts[RANKS];
    for (int64_t part = 0; part < 1 << level; part++) cuts[part] = median(count, cells, parts, part, level);
    for (int64_t k = 0; k < count; k++)
      parts[k] = 2 * parts[k] + (coordinate(cells[k], level) >= cuts[parts[k]]);
  }
}

/* Counts the links between cells of different ranks. Collective. */
static int64_t cut_links(reblock_map *map, const struct links *links, int me) {
  int64_t cut = 0;
  for (int64_t k = 0; k < elements_of(map); k++)
    for (int n = 0; n < NEIGHBOURS; n++) {
      int64_t owner = me;
      if (links[k].cells[n] != NONE) MUST(reblock_map_owners(map, &links[k].cells[n], 1, &owner, NULL));
      cut += owner != me;
    }
  MPI_Allreduce(MPI_IN_PLACE, &cut, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return cut / 2;
}

static double sum_of(int64_t count, const struct cell *cells) {
  double sum = 0;
  for (int64_t k = 0; k < count; k++) sum += cells[k].value;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/* Counts the cells of all ranks whose data or neighbours do not fit their number. Collective. */
static int64_t wrong_of(reblock_map *map, const struct cell *cells, const struct links *links) {
  int64_t wrong = 0;
  for (int64_t k = 0; k < elements_of(map); k++) {
    int64_t c = number_of(map, k);
    struct cell cell = cell_of(c);
    struct links want = links_of(c);
    int good = cells[k].x == cell.x && cells[k].y == cell.y && cells[k].value == cell.value;
    for (int n = 0; n < NEIGHBOURS; n++) good &= links[k].cells[n] == want.cells[n];
    wrong += !good;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

/* Moves the owners from the distribution under which they were computed to blocks. */
static int64_t *in_blocks(reblock_map *map, const int64_t *owners, reblock_map *blocks) {
  int64_t *moved = calloc((size_t)elements_of(blocks) + 1, sizeof *moved);
  reblock_plan *plan;
  MUST(reblock_plan_create(MPI_COMM_WORLD, map, NULL, blocks, NULL, sizeof *moved, NULL, &plan));
  MUST(reblock_plan_execute(plan, owners, moved));
  MUST(reblock_plan_free(&plan));
  return moved;
}

int main(int argc, char **argv) {
  int me = start_on_four(&argc, &argv);
  int64_t shape[1] = {RANKS};
  reblock_procs *procs;
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, shape, NULL, &procs));
  reblock_template *template = cells_on(procs);
  MUST(reblock_template_dist_block(template, 0, 0, 0));
  reblock_map *blocks = committed(template);

  /* The random partition, and the mesh in it. */
  int64_t block = elements_of(blocks), *owners = calloc((size_t)block + 1, sizeof *owners);
  for (int64_t k = 0; k < block; k++) owners[k] = random_owner(number_of(blocks, k));
  reblock_map *random = indirect(procs, blocks, owners);
  int64_t count = elements_of(random);
  struct cell *cells = calloc((size_t)count + 1, sizeof *cells);
  struct links *links = calloc((size_t)count + 1, sizeof *links);
  for (int64_t k = 0; k < count; k++) {
    cells[k] = cell_of(number_of(random, k));
    links[k] = links_of(number_of(random, k));
  }

  /* The partition by coordinates. */
  int64_t *parts = calloc((size_t)count + 1, sizeof *parts);
  bisect(count, cells, parts);
  free(owners);
  owners = in_blocks(random, parts, blocks);
  reblock_map *near = indirect(procs, blocks, owners);

  int64_t new_count = elements_of(near);
  struct cell *new_cells = calloc((size_t)new_count + 1, sizeof *new_cells);
  struct links *new_links = calloc((size_t)new_count + 1, sizeof *new_links);
  reblock_plan *plan_cells, *plan_links;
  const void *sources[2] = {cells, links};
  void *targets[2] = {new_cells, new_links};
  double start = MPI_Wtime();
  MUST(reblock_plan_create(MPI_COMM_WORLD, random, NULL, near, NULL, sizeof *cells, NULL, &plan_cells));
  MUST(reblock_plan_create(MPI_COMM_WORLD, random, NULL, near, NULL, sizeof *links, NULL, &plan_links));
  reblock_plan *plans[2] = {plan_cells, plan_links};
  double planned = MPI_Wtime();
  MUST(reblock_plan_execute_many(2, plans, sources, targets));
  double moved = MPI_Wtime();

  double before = sum_of(count, cells), after = sum_of(new_count, new_cells);
  int64_t cut_before = cut_links(random, links, me), cut_after = cut_links(near, new_links, me);
  int64_t wrong = wrong_of(near, new_cells, new_links), all = new_count;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  int good = wrong == 0 && all == CELLS && before == after;
  if (me == 0) {
    printf("%d cells of %zu bytes and their neighbours: planned in %.2f ms, moved in %.2f ms\n", CELLS, sizeof *cells,
           (planned - start) * 1e3, (moved - planned) * 1e3);
    printf("links between ranks: %lld before, %lld after\n", (long long)cut_before, (long long)cut_after);
    printf("mesh: %s: %lld of %lld cells differ; the sum of all values was %.0f and is %.0f\n",
           good ? "correct" : "WRONG", (long long)wrong, (long long)all, before, after);
  }
  MUST(reblock_plan_free(&plan_cells));
  MUST(reblock_plan_free(&plan_links));
  reblock_map **maps[] = {&blocks, &random, &near};
  for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) MUST(reblock_map_free(maps[k]));
  MUST(reblock_procs_free(&procs));
  void *arrays[] = {owners, parts, cells, links, new_cells, new_links};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  MPI_Finalize();
  return !good;
}
