/* Tests matrices in grids of tiles. As in COSTA, rows and columns are cut anywhere, each tile has an owner, and tiles
 * are stored by columns or by rows with individual leading dimensions. As in SLATE and DLA-Future, each tile has memory
 * of its own. Several matrices are transformed together: B := alpha op(A) + beta B, where op is none, the transpose or
 * the conjugate transpose. Numbers are integers, so that sums are exact. */
#define _GNU_SOURCE
#include "layout.h"
#include <complex.h>
#include <sys/mman.h>
#include <unistd.h>

typedef double complex number;
enum { CUTS = 9, MANY = 3, GAP = 4 };

/* A tile. `elements` includes the elements between its rows or columns. */
struct cell { int owner; int64_t row, column, rows, columns, ld, elements; number *data; };
struct grid {
  int64_t rows, columns;
  int by_rows, cells;
  struct cell cell[CUTS * CUTS];
  const number *base; /* lowest address of this rank's tiles */
  reblock_map *map;
};
struct transform { struct grid from, to; char op; number alpha, beta; reblock_plan *plan; reblock_update update; };

/* Draws cuts of an axis: 0, some indices in between, and `extent`. */
static int cuts(int64_t extent, int64_t *at) {
  int count = 0;
  at[count++] = 0;
  while (count < CUTS && at[count - 1] < extent) {
    at[count] = at[count - 1] + draw(1, extent / 3 + 1);
    if (at[count] > extent || count == CUTS - 1) at[count] = extent;
    count++;
  }
  return count - 1;
}

static void cut(struct grid *g, int64_t rows, int64_t columns) {
  int64_t row[CUTS], column[CUTS];
  int down = cuts(rows, row), across = cuts(columns, column), cyclic = draw(0, 1) == 0;
  *g = (struct grid){.rows = rows, .columns = columns, .by_rows = draw(0, 1) == 0};
  for (int j = 0; j < across; j++)
    for (int i = 0; i < down; i++) {
      struct cell *c = &g->cell[g->cells++];
      c->owner = (int)draw(0, ranks - 1);
      if (cyclic) c->owner = (i + j * down) % ranks;
      c->row = row[i], c->rows = row[i + 1] - row[i];
      c->column = column[j], c->columns = column[j + 1] - column[j];
      c->ld = (g->by_rows ? c->columns : c->rows) + draw(0, GAP);
      c->elements = c->ld * (g->by_rows ? c->rows : c->columns);
    }
}

static number *at(const struct grid *g, const struct cell *c, int64_t i, int64_t j) {
  return c->data + (g->by_rows ? (i - c->row) * c->ld + j - c->column : (j - c->column) * c->ld + i - c->row);
}

/* Returns the bytes of a tile in whole pages, with a guard page after the tile. */
static size_t pages(const struct cell *c) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = sizeof(number) * (size_t)c->elements;
  return (bytes + page - 1) / page * page + page;
}

/* Allocates the tile if this rank owns it. The tile ends at the guard page. */
static void allocate(struct grid *g, int n) {
  struct cell *c = &g->cell[n];
  if (n >= g->cells || c->owner != me) return;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), all = pages(c);
  char *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + all - page, page, PROT_NONE)) MPI_Abort(MPI_COMM_WORLD, 1);
  c->data = (number *)(memory + all - page) - c->elements;
  if (!g->base || c->data < g->base) g->base = c->data;
}

static void release(struct cell *c) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), all = pages(c);
  if (c->data) munmap((char *)(c->data + c->elements) + page - all, all);
}

/* Makes the map of a grid. Offsets count elements from the lowest address of a tile. */
static void map_grid(struct grid *g) {
  int64_t starts[2 * CUTS * CUTS], sizes[2 * CUTS * CUTS], strides[2 * CUTS * CUTS], offsets[CUTS * CUTS], count = 0;
  for (int n = 0; n < g->cells; n++) {
    const struct cell *c = &g->cell[n];
    if (c->owner != me) continue;
    starts[2 * count] = c->row, starts[2 * count + 1] = c->column;
    sizes[2 * count] = c->rows, sizes[2 * count + 1] = c->columns;
    strides[2 * count] = g->by_rows ? c->ld : 1, strides[2 * count + 1] = g->by_rows ? 1 : c->ld;
    offsets[count++] = (int64_t)(((uintptr_t)c->data - (uintptr_t)g->base) / sizeof(number));
  }
  MUST(reblock_map_from_boxes(MPI_COMM_WORLD, 2, (int64_t[]){g->rows, g->columns}, count, starts, sizes, g->by_rows, offsets, strides,
                              &g->map));
}

