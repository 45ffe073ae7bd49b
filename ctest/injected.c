/* Injects one failing MPI call, on one rank or on all, into calls of reblock. This program wraps every MPI function
 * that reblock calls outside of resizing. In each case, on a communicator of its own, one call of one function fails.
 * Every rank must return a code or the right data, no rank may wait for ever, and the next communicator must work.
 * Prints the number of cases, and the number of cases in which a rank returned no error although a call failed.
 *
 *   mpirun -n RANKS injected FILE [EVERY [FIRST [SECONDS]]]   runs every EVERYth case, from case FIRST on; writes FILE.npy.
 *
 * A case that takes longer than SECONDS ends the job: "injected: case K hangs: …". */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 6000, FUNCTIONS = 64, MAX_CALLS = 12 };
#include "vector.h"

/* The functions in the order of their first calls, with their numbers of calls in a scene on this rank. */
static struct { const char *name; int calls; } functions[FUNCTIONS];
static int known, inside, victim = -1, when, struck;

/* Returns whether this call of the function is to fail. */
static int fails(const char *name) {
  if (!inside) return 0;
  int k = 0;
  while (k < known && strcmp(functions[k].name, name)) k++;
  if (k == known) functions[known++].name = name;
  if (functions[k].calls++ != when || k != victim || struck) return 0;
  return struck = 1;
}

#define PASS(name, parameters, arguments) \
  int name parameters { return fails(#name) ? MPI_ERR_OTHER : P##name arguments; }
PASS(MPI_Allgather, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c), (a, n, t, b, m, u, c))
PASS(MPI_Allreduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c))
PASS(MPI_Comm_create_keyval, (MPI_Comm_copy_attr_function *c, MPI_Comm_delete_attr_function *d, int *k, void *x), (c, d, k, x))
PASS(MPI_Comm_dup, (MPI_Comm c, MPI_Comm *o), (c, o))
PASS(MPI_Comm_free, (MPI_Comm *c), (c))
PASS(MPI_Comm_get_attr, (MPI_Comm c, int k, void *v, int *f), (c, k, v, f))
PASS(MPI_Comm_get_errhandler, (MPI_Comm c, MPI_Errhandler *h), (c, h))
PASS(MPI_Comm_group, (MPI_Comm c, MPI_Group *g), (c, g))
PASS(MPI_Comm_idup, (MPI_Comm c, MPI_Comm *o, MPI_Request *q), (c, o, q))
PASS(MPI_Comm_rank, (MPI_Comm c, int *r), (c, r))
PASS(MPI_Comm_set_attr, (MPI_Comm c, int k, void *v), (c, k, v))
PASS(MPI_Comm_set_errhandler, (MPI_Comm c, MPI_Errhandler h), (c, h))
PASS(MPI_Comm_size, (MPI_Comm c, int *s), (c, s))
PASS(MPI_Comm_split, (MPI_Comm c, int x, int k, MPI_Comm *o), (c, x, k, o))
PASS(MPI_Comm_split_type, (MPI_Comm c, int t, int k, MPI_Info i, MPI_Comm *o), (c, t, k, i, o))
PASS(MPI_Comm_test_inter, (MPI_Comm c, int *f), (c, f))
PASS(MPI_Errhandler_free, (MPI_Errhandler *h), (h))
PASS(MPI_Error_string, (int e, char *s, int *l), (e, s, l))
PASS(MPI_File_close, (MPI_File *f), (f))
PASS(MPI_File_get_size, (MPI_File f, MPI_Offset *s), (f, s))
PASS(MPI_File_open, (MPI_Comm c, const char *n, int m, MPI_Info i, MPI_File *f), (c, n, m, i, f))
PASS(MPI_File_read_at, (MPI_File f, MPI_Offset o, void *b, int n, MPI_Datatype t, MPI_Status *s), (f, o, b, n, t, s))
PASS(MPI_File_set_errhandler, (MPI_File f, MPI_Errhandler h), (f, h))
PASS(MPI_File_sync, (MPI_File f), (f))
PASS(MPI_File_write_at, (MPI_File f, MPI_Offset o, const void *b, int n, MPI_Datatype t, MPI_Status *s), (f, o, b, n, t, s))
PASS(MPI_Finalized, (int *f), (f))
PASS(MPI_Get_count, (const MPI_Status *s, MPI_Datatype t, int *c), (s, t, c))
PASS(MPI_Get_library_version, (char *v, int *l), (v, l))
PASS(MPI_Group_free, (MPI_Group *g), (g))
PASS(MPI_Group_incl, (MPI_Group g, int n, const int *r, MPI_Group *o), (g, n, r, o))
PASS(MPI_Group_translate_ranks, (MPI_Group g, int n, const int *r, MPI_Group h, int *s), (g, n, r, h, s))
PASS(MPI_Iallgather, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c, MPI_Request *q),
     (a, n, t, b, m, u, c, q))
