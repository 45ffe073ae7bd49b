/* Tests cases of the HPF interface in which ranks could lose synchronisation or arrays their values: a realignment that
 * fails on one rank; ranks that request an array differently; the first use of a communicator during a request;
 * bad handles at different times; source and target of different shapes in one storage; names whose objects other
 * calls change; invalid descriptors. Runs on any number of ranks. */
#include "reblock.h"
#include "scalapack.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int me, ranks, wrong;
static const char *scene = "";

static void expect(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "hazards: rank %d: %s: not %s (%s)\n", me, scene, what, reblock_message());
  wrong++;
}
#define MUST(call) must(call, #call)
static void must(int code, const char *call) {
  if (!code) return;
  fprintf(stderr, "hazards: rank %d: %s: %s: %s: %s\n", me, scene, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static reblock_procs *line(MPI_Comm comm) {
  int64_t shape = ranks;
  reblock_procs *procs;
  MUST(reblock_procs_create(comm, 1, &shape, NULL, &procs));
  return procs;
}

/* A template of n indices with this distribution. */
static reblock_template *template(reblock_procs *procs, int64_t n, const char *distribution) {
  int64_t one = 1;
  reblock_template *made;
  MUST(reblock_template_create(procs, 1, &one, &n, &made));
  MUST(reblock_template_dist_text(made, distribution));
  MUST(reblock_template_commit(made));
  return made;
}

static reblock_map *map(reblock_procs *procs, int64_t n, const char *distribution) {
  reblock_template *with = template(procs, n, distribution);
  reblock_map *made;
  MUST(reblock_map_whole(with, &made));
  MUST(reblock_template_free(&with));
  return made;
}

/* Checks that each element of a one-dimensional array of int64_t is its index. `fill`: first writes the indices. */
static int is_index(reblock_array *array, int fill) {
  int64_t *data, extent, good = 1;
  reblock_map *mine;
  MUST(reblock_array_map(array, &mine));
  MUST(reblock_array_data(array, (void **)&data, &extent, NULL, NULL));
  for (int64_t k = 0; k < extent; k++) {
    int64_t index;
    MUST(reblock_map_global_index(mine, &k, &index, NULL));
    if (fill) data[k] = index;
    good &= data[k] == index;
  }
  MUST(reblock_map_free(&mine));
  return (int)good;
}

/* Passes, on one rank, a map that does not fit the array. The next redistributions must be right. */
static void realigning(reblock_procs *procs) {
  scene = "realigning";
  for (int64_t n = 100; n <= 1000000; n *= 100) {
    reblock_map *from = map(procs, n, "(BLOCK)"), *to = map(procs, n, "(CYCLIC)"), *given = to;
    reblock_map *large_from = map(procs, 500000, "(BLOCK)"), *large_to = map(procs, 500000, "(CYCLIC)");
    reblock_array *array, *other, *large;
    MUST(reblock_array_create(from, 8, &array));
    int64_t two = 2;
    if (me == 0) MUST(reblock_map_strides(to, &two, &given));
    expect(reblock_array_realign(array, given, 0) == REBLOCK_ERR_ARGUMENT, "an error on all ranks");
    MUST(reblock_array_create(large_from, 8, &other));
    MUST(reblock_array_create(large_from, 8, &large));
    is_index(large, 1);
    MUST(reblock_array_realign(large, large_to, 0));
    expect(is_index(large, 0), "the right values");
    MUST(reblock_array_free(&array));
    MUST(reblock_array_free(&other));
    MUST(reblock_array_free(&large));
    reblock_map *maps[] = {from, to, large_from, large_to};
    for (int k = 0; k < 4; k++) MUST(reblock_map_free(&maps[k]));
    if (given != to) MUST(reblock_map_free(&given));
  }
}

/* Tests names whose objects other calls change, and arrays that ranks request differently. */
static void names(reblock_procs *procs) {
  scene = "names";
  char text[200], processors[40];
  snprintf(processors, sizeof processors, "PROCESSORS P(%d)", ranks);
  const char *lines[] = {processors, "TEMPLATE T(1000)", "DISTRIBUTE T(BLOCK) ONTO P", "DIMENSION A(1000)", "ALIGN A(I) WITH T(I)"};
  reblock_scope *scope;
  reblock_array *array, *again = NULL;
  reblock_template *named, *cyclic = template(procs, 1000, "(CYCLIC(7))");
  reblock_map *now;
  MUST(reblock_scope_create(MPI_COMM_WORLD, &scope));
  for (int k = 0; k < 5; k++) MUST(reblock_scope_directive(scope, lines[k]));
  MUST(reblock_scope_array(scope, "A", 8, &array));
  int code = reblock_scope_array(scope, "A", me == ranks - 1 ? 4 : 8, &again);
  expect(code == REBLOCK_ERR_STATE && !again, "an error on all ranks");
  is_index(array, 1);
  MUST(reblock_scope_template(scope, "T", &named));
  MUST(reblock_template_redistribute(named, cyclic, 0, NULL));
  MUST(reblock_scope_map(scope, "A", &now));
  MUST(reblock_map_text(now, text, sizeof text, NULL));
  expect(strstr(text, "CYCLIC(7)") != NULL, "the map as it is now");
  expect(is_index(array, 0), "the right values");
  MUST(reblock_array_free(&array));
  MUST(reblock_map_free(&now));
  MUST(reblock_template_free(&named));
  MUST(reblock_template_free(&cyclic));
  MUST(reblock_scope_free(&scope));
}

enum { N = 200000 };

/* Uses a communicator for the first time, in different order on the ranks, during a request on another communicator. */
static void first_use(reblock_plan *plan, double *source, double *target) {
  scene = "first use";
  MPI_Comm other;
  reblock_procs *procs;
  reblock_request *request;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MUST(reblock_plan_start(plan, source, target, &request));
  if (me == 0) MUST(reblock_request_wait(&request));
  procs = line(other);
  if (me != 0) MUST(reblock_request_wait(&request));
  MUST(reblock_procs_free(&procs));
  MPI_Comm_free(&other);
}

/* Passes a bad handle on all ranks, at different times, while several communicators exist. The next calls must work. */
static void bad_handles(reblock_plan *plan, double *source, double *target) {
  scene = "bad handles";
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  reblock_procs *procs = line(other);
  reblock_request *request;
  usleep(50000u * (unsigned)me);
  expect(reblock_plan_execute(NULL, source, target) == REBLOCK_ERR_HANDLE, "a bad handle");
  MUST(reblock_plan_execute(plan, source, target));
  usleep(50000u * (unsigned)(ranks - me));
  expect(reblock_template_commit(NULL) == REBLOCK_ERR_HANDLE, "a bad handle");
  MUST(reblock_plan_start(plan, source, target, &request));
  MUST(reblock_request_wait(&request));
  expect(reblock_plan_execute(me == 0 ? NULL : plan, source, target) == REBLOCK_ERR_HANDLE, "a bad handle of one rank");
  MUST(reblock_plan_execute(plan, source, target));
  MUST(reblock_procs_free(&procs));
  MPI_Comm_free(&other);
}

/* Moves columns 2 and 3 to columns 1 and 2 of an array with longer columns in the same memory. */
static void unlike(reblock_procs *procs) {
  scene = "unlike arrays";
  int64_t one[2] = {1, 1}, three[2] = {12 * ranks, 3}, two[2] = {12 * ranks, 2}, strides[2] = {1, 12};
  reblock_template *rows, *columns;
  reblock_map *from, *whole, *to;
  reblock_plan *plan;
  MUST(reblock_template_create(procs, 2, one, three, &rows));
  MUST(reblock_template_dist_text(rows, "(BLOCK,*)"));
  MUST(reblock_template_commit(rows));
  MUST(reblock_template_create(procs, 2, one, two, &columns));
  MUST(reblock_template_dist_text(columns, "(*,BLOCK)"));
  MUST(reblock_template_commit(columns));
  MUST(reblock_map_whole(rows, &from));
  MUST(reblock_map_whole(columns, &whole));
  to = whole;
  int64_t extents[2];
  MUST(reblock_map_local(whole, extents, NULL, NULL, NULL, NULL, NULL));
  if (ranks > 1 && extents[1] == 1) MUST(reblock_map_strides(whole, strides, &to));
  reblock_range section[2] = {{1, 12 * ranks, 1}, {2, 3, 1}};
  double *storage = calloc(40 + 24 * (size_t)ranks, sizeof *storage);
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, section, to, NULL, 8, NULL, &plan));
  int code = reblock_plan_execute(plan, storage, storage);
  expect(ranks == 1 || code == REBLOCK_ERR_OVERLAP, "an overlap");
  MUST(reblock_plan_free(&plan));
  free(storage);
}

