/* Tests maps that are made in one call. Maps of extents, processes and block sizes, and maps of texts, are compared
 * with dealing indices out one by one. Maps of darrays are compared with MPI_Type_create_darray, by which each rank
 * packs its part of a whole array.
 *
 *   mpirun -n RANKS plain CASES [SEED] */
#include "plain.h"
#include "random.h"
#include <string.h>

enum { ROOM = 7 * 7 * 7 * 7 };
static uint64_t state;
static int seed;

static void expect(int good, int number, const char *what) {
  if (good) return;
  if (wrong++ < 5) fprintf(stderr, "plain: rank %d: %s, case %d of seed %d on %d ranks\n", me, what, number, seed, ranks);
}

/* Draws a random shape of a grid of all or some ranks. */
static void draw_shape(int64_t *shape, int axes, int64_t processes) {
  for (int k = 0; k < axes; k++) shape[k] = 1;
  while (processes > 1) {
    int64_t factor = 2;
    while (processes % factor) factor++;
    shape[within(&state, 0, axes - 1)] *= factor;
    processes /= factor;
  }
}

static struct plain drawn(void) {
  struct plain p = {.axes = (int)within(&state, 1, AXES), .row_major = (int)within(&state, 0, 1)};
  draw_shape(p.shape, p.axes, within(&state, 1, ranks));
  for (int k = 0; k < p.axes; k++) {
    p.extents[k] = within(&state, within(&state, 0, 9) > 0, 7);
    p.blocks[k] = within(&state, 0, 4);
  }
  return p;
}

/* Checks that a map has every element in its place, and no other element. */
static void is_dealt(reblock_map *map, const struct plain *p, int number, const char *what) {
  int64_t index[AXES] = {0}, at[AXES], owners[64], count, mine = 0, elements, local[AXES], offset;
  int32_t has;
  if (product(p->extents, p->axes))
    do {
      int64_t rank = find(p, index, &offset);
      MUST(reblock_map_owners(map, index, 64, owners, &count));
      expect(count == 1 && owners[0] == rank, number, what);
      MUST(reblock_map_local_index(map, index, local, &has));
      expect(has == (rank == me), number, what);
      for (int k = 0; has && k < p->axes; k++) deal(p, k, index[k], &at[k]), expect(at[k] == local[k], number, what);
      mine += rank == me;
    } while (advance(index, p->extents, p->axes));
  MUST(reblock_map_elements(map, &elements));
  expect(elements == mine, number, what);
}

static void block_cyclic(int number) {
  struct plain p = drawn();
  reblock_map *map = mapped(&p);
  is_dealt(map, &p, number, "block-cyclic");
  MUST(reblock_map_free(&map));
}

/* Tests maps of texts. Axes on one process are collapsed, or get an axis of P. If only one axis has several processes,
 * P may be omitted and then has all ranks. */
static void text(int number) {
  static const char *const words[] = {"BLOCK", "cyclic(", "Cyclic ( "};
  struct plain p = drawn();
  char formats[200] = "", onto[200] = "", *end = formats, *shape = onto;
  int several = 0, one = -1;
  for (int k = 0; k < p.axes; k++) {
    several += p.shape[k] > 1 || p.blocks[k];
    if (p.shape[k] > 1 || p.blocks[k]) one = k;
  }
  int silent = several == 1 && within(&state, 0, 1);
  if (silent) p.shape[one] = ranks;
  for (int k = 0; k < p.axes; k++) {
    end += sprintf(end, "%s", k ? ", " : "");
    if (p.shape[k] == 1 && !p.blocks[k]) { end += sprintf(end, "*"); continue; }
    if (!p.blocks[k]) end += sprintf(end, "%s", words[0]);
    else end += sprintf(end, "%s%d)", words[within(&state, 1, 2)], (int)p.blocks[k]);
    shape += sprintf(shape, "%s%d", shape == onto ? "" : ",", (int)p.shape[k]);
  }
  char line[512];
  if (silent) snprintf(line, sizeof line, "(%s)", formats);
  else if (several) snprintf(line, sizeof line, "(%s) ONTO P(%s)", formats, onto);
  else snprintf(line, sizeof line, "(%s) onto one(1)", formats);
  p.row_major = 0;
  reblock_map *map;
  MUST(reblock_map_from_text(MPI_COMM_WORLD, p.axes, p.extents, line, &map));
  is_dealt(map, &p, number, line);
  MUST(reblock_map_free(&map));
}

/* Tests copies: without ONTO, an array that is not distributed has a copy on each rank, and along an axis of P without
 * a format there are copies. */
static void copies(void) {
  int64_t extents[2] = {3, 2}, index[2] = {2, 1}, owners[64], count;
  reblock_map *map;
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 2, extents, "(*,*)", &map));
  MUST(reblock_map_owners(map, index, 64, owners, &count));
  expect(count == ranks, 0, "copies on all ranks");
  MUST(reblock_map_free(&map));
  char line[64];
  snprintf(line, sizeof line, "(BLOCK,*) ONTO P(1,%d)", ranks);
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 2, extents, line, &map));
  MUST(reblock_map_owners(map, index, 64, owners, &count));
  expect(count == ranks, 0, "copies along an axis");
  MUST(reblock_map_free(&map));
}

