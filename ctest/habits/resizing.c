/* Tests jobs of programs with other habits than the examples: leading dimensions larger than needed, storage that the
 * library allocates and the program fills completely, registrations that fail, requests under way at a resize, sizes
 * that cannot be reached. Ranks are parked and come back, which works under every MPI. */
#include "job.h"

enum { M = 61, N = 100, LLD = 5000, ROWS = 3, GUARD = 64 };

static int fails;
static double *wide, *thin, *list;
static int desc_wide[9], desc_thin[9];
/* Bytes of the last block of the job's allocator, and its number of blocks. */
static int64_t last, blocks;

/* Checks that a mistake returns the code `want`, with a text that contains `words`. */
static void refused(int32_t code, int32_t want, const char *words, const char *what) {
  if (code != want || !strstr(reblock_message(), words)) fail(what, code);
}

/* Allocates storage with a guard behind it, which is checked when the storage is freed. */
static void *takes(int64_t bytes, void *context) {
  (void)context;
  if (fails) return NULL;
  char *block = malloc(bytes + 2 * GUARD);
  memcpy(block, &bytes, sizeof bytes);
  memset(block + GUARD + bytes, 0x5a, GUARD);
  blocks++, last = bytes;
  return block + GUARD;
}

static int64_t held(const void *data) {
  int64_t bytes;
  memcpy(&bytes, (const char *)data - GUARD, sizeof bytes);
  return bytes;
}

static void gives(void *data, void *context) {
  (void)context;
  const char *behind = (const char *)data + held(data);
  for (int k = 0; k < GUARD; k++)
    if (behind[k] != 0x5a) fail("the program has written behind storage of the library", held(data)), k = GUARD;
  blocks--, free((char *)data - GUARD);
}

/* Writes all LLD_ x LOCc elements of a matrix's storage, or checks the elements of the matrix. */
static void matrix(const int *desc, double *data, int check) {
  int rows, cols, row, col;
  blacs_gridinfo_(&desc[1], &rows, &cols, &row, &col);
  int local = local_count(desc[2], desc[4], row, 0, rows), across = local_count(desc[3], desc[5], col, 0, cols);
  int64_t need = (int64_t)desc[8] * across * (int64_t)sizeof *data;
  if (!data) fail("a part of a matrix has no storage", desc[2]);
  else if (held(data) < need) fail("storage of a matrix is smaller than LLD_ x LOCc", held(data) - need);
  else
    for (int j = 0; j < across; j++)
      for (int i = 0; i < desc[8]; i++) {
        double want = i < local ? 1000.0 * global_index(i, desc[4], row, rows) + global_index(j, desc[5], col, cols) : -7;
        double *place = &data[(size_t)j * desc[8] + i];
        if (!check) *place = want;
        else if (i < local && *place != want) fail("a matrix has a wrong element", i), i = desc[8], j = across;
      }
}

static void array(int check) {
  reblock_map *map;
  int64_t extent, index;
  must(reblock_job_get_map(job, 2, &map), "map");
  must(reblock_map_local(map, &extent, NULL, NULL, NULL, NULL, NULL), "local");
  if (!list) fail("a part without elements has no storage", extent);
  for (int64_t k = 0; k < extent; k++) {
    must(reblock_map_global_index(map, &k, &index, NULL), "index");
    if (!check) list[k] = (double)index;
    else if (list[k] != (double)index) fail("an array has a wrong element", index), k = extent;
  }
  reblock_map_free(&map);
}

static void everything(int check) { matrix(desc_wide, wide, check), matrix(desc_thin, thin, check), array(check); }

/* Returns the map of two elements in blocks on all ranks of the job. */
static reblock_map *two(int64_t stride) {
  reblock_map *map = in_blocks(2), *other;
  if (stride == 1) return map;
  must(reblock_map_strides(map, &stride, &other), "strides");
  reblock_map_free(&map);
  return other;
}

/* Checks that the last resize was from `before` ranks to `after`, and took some time. */
static void timed(int before, int after) {
  reblock_job_times times;
  must(reblock_job_times_init(&times), "times");
  must(reblock_job_get_times(job, &times), "times");
  if (times.before != before || times.after != after) fail("times of another resize", times.before * 100 + times.after);
  double parts = times.ask + times.spawn + times.grid + times.plan + times.transfer;
  if (!(times.total > 0 && parts > 0 && parts <= times.total)) fail("a total that is not that of the parts, in ns", times.total * 1e9);
}

/* Shrinks to one rank and grows back; the parked ranks come back with all others. */
static void around(const char *what) {
  int32_t state;
  int ranks = working();
  must(reblock_job_shrink(job, 1, &state), what);
  if (working() == 1) {
    everything(1), timed(ranks, 1);
    must(reblock_job_step(job, &state), "a step that changes nothing");
    timed(ranks, 1);
    must(reblock_job_expand(job, ranks, &state), what);
  }
  everything(1), everything(0), timed(1, ranks);
}