PASS(MPI_Iallreduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *q), (a, b, n, t, o, c, q))
PASS(MPI_Ialltoallv, (const void *a, const int *n, const int *p, MPI_Datatype t, void *b, const int *m, const int *o, MPI_Datatype u,
     MPI_Comm c, MPI_Request *q), (a, n, p, t, b, m, o, u, c, q))
PASS(MPI_Ibcast, (void *b, int n, MPI_Datatype t, int r, MPI_Comm c, MPI_Request *q), (b, n, t, r, c, q))
PASS(MPI_Initialized, (int *f), (f))
PASS(MPI_Iprobe, (int s, int t, MPI_Comm c, int *f, MPI_Status *u), (s, t, c, f, u))
PASS(MPI_Irecv, (void *b, int n, MPI_Datatype t, int s, int g, MPI_Comm c, MPI_Request *q), (b, n, t, s, g, c, q))
PASS(MPI_Isend, (const void *b, int n, MPI_Datatype t, int d, int g, MPI_Comm c, MPI_Request *q), (b, n, t, d, g, c, q))
PASS(MPI_Issend, (const void *b, int n, MPI_Datatype t, int d, int g, MPI_Comm c, MPI_Request *q), (b, n, t, d, g, c, q))
PASS(MPI_Query_thread, (int *l), (l))
PASS(MPI_Recv, (void *b, int n, MPI_Datatype t, int s, int g, MPI_Comm c, MPI_Status *u), (b, n, t, s, g, c, u))
PASS(MPI_Test, (MPI_Request *q, int *f, MPI_Status *s), (q, f, s))
PASS(MPI_Testsome, (int n, MPI_Request *q, int *o, int *i, MPI_Status *s), (n, q, o, i, s))

static char path[400];
static int64_t other[N];

/* A scene makes calls without failures, then calls in which an MPI call may fail. It returns the code of the first call
 * that fails. */
#define DO(call) do { int32_t done = call; if (done) return done; } while (0)

static int32_t made(MPI_Comm comm, struct moved *m, const reblock_plan_options *options) {
  int64_t shape = ranks, lower = 1, upper = N;
  memset(m, 0, sizeof *m);
  m->from_block = 0, m->to_block = 7;
  DO(reblock_procs_create(comm, 1, &shape, NULL, &m->procs));
  DO(reblock_template_create(m->procs, 1, &lower, &upper, &m->from_template));
  DO(reblock_template_dist_block(m->from_template, 0, 0, 0));
  DO(reblock_template_commit(m->from_template));
  DO(reblock_map_whole(m->from_template, &m->from));
  DO(reblock_template_create(m->procs, 1, &lower, &upper, &m->template));
  DO(reblock_template_dist_cyclic(m->template, 0, 0, 7));
  DO(reblock_template_commit(m->template));
  DO(reblock_map_whole(m->template, &m->to));
  return reblock_plan_create(comm, m->from, NULL, m->to, NULL, sizeof *source, options, &m->plan);
}