/* Moves the elements' numbers from their order on rank 0 to a darray's layout and checks them. */
static void moved(reblock_map *map, int axes, const int *gsizes, int order, const int64_t *whole, int64_t *part) {
  int64_t extents[AXES], ones[AXES];
  reblock_map *one, *row_major;
  reblock_plan *plan;
  for (int k = 0; k < axes; k++) extents[k] = gsizes[k], ones[k] = 1;
  MUST(reblock_map_block_cyclic(MPI_COMM_WORLD, axes, extents, ones, NULL, &one));
  if (order == MPI_ORDER_C) {
    MUST(reblock_map_row_major(one, &row_major));
    MUST(reblock_map_free(&one));
    one = row_major;
  }
  MUST(reblock_plan_create(MPI_COMM_WORLD, one, NULL, map, NULL, sizeof *whole, NULL, &plan));
  MUST(reblock_plan_execute(plan, me ? NULL : whole, part));
  MUST(reblock_plan_free(&plan));
  MUST(reblock_map_free(&one));
}

static void darray(int number) {
  static int64_t whole[ROOM], part[ROOM], packed[ROOM];
  int axes = (int)within(&state, 1, AXES), order = within(&state, 0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  int gsizes[AXES], distribs[AXES], dargs[AXES], psizes[AXES], bytes, at = 0;
  int64_t shape[AXES], elements;
  draw_shape(shape, axes, ranks);
  for (int k = 0; k < axes; k++) {
    psizes[k] = (int)shape[k];
    gsizes[k] = (int)within(&state, 1, 7);
    int kind = (int)within(&state, 0, psizes[k] == 1 ? 2 : 1), least = (gsizes[k] + psizes[k] - 1) / psizes[k];
    distribs[k] = kind == 2 ? MPI_DISTRIBUTE_NONE : kind ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_BLOCK;
    dargs[k] = (int)within(&state, kind ? 1 : least, kind ? 4 : least + 3);
    if (kind == 2 || within(&state, 0, 2) == 0) dargs[k] = MPI_DISTRIBUTE_DFLT_DARG;
  }
  MPI_Datatype type;
  MPI_Type_create_darray(ranks, me, axes, gsizes, distribs, dargs, psizes, order, MPI_INT64_T, &type);
  MPI_Type_commit(&type);
  MPI_Type_size(type, &bytes);
  for (int i = 0; i < ROOM; i++) whole[i] = i, part[i] = packed[i] = -1;
  MPI_Pack(whole, 1, type, packed, sizeof packed, &at, MPI_COMM_WORLD);
  MPI_Type_free(&type);
  reblock_map *map;
  MUST(reblock_map_from_darray(MPI_COMM_WORLD, axes, gsizes, distribs, dargs, psizes, order, &map));
  MUST(reblock_map_elements(map, &elements));
  expect(elements * (int)sizeof *whole == bytes && at == bytes, number, "the elements of a darray");
  moved(map, axes, gsizes, order, whole, part);
  expect(!memcmp(part, packed, sizeof part), number, "a darray");
  MUST(reblock_map_free(&map));
}

/* Tests that arrays of such maps can be realigned, too. */
static void realigned(void) {
  struct plain blocks = {.axes = 1, .extents = {5 * ranks + 1}, .shape = {ranks}}, cyclic = blocks;
  cyclic.blocks[0] = 2;
  reblock_map *from = mapped(&blocks), *to = mapped(&cyclic), *now;
  reblock_array *array;
  void *data;
  int64_t offset;
  MUST(reblock_array_create(from, sizeof offset, &array));
  MUST(reblock_array_data(array, &data, NULL, NULL, NULL));
  for (int64_t i = 0; i < blocks.extents[0]; i++)
    if (find(&blocks, &i, &offset) == me) ((int64_t *)data)[offset] = 100 + i;
  MUST(reblock_array_realign(array, to, 0));
  MUST(reblock_array_map(array, &now));
  is_dealt(now, &cyclic, 0, "realigned");
  MUST(reblock_array_data(array, &data, NULL, NULL, NULL));
  for (int64_t i = 0; i < blocks.extents[0]; i++)
    if (find(&cyclic, &i, &offset) == me) expect(((int64_t *)data)[offset] == 100 + i, 0, "realigned data");
  MUST(reblock_array_free(&array));
  MUST(reblock_map_free(&now)), MUST(reblock_map_free(&from)), MUST(reblock_map_free(&to));
}

int main(int argc, char **argv) {
  int cases = argc > 1 ? atoi(argv[1]) : 100;
  seed = argc > 2 ? atoi(argv[2]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  state = stream((uint64_t)seed);
  for (int number = 0; number < cases; number++) block_cyclic(number), text(number), darray(number);
  copies();
  realigned();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("plain: %d maps of each kind on %d ranks, seed %d, %d wrong\n", cases, ranks, seed, wrong);
  MPI_Finalize();
  return wrong != 0;
}
