/* Tests relabelling of unusual targets: a target that lies at one index of a distributed axis, so that ranks without a
 * part may get a part; and local arrays with the program's own strides, which the new map must keep, or else the plan
 * must be refused.
 *
 *   mpirun -n RANKS hpf_relabelled */
#include "hpf.h"

enum { ROWS = 40, MAX_ELEMENTS = 4096 };


/* Checks, or writes, all elements that the map gives this rank: the sums 100 i + j of an array of `axes` axes. */
static void fill_or_check(const reblock_map *map, int axes, double *data, int fill) {
  int64_t extents[2] = {1, 1}, strides[2] = {0, 0}, at[2] = {0, 0}, index[2] = {0, 0};
  int32_t has;
  MUST(reblock_map_local(map, extents, NULL, NULL, NULL, strides, &has));
  if (!has) return;
  for (at[1] = 0; at[1] < (axes > 1 ? extents[1] : 1); at[1]++)
    for (at[0] = 0; at[0] < extents[0]; at[0]++) {
      MUST(reblock_map_global_index(map, at, index, NULL));
      double *place = &data[at[0] * strides[0] + at[1] * strides[1]], value = (double)(100 * index[0] + index[1]);
      if (fill) *place = value;
      else if (*place != value) { expect(0, "the right element"); return; }
    }
}

/* Checks that the map's arrangement has every rank once. */
static void is_permutation(const reblock_map *map, int64_t places) {
  reblock_procs *procs;
  int64_t shape[2], at[2], rank, seen = 0;
  MUST(reblock_map_procs(map, &procs));
  MUST(reblock_procs_shape(procs, shape));
  for (at[0] = 0; at[0] < shape[0]; at[0]++)
    for (at[1] = 0; at[1] < shape[1]; at[1]++) {
      MUST(reblock_procs_rank_at(procs, at, &rank));
      expect(!(seen >> rank & 1), "each rank once");
      seen |= INT64_C(1) << rank;
    }
  expect(seen == (INT64_C(1) << places) - 1, "all ranks");
  MUST(reblock_procs_free(&procs));
}

/* Tests a source on one column of processes and a target on another: no element needs to move. */
static void at_one_index(void) {
  int64_t shape[2] = {ranks / 2, 2}, lower[2] = {1, 1}, upper[2] = {ROWS, 2}, one = 1, rows = ROWS, rest[2] = {0, 1};
  double source[MAX_ELEMENTS], target[MAX_ELEMENTS];
  snprintf(scene, sizeof scene, "at one index");
  reblock_procs *procs;
  reblock_template *plane;
  reblock_map *from, *to;
  reblock_plan *plan;
  reblock_plan_options options;
  reblock_plan_info info;
  MUST(reblock_procs_create(MPI_COMM_WORLD, 2, shape, NULL, &procs));
  MUST(reblock_template_create(procs, 2, lower, upper, &plane));
  MUST(reblock_template_dist_text(plane, "(BLOCK,BLOCK)"));
  MUST(reblock_template_commit(plane));
  MUST(reblock_map_create(plane, 1, &one, &rows, NULL, rest, &from));
  rest[1] = 2;
  MUST(reblock_map_create(plane, 1, &one, &rows, NULL, rest, &to));
  MUST(reblock_plan_options_init(&options));
  options.relabel = 1;
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, sizeof(double), &options, &plan));
  MUST(reblock_plan_info_init(&info));
  MUST(reblock_plan_inquire(plan, &info));
  expect(info.sent == 0 && info.received == 0, "without a message");
  reblock_map *now = NULL;
  MUST(reblock_plan_target(plan, &now));
  expect(now != NULL, "another map");
  if (now) {
    is_permutation(now, shape[0] * 2);
    fill_or_check(from, 1, source, 1);
    MUST(reblock_plan_execute(plan, source, target));
    fill_or_check(now, 1, target, 0);
    MUST(reblock_map_free(&now));
  }
  MUST(reblock_plan_free(&plan));
  MUST(reblock_map_free(&from));
  MUST(reblock_map_free(&to));
  MUST(reblock_template_free(&plane));
  MUST(reblock_procs_free(&procs));
}