static int32_t first(MPI_Comm comm, struct moved *m) { return made(comm, m, NULL); }
static int32_t executes(MPI_Comm comm, struct moved *m) {
  (void)comm;
  for (int k = 0; k < 3; k++) {
    fill(m, source), empty();
    DO(reblock_plan_execute(m->plan, source, target));
    check(m->to, m->to_block, target, "execute");
  }
  return 0;
}
static int32_t starts(MPI_Comm comm, struct moved *m) {
  (void)comm;
  reblock_request *requests[2] = {NULL, NULL};
  fill(m, source), empty();
  int32_t code = reblock_plan_start(m->plan, source, target, &requests[0]), second, done = 0;
  if (!code) code = reblock_plan_start(m->plan, source, other, &requests[1]);
  while (!code && requests[0] && !done) code = reblock_request_test(&requests[0], &done);
  if (!code) check(m->to, m->to_block, target, "start");
  for (int k = 0; k < 2; k++) {
    second = requests[k] ? reblock_request_wait(&requests[k]) : 0;
    if (!code) code = second;
  }
  if (!code) check(m->to, m->to_block, other, "start");
  return code;
}
static int32_t batches(MPI_Comm comm, struct moved *m) {
  (void)comm;
  reblock_plan *plans[2] = {m->plan, m->plan};
  fill(m, source), empty();
  DO(reblock_plan_execute_many(2, plans, (const void *[]){source, source}, (void *[]){target, other}));
  check(m->to, m->to_block, target, "a batch"), check(m->to, m->to_block, other, "a batch");
  return 0;
}
static int32_t arrays(MPI_Comm comm, struct moved *m) {
  (void)comm;
  reblock_array *array = NULL;
  void *data = NULL;
  DO(reblock_array_create(m->from, sizeof *source, &array));
  DO(reblock_array_data(array, &data, NULL, NULL, NULL));
  fill(m, data);
  int32_t code = reblock_template_redistribute(m->from_template, m->template, 0, NULL);
  if (!code) code = reblock_array_data(array, &data, NULL, NULL, NULL);
  if (!code) check(m->to, m->to_block, data, "redistribute");
  int32_t freed = reblock_array_free(&array);
  return code ? code : freed;
}
static int32_t files(MPI_Comm comm, struct moved *m) {
  fill(m, source), empty();
  DO(reblock_save(comm, path, m->from, source, sizeof *source, NULL));
  DO(reblock_load(comm, path, m->to, target, sizeof *target, NULL));
  check(m->to, m->to_block, target, "load");
  return 0;
}
/* Makes an INDIRECT distribution in which each rank has only its own indices: element i belongs to rank (i + turn) mod
 * ranks. */
static int32_t owned(reblock_procs *procs, int turn, reblock_template **template, reblock_map **map) {
  static int64_t owners[N];
  int64_t lower = 0, upper = N - 1, begin = (int64_t)me * N / ranks, end = (me + 1) * (int64_t)N / ranks;
  for (int64_t i = begin; i < end; i++) owners[i - begin] = (i + turn) % ranks;
  DO(reblock_template_create(procs, 1, &lower, &upper, template));
  DO(reblock_template_dist_indirect_local(*template, 0, 0, begin, end - begin, owners));
  DO(reblock_template_commit(*template));
  return reblock_map_whole(*template, map);
}
static int32_t met(MPI_Comm comm, reblock_template **templates, reblock_map **maps, reblock_plan **plan, reblock_procs *procs) {
  reblock_plan_options options;
  DO(reblock_plan_options_init(&options));
  options.relabel = 1;
  DO(owned(procs, 0, &templates[0], &maps[0]));
  DO(owned(procs, 1, &templates[1], &maps[1]));
  DO(reblock_plan_create(comm, maps[0], NULL, maps[1], NULL, sizeof *source, &options, plan));
  for (int64_t k = 0; k * ranks + me < N; k++) source[k] = k * ranks + me;
  empty();
  DO(reblock_plan_execute(*plan, source, target));
  for (int64_t k = 0; k * ranks + me < N; k++) wrong += target[k] != k * ranks + me; /* no element changes its rank */
  return 0;
}
static int32_t meets(MPI_Comm comm, struct moved *m) {
  reblock_template *templates[2] = {NULL, NULL};
  reblock_map *maps[2] = {NULL, NULL};
  reblock_plan *plan = NULL;
  int32_t code = met(comm, templates, maps, &plan, m->procs);
  reblock_plan_free(&plan);
  for (int k = 0; k < 2; k++) reblock_map_free(&maps[k]), reblock_template_free(&templates[k]);
  return code;
}
static int32_t scopes(MPI_Comm comm, struct moved *m) {
  (void)m;
  reblock_scope *scope = NULL;
  reblock_array *array = NULL;
  char line[40];
  snprintf(line, sizeof line, "PROCESSORS P(%d)", ranks);
  int32_t code = reblock_scope_create(comm, &scope);
  if (!code) code = reblock_scope_directive(scope, line);
  if (!code) code = reblock_scope_directive(scope, "DIMENSION A(100)");
  if (!code) code = reblock_scope_directive(scope, "!HPF$ DISTRIBUTE A(BLOCK) ONTO P");
  if (!code) code = reblock_scope_array(scope, "A", 8, &array);
  if (!code) code = reblock_scope_directive(scope, "!HPF$ REDISTRIBUTE A(CYCLIC) ONTO P");
  reblock_array_free(&array);
  reblock_scope_free(&scope);
  return code;
}

