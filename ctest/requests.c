/* Tests redistributions that are under way while the program works. They must be complete when the library reports so,
 * in whatever order programs start and complete them. Checks every element, and that sources are unchanged.
 *
 *   mpirun -n RANKS requests ROUNDS */
#define _GNU_SOURCE
#include "reblock.h"
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLANS = 4, SIZES = 2 };
static const int64_t sizes[SIZES] = {77, 150000};
static int me, ranks, wrong;
static const char *scene = "set-up";

static void demand(int32_t code, const char *call) {
  if (code == REBLOCK_OK) return;
  fprintf(stderr, "rank %d, %s: %s says %s: %s\n", me, scene, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define DEMAND(call) demand(call, #call)

/* A vector of 8-byte elements that moves from blocks to a block-cyclic distribution. */
struct vector { int64_t n, block, source_count, target_count; reblock_plan *plan; int64_t *source, *target; };
static struct vector vectors[SIZES][PLANS];
static MPI_Comm other_comm;

static reblock_map *mapped(MPI_Comm comm, int64_t n, int64_t block) {
  reblock_procs *procs = NULL;
  reblock_template *template = NULL;
  reblock_map *map = NULL;
  int64_t shape = ranks, lower = 0, upper = n - 1;
  DEMAND(reblock_procs_create(comm, 1, &shape, NULL, &procs));
  DEMAND(reblock_template_create(procs, 1, &lower, &upper, &template));
  if (block) DEMAND(reblock_template_dist_cyclic(template, 0, 0, block));
  else DEMAND(reblock_template_dist_block(template, 0, 0, 0));
  DEMAND(reblock_template_commit(template));
  DEMAND(reblock_map_whole(template, &map));
  DEMAND(reblock_template_free(&template));
  DEMAND(reblock_procs_free(&procs));
  return map;
}

static reblock_plan *planned(MPI_Comm comm, struct vector *v) {
  reblock_map *from = mapped(comm, v->n, 0), *to = mapped(comm, v->n, v->block);
  reblock_plan *plan = NULL;
  DEMAND(reblock_map_elements(from, &v->source_count));
  DEMAND(reblock_map_elements(to, &v->target_count));
  DEMAND(reblock_plan_create(comm, from, NULL, to, NULL, 8, NULL, &plan));
  DEMAND(reblock_map_free(&from));
  DEMAND(reblock_map_free(&to));
  return plan;
}

/* Returns the value at place i of this rank's part of vector p. */
static int64_t source_value(const struct vector *v, int64_t i, int64_t salt) {
  return me * ((v->n + ranks - 1) / ranks) + i + salt * 1000000;
}
static int64_t target_value(const struct vector *v, int64_t i, int64_t salt) {
  return (i / v->block * ranks + me) * v->block + i % v->block + salt * 1000000;
}

/* Writes new elements to all vectors of a size and clears the targets. */
static void fill(struct vector *v, int64_t salt) {
  for (int p = 0; p < PLANS; p++, v++) {
    for (int64_t i = 0; i < v->source_count; i++) v->source[i] = source_value(v, i, salt + p);
    for (int64_t i = 0; i < v->target_count; i++) v->target[i] = -1;
  }
}

/* Checks that the vectors from `first` up to `end` have arrived. */
static void check(const struct vector *v, int64_t salt, int first, int end) {
  int64_t bad = 0;
  for (int p = first; p < end; p++) {
    for (int64_t i = 0; i < v[p].source_count; i++) bad += v[p].source[i] != source_value(v + p, i, salt + p);
    for (int64_t i = 0; i < v[p].target_count; i++) bad += v[p].target[i] != target_value(v + p, i, salt + p);
  }
  if (bad) fprintf(stderr, "rank %d, %s, %lld elements: %lld are wrong\n", me, scene, (long long)v->n, (long long)bad);
  wrong += bad != 0;
}

static reblock_request *started(struct vector *v) {
  reblock_request *request = NULL;
  DEMAND(reblock_plan_start(v->plan, v->source, v->target, &request));
  return request;
}
static void waited(reblock_request **request) {
  DEMAND(reblock_request_wait(request));
  if (*request) wrong++, fprintf(stderr, "rank %d, %s: a request that is complete is not NULL\n", me, scene);
}
static void tested(reblock_request **request) {
  for (int32_t done = 0; !done;) DEMAND(reblock_request_test(request, &done));
  if (*request) wrong++, fprintf(stderr, "rank %d, %s: a request that is done is not NULL\n", me, scene);
}

static void first_started_first_completed(struct vector *v) {
  reblock_request *a = started(v), *b = started(v + 1);
  waited(&a), waited(&b);
}
static void last_started_first_completed(struct vector *v) {
  reblock_request *a = started(v), *b = started(v + 1);
  waited(&b), waited(&a);
}
static void another_order_on_each_rank(struct vector *v) {
  reblock_request *a = started(v), *b = started(v + 1);
  if (me % 2) tested(&a), waited(&b);
  else waited(&b), tested(&a);
}
static void computing_in_between(struct vector *v) {
  reblock_request *a = started(v), *b = started(v + 1);
  volatile double sum = 0;
  for (int i = 0; i < 3000000 * (1 + me % 2); i++) sum = sum + i;
  waited(&a), waited(&b);
}
static void freed_early(struct vector *v) {
  reblock_request *a = started(v), *b = started(v + 1);
  DEMAND(reblock_request_free(&a));
  DEMAND(reblock_request_free(&b));
}
static void one_plan_twice(struct vector *v) {
  struct vector same = *v;
  same.source = malloc(8 * (size_t)v->source_count + 8), same.target = malloc(8 * (size_t)v->target_count + 8);
  for (int64_t i = 0; i < v->source_count; i++) same.source[i] = v->source[i] + 1;
  reblock_request *a = started(v), *b = started(&same);
  waited(&b), waited(&a);
  for (int64_t i = 0; i < v->target_count; i++) wrong += same.target[i] != v->target[i] + 1;
  free(same.source), free(same.target);
}
static void many(struct vector *v, int count, reblock_request **request) {
  reblock_plan *plans[PLANS];
  const void *sources[PLANS];
  void *targets[PLANS];
  for (int p = 0; p < count; p++) plans[p] = v[p].plan, sources[p] = v[p].source, targets[p] = v[p].target;
  if (request) DEMAND(reblock_plan_start_many(count, plans, sources, targets, request));
  else DEMAND(reblock_plan_execute_many(count, plans, sources, targets));
}
static void several_in_one_request(struct vector *v) {
  reblock_request *request = NULL, *single = started(v);
  many(v + 1, 2, &request);
  tested(&request), waited(&single);
}
static void blocking_ones_in_between(struct vector *v) {
  reblock_request *a = started(v);
  DEMAND(reblock_plan_execute(v[1].plan, v[1].source, v[1].target));
  many(v + 1, 2, NULL);
  waited(&a);
}
static void on_two_communicators(struct vector *v) {
  reblock_request *a = started(v), *b = started(v + 3), *c = started(v + 1);
  waited(&b), tested(&c), waited(&a);
}
/* Sends messages of the program's own during a request. They must not mix with the library's messages. */
static void messages_of_the_programs_own(struct vector *v) {
  reblock_request *a = started(v), *b = started(v + 1);
  int mine = me, left = -1, sum = 0;
  MPI_Sendrecv(&mine, 1, MPI_INT, (me + 1) % ranks, 0, &left, 1, MPI_INT, (me + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  wrong += left != (me + ranks - 1) % ranks || sum != ranks * (ranks - 1) / 2;
  waited(&a), waited(&b);
}

static void *wait_there(void *request) {
  waited(request);
  return NULL;
}
static void completed_by_another_thread(struct vector *v) {
  reblock_request *a = started(v), *b = started(v + 1);
  pthread_t thread;
  pthread_create(&thread, NULL, wait_there, &a);
  waited(&b);
  pthread_join(thread, NULL);
}

/* Requests that one thread starts and another completes. A third thread has made the plans. */
struct relay { struct vector *v; reblock_request *requests[3]; };
static void *start_here(void *relay) {
  struct relay *r = relay;
  for (int p = 0; p < 3; p++) r->requests[p] = started(r->v + p);
  return NULL;
}
static void *complete_here(void *relay) {
  struct relay *r = relay;
  tested(&r->requests[1]), waited(&r->requests[2]);
  DEMAND(reblock_request_free(&r->requests[0]));
  return NULL;
}
static void started_by_one_thread_completed_by_another(struct vector *v) {
  struct relay relay = {.v = v};
  pthread_t starter, completer;
  pthread_create(&starter, NULL, start_here, &relay);
  pthread_join(starter, NULL);
  pthread_create(&completer, NULL, complete_here, &relay);
  pthread_join(completer, NULL);
}

/* Returns whether a thread of this process sleeps, waiting for a lock. */
static int sleeps(int thread) {
  char path[64], text[64] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE *stat = fopen(path, "r");
  const char *state = stat && fread(text, 1, sizeof text - 1, stat) ? strrchr(text, ')') : NULL;
  if (stat) fclose(stat);
  return state && state[2] == 'S';
}
/* Wraps MPI: keeps a thread within reblock_request_test until another thread waits for the same request. */
static _Thread_local int is_met;
static atomic_int inside, comer;
static int refused; /* number of threads that received an error because another one waited for the request */
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
  if (is_met) {
    is_met = 0;
    while (!comer) sched_yield();
    inside = 1;
    while (!sleeps(comer)) sched_yield();
  }
  return PMPI_Iprobe(from, tag, comm, found, status);
}
struct rival { reblock_request *request; pthread_t thread; int32_t code; int is_refused; };
static void *wait_too(void *rival) {
  struct rival *r = rival;
  comer = gettid();
  while (!inside) sched_yield();
  r->code = reblock_request_wait(&r->request);
  r->is_refused = r->code == REBLOCK_ERR_STATE && strstr(reblock_message(), "another thread waits");
  return NULL;
}
static void completed_by_one_of_two_threads(struct vector *v) {
  struct rival rival = {.request = started(v)};
  reblock_request *a = rival.request;
  int32_t done = 0;
  DEMAND(reblock_plan_execute(v[1].plan, v[1].source, v[1].target));
  inside = comer = 0;
  pthread_create(&rival.thread, NULL, wait_too, &rival);
  is_met = 1;
  DEMAND(reblock_request_test(&a, &done));
  is_met = 0, inside = 1;
  pthread_join(rival.thread, NULL), refused += rival.is_refused;
  if (done ? !rival.is_refused && rival.code != REBLOCK_ERR_HANDLE /* too late */ : rival.code != REBLOCK_OK)
    wrong++, fprintf(stderr, "rank %d, %s: %d, %s\n", me, scene, done, reblock_code_name(rival.code));
}

struct scene { const char *name; void (*play)(struct vector *); int end, threads; };
static const struct scene scenes[] = {
    {"first started, first completed", first_started_first_completed, 2, 0},
    {"last started, first completed", last_started_first_completed, 2, 0},
    {"another order on each rank", another_order_on_each_rank, 2, 0},
    {"computing in between", computing_in_between, 2, 0},
    {"freed early", freed_early, 2, 0},
    {"one plan twice", one_plan_twice, 1, 0},
    {"several in one request", several_in_one_request, 3, 0},
    {"blocking ones in between", blocking_ones_in_between, 3, 0},
    {"on two communicators", on_two_communicators, 2, 0},
    {"messages of the program's own", messages_of_the_programs_own, 2, 0},
    {"completed by another thread", completed_by_another_thread, 2, 1},
    {"completed by one of two threads", completed_by_one_of_two_threads, 2, 1},
    {"started by one thread, completed by another", started_by_one_thread_completed_by_another, 3, 1},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* Frees the plan while its request is under way. */
static void freed_plan(int size) {
  struct vector *v = vectors[size], kept = *v;
  scene = "the plan is freed before the request is complete";
  v->plan = planned(MPI_COMM_WORLD, v);
  fill(vectors[size], 7);
  reblock_request *a = started(v);
  DEMAND(reblock_plan_free(&v->plan));
  waited(&a);
  check(vectors[size], 7, 0, 1);
  v->plan = kept.plan;
}

/* Frees the communicator while a request is under way, and the plan before or after that. */
static void freed_communicator(int size, int plan_first) {
  struct vector *v = vectors[size], kept = *v;
  MPI_Comm freed;
  scene = "the communicator is freed before the request is complete";
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  v->plan = planned(freed, v);
  fill(vectors[size], 8 + plan_first);
  reblock_request *a = started(v);
  if (plan_first) DEMAND(reblock_plan_free(&v->plan));
  MPI_Comm_free(&freed);
  if (plan_first) waited(&a);
  else tested(&a);
  check(vectors[size], 8 + plan_first, 0, 1);
  if (!plan_first) DEMAND(reblock_plan_free(&v->plan));
  v->plan = kept.plan;
}

int main(int argc, char **argv) {
  int level, rounds = argc > 1 ? atoi(argv[1]) : 5;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_dup(MPI_COMM_WORLD, &other_comm);
  if (!me && level < MPI_THREAD_MULTIPLE) printf("requests: this MPI has no MPI_THREAD_MULTIPLE\n");
  for (int s = 0; s < SIZES; s++) {
    for (int p = 0; p < PLANS; p++) {
      struct vector *v = &vectors[s][p];
      *v = (struct vector){.n = sizes[s] + p, .block = 1 + 5 * p};
      v->plan = planned(p == 3 ? other_comm : MPI_COMM_WORLD, v);
      v->source = malloc(8 * (size_t)v->source_count + 8), v->target = malloc(8 * (size_t)v->target_count + 8);
    }
  }
  for (int k = 0; k < rounds * SCENES * SIZES; k++) {
    const struct scene *now = &scenes[k / SIZES % SCENES];
    if (now->threads && level < MPI_THREAD_MULTIPLE) continue;
    scene = now->name;
    fill(vectors[k % SIZES], k);
    now->play(vectors[k % SIZES]);
    check(vectors[k % SIZES], k, 0, now->end);
    if (now->play == on_two_communicators) check(vectors[k % SIZES], k, 3, 4);
  }
  for (int s = 0; s < SIZES; s++) {
    freed_plan(s), freed_communicator(s, 0), freed_communicator(s, 1);
    for (int p = 0; p < PLANS; p++) {
      DEMAND(reblock_plan_free(&vectors[s][p].plan));
      free(vectors[s][p].source), free(vectors[s][p].target);
    }
  }
  MPI_Comm_free(&other_comm);
  if (!refused && level == MPI_THREAD_MULTIPLE) wrong++, fprintf(stderr, "rank %d: no thread was refused because of another thread\n", me);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("requests: %d rounds of %d scenes, %d wrong\n", rounds, SCENES, wrong);
  MPI_Finalize();
  return wrong != 0;
}
