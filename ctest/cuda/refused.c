/* Tests device pointers that reblock must refuse, and pinned and managed memory, which works like other memory of the
 * host. The program is linked with the stand-in for NVIDIA's driver.
 *
 *   mpirun -n RANKS refused                         arrays: every call fails on all ranks, writes nothing, and the next one works
 *                                                   likewise for lists, factors, options, handles and results in device memory
 *   mpirun -n 4 refused ROUTINE MATRIX RANK KIND    pd<ROUTINE> with A or B (or C) in memory of that kind on one rank, or on all (-1);
 *                                                   MATRIX d, s, m, t: the descriptor of A, alpha, M, or the letter in that memory */
#include "../scalapack.h"
#include "reblock.h"
#include "standin.h"
#include <mpi.h>

void pdgemr2d_(int *, int *, double *, int *, int *, int *, double *, int *, int *, int *, int *);
void pdlacpy_(const char *, int *, int *, double *, int *, int *, int *, double *, int *, int *, int *, size_t);
void pdgeadd_(const char *, int *, int *, double *, double *, int *, int *, int *, double *, double *, int *, int *, int *, size_t);

enum { N = 60 };
static int me, ranks, wrong;

#define MUST(call) must(call, #call)
static void must(int32_t code, const char *call) {
  if (!code) return;
  fprintf(stderr, "rank %d: %s: %s: %s\n", me, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
/* Checks that the call fails with a text that has all of `words`. */
#define REFUSED(call, words) refused(call, #call, words)
static void refused(int32_t code, const char *call, const char *words) {
  if (code == REBLOCK_ERR_ARGUMENT && strstr(reblock_message(), words)) return;
  fprintf(stderr, "rank %d: %s: %s: %s; expected: %s\n", me, call, reblock_code_name(code), reblock_message(), words);
  wrong++;
}

/* Returns an argument in a device's memory on the last rank. All ranks must fail, and the next call must work. */
static void *mine_on_device(const void *contents, size_t bytes) {
  return placed(me == ranks - 1 ? DEVICE_ARRAY : HOST_ARRAY, contents, bytes, 0).data;
}
#define PLACED(type, ...) (type *)mine_on_device((type[]){__VA_ARGS__}, sizeof(type[]){__VA_ARGS__})
#define ON_GPU(what) what " lies in the memory of GPU 0, expected memory of the host"
/* Like REFUSED, for a local call, which fails on the last rank only. */
#define REFUSED_HERE(call, words) \
  do { \
    if (me == ranks - 1) REFUSED(call, words); \
    else MUST(call); \
  } while (0)

static void others(reblock_map *from, reblock_map *to, reblock_plan *plan, int64_t *source, int64_t *target) {
  MPI_Comm world = MPI_COMM_WORLD;
  reblock_plan *no_plan = NULL;
  reblock_map *map = NULL;
  int64_t two = 2, zero = 0, extent = N * ranks;
  int64_t *numbers = PLACED(int64_t, 1, 1);
  /* A plan's lists, values and options. */
  REFUSED(reblock_plan_gather(world, from, 0, 2, numbers, 8, NULL, &no_plan), ON_GPU("indices"));
  REFUSED(reblock_plan_eoshift(world, from, NULL, to, NULL, 8, 1, numbers, NULL, NULL, &no_plan), ON_GPU("shifts"));
  REFUSED(reblock_plan_eoshift(world, from, NULL, to, NULL, 8, 1, &two, numbers, NULL, &no_plan), ON_GPU("boundary"));
  REFUSED(reblock_plan_shadow(world, from, PLACED(int64_t, 0), &zero, NULL, 0, 8, NULL, &no_plan), ON_GPU("before"));
  reblock_range section = {0, N - 1, 1};
  REFUSED(reblock_plan_create(world, from, mine_on_device(&section, sizeof section), to, &section, 8, NULL, &no_plan), ON_GPU("the section"));
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  REFUSED(reblock_plan_create(world, from, NULL, to, NULL, 8, mine_on_device(&options, sizeof options), &no_plan),
          ON_GPU("reblock_plan_options"));
  options.scheduler = mine_on_device("drc", 4);
  REFUSED(reblock_plan_create(world, from, NULL, to, NULL, 8, &options, &no_plan), ON_GPU("scheduler"));
  REFUSED(reblock_plan_create(world, from, NULL, to, NULL, 8, NULL, mine_on_device(&no_plan, sizeof no_plan)), ON_GPU("plan"));
  if (no_plan) wrong++;
  /* Maps. */
  REFUSED(reblock_map_from_text(world, 1, PLACED(int64_t, 60), "(BLOCK)", &map), ON_GPU("extents"));
  REFUSED(reblock_map_from_text(world, 1, &extent, mine_on_device("(BLOCK)", 8), &map), ON_GPU("distribution"));
  REFUSED(reblock_map_from_boxes(world, 1, &extent, 1, numbers, &zero, 0, NULL, NULL, &map), ON_GPU("starts"));
  REFUSED(reblock_map_from_boxes(world, 1, &extent, 1, &zero, &zero, 0, PLACED(int64_t, 0), NULL, &map), ON_GPU("offsets"));
  REFUSED(reblock_map_dereference(from, 2, numbers, &zero, NULL), ON_GPU("indices"));
  int64_t index[2] = {0, 1}, found[2];
  REFUSED(reblock_map_dereference(from, 2, index, numbers, found), ON_GPU("the memory for a result"));
  REFUSED(reblock_map_dereference(from, 2, index, found, numbers), ON_GPU("the memory for a result"));
  MUST(reblock_map_dereference(from, 2, index, found, NULL));
  REFUSED_HERE(reblock_map_elements(from, numbers), ON_GPU("the memory for a result"));
  /* Owners of an INDIRECT axis: the call fails on this rank, and on all ranks when the template is committed. */
  reblock_procs *procs;
  reblock_template *tmpl;
  int64_t shape = ranks, upper = 1;
  MUST(reblock_procs_create(world, 1, &shape, NULL, &procs));
  MUST(reblock_template_create(procs, 1, &zero, &upper, &tmpl));
  REFUSED_HERE(reblock_template_dist_indirect(tmpl, 0, 0, 2, PLACED(int64_t, 0, 0)), ON_GPU("owners"));
  if (reblock_template_commit(tmpl) == REBLOCK_OK && ranks > 1) wrong++;
  MUST(reblock_template_free(&tmpl));
  MUST(reblock_procs_free(&procs));
  /* Calls of a plan. */
  double one = 1;
  reblock_update sum;
  MUST(reblock_update_init(&sum));
  sum.type = REBLOCK_DOUBLE, sum.alpha = mine_on_device(&one, sizeof one), sum.beta = &one;
  REFUSED(reblock_plan_update(plan, source, target, &sum), ON_GPU("alpha"));
  sum.alpha = &one, sum.beta = mine_on_device(&one, sizeof one);
  REFUSED(reblock_plan_update(plan, source, target, &sum), ON_GPU("beta"));
  sum.beta = &one;
  REFUSED(reblock_plan_update(plan, source, target, mine_on_device(&sum, sizeof sum)), ON_GPU("reblock_update"));
  const void *sources[] = {source};
  void *targets[] = {target};
  REFUSED(reblock_plan_execute_many(1, &plan, mine_on_device(sources, sizeof sources), targets), ON_GPU("sources"));
  reblock_request *request = NULL, **there = me == ranks - 1 ? mine_on_device(&request, sizeof request) : &request;
  int32_t started = reblock_plan_start(plan, source, target, there);
  if (me == ranks - 1) REFUSED(started, ON_GPU("request"));
  else REFUSED(reblock_request_wait(&request), ON_GPU("request"));
  REFUSED(reblock_save(world, mine_on_device("x.npy", 6), from, source, 8, NULL), ON_GPU("path"));
  REFUSED_HERE(reblock_plan_free(mine_on_device(&no_plan, sizeof no_plan)), ON_GPU("the variable with the handle"));
  MUST(reblock_plan_execute(plan, source, target));
}

static int arrays(void) {
  int64_t extents[1] = {N * ranks};
  reblock_map *from, *to;
  reblock_plan *plan;
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 1, extents, "(BLOCK)", &from));
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 1, extents, "(CYCLIC(7))", &to));
  int64_t sizes[2];
  MUST(reblock_map_elements(from, &sizes[0]));
  MUST(reblock_map_elements(to, &sizes[1]));
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, NULL, &plan));
  int64_t *source = malloc(8 * N * 2), *target = malloc(8 * N * 2), *before = malloc(8 * N * 2), bytes[2] = {8 * sizes[0], 8 * sizes[1]};
  for (int64_t i = 0; i < sizes[0]; i++) source[i] = N * me + i;
  for (int64_t i = 0; i < sizes[1]; i++) before[i] = -1;
  MUST(reblock_save(MPI_COMM_WORLD, "refused.npy", from, source, 8, NULL));
  for (int kind = HOST_ARRAY; kind < MEMORY_KINDS; kind++)
    /* The last rank or all ranks have such memory. */
    for (int all = 0; all < 2; all++)
      for (int side = 0; side < 2; side++) {
        enum memory_kind mine = all || me == ranks - 1 ? kind : HOST_ARRAY, kinds[2] = {HOST_ARRAY, HOST_ARRAY};
        kinds[side] = mine;
        struct placed from_here = placed(kinds[0], source, (size_t)bytes[0], 0), to_here = placed(kinds[1], before, (size_t)bytes[1], 0);
        void *a = from_here.data, *b = to_here.data;
        reblock_request *request = NULL;
        if (on_device((enum memory_kind)kind)) {
          char words[200];
          snprintf(words, sizeof words, "the %s lies in the memory of GPU %d", side ? "target" : "source", kind == SECOND_DEVICE_ARRAY);
          REFUSED(reblock_plan_execute(plan, a, b), words);
          REFUSED(reblock_plan_execute_many(1, &plan, (const void *[]){a}, (void *[]){b}), words);
          REFUSED(reblock_move(MPI_COMM_WORLD, from, NULL, to, NULL, 8, a, b), words);
          double one = 1;
          reblock_update sum;
          MUST(reblock_update_init(&sum));
          sum.type = REBLOCK_DOUBLE, sum.combine = REBLOCK_ADD, sum.alpha = sum.beta = &one;
          REFUSED(reblock_plan_update(plan, a, b, &sum), words);
          MUST(reblock_plan_start(plan, a, b, &request));
          REFUSED(reblock_request_wait(&request), words);
          snprintf(words, sizeof words, "data lies in the memory of GPU %d", kind == SECOND_DEVICE_ARRAY);
          if (!side) REFUSED(reblock_save(MPI_COMM_WORLD, "refused.npy", from, a, 8, NULL), words);
          else REFUSED(reblock_load(MPI_COMM_WORLD, "refused.npy", to, b, 8, NULL), words);
        } else {
          MUST(reblock_plan_execute(plan, a, b));
        }
        take_back(&to_here, target);
        take_back(&from_here, source);
        for (int64_t i = 0; i < sizes[1]; i++) {
          int64_t want = on_device((enum memory_kind)kind) ? -1 : (i / 7 * ranks + me) * 7 + i % 7;
          wrong += target[i] != want;
        }
      }
  if (!me) remove("refused.npy");
  others(from, to, plan, source, before);
  return wrong;
}

