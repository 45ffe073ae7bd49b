/* Tests the texts of errors, which must name the wrong argument, index or element, and the remedy.
 *
 *   mpirun -n RANKS texts */
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int me, ranks, failures;

/* Checks that the call failed with that code and that its text contains `wanted`. */
static void says(const char *what, int32_t code, int32_t due, const char *wanted) {
  const char *text = reblock_message();
  if (code == due && strstr(text, wanted)) return;
  failures++;
  fprintf(stderr, "texts: %s, rank %d: %s, \"%s\", expected %s, \"%s\"\n", what, me, reblock_code_name(code), text,
          reblock_code_name(due), wanted);
}
static void good(const char *what, int32_t code) {
  if (!code) return;
  failures++;
  fprintf(stderr, "texts: %s, rank %d: %s, \"%s\"\n", what, me, reblock_code_name(code), reblock_message());
}

static void owners(void) {
  int64_t shape = ranks, lower = 1, upper = 4, list[4] = {0, 0, 0, 99}, below[4] = {0, 0, -1, 0}, runs[2] = {0, 99}, lengths[2] = {3, 1};
  int64_t sizes[64] = {0}, short_lengths[2] = {3, -1};
  char wanted[128];
  reblock_procs *procs = NULL;
  reblock_template *template = NULL;
  good("procs", reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs));
  good("template", reblock_template_create(procs, 1, &lower, &upper, &template));
  snprintf(wanted, sizeof wanted, "entry 3 of INDIRECT is owner 99, expected 0 to %d", ranks - 1);
  says("owners", reblock_template_dist_indirect(template, 0, 0, 4, list), REBLOCK_ERR_ARGUMENT, wanted);
  says("owners of a range", reblock_template_dist_indirect_local(template, 0, 0, 1, 4, list), REBLOCK_ERR_ARGUMENT, wanted);
  snprintf(wanted, sizeof wanted, "entry 1 of INDIRECT is owner 99, expected 0 to %d", ranks - 1);
  says("owners of runs", reblock_template_dist_indirect_runs(template, 0, 0, 2, runs, lengths), REBLOCK_ERR_ARGUMENT, wanted);
  says("an owner below 0", reblock_template_dist_indirect(template, 0, 0, 4, below), REBLOCK_ERR_ARGUMENT, "owners[2] is -1");
  says("a length below 0", reblock_template_dist_indirect_runs(template, 0, 0, 2, runs, short_lengths), REBLOCK_ERR_ARGUMENT,
       "lengths[1] is -1");
  sizes[ranks - 1] = -2;
  snprintf(wanted, sizeof wanted, "sizes[%d] is -2", ranks - 1);
  says("a size below 0", reblock_template_dist_gen_block(template, 0, 0, ranks, sizes), REBLOCK_ERR_ARGUMENT, wanted);
  reblock_template_free(&template), reblock_procs_free(&procs);
}

static void texts_of_distributions(void) {
  int64_t extents[2] = {8, 8};
  char wanted[128];
  reblock_map *map = NULL;
  int rows = 1;
  for (int r = 1; r * r <= ranks; r++) if (ranks % r == 0) rows = r;
  snprintf(wanted, sizeof wanted, "reblock_map_from_text: there are 2 formats other than *, but without ONTO all %d ranks form one axis", ranks);
  int32_t code = reblock_map_from_text(MPI_COMM_WORLD, 2, extents, "(BLOCK, BLOCK)", &map);
  says("no ONTO", code, REBLOCK_ERR_ARGUMENT, wanted);
  snprintf(wanted, sizeof wanted, "for instance ONTO P(%d,%d)", rows, ranks / rows);
  says("a shape to write", code, REBLOCK_ERR_ARGUMENT, wanted);
  says("too few formats", reblock_map_from_text(MPI_COMM_WORLD, 2, extents, "(BLOCK)", &map), REBLOCK_ERR_ARGUMENT,
       "1 format for 2 axes, expected one for each axis");
  says("a negative extent", reblock_map_from_text(MPI_COMM_WORLD, -1, extents, "(BLOCK)", &map), REBLOCK_ERR_ARGUMENT, "-1 axes");
}

