/* Random redistributions of moved.c, this rank's arrays in memory of all kinds, and the calls that move them. */
#include "../random.h"
#include "reblock.h"
#include "standin.h"
#include <mpi.h>
#include <unistd.h>

enum { BATCH = 2 };
static int me, ranks, wrong;
static uint64_t seed, common, mine;
static const char *scene = "";

#define MUST(call) must(call, #call)
static void must(int32_t code, const char *call) {
  if (!code) return;
  fprintf(stderr, "rank %d, %s, seed %llu: %s: %s: %s\n", me, scene, (unsigned long long)seed, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static int between(int low, int high) { return (int)within(&common, low, high); }

/* A redistribution of a random array of doubles, and this rank's parts: before the move, and after it in the host's
 * memory. */
struct problem { reblock_map *from, *to; reblock_plan *plan; int64_t bytes[2]; char *source, *before, *want; };

static reblock_map *random_map(MPI_Comm comm, const int64_t *extents) {
  char text[120], half[2][30];
  int rows = between(1, ranks), way = between(0, 3);
  while (ranks % rows) rows--;
  for (int k = 0; k < 2; k++)
    switch (way == k ? 3 : between(0, 2)) {
      case 0: snprintf(half[k], sizeof half[k], "BLOCK"); break;
      case 1: snprintf(half[k], sizeof half[k], "CYCLIC"); break;
      case 2: snprintf(half[k], sizeof half[k], "CYCLIC(%d)", between(2, 9)); break;
      default: snprintf(half[k], sizeof half[k], "*");
    }
  int length = snprintf(text, sizeof text, "(%s, %s)", half[0], half[1]);
  if (way > 1) snprintf(text + length, sizeof text - (size_t)length, " ONTO P(%d,%d)", rows, ranks / rows);
  reblock_map *map, *other;
  MUST(reblock_map_from_text(comm, 2, extents, text, &map));
  if (between(0, 1)) return map;
  MUST(reblock_map_row_major(map, &other));
  MUST(reblock_map_free(&map));
  return other;
}
/* Makes the plan between the two maps of `p`, and random elements. */
static void fill(MPI_Comm comm, struct problem *p) {
  MUST(reblock_plan_create(comm, p->from, NULL, p->to, NULL, 8, NULL, &p->plan));
  MUST(reblock_map_elements(p->from, &p->bytes[0]));
  MUST(reblock_map_elements(p->to, &p->bytes[1]));
  for (int k = 0; k < 2; k++) p->bytes[k] *= 8;
  p->source = malloc((size_t)p->bytes[0] + 8), p->before = malloc((size_t)p->bytes[1] + 8), p->want = malloc((size_t)p->bytes[1] + 8);
  for (int64_t i = 0; i < p->bytes[0] / 8; i++) ((double *)p->source)[i] = (double)within(&mine, -1000000, 1000000) / 64;
  for (int64_t i = 0; i < p->bytes[1] / 8; i++) ((double *)p->before)[i] = (double)within(&mine, -1000000, 1000000) / 64;
  memcpy(p->want, p->before, (size_t)p->bytes[1]);
}
static struct problem make(MPI_Comm comm, int largest) {
  struct problem p;
  int64_t extents[2] = {between(1, largest), between(1, largest)};
  p.from = random_map(comm, extents), p.to = random_map(comm, extents);
  fill(comm, &p);
  return p;
}
static void drop(struct problem *p) {
  MUST(reblock_plan_free(&p->plan));
  MUST(reblock_map_free(&p->from));
  MUST(reblock_map_free(&p->to));
  free(p->source), free(p->before), free(p->want);
}

/* A stream of this rank that does not wait for the default streams. */
static void *own_stream;
static void *new_stream(void) {
  void *stream;
  enter(DEVICE_ARRAY);
  DRIVER(cuStreamCreate(&stream, 1));
  leave();
  if (standin_hold) standin_hold(stream);
  return stream;
}
/* Chooses a default stream or own_stream, at random and independently of other ranks. */
static void choose_stream(void) {
  if (!own_stream) own_stream = new_stream();
  placing_stream = (void *[]){NULL, (void *)1, (void *)2, own_stream}[within(&mine, 0, 3)];
  MUST(reblock_device_stream(placing_stream));
}

/* Returns an array in memory of a random kind, which each rank draws by itself. */
static struct placed random_place(const char *contents, int64_t bytes) {
  static const enum memory_kind usual[] = {DEVICE_ARRAY, PART_ARRAY, PART_ARRAY};
  int drawn = (int)within(&mine, 0, 5);
  enum memory_kind kind = drawn < 3 ? usual[drawn] : (enum memory_kind)within(&mine, 0, MEMORY_KINDS - 1);
  return placed(kind, contents, (size_t)bytes, 8 * (size_t)within(&mine, 0, 2));
}
static void check(const struct problem *p, struct placed *from, struct placed *to) {
  char *got = malloc((size_t)(p->bytes[0] > p->bytes[1] ? p->bytes[0] : p->bytes[1]) + 8);
  int bad = standin_pending ? standin_pending() : 0;
  take_back(from, got);
  bad += memcmp(got, p->source, (size_t)p->bytes[0]) != 0;
  take_back(to, got);
  bad += memcmp(got, p->want, (size_t)p->bytes[1]) != 0;
  if (bad && !wrong) fprintf(stderr, "rank %d, seed %llu: %s is wrong\n", me, (unsigned long long)seed, scene);
  wrong += bad;
  free(got);
}

enum way { EXECUTE, MOVE, START, MANY, UPDATE, FILES, GATHER, SCATTER, WAYS };
static const char *const ways[WAYS] = {"execute", "move", "start", "execute_many", "update", "save and load", "gather", "scatter"};

static void move(struct problem *p, enum way way, int32_t number, void *const *a, void *const *b) {
  reblock_request *request = NULL;
  reblock_update sum;
  double alpha = 3, beta = -0.5;
  char path[40];
  snprintf(path, sizeof path, "moved.%d.npy", number);
  switch (way) {
    case MOVE: MUST(reblock_move(MPI_COMM_WORLD, p->from, NULL, p->to, NULL, 8, a[0], b[0])); break;
    case START:
      MUST(reblock_plan_start(p->plan, a[0], b[0], &request));
      MUST(reblock_request_wait(&request));
      break;
    case MANY:
      MUST(reblock_plan_execute_many(BATCH, (reblock_plan *[]){p[0].plan, p[1].plan}, (const void *const *)a, b));
      break;
    case UPDATE:
      MUST(reblock_update_init(&sum));
      sum.type = REBLOCK_DOUBLE, sum.combine = REBLOCK_ADD, sum.alpha = &alpha, sum.beta = &beta;
      MUST(reblock_plan_update(p->plan, a[0], b[0], &sum));
      break;
    case FILES:
      MUST(reblock_save(MPI_COMM_WORLD, path, p->from, a[0], 8, NULL));
      MUST(reblock_load(MPI_COMM_WORLD, path, p->to, b[0], 8, NULL));
      break;
    default: MUST(reblock_plan_execute(p->plan, a[0], b[0]));
  }
}

/* Replaces the plan by a plan that gathers or scatters rows in random order, some rows twice. */
static void list_rows(struct problem *p, enum way way) {
  int64_t lower[2], upper[2], indices[40], count = within(&mine, 0, 40), each;
  MUST(reblock_map_bounds(p->from, lower, upper));
  for (int64_t i = 0; i < count; i++) indices[i] = within(&mine, lower[0], upper[0]);
  MUST(reblock_plan_free(&p->plan));
  MUST((way == GATHER ? reblock_plan_gather : reblock_plan_scatter)(MPI_COMM_WORLD, p->from, 0, count, indices, 8, NULL, &p->plan));
  /* The local array has the part's other axes: at most all columns. */
  each = upper[1] - lower[1] + 1;
  int64_t list = 8 * count * each, whole = p->bytes[0];
  p->bytes[0] = way == GATHER ? whole : list, p->bytes[1] = way == GATHER ? list : whole;
  free(p->source), free(p->before), free(p->want);
  p->source = malloc((size_t)p->bytes[0] + 8), p->before = malloc((size_t)p->bytes[1] + 8), p->want = malloc((size_t)p->bytes[1] + 8);
  for (int64_t i = 0; i < p->bytes[0] / 8; i++) ((double *)p->source)[i] = (double)within(&mine, -1000000, 1000000) / 64;
  memset(p->before, 7, (size_t)p->bytes[1]);
  memcpy(p->want, p->before, (size_t)p->bytes[1]);
}
