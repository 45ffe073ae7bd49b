/* Tests the HPF interface if one rank, or each rank, has no memory for a call. All ranks must return one code with a
 * text, nothing may be written, and the call must work once there is memory. If there is little memory, but enough, the
 * call must work at once.
 *
 *   mpirun -n RANKS starved FILE       memory of processes; FILE.npy is written
 *   REBLOCK_TRANSPORT=shm mpirun -n RANKS starved shm    memory that the ranks of a node share */
#include <errno.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { N = 1 << 19, LARGE = 200 << 10, LARGEST = 4 << 20, ANY = -1 };
#include "vector.h"

/* The number of large blocks that this process may still allocate. This program wraps the C library's functions. Even
 * larger blocks are not limited: reblock needs none here, and without them MPICH's MPI_File_open ends the job. */
static atomic_int left = ANY;
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static int is_there(size_t bytes) {
  if (bytes < LARGE || bytes > LARGEST || left == ANY) return 1;
  if (left > 0) {
    left--;
    return 1;
  }
  errno = ENOMEM;
  return 0;
}
void *malloc(size_t bytes) { return is_there(bytes) ? __libc_malloc(bytes) : NULL; }
void *calloc(size_t count, size_t bytes) { return is_there(count * bytes) ? __libc_calloc(count, bytes) : NULL; }
void *realloc(void *old, size_t bytes) { return is_there(bytes) ? __libc_realloc(old, bytes) : NULL; }

enum who { LAST, ALL, WHO };
static const char *const names[] = {"the last rank", "each rank"};
static int is_me(enum who who) { return who == ALL || me == ranks - 1; }
static char what[200];
static void now(const char *scene, enum who who) { snprintf(what, sizeof what, "%s, %s", scene, names[who]); }

/* Sets the number of large blocks, or ANY, on the ranks chosen by `who`. */
static void leave(int blocks, enum who who) { if (is_me(who)) left = blocks; }

static void starves(const struct moved *m, int blocks, enum who who, const char *text) {
  reblock_request *request = NULL;
  empty();
  leave(blocks, who);
  int32_t code = reblock_plan_execute(m->plan, source, target);
  leave(ANY, who);
  wants(code, REBLOCK_ERR_MEMORY, text, what);
  is_empty(what);
  if (blocks) return; /* they are kept for the next call, which then has one more block */
  leave(0, who);
  code = reblock_plan_start(m->plan, source, target, &request);
  wants(code, REBLOCK_OK, "", what);
  code = reblock_request_wait(&request);
  leave(ANY, who);
  wants(code, REBLOCK_ERR_MEMORY, text, what);
  is_empty(what);
}

/* Buffers for messages of one size are kept between calls; larger buffers must be allocated. */
static struct moved by_mpi(int64_t message) {
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  options.transport = "mpi", options.window = 4, options.buffer = message * 32;
  return make(MPI_COMM_WORLD, 0, 3, &options);
}
static void messages(void) {
  static const struct { int64_t message; enum who who; int blocks; } cases[] = {
      {256 << 10, LAST, 0}, {384 << 10, LAST, 1}, {512 << 10, ALL, 1}, {640 << 10, ALL, 0}};
  const char *text = "message buffer";
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct moved m = by_mpi(cases[k].message);
    now("messages", cases[k].who);
    starves(&m, cases[k].blocks, cases[k].who, text);
    execute(&m);
    release(&m);
  }
  /* Two blocks are enough: one to send and one to receive. */
  struct moved m = by_mpi(1 << 20);
  leave(2, ALL);
  execute(&m);
  leave(ANY, ALL);
  release(&m);
}

static void intermediate_arrays(void) {
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  options.scheduler = "multiphase", options.buffer = 64 << 20;
  struct moved m = make(MPI_COMM_WORLD, 1, 64, &options);
  for (enum who who = LAST; who < WHO; who++) {
    now("intermediate arrays", who);
    starves(&m, 0, who, "intermediate array");
    execute(&m);
    /* The second array of two has no memory. */
    reblock_plan *plans[2] = {m.plan, m.plan};
    static int64_t more[N];
    empty();
    leave(1, who);
    int32_t code = reblock_plan_execute_many(2, plans, (const void *[]){source, source}, (void *[]){more, target});
    leave(ANY, who);
    wants(code, REBLOCK_ERR_MEMORY, "intermediate array", what);
    is_empty(what);
    for (int k = 0; k < N; k++) wrong += more[k] != 0;
  }
  release(&m);
}