/* Plans of lists, shifts and shadows. Each plan is made and executed. */
enum { PLANS = 6 };
static int32_t moved_by(MPI_Comm comm, struct moved *m, reblock_plan **plans, reblock_map **shadowed) {
  static int64_t wide[N + 2], list[N];
  int64_t count = 0, one = 1, five = 5, whole = N;
  fill(m, source), empty();
  DO(reblock_map_elements(m->to, &count));
  for (int64_t k = 0; k < count; k++) list[k] = 1 + element(m->to_block, k);
  DO(reblock_plan_gather(comm, m->from, 0, count, list, 8, NULL, &plans[0]));
  DO(reblock_plan_execute(plans[0], source, target));
  check(m->to, m->to_block, target, "a gather"), empty();
  DO(reblock_map_elements(m->from, &count));
  for (int64_t k = 0; k < count; k++) list[k] = 1 + element(blocks_of(0), k);
  DO(reblock_plan_scatter(comm, m->to, 0, count, list, 8, NULL, &plans[1]));
  DO(reblock_plan_execute(plans[1], source, target));
  check(m->to, m->to_block, target, "a scatter"), empty();
  DO(reblock_plan_shift_lines(comm, m->from, NULL, m->to, NULL, 8, 0, 1, 1, &whole, NULL, NULL, &plans[2]));
  DO(reblock_plan_execute(plans[2], source, target));
  check(m->to, m->to_block, target, "a shift of lines"), empty();
  DO(reblock_plan_cshift(comm, m->from, NULL, m->to, NULL, 8, 1, &five, NULL, &plans[3]));
  DO(reblock_plan_reverse(plans[3], &plans[4]));
  DO(reblock_plan_execute(plans[3], source, target));
  DO(reblock_plan_execute(plans[4], target, other));
  check(m->from, m->from_block, other, "a shift and its way back");
  DO(reblock_map_shadow(m->from, &one, &one, shadowed));
  DO(reblock_plan_shadow(comm, *shadowed, NULL, NULL, NULL, 0, 8, NULL, &plans[5]));
  memcpy(wide + 1, source, 8 * (size_t)count);
  DO(reblock_plan_execute(plans[5], wide, wide));
  check(m->from, m->from_block, wide + 1, "shadows");
  for (int64_t k = 0; k < count + 2; k++) {
    int64_t i = wide[1] - 1 + k;
    wrong += i >= 0 && i < N && wide[k] != i;
  }
  return 0;
}
static int32_t moves(MPI_Comm comm, struct moved *m) {
  reblock_plan *plans[PLANS] = {NULL};
  reblock_map *shadowed = NULL;
  int32_t code = moved_by(comm, m, plans, &shadowed);
  for (int k = 0; k < PLANS; k++) reblock_plan_free(&plans[k]);
  reblock_map_free(&shadowed);
  return code;
}

static const struct { const char *name; int32_t (*what)(MPI_Comm, struct moved *); int prepared; } scenes[] = {
    {"the first calls", first, 0}, {"execute", executes, 1},      {"start", starts, 1},
    {"a batch", batches, 1},       {"an array", arrays, 1},       {"a file", files, 1},
    {"own indices", meets, 1},     {"a scope", scopes, 1},       {"lists, shifts, shadows", moves, 1}};
