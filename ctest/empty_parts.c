/* Tests processes without elements: the lower bounds of their part, and the number of distances that such processes
 * pass to a shift of lines. Also tests assignments between sections of one array in boxes.
 *
 *   mpirun -n RANKS empty_parts */
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static int me, ranks, failures;

static void fail(const char *what, int64_t is, int64_t due) {
  failures++;
  fprintf(stderr, "empty_parts: %s, rank %d: %lld, expected %lld (%s)\n", what, me, (long long)is, (long long)due, reblock_message());
}
static void same(const char *what, int64_t is, int64_t due) { if (is != due) fail(what, is, due); }
static void good(const char *what, int32_t code) { same(what, code, REBLOCK_OK); }

enum kind { BLOCK, BLOCK_M, GEN_BLOCK, CYCLIC, INDIRECT, KINDS };
static const char *const names[] = {"BLOCK", "BLOCK(m)", "GEN_BLOCK", "CYCLIC", "INDIRECT"};

/* Describes an axis of `extent` indices from 10 on. `counts` receives the number of indices of each process. */
static void described(reblock_template *template, enum kind kind, int64_t extent, int64_t *counts) {
  int64_t block = (extent + ranks - 1) / ranks, left = extent, owners[64] = {0};
  if (kind == BLOCK_M || kind == CYCLIC) block += 2;
  for (int r = 0; r < ranks; r++) {
    counts[r] = kind == GEN_BLOCK   ? r % 2 && r < ranks - 1 ? 0 : left < 3 || r >= ranks - 2 + ranks % 2 ? left : 3
                : kind == INDIRECT ? r ? 0 : extent
                                   : left < block ? left : block;
    left -= counts[r];
  }
  if (kind == GEN_BLOCK && left) counts[ranks - 1] += left;
  int32_t code = kind == BLOCK       ? reblock_template_dist_block(template, 0, 0, 0)
                 : kind == BLOCK_M   ? reblock_template_dist_block(template, 0, 0, block)
                 : kind == GEN_BLOCK ? reblock_template_dist_gen_block(template, 0, 0, ranks, counts)
                 : kind == CYCLIC    ? reblock_template_dist_cyclic(template, 0, 0, block)
                                     : reblock_template_dist_indirect(template, 0, 0, extent, owners);
  good(names[kind], code);
  good("commit", reblock_template_commit(template));
}

static void lower_bounds(enum kind kind, int64_t extent) {
  int64_t shape = ranks, lower = 10, upper = lower + extent - 1, counts[64], width = 2, begin = lower;
  reblock_procs *procs = NULL;
  reblock_template *template = NULL;
  reblock_map *map = NULL, *shadowed = NULL;
  good("procs", reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs));
  good("template", reblock_template_create(procs, 1, &lower, &upper, &template));
  described(template, kind, extent, counts);
  good("map", reblock_map_whole(template, &map));
  good("shadow", reblock_map_shadow(map, &width, &width, &shadowed));
  for (int r = 0; r < ranks; r++) {
    int64_t extents, first, has;
    int32_t has_part;
    int64_t due = kind == INDIRECT ? lower : begin;
    good("part", reblock_map_part(map, r, &extents, &first, NULL, NULL, &has_part));
    has = has_part;
    same("has a part", has, 1);
    same(names[kind], extents, counts[r]);
    same(names[kind], first, due);
    if (r == me) {
      good("local", reblock_map_local(map, &extents, &first, NULL, NULL, NULL, NULL));
      same(names[kind], first, due);
      good("local", reblock_map_local(shadowed, &extents, &first, NULL, NULL, NULL, NULL));
      same("with a shadow", first, due - width);
    }
    begin += counts[r];
  }
  reblock_map_free(&map), reblock_map_free(&shadowed), reblock_template_free(&template), reblock_procs_free(&procs);
}

/* Tests an array of 3 columns whose rows are all on rank 0. Other ranks have three lines without elements, and may
 * leave out their distances. */
