/* Tests processes that join a job, in programs with other habits than the examples: uninitialised variables, and a
 * resize that fails after processes have been started. Usage: resizing_joins SLOTS, the number of processes that can be
 * started in all. */
#include "job.h"

enum { N = 40 };

static int fails;

static void *takes(int64_t bytes, void *context) {
  (void)context;
  return fails ? NULL : malloc(bytes);
}
static void gives(void *data, void *context) { (void)context, free(data); }

/* Writes or checks the elements of the registered array `number`, counted from 0 among all registered items. */
static void elements(int number, double *data, int check) {
  reblock_map *map;
  int64_t extents[2] = {1, 1}, strides[2] = {1, 1}, at[2], index[2];
  must(reblock_job_get_map(job, number, &map), "map");
  must(reblock_map_local(map, extents, NULL, NULL, NULL, strides, NULL), "local");
  for (at[1] = 0; at[1] < extents[1]; at[1]++)
    for (at[0] = 0; at[0] < extents[0]; at[0]++) {
      index[1] = 0;
      must(reblock_map_global_index(map, at, index, NULL), "index");
      double want = (double)(number + 10 * index[0] + 1000 * index[1] + round_), *place = &data[at[0] + at[1] * strides[1]];
      if (!check) *place = want;
      else if (*place != want) {
        fail("a wrong element", number);
        reblock_map_free(&map);
        return;
      }
    }
  reblock_map_free(&map);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int slots = argc > 1 ? atoi(argv[1]) : 0, joined, context, rows, cols, row, col, ranks;
  int32_t code, state = REBLOCK_JOB_SAME;
  /* The elements of an uninitialised variable may have any value. */
  int desc[9];
  double *a, *b, *later = NULL;
  reblock_map *map;
  memset(desc, 0x5a, sizeof desc), memset(&a, 0x5a, sizeof a), memset(&b, 0x5a, sizeof b), memset(&map, 0x5a, sizeof map);
  memset(&round_, 0x5a, sizeof round_);
  reblock_job_options options;
  must(reblock_job_options_init(&options), "options");
  options.unit = 1, options.allocate = takes, options.release = gives;
  code = reblock_job_init(MPI_COMM_WORLD, &options, &job);
  if (code == REBLOCK_ERR_CANCELLED && !job) {
    /* The job continues without this process, which ends like a process that leaves. */
    printf("resizing_joins: a process is not needed\n"), fflush(stdout);
    MPI_Finalize();
    return 0;
  }
  must(code, "init");
  must(reblock_job_joined(job, &joined), "joined");
  must(reblock_job_get_blacs(job, 0, 0, &context), "blacs");
  working();
  if (!joined) {
    blacs_gridinfo_(&context, &rows, &cols, &row, &col);
    int numbers[9] = {1, context, N, N, 3, 4, 0, 0, 100};
    memcpy(desc, numbers, sizeof desc);
    a = NULL, b = NULL, map = in_blocks(N), round_ = 0;
  }
  must(reblock_job_add_matrix(job, desc, sizeof *a, (void **)&a), "matrix");
  must(reblock_job_add_array(job, map, sizeof *b, (void **)&b), "array");
  must(reblock_job_add_value(job, &round_, sizeof round_), "value");
  if (!joined) elements(0, a, 0), elements(1, b, 0), reblock_map_free(&map);
  elements(0, a, 1), elements(1, b, 1);
  if (slots) {
    /* Several spawn calls: the processes of the first calls exist when the launcher refuses a later call. */
    code = reblock_job_expand(job, slots + 2, &state);
    if (code != REBLOCK_ERR_MPI || state != REBLOCK_JOB_SAME || working() != 1) fail("more processes than slots", code);
  } else if (!joined) {
    ranks = working();
    /* Rank 0 has no memory when the new processes exist. */
    fails = me == 0;
    code = reblock_job_expand(job, ranks + 2, &state);
    if (code != REBLOCK_ERR_MEMORY || state != REBLOCK_JOB_SAME || working() != ranks) fail("a resize without memory", code);
    fails = 0;
    elements(0, a, 1), elements(1, b, 1);
    round_++, elements(0, a, 0), elements(1, b, 0);
    must(reblock_job_expand(job, ranks + 2, &state), "expand");
    elements(0, a, 1), elements(1, b, 1);
  }
  /* All processes register this array after the expansion, so a joining process does not receive it. */
  map = in_blocks(N);
  ranks = working();
  must(reblock_job_add_array(job, map, sizeof *later, (void **)&later), "a later array");
  reblock_map_free(&map);
  elements(3, later, 0);
  if (!slots) must(reblock_job_shrink(job, ranks - 1, &state), "shrink");
  if (state == REBLOCK_JOB_LEAVE) {
    must(reblock_job_leave(&job), "leave");
  } else {
    elements(0, a, 1), elements(1, b, 1), elements(3, later, 1);
    must(reblock_job_finalize(&job), "finalize");
    if (!joined && me == 0 && !wrong) printf("resizing_joins: as it should be\n"), fflush(stdout);
  }
  free(a), free(b), free(later);
  MPI_Finalize();
  return wrong;
}