/* Tests invalid entries of ScaLAPACK's descriptors, on the last rank and on all ranks. Ranks with a valid descriptor
 * must get their maps. */
static void descriptors(void) {
  scene = "descriptors";
  static const struct { int entry, value; } mistakes[] = {{0, 501}, {0, -1}, {1, 77}, {1, -1}, {2, -1}, {3, -5}, {4, 0}, {5, -2}, {6, 99}, {7, -1}, {8, 0}};
  int context;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", ranks, 1);
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++)
    for (int all = 0; all < 2; all++) {
      int desc[9] = {1, context, 100, 50, 10, 10, 0, 0, 100}, wrong_here = all || me == ranks - 1;
      reblock_map *made = NULL;
      if (wrong_here) desc[mistakes[k].entry] = mistakes[k].value;
      int code = reblock_map_from_blacs(desc, &made);
      expect(wrong_here ? code == REBLOCK_ERR_ARGUMENT && !made && reblock_message()[0] : code == REBLOCK_OK && made,
             wrong_here ? "an error" : "a map");
      reblock_map_free(&made);
    }
  Cblacs_gridexit(context);
}

enum { HEIGHT = 23 };

/* Returns the process that has row i, from 0, of a matrix with a first block of imb rows and other blocks of mb
 * rows. */