/* Tests that registrations that fail leave nothing behind. */
static void mistakes(int context) {
  int desc[9] = {1, context, M, N, 4, 3, 0, 0, LLD}, own[9];
  double *other = NULL, *inside = wide + 1, *again = wide;
  static struct { int steps, desc[9]; double *data; } all;
  reblock_map *map = two(1), *backwards = two(-1);
  fails = 1;
  refused(reblock_job_add_matrix(job, desc, 8, (void **)&other), REBLOCK_ERR_MEMORY, "bytes", "no memory for a matrix");
  refused(reblock_job_add_array(job, map, 8, (void **)&other), REBLOCK_ERR_MEMORY, "bytes", "no memory for an array");
  fails = 0;
  if (other) fail("a registration that failed has left a pointer", 0);
  around("after registrations that failed");
  memcpy(desc, desc_wide, sizeof desc), memcpy(own, desc_wide, sizeof own);
  again = wide, inside = wide + 1;
  refused(reblock_job_add_matrix(job, own, 8, (void **)&again), REBLOCK_ERR_ARGUMENT, "registered item 0", "one storage by two pointers");
  refused(reblock_job_add_matrix(job, own, 8, (void **)&inside), REBLOCK_ERR_ARGUMENT, "registered item 0", "a pointer into a storage");
  refused(reblock_job_add_matrix(job, own, 8, (void **)&wide), REBLOCK_ERR_ARGUMENT, "registered item 0", "one pointer twice");
  refused(reblock_job_add_array(job, map, 8, (void **)&list), REBLOCK_ERR_ARGUMENT, "registered item 2", "one pointer of an array twice");
  refused(reblock_job_add_value(job, wide, 8), REBLOCK_ERR_ARGUMENT, "registered item 0", "a value in a storage that moves");
  refused(reblock_job_add_value(job, &wide, sizeof wide), REBLOCK_ERR_ARGUMENT, "registered item 0", "a pointer of an array as a value");
  refused(reblock_job_add_value(job, desc_wide, sizeof desc_wide), REBLOCK_ERR_ARGUMENT, "registered item 0", "a descriptor as a value");
  refused(reblock_job_add_value(job, &all, INT64_MAX), REBLOCK_ERR_ARGUMENT, "bytes is 9223372036854775807", "a value beyond all addresses");
  refused(reblock_job_set_leaving(job, INT64_MAX, (int64_t[]){1}), REBLOCK_ERR_ARGUMENT, "count is 9223372036854775807",
          "more ranks than any job has");
  must(reblock_job_add_value(job, &all, sizeof all), "a value");
  memcpy(all.desc, desc_wide, sizeof all.desc);
  refused(reblock_job_add_matrix(job, all.desc, 8, (void **)&other), REBLOCK_ERR_ARGUMENT, "registered item 3", "a descriptor in a value");
  refused(reblock_job_add_array(job, map, 8, (void **)&all.data), REBLOCK_ERR_ARGUMENT, "registered item 3", "a pointer in a value");
  refused(reblock_job_add_array(job, backwards, 8, (void **)&other), REBLOCK_ERR_ARGUMENT, "stride", "strides that are negative");
  own[0] = 2;
  refused(reblock_job_add_matrix(job, own, 8, (void **)&other), REBLOCK_ERR_ARGUMENT, "DTYPE_", "DTYPE_ 2");
  own[0] = 1, own[8] = 1;
  refused(reblock_job_add_matrix(job, own, 8, (void **)&other), REBLOCK_ERR_ARGUMENT, "the local rows on process", "LLD_ 1");
  reblock_map_free(&map), reblock_map_free(&backwards);
  around("after mistakes");
}

/* Tests that a resize during a request is refused on all ranks, and that the request continues. */
static void under_way(void) {
  int32_t state = 7;
  MPI_Comm comm;
  reblock_map *map;
  reblock_plan *plan;
  reblock_request *request;
  double copy[4] = {0};
  int ranks = working();
  must(reblock_job_get_comm(job, &comm), "comm");
  must(reblock_job_get_map(job, 2, &map), "map");
  for (int other = 0; other < 2; other++) {
    /* The request is on the job's communicator or on another communicator, and reads an array that moves. */
    must(reblock_plan_create(other ? MPI_COMM_WORLD : comm, map, NULL, map, NULL, 8, NULL, &plan), "plan");
    must(reblock_plan_start(plan, list, copy, &request), "start");
    refused(reblock_job_shrink(job, 1, &state), REBLOCK_ERR_STATE, "reblock_request_wait", "a resize while a request is under way");
    if (!other) refused(reblock_job_finalize(&job), REBLOCK_ERR_STATE, "reblock_request_wait", "an end while a request is under way");
    if (!job || working() != ranks || state != REBLOCK_JOB_SAME) fail("a refused resize changes something", state);
    must(reblock_job_set_policy_text(job, ""), "no policy");
    must(reblock_job_step(job, &state), "a step that changes nothing while a request is under way");
    must(reblock_request_wait(&request), "wait");
    reblock_plan_free(&plan);
  }
  /* A request on another communicator, with arrays that the job does not have, does not prevent a resize. */
  double from[4] = {1, 2, 3, 4};
  must(reblock_plan_create(MPI_COMM_WORLD, map, NULL, map, NULL, 8, NULL, &plan), "plan");
  must(reblock_plan_start(plan, from, copy, &request), "start");
  around("while another request is under way");
  must(reblock_request_wait(&request), "wait");
  reblock_plan_free(&plan), reblock_map_free(&map);
}