static double *matrix(int context, int nb, int *desc, int *count) {
  int rows, cols, row, col;
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  int height = local_count(N, nb, row, 0, rows), width = local_count(N, nb, col, 0, cols);
  memcpy(desc, (int[]){1, context, N, N, nb, nb, 0, 0, height > 0 ? height : 1}, 9 * sizeof(int));
  *count = height * width;
  double *data = malloc(8 * (size_t)*count);
  for (int k = 0; k < *count; k++)
    data[k] = global_index(k % height, nb, row, rows) + N * global_index(k / height, nb, col, cols);
  return data;
}

static int routine(const char *name, char which, int rank, enum memory_kind kind) {
  int grid = new_grid("R", 2, 2), n = N, one = 1, desc[2][9], count[2], lacpy = !strcmp(name, "lacpy");
  double *data[2] = {matrix(grid, 4, desc[0], &count[0]), matrix(grid, lacpy ? 4 : 6, desc[1], &count[1])}, alpha = 1, beta = 0;
  double *right = malloc(8 * (size_t)count[1]), *memory[2];
  struct placed arrays[2];
  int here = rank < 0 || rank == me;
  memcpy(right, data[1], 8 * (size_t)count[1]);
  memset(data[1], 0, 8 * (size_t)count[1]);
  for (int k = 0; k < 2; k++) {
    int changed = here && which < 'a' && (which != 'A') == k;
    arrays[k] = placed(changed ? kind : HOST_ARRAY, data[k], 8 * (size_t)count[k], 0);
    memory[k] = (double *)arrays[k].data;
  }
  int *descriptor = (int *)placed(here && which == 'd' ? kind : HOST_ARRAY, desc[0], sizeof desc[0], 0).data;
  int *rows = (int *)placed(here && which == 'm' ? kind : HOST_ARRAY, &n, sizeof n, 0).data;
  const char *letter = placed(here && which == 't' ? kind : HOST_ARRAY, lacpy ? "A" : "N", 1, 0).data;
  double *factor = (double *)placed(here && which == 's' ? kind : HOST_ARRAY, &alpha, sizeof alpha, 0).data;
  if (getenv("BAD_STREAM")) {
    void *stream;
    enter(DEVICE_ARRAY);
    DRIVER(cuStreamCreate(&stream, 1));
    DRIVER(cuStreamDestroy_v2(stream));
    leave();
    MUST(reblock_device_stream(stream));
  }
  if (!strcmp(name, "gemr2d")) pdgemr2d_(rows, &n, memory[0], &one, &one, descriptor, memory[1], &one, &one, desc[1], &grid);
  else if (lacpy) pdlacpy_(letter, rows, &n, memory[0], &one, &one, desc[0], memory[1], &one, &one, desc[1], 1);
  else pdgeadd_(letter, rows, &n, factor, memory[0], &one, &one, desc[0], &beta, memory[1], &one, &one, desc[1], 1);
  printf("returned\n");
  fflush(stdout);
  take_back(&arrays[1], data[1]);
  for (int k = 0; k < count[1]; k++) wrong += data[1][k] != right[k];
  return wrong;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int bad = argc < 2 ? arrays() : routine(argv[1], argv[2][0], atoi(argv[3]), (enum memory_kind)atoi(argv[4])), all;
  MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("%d wrong\n", all);
  MPI_Finalize();
  return all != 0;
}
