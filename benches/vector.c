/* Measures resizes of a job with a vector in blocks, as in a conjugate-gradient solver: vector BYTES ROUNDS SIZES
 * job|plain. The job starts on the first number of ranks in SIZES, such as 2,4,8,4,2, and passes through all others
 * ROUNDS times. With `job` the program uses reblock_job, with `plain` the functions that it would need without reblock:
 * MPI_Comm_spawn, MPI_Intercomm_merge, MPI_Alltoallv into new memory, MPI_Comm_split. After each resize, every element
 * is checked. Prints medians in milliseconds: starting or dismissing processes, moving the vector, and the whole
 * resize. In both cases the program frees the old memory afterwards. */
#include "median.h"
#include "reblock.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RESIZES = 200 };

static int sizes[MAX_RESIZES], steps;
static int64_t elements, rounds, turn;
static double *part, *old;
static MPI_Comm comm;
static reblock_job *job;
/* Seconds of a resize: `mine` of the last resize on this rank; `all` of each resize on the slowest rank, on rank 0
 * only. */
static struct seconds {
  double spawn, move, total;
} mine, all[MAX_RESIZES];

static void must(int32_t code, const char *what) {
  if (!code) return;
  fprintf(stderr, "%s: %s\n", what, reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Returns the first index of a rank's block in reblock's distribution BLOCK; `rank` may be `ranks`, for the end of the
 * vector. */
static int64_t start(int rank, int ranks) { return least(elements, rank * ((elements + ranks - 1) / ranks)); }

/* Writes the values of this rank's block, or checks them. */
static void values(int check) {
  int me, ranks;
  MPI_Comm_rank(comm, &me), MPI_Comm_size(comm, &ranks);
  for (int64_t k = start(me, ranks), first = k; k < start(me + 1, ranks); k++) {
    if (!check) part[k - first] = (double)k;
    else if (part[k - first] != (double)k) fprintf(stderr, "wrong data\n"), MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* Records the times of the last resize. Called by the ranks that the job has after the resize. */
static void record(void) {
  MPI_Reduce(&mine, &all[turn - 1], 3, MPI_DOUBLE, MPI_MAX, 0, comm);
}

/* Resizes by reblock. */

/* Keeps the old memory, so that the program can free it after the measurement. */
static void release_later(void *data, void *context) {
  (void)context;
  old = data;
}

static void *allocate(int64_t bytes, void *context) {
  (void)context;
  return malloc(bytes);
}

static void read_times(void) {
  reblock_job_times times;
  must(reblock_job_times_init(&times), "times");
  must(reblock_job_get_times(job, &times), "times");
  mine.spawn = times.spawn, mine.move = times.transfer;
}

static void begin_job(int *joined) {
  int32_t came;
  reblock_map *map = NULL;
  reblock_job_options options;
  must(reblock_job_options_init(&options), "options");
  options.allocate = allocate, options.release = release_later;
  must(reblock_job_init(MPI_COMM_WORLD, &options, &job), "init");
  must(reblock_job_joined(job, &came), "joined");
  must(reblock_job_get_comm(job, &comm), "comm");
  if (came) read_times();
  if (!came) must(reblock_map_from_text(comm, 1, &elements, "(BLOCK)", &map), "map");
  must(reblock_job_add_array(job, map, sizeof *part, (void **)&part), "array");
  must(reblock_job_add_value(job, &turn, sizeof turn), "value");
  if (!came) must(reblock_map_free(&map), "free");
  *joined = came;
}

/* Returns whether this process remains in the job. */
static int resize_job(int to) {
  int32_t state;
  int ranks;
  MPI_Comm_size(comm, &ranks);
  must(to > ranks ? reblock_job_expand(job, to, &state) : reblock_job_shrink(job, to, &state), "resize");
  if (state == REBLOCK_JOB_LEAVE) return 0;
  must(reblock_job_get_comm(job, &comm), "comm");
  read_times();
  return 1;
}

/* Resizes by MPI alone. */

/* Moves the vector from the first `from` ranks of `both` to the first `to` ranks. */
static void move(MPI_Comm both, int from, int to) {
  int me, ranks;
  MPI_Comm_rank(both, &me), MPI_Comm_size(both, &ranks);
  MPI_Barrier(both);
  double begin = MPI_Wtime();
  int *lists = calloc(4 * (size_t)ranks, sizeof *lists), *count[2] = {lists, lists + ranks}, *at[2] = {lists + 2 * ranks, lists + 3 * ranks};
  for (int way = 0; way < 2; way++) {
    int own = way ? to : from, others = way ? from : to;
    int64_t low = start(me, own), high = start(me + 1, own);
    for (int k = 0; me < own && k < others; k++) {
      int64_t first = start(k, others) > low ? start(k, others) : low, end = least(start(k + 1, others), high);
      if (first < end) count[way][k] = (int)(end - first), at[way][k] = (int)(first - low);
    }
  }
  double *next = me < to ? malloc((size_t)(start(me + 1, to) - start(me, to)) * sizeof *next + 1) : NULL;
  MPI_Alltoallv(part, count[0], at[0], MPI_DOUBLE, next, count[1], at[1], MPI_DOUBLE, both);
  old = part, part = next;
  free(lists);
  mine.move = MPI_Wtime() - begin;
}

/* Sets `comm` to a communicator of the old and the new processes. `is_new` on new processes. */
static void grow(char **argv, int ranks, int to, int is_new) {
  MPI_Comm between, both;
  if (is_new) MPI_Comm_get_parent(&between);
  else MPI_Comm_spawn(argv[0], argv + 1, to - ranks, MPI_INFO_NULL, 0, comm, &between, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(between, is_new, &both);
  MPI_Comm_free(&between);
  if (!is_new && comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  comm = both;
}

static int resize_plain(char **argv, int to) {
  int me, ranks, stays;
  MPI_Comm next;
  double begin = MPI_Wtime();
  MPI_Comm_rank(comm, &me), MPI_Comm_size(comm, &ranks);
  if (to > ranks) {
    grow(argv, ranks, to, 0);
    mine.spawn = MPI_Wtime() - begin;
    MPI_Bcast(&turn, 1, MPI_INT64_T, 0, comm);
    move(comm, ranks, to);
    return 1;
  }
  move(comm, ranks, to);
  stays = me < to, begin = MPI_Wtime();
  MPI_Comm_split(comm, stays ? 0 : MPI_UNDEFINED, me, &next);
  MPI_Comm_free(&comm);
  comm = next;
  mine.spawn = MPI_Wtime() - begin;
  return stays;
}

static void begin_plain(char **argv) {
  int me, ranks;
  MPI_Comm parent;
  comm = MPI_COMM_WORLD;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_rank(comm, &me), MPI_Comm_size(comm, &ranks);
    part = malloc((size_t)(start(me + 1, ranks) - start(me, ranks)) * sizeof *part + 1);
    return;
  }
  grow(argv, 0, 0, 1);
  MPI_Bcast(&turn, 1, MPI_INT64_T, 0, comm);
  move(comm, sizes[(turn - 1) % steps], sizes[(turn - 1) % steps + 1]);
}

static void print(const char *who) {
  double list[3][MAX_RESIZES];
  for (int step = 0; step < steps; step++) {
    for (int k = 0; k < rounds; k++) {
      const struct seconds *slowest = &all[k * steps + step];
      list[0][k] = slowest->spawn, list[1][k] = slowest->move, list[2][k] = slowest->total;
    }
    printf("| %d to %d | %s | %.1f |", sizes[step], sizes[step + 1], who, 8e-6 * (double)elements);
    for (int k = 0; k < 3; k++) printf(" %.2f |", 1e3 * median(list[k], (int)rounds));
    printf("\n");
  }
}

int main(int argc, char **argv) {
  int level, me, joined = 0, stays = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &level);
  if (argc < 5) return fprintf(stderr, "vector BYTES ROUNDS SIZES job|plain\n"), 2;
  elements = strtoll(argv[1], NULL, 10) / (int64_t)sizeof *part, rounds = atoi(argv[2]);
  for (char *word = argv[3]; word && steps < MAX_RESIZES; word = strchr(word, ','), word += word != NULL) sizes[steps++] = atoi(word);
  int plain = !strcmp(argv[4], "plain");
  if (--steps < 1 || sizes[0] != sizes[steps] || rounds * steps > MAX_RESIZES)
    return fprintf(stderr, "vector: SIZES must begin and end with the same number, with at most %d resizes in all\n", MAX_RESIZES), 2;
  if (plain) begin_plain(argv), joined = turn > 0;
  else begin_job(&joined);
  if (!joined) values(0);
  while (stays) {
    free(old), old = NULL;
    values(1);
    if (turn) record();
    if (turn == rounds * steps) break;
    int to = sizes[turn++ % steps + 1];
    MPI_Barrier(comm);
    double begin = MPI_Wtime();
    stays = plain ? resize_plain(argv, to) : resize_job(to);
    mine.total = MPI_Wtime() - begin;
  }
  MPI_Comm_rank(stays ? comm : MPI_COMM_WORLD, &me);
  if (stays && me == 0) print(argv[4]);
  if (plain && stays && comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  if (!plain && stays) must(reblock_job_finalize(&job), "finalize");
  if (!plain && !stays) must(reblock_job_leave(&job), "leave");
  free(old), free(part);
  MPI_Finalize();
}
