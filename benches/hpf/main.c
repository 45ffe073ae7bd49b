/* Compares the HPF interface with other ways to move the same arrays. Verifies each case before timing it.
 *
 *   [BENCH_CASES=REGEX] mpirun -n RANKS hpf
 *
 * Needs an even number of ranks. Local arrays are column-major. */
#include "hpf.h"
#include <unistd.h>

enum { TURNS = 15, PLANS = 5, SMALL_TURNS = 201, SMALL = 16 };

/* Moves of three axes, on P(2, ranks / 2). `boxes` is the name of the same move from an array in boxes, one box on each
 * rank. */
static const struct { const char *name, *from, *to, *boxes; } moves[] = {
    {"pencils, (*,BLOCK,BLOCK) -> (BLOCK,*,BLOCK)", "(*,BLOCK,BLOCK)", "(BLOCK,*,BLOCK)", "boxes -> pencils along axis 1"},
    {"pencils, (BLOCK,*,BLOCK) -> (BLOCK,BLOCK,*)", "(BLOCK,*,BLOCK)", "(BLOCK,BLOCK,*)", "boxes -> pencils along axis 2"},
    {"(BLOCK,BLOCK,*) -> (CYCLIC(16),*,CYCLIC(5))", "(BLOCK,BLOCK,*)", "(CYCLIC(16),*,CYCLIC(5))", NULL},
    {"(BLOCK,BLOCK,*) -> (CYCLIC(3),CYCLIC,*)", "(BLOCK,BLOCK,*)", "(CYCLIC(3),CYCLIC,*)", NULL},
};

static int ranks;
static reblock_procs *line, *square; /* P(ranks), P(2, ranks / 2) */

/* Compares two moves with equal bytes and equally long runs, one of which has an additional axis. */
static void more_axes(const char *name, const int64_t *plane, const char *const *flat, const int64_t *cube,
                      const char *const *deep) {
  struct array a = array_make(map_text(line, 2, plane, flat[0]), 1);
  struct array b = array_make(map_text(line, 2, plane, flat[1]), 1);
  struct array c = array_make(map_text(line, 3, cube, deep[0]), 1);
  struct array d = array_make(map_text(line, 3, cube, deep[1]), 1);
  struct planned two = plan_of(1, &a, &b), three = plan_of(1, &c, &d);
  contest(name, TURNS, &(struct way){"2-D", plan_batch, &two, 1, &b},
          &(struct way){"3-D", plan_batch, &three, 1, &d});
  plan_free(&two);
  plan_free(&three);
  array_free(&a), array_free(&b), array_free(&c), array_free(&d);
}

static void batch(int64_t side) {
  struct array from[SMALL], to[SMALL];
  int64_t extents[2] = {side, side};
  char name[64];
  for (int k = 0; k < SMALL; k++) {
    from[k] = array_make(map_text(line, 2, extents, "(BLOCK,*)"), 1);
    to[k] = array_make(map_text(line, 2, extents, "(*,BLOCK)"), 1);
  }
  struct planned all = plan_of(SMALL, from, to);
  snprintf(name, sizeof name, "%d arrays of %d x %d, rows -> columns", SMALL, (int)side, (int)side);
  contest(name, SMALL_TURNS, &(struct way){"16 calls", plan_singly, &all, SMALL, to},
          &(struct way){"one batch", plan_batch, &all, SMALL, to});
  plan_free(&all);
  for (int k = 0; k < SMALL; k++) array_free(&from[k]), array_free(&to[k]);
}

/* Compares with datatypes; frees both maps. */
static void against_types(const char *name, reblock_map *from, reblock_map *to) {
  struct array a = array_make(from, 1), b = array_make(to, 1);
  struct planned plan = plan_of(1, &a, &b);
  struct typed *typed = typed_make(&a, &b);
  contest(name, TURNS, &(struct way){"Alltoallw", typed_run, typed, 1, &b},
          &(struct way){"reblock", plan_batch, &plan, 1, &b});
  typed_free(typed);
  plan_free(&plan);
  array_free(&a), array_free(&b);
}

struct ends { reblock_map *from, *to; int64_t components; };

