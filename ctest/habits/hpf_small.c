/* Tests the smallest moves: empty batches, scalars, single elements of arrays, arrangements of one process. Also tests
 * fewer formats than the arrangement has axes, and shared memory for a plan although the environment selects MPI.
 *
 *   mpirun -n RANKS hpf_small FOLDER */
#include "hpf.h"

static void batches(reblock_procs *procs) {
  snprintf(scene, sizeof scene, "batches of no array");
  reblock_request *request = NULL, *other = NULL;
  int32_t done = 0;
  MUST(reblock_plan_execute_many(0, NULL, NULL, NULL));
  MUST(reblock_plan_start_many(0, NULL, NULL, NULL, &request));
  expect(request != NULL, "a request");
  MUST(reblock_request_test(&request, &done));
  expect(done == 1 && !request, "complete at once");
  MUST(reblock_plan_start_many(0, NULL, NULL, NULL, &request));
  MUST(reblock_plan_start_many(0, NULL, NULL, NULL, &other));
  MUST(reblock_request_wait(&request));
  MUST(reblock_request_free(&other));
  expect(reblock_plan_execute_many(-1, NULL, NULL, NULL) == REBLOCK_ERR_ARGUMENT, "an error of -1 arrays");
  expect(reblock_plan_start_many(0, NULL, NULL, NULL, NULL) == REBLOCK_ERR_ARGUMENT, "an error without room");
  (void)procs;
}

/* Moves scalars between a copy on each process, one process, and one index of a distributed axis; and out of an array
 * and into it. */