static int owner(int i, int imb, int mb, int first) { return ((i < imb ? 0 : (i - imb) / mb + 1) + first) % ranks; }

/* Moves matrices whose first blocks have another size to rows that are dealt out one by one. */
static void first_blocks(void) {
  scene = "first blocks";
  static const int sizes[][2] = {{1, 3}, {3, 1}, {5, 2}, {2, 2}, {2, 9}, {40, 3}, {4, 40}};
  int context;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", ranks, 1);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int imb = sizes[k][0], mb = sizes[k][1], first = (int)k % ranks, rows = 0;
    int desc[11] = {2, context, HEIGHT, 1, imb, 1, mb, 1, first, 0, HEIGHT};
    double source[HEIGHT], target[HEIGHT];
    for (int i = 0; i < HEIGHT; i++)
      if (owner(i, imb, mb, first) == me) source[rows++] = i + 1;
    reblock_map *from, *to;
    reblock_plan *plan;
    MUST(reblock_map_from_blacs(desc, &from));
    MUST(reblock_map_from_blacs((int[]){1, context, HEIGHT, 1, 1, 1, 0, 0, HEIGHT}, &to));
    MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, sizeof *source, NULL, &plan));
    MUST(reblock_plan_execute(plan, source, target));
    for (int i = me, at = 0; i < HEIGHT; i += ranks, at++) expect(target[at] == i + 1, "the row that belongs there");
    MUST(reblock_plan_free(&plan));
    reblock_map_free(&from);
    reblock_map_free(&to);
  }
  /* IMB or INB of 0, and a descriptor with 64-bit integers. */
  reblock_map *none = NULL;
  expect(reblock_map_from_blacs((int[]){2, context, HEIGHT, 1, 0, 1, 2, 1, 0, 0, HEIGHT}, &none) == REBLOCK_ERR_ARGUMENT &&
             strstr(reblock_message(), "IMB_"), "an error");
  expect(reblock_map_from_blacs((int[]){1, 0, context, 0, HEIGHT, 0, 1, 0, 1, 0, 1, 0}, &none) == REBLOCK_ERR_ARGUMENT &&
             strstr(reblock_message(), "64-bit"), "an error");
  Cblacs_gridexit(context);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  alarm(120);
  reblock_procs *procs = line(MPI_COMM_WORLD);
  reblock_map *from = map(procs, N, "(BLOCK)"), *to = map(procs, N, "(CYCLIC)");
  reblock_plan *plan;
  double *source = calloc(N, sizeof *source), *target = calloc(N, sizeof *target);
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, sizeof *source, NULL, &plan));
  realigning(procs);
  names(procs);
  unlike(procs);
  descriptors();
  first_blocks();
  first_use(plan, source, target);
  if (ranks > 1) bad_handles(plan, source, target);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("hazards: %d ranks, %d wrong\n", ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