static void make_plan(const void *ends) {
  const struct ends *e = ends;
  reblock_plan *plan;
  int64_t element = e->components * (int64_t)sizeof(double);
  MUST(reblock_plan_create(MPI_COMM_WORLD, e->from, NULL, e->to, NULL, element, NULL, &plan));
  MUST(reblock_plan_free(&plan));
}

/* Compares with VecScatter; frees both maps. Prints a line for the move, one for the move between arrays of the
 * library, and one for making the plan. */
static void against_scatter(const char *name, reblock_map *from, reblock_map *to, int64_t components) {
  if (!is_wanted(name)) {
    MUST(reblock_map_free(&from));
    MUST(reblock_map_free(&to));
    return;
  }
  struct array a = array_make(from, components), b = array_make(to, components);
  struct planned plan = plan_of(1, &a, &b);
  struct scatter *scatter = scatter_make(&a, &b);
  if (scatter != NULL) {
    contest(name, TURNS, &(struct way){"VecScatter", scatter_run, scatter, 1, &b},
            &(struct way){"reblock", plan_batch, &plan, 1, &b});
    struct array c = array_owned(&a), d = array_owned(&b);
    struct planned owned = plan_of(1, &c, &d);
    contest("  between reblock_arrays", TURNS, &(struct way){"VecScatter", scatter_run, scatter, 1, &b},
            &(struct way){"reblock", plan_batch, &owned, 1, &d});
    plan_free(&owned);
    array_free(&c), array_free(&d);
    struct ends ends = {a.map, b.map, components};
    contest("  the plan of it", PLANS, &(struct way){"VecScatter", scatter_plan, scatter, 0, NULL},
            &(struct way){"reblock", make_plan, &ends, 0, NULL});
    scatter_free(scatter);
  }
  plan_free(&plan);
  array_free(&a), array_free(&b);
}

/* Returns a map with blocks that grow, or shrink, from rank to rank. */
static reblock_map *blocks(int64_t extent, int grow) {
  int64_t sizes[ranks], dealt = 0, parts = ranks * (ranks + 1) / 2;
  for (int r = 0; r < ranks; r++) dealt += sizes[r] = extent / parts * (grow ? r + 1 : ranks - r);
  sizes[0] += extent - dealt;
  return map_gen_block(line, extent, sizes);
}

/* Returns a map with random owners, of single indices or of runs of neighbours. */
static reblock_map *owners(int64_t extent, int64_t run, uint64_t seed) {
  int64_t *list = malloc((size_t)extent * sizeof *list);
  for (int64_t i = 0; i < extent; i++) {
    uint64_t x = ((uint64_t)(i / run) + seed) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9u;
    list[i] = (int64_t)((x >> 33) % (uint64_t)ranks);
  }
  reblock_map *map = map_indirect(line, extent, list);
  free(list);
  return map;
}

static void barrier(const void *nothing) {
  (void)nothing;
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Times making a plan, which is collective. */
static void planning(const char *name, const int64_t *extents, const char *from, const char *to) {
  struct ends ends = {map_text(square, 3, extents, from), map_text(square, 3, extents, to), 1};
  double times[TURNS], barriers[TURNS];
  int me;
  if (!is_wanted(name)) return;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int turn = -1; turn < TURNS; turn++) {
    double t = span(make_plan, &ends), b = span(barrier, NULL);
    if (turn >= 0) times[turn] = t, barriers[turn] = b;
  }
  double plan = median(times, TURNS), alone = median(barriers, TURNS);
  if (me == 0)
    printf("%5d  %-44s %-14s %10.3f  %-10s %10.3f %7.2f\n", ranks, name, "MPI_Barrier", alone * 1e3, "plan", plan * 1e3,
           alone / plan);
  MUST(reblock_map_free(&ends.from));
  MUST(reblock_map_free(&ends.to));
}