static void scalars(reblock_procs *procs, const char *folder) {
  enum { N = 60 };
  snprintf(scene, sizeof scene, "scalars");
  int64_t one = 1, n = N, none, coords, axes, last = ranks - 1, at = N, replicated = REBLOCK_REPLICATED, elements;
  int32_t inside, has;
  char path[300], text[100];
  reblock_procs *single, *corner;
  reblock_template *line, *point;
  reblock_map *maps[4], *array;
  MUST(reblock_procs_create(MPI_COMM_WORLD, 0, NULL, NULL, &single));
  MUST(reblock_procs_create(MPI_COMM_WORLD, 0, NULL, &last, &corner));
  MUST(reblock_procs_axes(corner, &axes));
  MUST(reblock_procs_coords(corner, last, &coords, &inside));
  MUST(reblock_procs_rank_at(corner, NULL, &none));
  expect(axes == 0 && inside && none == last, "the last rank");
  MUST(reblock_procs_coords(single, last, &coords, &inside));
  expect(inside == (last == 0), "the first rank");
  MUST(reblock_template_create(procs, 1, &one, &n, &line));
  MUST(reblock_template_dist_block(line, 0, 0, 0));
  MUST(reblock_template_commit(line));
  MUST(reblock_template_create(corner, 0, NULL, NULL, &point));
  MUST(reblock_template_commit(point));
  MUST(reblock_map_create(line, 0, NULL, NULL, NULL, &replicated, &maps[0]));
  MUST(reblock_map_create(line, 0, NULL, NULL, NULL, &at, &maps[1]));
  MUST(reblock_map_whole(point, &maps[2]));
  MUST(reblock_template_free(&point));
  MUST(reblock_template_create(single, 0, NULL, NULL, &point));
  MUST(reblock_template_commit(point));
  MUST(reblock_map_whole(point, &maps[3]));
  MUST(reblock_map_whole(line, &array));
  MUST(reblock_map_text(maps[1], text, sizeof text, NULL));
  expect(strncmp(text, "A WITH T(60), T(BLOCK) ONTO P(", 30) == 0, "the text of a scalar");
  int64_t owner = (N - 1) / ((N + ranks - 1) / ranks), own[4] = {-1, owner, last, 0};
  snprintf(path, sizeof path, "%s/scalar.npy", folder);
  for (int a = 0; a < 4; a++) {
    MUST(reblock_map_elements(maps[a], &elements));
    MUST(reblock_map_local(maps[a], NULL, NULL, NULL, NULL, NULL, &has));
    expect(elements == (own[a] < 0 || own[a] == me) && has == elements, "one element where it is");
    int64_t found[3] = {-1, -1, -1};
    MUST(reblock_map_dereference(maps[a], 2, NULL, found, NULL));
    expect(found[0] == (own[a] < 0 ? 0 : own[a]) && found[1] == found[0] && found[2] == -1, "found");
    for (int b = 0; b < 4; b++) {
      snprintf(scene, sizeof scene, "scalar %d to scalar %d", a, b);
      double values[3] = {7, 1 + a, 7}, moved[3] = {-1, -1, -1};
      struct { char c[24]; } large = {{1, 2, (char)a}}, there = {{0}};
      reblock_plan *plan;
      reblock_map *kept = has ? maps[a] : NULL;
      MUST(reblock_plan_create(MPI_COMM_WORLD, kept, NULL, maps[b], NULL, sizeof(double), NULL, &plan));
      MUST(reblock_plan_execute(plan, has ? &values[1] : NULL, &moved[1]));
      expect(moved[0] == -1 && moved[2] == -1 && moved[1] == (own[b] < 0 || own[b] == me ? 1 + a : -1), "the value");
      MUST(reblock_plan_free(&plan));
      MUST(reblock_plan_create(MPI_COMM_WORLD, maps[a], NULL, maps[b], NULL, sizeof large, NULL, &plan));
      MUST(reblock_plan_execute(plan, &large, &there));
      expect(!memcmp(&large, &there, sizeof large) == (own[b] < 0 || own[b] == me), "24 bytes");
      MUST(reblock_plan_free(&plan));
    }
    snprintf(scene, sizeof scene, "scalar %d in an array and in a file", a);
    reblock_range element[1] = {{17, 17, 1}};
    reblock_plan *plans[2];
    static double data[N];
    double value = 5 + a, back = -1, loaded = -1;
    memset(data, 0, sizeof data);
    MUST(reblock_plan_create(MPI_COMM_WORLD, maps[a], NULL, array, element, sizeof(double), NULL, &plans[0]));
    MUST(reblock_plan_create(MPI_COMM_WORLD, array, element, maps[0], NULL, sizeof(double), NULL, &plans[1]));
    MUST(reblock_plan_execute(plans[0], &value, data));
    MUST(reblock_plan_execute(plans[1], data, &back));
    double sum = 0, all;
    for (int i = 0; i < N; i++) sum += data[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect(all == value && back == value, "the element");
    MUST(reblock_save(MPI_COMM_WORLD, path, maps[a], &value, sizeof value, "<f8"));
    MUST(reblock_load(MPI_COMM_WORLD, path, maps[0], &loaded, sizeof loaded, "<f8"));
    expect(loaded == value, "the loaded value");
    for (int k = 0; k < 2; k++) MUST(reblock_plan_free(&plans[k]));
    /* An array of the library that moves with its template. */
    reblock_array *made;
    void *address;
    MUST(reblock_array_create(maps[a], sizeof(double), &made));
    MUST(reblock_array_data(made, &address, NULL, NULL, NULL));
    if (has) *(double *)address = value;
    MUST(reblock_array_realign(made, a == 1 ? maps[0] : maps[a], 0));
    MUST(reblock_array_data(made, &address, NULL, NULL, NULL));
    if (has || a == 1) expect(*(double *)address == value, "the value after REALIGN");
    MUST(reblock_array_free(&made));
  }
  if (me == 0) unlink(path);
  for (int k = 0; k < 4; k++) MUST(reblock_map_free(&maps[k]));
  MUST(reblock_map_free(&array));
  MUST(reblock_template_free(&line));
  MUST(reblock_template_free(&point));
  MUST(reblock_procs_free(&single));
  MUST(reblock_procs_free(&corner));
}

/* Tests an array of one axis on an arrangement with two axes, which has copies along the second. */
static void formats(void) {
  snprintf(scene, sizeof scene, "fewer formats than axes");
  int64_t shape[2] = {1, ranks}, one = 1, n = 10, elements;
  reblock_procs *square;
  MUST(reblock_procs_create(MPI_COMM_WORLD, 2, shape, NULL, &square));
  reblock_map *map = mapped(square, n, "(BLOCK)"), *star = mapped(square, n, "(*)");
  MUST(reblock_map_elements(map, &elements));
  expect(elements == n, "a copy on each process");
  char text[100];
  MUST(reblock_map_text(map, text, sizeof text, NULL));
  expect(strncmp(text, "A(i) WITH T(i), T(BLOCK) ONTO P(1,", 34) == 0, "the text");
  reblock_template *again;
  MUST(reblock_template_create(square, 1, &one, &n, &again));
  MUST(reblock_template_dist_text(again, strstr(text, "(BLOCK)")));
  expect(reblock_template_dist_text(again, "(BLOCK,BLOCK,BLOCK)") == REBLOCK_ERR_ARGUMENT, "three formats refused");
  MUST(reblock_template_free(&again));
  MUST(reblock_map_free(&map));
  MUST(reblock_map_free(&star));
  MUST(reblock_procs_free(&square));
}

/* Tests the option shm, which overrides the environment: plans by MPI and by shared memory, also at the same time. */
static void transports(reblock_procs *procs) {
  enum { N = 300000 };
  snprintf(scene, sizeof scene, "the option shm");
  reblock_map *from = mapped(procs, N, "(BLOCK)"), *to = mapped(procs, N, "(CYCLIC(5))");
  reblock_plan *plans[2];
  reblock_plan_options options;
  reblock_request *request;
  double *in = calloc(N, sizeof *in), *out[2] = {calloc(N, sizeof *in), calloc(N, sizeof *in)};
  int64_t count, index;
  MUST(reblock_map_elements(from, &count));
  for (int64_t i = 0; i < count; i++) { MUST(reblock_map_global_index(from, &i, &index, NULL)); in[i] = (double)index; }
  MUST(reblock_plan_options_init(&options));
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, sizeof *in, NULL, &plans[0]));
  MUST(reblock_plan_start(plans[0], in, out[0], &request));
  options.transport = "shm";
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, sizeof *in, &options, &plans[1]));
  MUST(reblock_plan_execute(plans[1], in, out[1]));
  MUST(reblock_request_wait(&request));
  MUST(reblock_map_elements(to, &count));
  for (int round = 0; round < 3; round++) {
    for (int k = 0; k < 2; k++) {
      for (int64_t i = 0; i < count; i++) {
        MUST(reblock_map_global_index(to, &i, &index, NULL));
        if (out[k][i] != (double)index) { expect(0, "the right elements"); break; }
      }
      memset(out[k], 0, N * sizeof *in);
      MUST(reblock_plan_execute(plans[k], in, out[k]));
    }
  }
  for (int k = 0; k < 2; k++) { MUST(reblock_plan_free(&plans[k])); free(out[k]); }
  free(in);
  MUST(reblock_map_free(&from));
  MUST(reblock_map_free(&to));
}

int main(int argc, char **argv) {
  start(&argc, &argv, 200);
  reblock_procs *procs = line(MPI_COMM_WORLD, ranks);
  batches(procs);
  formats();
  transports(procs);
  scalars(procs, argc > 1 ? argv[1] : ".");
  MUST(reblock_procs_free(&procs));
  return finish("small things");
}