static int64_t asked;
static int64_t asks(void *context, int64_t ranks, double seconds) {
  (void)context, (void)ranks, (void)seconds;
  return asked;
}

/* Tests sizes that cannot be reached: such a size is tried once, and again only after the policy has asked for another
 * size, or for none. No rank of this job can leave, and Debian's MPICH cannot start processes. */
static void unreachable(int ranks) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length, starts;
  int32_t state;
  reblock_job *stiff;
  MPI_Get_library_version(version, &length);
  starts = !!strstr(version, "Open MPI");
  must(reblock_job_init(MPI_COMM_WORLD, NULL, &stiff), "init");
  must(reblock_job_set_policy(stiff, asks, NULL), "policy");
  for (int round = 0; round < (starts ? 2 : 4); round++) {
    asked = round < 2 ? 1 : ranks + 1;
    for (int step = 0; step < 3; step++) {
      int32_t code = reblock_job_step(stiff, &state);
      if (code != (step ? REBLOCK_OK : round < 2 ? REBLOCK_ERR_STATE : REBLOCK_ERR_MPI)) fail("what cannot be reached", step);
      if (state != REBLOCK_JOB_SAME) fail("a size that cannot be reached changes something", state);
    }
    refused(reblock_job_shrink(stiff, 1, &state), REBLOCK_ERR_STATE, "1 rank:", "what the program asks for itself is tried");
    asked = 0;
    must(reblock_job_step(stiff, &state), "a policy that asks for nothing");
  }
  must(reblock_job_finalize(&stiff), "finalize");
}

static void texts(void) {
  int32_t state;
  refused(reblock_job_shrink(job, INT64_MAX, &state), REBLOCK_ERR_ARGUMENT, "9223372036854775807", "shrink to INT64_MAX");
  refused(reblock_job_expand(job, -3, &state), REBLOCK_ERR_ARGUMENT, "-3 ranks", "expand to -3");
  refused(reblock_job_can_resize(job, -1), REBLOCK_ERR_ARGUMENT, "ranks is -1", "possible -1");
  static const char *bad[] = {"file:", "sweet:2,1", "sweet:1,1", "sweet:4,1,2:0.2"};
  for (int k = 0; k < 4; k++) refused(reblock_job_set_policy_text(job, bad[k]), REBLOCK_ERR_ARGUMENT, bad[k], "a policy that is none");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  int ranks, context, rows, cols, row, col;
  reblock_job_options options;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  must(reblock_job_options_init(&options), "options");
  options.park = 1, options.allocate = takes, options.release = gives;
  must(reblock_job_init(MPI_COMM_WORLD, &options, &job), "init");
  must(reblock_job_get_blacs(job, 0, 0, &context), "blacs");
  blacs_gridinfo_(&context, &rows, &cols, &row, &col);
  memcpy(desc_wide, (int[]){1, context, M, N, 4, 3, 0, 0, LLD}, sizeof desc_wide);
  memcpy(desc_thin, (int[]){1, context, ROWS, N, 4, 3, 0, 0, row ? 7 : ROWS}, sizeof desc_thin);
  reblock_map *map = two(1);
  must(reblock_job_add_matrix(job, desc_wide, sizeof *wide, (void **)&wide), "a wide matrix");
  must(reblock_job_add_matrix(job, desc_thin, sizeof *thin, (void **)&thin), "a thin matrix");
  must(reblock_job_add_array(job, map, sizeof *list, (void **)&list), "an array");
  reblock_map_free(&map);
  everything(0), everything(1);
  around("storage of the library");
  must(reblock_job_get_blacs(job, 0, 0, &context), "blacs");
  mistakes(context);
  texts();
  under_way();
  unreachable(ranks);
  around("at the end");
  must(reblock_job_finalize(&job), "finalize");
  gives(wide, NULL), gives(thin, NULL), gives(list, NULL);
  if (blocks) fail("blocks are left over", blocks);
  if (me == 0 && !wrong) printf("resizing: %d ranks: as it should be\n", ranks);
  MPI_Finalize();
  return wrong;
}