int main(int argc, char **argv) {
  int me;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks % 2) {
    if (me == 0) fprintf(stderr, "hpf runs on an even number of ranks, not on %d\n", ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  scatter_start();
  int64_t all[1] = {ranks}, two[2] = {2, ranks / 2};
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, all, NULL, &line));
  MUST(reblock_procs_create(MPI_COMM_WORLD, 2, two, NULL, &square));
  if (me == 0)
    printf("%5s  %-44s %-14s %10s  %-10s %10s %7s %10s %7s\n", "ranks", "case (doubles)", "compared with", "ms", "", "ms", "ratio",
           "memcpy ms", "over it");

  const int64_t plane[2] = {4096, 2048}, cube[3] = {4096, 32, 64};
  more_axes("rows 128 -> 36", plane, (const char *[]){"(CYCLIC(128),*)", "(CYCLIC(36),*)"}, cube,
            (const char *[]){"(CYCLIC(128),*,*)", "(CYCLIC(36),*,*)"});
  more_axes("rows -> columns", plane, (const char *[]){"(BLOCK,*)", "(*,BLOCK)"}, cube,
            (const char *[]){"(BLOCK,*,*)", "(*,*,BLOCK)"});
  batch(32);
  batch(200);

  const int64_t pencils[3] = {200, 190, 180};
  against_types("slabs, (*,*,BLOCK) -> (BLOCK,*,*)", map_text(line, 3, pencils, "(*,*,BLOCK)"),
                map_text(line, 3, pencils, "(BLOCK,*,*)"));
  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
    against_types(moves[i].name, map_text(square, 3, pencils, moves[i].from), map_text(square, 3, pencils, moves[i].to));
  for (size_t i = 0; i < sizeof moves / sizeof *moves && moves[i].boxes != NULL; i++) {
    against_types(moves[i].boxes, map_boxes(square, 3, pencils, moves[i].from), map_text(square, 3, pencils, moves[i].to));
    against_types("  the target in boxes, too", map_boxes(square, 3, pencils, moves[i].from),
                  map_boxes(square, 3, pencils, moves[i].to));
  }

  against_fftw("transposed, 4096 x 4096, columns in blocks", line, 2, (int64_t[]){4096, 4096}, map_text);
  against_fftw("transposed, 8192 x 512, columns in blocks", line, 2, (int64_t[]){8192, 512}, map_text);
  against_fftw("slabs, axes 1 and 2 swapped, 192 x 180 x 200", line, 3, (int64_t[]){192, 180, 200}, map_text);
  against_fftw("the same, one box a rank", line, 3, (int64_t[]){192, 180, 200}, map_boxes);

  const int pair[3] = {2, ranks / 2, 1};
  for (int width = 1; width <= 2; width++) {
    char name[64];
    for (int64_t side = 64; side <= 4096; side *= 8) {
      snprintf(name, sizeof name, "shadows of %d, %d x %d", width, (int)side, (int)side);
      against_neighbours(name, 2, side, pair, width);
    }
    for (int64_t side = 16; side <= 256; side *= 4) {
      snprintf(name, sizeof name, "shadows of %d, %d x %d x %d", width, (int)side, (int)side, (int)side);
      against_neighbours(name, 3, side, pair, width);
    }
  }

  /* The overlap of communication and computation needs a core for each rank. */
  for (int tests = 0; tests <= 16 && ranks <= sysconf(_SC_NPROCESSORS_ONLN); tests += 16) {
    hidden(4096, 256, tests);
    hidden(65536, 64, tests);
  }

  const int64_t length = 2000000;
  against_scatter("GEN_BLOCK, blocks that grow -> that shrink", blocks(length, 1), blocks(length, 0), 1);
  against_scatter("INDIRECT -> INDIRECT, one by one", owners(length, 1, 1), owners(length, 1, 2), 1);
  against_scatter("INDIRECT -> INDIRECT, one by one, 24 bytes", owners(length / 2, 1, 1), owners(length / 2, 1, 2), 3);
  against_scatter("INDIRECT -> INDIRECT, runs of 20", owners(length, 20, 1), owners(length, 20, 2), 1);
  against_scatter("GEN_BLOCK -> INDIRECT, one by one", blocks(length, 1), owners(length, 1, 2), 1);

  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) planning(moves[i].name, pencils, moves[i].from, moves[i].to);
  MUST(reblock_procs_free(&line));
  MUST(reblock_procs_free(&square));
  scatter_end();
  MPI_Finalize();
  return 0;
}