static void lines(int64_t rows, int leave_out) {
  int64_t shape = ranks, lower[2] = {1, 1}, upper[2] = {rows, 3}, sizes[64] = {rows}, distances[3] = {1, 0, -1};
  int64_t source[64], target[64];
  reblock_procs *procs = NULL;
  reblock_template *template = NULL;
  reblock_map *map = NULL;
  reblock_plan *plan = NULL;
  good("procs", reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs));
  good("template", reblock_template_create(procs, 2, lower, upper, &template));
  good("rows", reblock_template_dist_gen_block(template, 0, 0, ranks, sizes));
  good("commit", reblock_template_commit(template));
  good("map", reblock_map_whole(template, &map));
  for (int64_t i = 0; i < 3 * rows; i++) source[i] = i, target[i] = -1;
  int64_t count = me && leave_out ? 0 : 3;
  good("plan", reblock_plan_shift_lines(MPI_COMM_WORLD, map, NULL, map, NULL, 8, 0, 1, count, distances, NULL, NULL, &plan));
  if (plan) good("execute", reblock_plan_execute(plan, source, target));
  for (int64_t i = 0; i < 3 * rows && !me; i++)
    same("a shifted line", target[i], i / rows * rows + (i % rows + distances[i / rows] + rows) % rows);
  reblock_plan_free(&plan), reblock_map_free(&map), reblock_template_free(&template), reblock_procs_free(&procs);
}

/* Tests A(1::2) = A(0::2), and the reverse, for an array with a box of four rows on each rank; and A(1:) = A(:N-1),
 * whose sections overlap. */
static void sections_in_boxes(int64_t columns, int descending) {
  int64_t rows = 4 * ranks, extents[2] = {rows, columns}, starts[2] = {4 * me, 0}, sizes[2] = {4, columns}, data[64];
  reblock_map *map = NULL;
  reblock_plan *plan = NULL;
  good("boxes", reblock_map_from_boxes(MPI_COMM_WORLD, 2, extents, 1, starts, sizes, 1, NULL, NULL, &map));
  reblock_range from[2] = {{0, rows - 1, 2}, {0, columns - 1, 1}}, to[2] = {{1, rows - 1, 2}, {0, columns - 1, 1}};
  if (descending) from[0] = (reblock_range){rows - 2, 0, -2}, to[0] = (reblock_range){rows - 1, 1, -2};
  for (int64_t i = 0; i < 4 * columns; i++) data[i] = 100 * me + i;
  good("plan", reblock_plan_create(MPI_COMM_WORLD, map, from, map, to, 8, NULL, &plan));
  if (plan) good("sections that have no element in common", reblock_plan_execute(plan, data, data));
  for (int64_t i = 0; i < 4 * columns; i++)
    same("an element in a box", data[i], 100 * me + i - (i / columns % 2 ? columns : 0));
  reblock_plan_free(&plan);
  from[0] = (reblock_range){0, rows - 2, 1}, to[0] = (reblock_range){1, rows - 1, 1};
  good("another plan", reblock_plan_create(MPI_COMM_WORLD, map, from, map, to, 8, NULL, &plan));
  if (plan) same("sections that overlap", reblock_plan_execute(plan, data, data), REBLOCK_ERR_OVERLAP);
  reblock_plan_free(&plan), reblock_map_free(&map);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 16) MPI_Abort(MPI_COMM_WORLD, 2);
  for (enum kind kind = 0; kind < KINDS; kind++)
    for (int64_t extent = 1; extent <= 12; extent++) lower_bounds(kind, extent);
  for (int leave_out = 0; leave_out < 2; leave_out++) lines(4, leave_out);
  for (int64_t columns = 1; columns <= 3; columns += 2)
    for (int descending = 0; descending < 2; descending++) sections_in_boxes(columns, descending);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("empty_parts: %d ranks, %d failures\n", ranks, failures);
  MPI_Finalize();
  return failures != 0;
}