enum { SCENES = sizeof scenes / sizeof *scenes };
static const char *const names[] = {"the last rank", "rank 0", "each rank"};

static void freed(struct moved *m) {
  reblock_plan_free(&m->plan);
  reblock_map_free(&m->from), reblock_map_free(&m->to);
  reblock_template_free(&m->template), reblock_template_free(&m->from_template);
  reblock_procs_free(&m->procs);
}

static char what[200];
static int number;
static void hangs(int signal) {
  char line[300];
  (void)signal;
  int length = snprintf(line, sizeof line, "injected: case %d hangs: %s\n", number, what);
  if (write(2, line, (size_t)length) < 0) _exit(3);
  usleep(200000);
  _exit(3);
}

/* Plays the scene on a communicator of its own; returns this rank's code. */
static int32_t play(int scene) {
  MPI_Comm comm;
  struct moved m;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  memset(&m, 0, sizeof m);
  if (scenes[scene].prepared) MUST(made(comm, &m, NULL));
  for (int k = 0; k < known; k++) functions[k].calls = 0;
  PMPI_Barrier(MPI_COMM_WORLD); /* a rank still in the last call would otherwise be affected by the next failure */
  inside = 1;
  int32_t code = scenes[scene].what(comm, &m);
  inside = 0;
  PMPI_Barrier(MPI_COMM_WORLD);
  freed(&m);
  PMPI_Comm_free(&comm);
  return code;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  int every = argc > 2 ? atoi(argv[2]) : 1, from = argc > 3 ? atoi(argv[3]) : 0, seconds = argc > 4 ? atoi(argv[4]) : 60;
  int cases = 0, silent = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  snprintf(path, sizeof path, "%s.npy", argv[1]);
  signal(SIGALRM, hangs);
  for (int scene = 0; scene < SCENES; scene++) {
    alarm((unsigned)seconds * 3);
    MUST(play(scene));
    MUST(play(scene));
    int counts[FUNCTIONS], all = known;
    for (int k = 0; k < known; k++) counts[k] = functions[k].calls;
    /* All ranks run the cases of rank 0. */
    PMPI_Bcast(&all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int k = 0; k < all; k++) {
      char name[64] = "";
      int count = 0;
      if (!me) snprintf(name, sizeof name, "%s", functions[k].name), count = counts[k];
      PMPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
      PMPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if (count > MAX_CALLS) count = MAX_CALLS;
      for (int n = 0; n < count; n++)
        for (int who = 0; who < 3; who++, number++) {
          if (number < from || number % every) continue;
          snprintf(what, sizeof what, "%s, call %d of %s fails on %s", scenes[scene].name, n + 1, name, names[who]);
          if (getenv("INJECTED_SAYS") && !me) fprintf(stderr, "injected: case %d: %s\n", number, what);
          alarm((unsigned)seconds);
          int mine = 0;
          while (mine < known && strcmp(functions[mine].name, name)) mine++;
          struck = 0, when = n;
          victim = who == 2 || me == (who ? 0 : ranks - 1) ? mine : -1;
          int32_t code = play(scene);
          victim = -1;
          /* Codes may differ if a rank finished before another failed. A rank on which a call failed must report an
           * error, unless MPI did not need the call. */
          int failed[2] = {code != 0, struck}, most[2];
          PMPI_Allreduce(failed, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
          if (most[1] && !most[0]) {
            silent++;
            if (getenv("INJECTED_SAYS") && !me) fprintf(stderr, "injected: case %d: no rank returned an error\n", number);
          }
          cases++;
        }
    }
  }
  /* A broken communicator must not affect others. */
  alarm((unsigned)seconds * 3);
  for (int scene = 0; scene < SCENES; scene++) MUST(play(scene));
  PMPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("injected: %d ranks, %d of %d cases, %d without an error, %d wrong\n", ranks, cases, number, silent, wrong);
  MPI_Finalize();
  return wrong != 0;
}