static void plans(reblock_map *from, reblock_map *to) {
  reblock_plan_options options;
  reblock_plan *plan = NULL;
  int64_t indices[1] = {1};
  good("options", reblock_plan_options_init(&options));
  options.scheduler = "fast";
  says("an unknown scheduler", reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, &options, &plan), REBLOCK_ERR_SETTINGS,
       "the option scheduler is fast, expected one of ");
  says("an unknown scheduler of a gather", reblock_plan_gather(MPI_COMM_WORLD, from, 0, 1, indices, 8, &options, &plan),
       REBLOCK_ERR_SETTINGS, "the option scheduler is fast, expected one of ");
  says("half of the widths", reblock_plan_shadow(MPI_COMM_WORLD, from, NULL, indices, NULL, 0, 8, NULL, &plan), REBLOCK_ERR_ARGUMENT,
       "before is NULL, but after is not");
  says("the other half", reblock_plan_shadow(MPI_COMM_WORLD, from, indices, NULL, NULL, 0, 8, NULL, &plan), REBLOCK_ERR_ARGUMENT,
       "after is NULL, but before is not");
  says("too many entries", reblock_plan_execute_many(INT64_MAX, &plan, (const void *[]){NULL}, (void *[]){NULL}), REBLOCK_ERR_ARGUMENT,
       "9223372036854775807 entries of plans are more than memory can hold");
}

/* Tests an array of 4 x 6 elements in boxes. Rank 0 has the first two rows, the last rank the last row; no rank has row
 * 2. */
static void boxes(void) {
  int64_t extents[2] = {4, 6}, starts[4] = {0, 0, 3, 0}, sizes[4] = {2, 6, 1, 6}, shift[2] = {1, 0}, order[2] = {1, 0};
  int64_t element = 0;
  int64_t first = ranks == 1 || !me ? 0 : 1, count = ranks == 1 ? 2 : me == 0 || me == ranks - 1;
  double source[24] = {0}, target[24] = {0};
  reblock_map *map = NULL, *plain = NULL, *other = NULL;
  reblock_plan *plan = NULL;
  reblock_plan_options options;
  good("options", reblock_plan_options_init(&options));
  int32_t code = reblock_map_from_boxes(MPI_COMM_WORLD, 2, extents, count, starts + 2 * first, sizes + 2 * first, 0, NULL, NULL, &map);
  good("boxes", code);
  good("a map", reblock_map_from_text(MPI_COMM_WORLD, 2, extents, "(BLOCK, *)", &plain));
  code = reblock_plan_create(MPI_COMM_WORLD, map, NULL, plain, NULL, 8, NULL, &plan);
  says("boxes that lack elements", code, REBLOCK_ERR_ARGUMENT, "the source: element [2, 0] of the section is in no box");
  reblock_range section[2] = {{3, 0, -1}, {5, 1, -2}}, goal[2] = {{0, 3, 1}, {0, 2, 1}};
  code = reblock_plan_create(MPI_COMM_WORLD, plain, goal, map, section, 8, NULL, &plan);
  says("boxes that lack elements of a section", code, REBLOCK_ERR_ARGUMENT, "the target: element [2, ");
  code = reblock_plan_eoshift(MPI_COMM_WORLD, plain, NULL, map, NULL, 8, 2, shift, &element, NULL, &plan);
  says("an end-off shift into boxes", code, REBLOCK_ERR_ARGUMENT, "the target lies in boxes, which an end-off shift cannot fill");
  says("row-major boxes", reblock_map_row_major(map, &other), REBLOCK_ERR_ARGUMENT, "boxes");
  says("an order of boxes", reblock_map_order(map, order, &other), REBLOCK_ERR_ARGUMENT, "boxes");
  if (other) good("a map after an error", 1);
  (void)source, (void)target;
  reblock_map_free(&map), reblock_map_free(&plain);
}

int main(int argc, char **argv) {
  int64_t extent = 100;
  reblock_map *from = NULL, *to = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  owners();
  texts_of_distributions();
  good("from", reblock_map_from_text(MPI_COMM_WORLD, 1, &extent, "(BLOCK)", &from));
  good("to", reblock_map_from_text(MPI_COMM_WORLD, 1, &extent, "(CYCLIC(3))", &to));
  plans(from, to);
  boxes();
  reblock_map_free(&from), reblock_map_free(&to);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("texts: %d ranks, %d failures\n", ranks, failures);
  MPI_Finalize();
  return failures != 0;
}