static number before(int64_t i, int64_t j, int array) { return (double)(i + 3 * array) + (double)(2 * j - i) * I; }

/* Fills the tiles. The bytes between rows or columns get a pattern, which must stay unchanged. */
static void fill(struct grid *g, int array) {
  for (int n = 0; n < g->cells; n++) {
    struct cell *c = &g->cell[n];
    if (!c->data) continue;
    for (int64_t k = 0; k < c->elements; k++) c->data[k] = -77;
    for (int64_t i = c->row; i < c->row + c->rows; i++)
      for (int64_t j = c->column; j < c->column + c->columns; j++) *at(g, c, i, j) = before(i, j, array);
  }
}

static number wanted(const struct transform *t, int64_t i, int64_t j) {
  number from = t->op == 'N' ? before(i, j, 0) : before(j, i, 0);
  return t->alpha * (t->op == 'C' ? conj(from) : from) + t->beta * before(i, j, 1);
}

static void check(const struct transform *t) {
  const struct grid *g = &t->to;
  for (int n = 0; n < g->cells; n++) {
    const struct cell *c = &g->cell[n];
    int64_t gaps = c->elements - c->rows * c->columns;
    for (int64_t k = 0; c->data && k < c->elements; k++) gaps -= c->data[k] == -77;
    if (c->data) expect(gaps <= 0, "what lies between the rows of a tile has changed");
    for (int64_t i = c->row; c->data && i < c->row + c->rows; i++)
      for (int64_t j = c->column; j < c->column + c->columns; j++)
        expect(*at(g, c, i, j) == wanted(t, i, j), "an element of a tile");
  }
}

static void make(struct transform *t, int relabel) {
  int64_t rows = draw(1, 40), columns = draw(1, 40), turned[] = {1, 0};
  *t = (struct transform){.op = "NTC"[draw(0, 2)], .alpha = (double)draw(0, 3) + (double)draw(-1, 1) * I,
                          .beta = (double)draw(-1, 2) + (double)draw(0, 1) * I};
  cut(&t->from, rows, columns);
  cut(&t->to, t->op == 'N' ? rows : columns, t->op == 'N' ? columns : rows);
  /* Allocate tiles of both matrices alternately, so that they interleave in memory. */
  for (int n = 0; n < CUTS * CUTS; n++) allocate(&t->from, n), allocate(&t->to, n);
  map_grid(&t->from), map_grid(&t->to);
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  options.relabel = relabel;
  if (t->op != 'N') options.axes = turned, options.axes_count = 2;
  MUST(reblock_plan_create(MPI_COMM_WORLD, t->from.map, NULL, t->to.map, NULL, sizeof(number), &options, &t->plan));
  reblock_map *moved = NULL;
  MUST(reblock_plan_target(t->plan, &moved));
  expect(!moved, "tiles are given to other ranks");
  MUST(reblock_update_init(&t->update));
  t->update.type = REBLOCK_DOUBLE_COMPLEX, t->update.conjugate = t->op == 'C';
  t->update.alpha = &t->alpha, t->update.beta = &t->beta;
}

static void free_grid(struct grid *g) {
  for (int n = 0; n < g->cells; n++) release(&g->cell[n]);
  MUST(reblock_map_free(&g->map));
}

void grids(void);
void grids(void) {
  static struct transform all[MANY];
  reblock_plan *plans[MANY];
  const void *from[MANY];
  void *to[MANY];
  const reblock_update *updates[MANY];
  int count = (int)draw(1, MANY), relabel = (int)draw(0, 1);
  for (int k = 0; k < count; k++) {
    make(&all[k], relabel);
    plans[k] = all[k].plan, updates[k] = &all[k].update, from[k] = all[k].from.base, to[k] = (void *)all[k].to.base;
  }
  for (int again = 0; again < 2; again++) {
    for (int k = 0; k < count; k++) fill(&all[k].from, 0), fill(&all[k].to, 1);
    MUST(reblock_plan_update_many(count, plans, from, to, updates));
    for (int k = 0; k < count; k++) check(&all[k]);
  }
  for (int k = 0; k < count; k++) {
    MUST(reblock_plan_free(&all[k].plan));
    free_grid(&all[k].from), free_grid(&all[k].to);
  }
}