/* Tests rows of a matrix in blocks, with the target's ranks in reverse order. Strides are `column` between columns and
 * `row` between rows. */
static void with_strides(const int64_t *sizes, int64_t row, int64_t column, int due) {
  int64_t list[64], lower[2] = {1, 1}, upper[2] = {0, 5}, strides[2] = {row, column}, now_strides[2];
  double source[MAX_ELEMENTS], target[MAX_ELEMENTS];
  snprintf(scene, sizeof scene, "strides %d and %d", (int)row, (int)column);
  for (int r = 0; r < ranks; r++) upper[0] += sizes[r], list[r] = ranks - 1 - r;
  reblock_procs *procs, *reversed;
  reblock_template *rows, *others;
  reblock_map *from, *plain, *to;
  reblock_plan *plan = NULL;
  reblock_plan_options options;
  procs = line(MPI_COMM_WORLD, ranks);
  int64_t count = ranks;
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, &count, list, &reversed));
  MUST(reblock_template_create(procs, 2, lower, upper, &rows));
  MUST(reblock_template_dist_gen_block(rows, 0, 0, ranks, sizes));
  MUST(reblock_template_commit(rows));
  MUST(reblock_template_create(reversed, 2, lower, upper, &others));
  MUST(reblock_template_dist_gen_block(others, 0, 0, ranks, sizes));
  MUST(reblock_template_commit(others));
  MUST(reblock_map_whole(rows, &from));
  MUST(reblock_map_whole(others, &plain));
  if (column == 0) strides[1] = sizes[ranks - 1 - me];
  MUST(reblock_map_strides(plain, strides, &to));
  MUST(reblock_plan_options_init(&options));
  options.relabel = 1;
  int code = reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, sizeof(double), &options, &plan);
  expect(code == due, reblock_code_name(due));
  if (code) expect(!plan && strstr(reblock_message(), "relabelling gives to this process") != NULL, "a text that says why");
  reblock_map *now = NULL;
  if (!code) MUST(reblock_plan_target(plan, &now));
  if (!code) expect((now != NULL) == (ranks > 1), "another map");
  if (now) {
    MUST(reblock_map_local(now, NULL, NULL, NULL, NULL, now_strides, NULL));
    expect(now_strides[0] == strides[0] && now_strides[1] == strides[1], "the program's strides");
    fill_or_check(from, 2, source, 1);
    for (int i = 0; i < MAX_ELEMENTS; i++) target[i] = -1;
    MUST(reblock_plan_execute(plan, source, target));
    fill_or_check(now, 2, target, 0);
    int64_t elements, touched = 0;
    MUST(reblock_map_elements(now, &elements));
    for (int i = 0; i < MAX_ELEMENTS; i++) touched += target[i] != -1;
    expect(touched == 5 * sizes[me] && target[elements] == -1, "nothing else written");
    MUST(reblock_map_free(&now));
  }
  MUST(reblock_plan_free(&plan));
  reblock_map *maps[] = {from, plain, to};
  for (int k = 0; k < 3; k++) MUST(reblock_map_free(&maps[k]));
  MUST(reblock_template_free(&rows));
  MUST(reblock_template_free(&others));
  MUST(reblock_procs_free(&procs));
  MUST(reblock_procs_free(&reversed));
}

int main(int argc, char **argv) {
  start(&argc, &argv, 100);
  int64_t equal[64], uneven[64];
  for (int r = 0; r < ranks; r++) equal[r] = 6, uneven[r] = r + 1;
  if (ranks > 1) at_one_index();
  with_strides(equal, 1, 9, REBLOCK_OK);
  with_strides(equal, 2, 20, REBLOCK_OK);
  with_strides(equal, 5, 1, REBLOCK_OK);
  with_strides(uneven, 1, 70, REBLOCK_OK);
  with_strides(uneven, 1, 0, ranks > 1 ? REBLOCK_ERR_ARGUMENT : REBLOCK_OK);
  return finish("relabelling");
}