static void files(const char *name) {
  struct moved m = make(MPI_COMM_WORLD, 0, 3, NULL);
  char path[400];
  snprintf(path, sizeof path, "%s.npy", name);
  for (enum who who = LAST; who < WHO; who++) {
    now("files", who);
    if (!me) unlink(path);
    fill(&m, source);
    leave(0, who);
    int32_t code = reblock_save(MPI_COMM_WORLD, path, m.from, source, sizeof *source, NULL);
    leave(ANY, who);
    wants(code, REBLOCK_ERR_MEMORY, "part of a file", what);
    if (!access(path, F_OK)) wrong++, fprintf(stderr, "rank %d: %s: a file is there\n", me, what);
    MUST(reblock_save(MPI_COMM_WORLD, path, m.from, source, sizeof *source, NULL));
    empty();
    leave(0, who);
    code = reblock_load(MPI_COMM_WORLD, path, m.to, target, sizeof *target, NULL);
    leave(ANY, who);
    wants(code, REBLOCK_ERR_MEMORY, "part of a file", what);
    is_empty(what);
    MUST(reblock_load(MPI_COMM_WORLD, path, m.to, target, sizeof *target, NULL));
    check(m.to, m.to_block, target, what);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (!me) unlink(path);
  release(&m);
}

/* Limits a resource to `most` on the ranks chosen by `who`, or restores the limit. */
static void restrain(int resource, rlim_t most, enum who who) {
  struct rlimit limit;
  getrlimit(resource, &limit);
  limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
  if (is_me(who) && setrlimit(resource, &limit)) wrong++, fprintf(stderr, "rank %d: cannot set a limit\n", me);
}
static rlim_t addresses(void) { /* addresses of this process */
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%lu", &pages) != 1) MPI_Abort(MPI_COMM_WORLD, 4);
  fclose(f);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Tests new storage, for a new array and for an array that moves. */
static void arrays(void) {
  enum { SPARE = 512 << 10, WIDE = 64 };
  struct moved m = make(MPI_COMM_WORLD, 0, 3, NULL);
  for (enum who who = LAST; who < WHO; who++) {
    reblock_array *array = NULL, *large = NULL;
    void *before, *after;
    MUST(reblock_array_create(m.from, sizeof *source, &array));
    MUST(reblock_array_data(array, &before, NULL, NULL, NULL));
    fill(&m, before);
    now("arrays", who);
    restrain(RLIMIT_AS, addresses() + SPARE, who);
    int32_t made = reblock_array_create(m.from, WIDE, &large);
    char said[200];
    snprintf(said, sizeof said, "%s", reblock_message());
    int32_t moved = reblock_template_redistribute(m.from_template, m.template, 0, NULL);
    int32_t aligned = reblock_array_realign(array, m.to, 0);
    restrain(RLIMIT_AS, RLIM_INFINITY, who);
    wants(aligned, REBLOCK_ERR_MEMORY, "no memory for an array", what);
    if (made != REBLOCK_ERR_MEMORY || large || !strstr(said, "no memory for an array") || moved != REBLOCK_ERR_MEMORY)
      wrong++, fprintf(stderr, "rank %d: %s: %d, \"%s\", %d\n", me, what, made, said, moved);
    MUST(reblock_array_data(array, &after, NULL, NULL, NULL));
    if (after != before) wrong++, fprintf(stderr, "rank %d: %s: the array has moved\n", me, what);
    check(m.from, m.from_block, before, what);
    MUST(reblock_array_realign(array, m.to, 0));
    MUST(reblock_array_data(array, &after, NULL, NULL, NULL));
    check(m.to, m.to_block, after, what);
    MUST(reblock_array_free(&array));
  }
  release(&m);
}

/* Tests shared memory, which the first call on a communicator sets up. A limit on the size of files, which also holds
 * for shared memory objects, is below the needed size. */
static void shared(void) {
  for (enum who who = LAST; who < WHO; who++) {
    MPI_Comm comm;
    int64_t shape = ranks;
    reblock_procs *procs = NULL;
    reblock_scope *scope = NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    now("REBLOCK_TRANSPORT=shm", who);
    restrain(RLIMIT_FSIZE, 50 << 10, who);
    for (int again = 0; again < 2; again++) {
      wants(reblock_procs_create(comm, 1, &shape, NULL, &procs), REBLOCK_ERR_SETTINGS, "REBLOCK_TRANSPORT is shm", what);
      wants(reblock_scope_create(comm, &scope), REBLOCK_ERR_SETTINGS, "REBLOCK_TRANSPORT is shm", what);
    }
    if (procs || scope) wrong++, fprintf(stderr, "rank %d: %s: something is made\n", me, what);
    restrain(RLIMIT_FSIZE, RLIM_INFINITY, who);
    struct moved m = make(comm, 0, 3, NULL);
    execute(&m);
    release(&m);
    MPI_Comm_free(&comm);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  alarm(60);
  const char *name = argc > 1 ? argv[1] : "starved";
  if (!strcmp(name, "shm")) shared();
  else messages(), intermediate_arrays(), files(name), arrays();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("starved: %d ranks, %d wrong\n", ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
