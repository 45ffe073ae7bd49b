/* Tests shadows against a program that finds the element of each place by itself: places must show the right elements,
 * and each element must be combined with all its places in a fixed order. Draws random arrays, widths, periodic axes,
 * corners and element sizes; moves one array or several together, blocking or by a request. Whole storages are
 * compared, between guard pages.
 *
 *   mpirun -n RANKS shadows CASES [SEED] */
#include "array.h"
#include "moving.h"
#include "../random.h"
#include <unistd.h>

int me, ranks, wrong;
static uint64_t state;
static int seed, number;
enum { MANY = 3 };

int64_t draw(int64_t low, int64_t high) { return within(&state, low, high); }
void must(int32_t code, const char *call) {
  if (!code) return;
  fprintf(stderr, "shadows: rank %d, case %d of seed %d: %s: %s: %s\n", me, number, seed, call, reblock_code_name(code),
          reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static void expect(int good, const char *what) {
  if (good) return;
  if (wrong++ < 5) fprintf(stderr, "shadows: rank %d: %s, case %d of seed %d on %d ranks\n", me, what, number, seed, ranks);
}

/* One array, the contents of its storage, and the expected contents after the move. */
struct job {
  struct array array;
  int back;
  int64_t type, combine, count, extents[AXES], at[AXES], copy;
  struct storage storage;
  unsigned char *before, *wanted;
  reblock_plan *plan;
  reblock_update update;
};

static unsigned char byte_of(int64_t rank, int64_t n, int64_t byte) {
  return (unsigned char)hash((uint64_t)(rank * 1000003 + n), (uint64_t)(seed * 1000 + number) * 64 + (uint64_t)byte);
}
/* Computes the initial value of a place: a number whose sums with others are rounded, or any bytes. */
static void value(const struct job *j, int64_t rank, int64_t n, unsigned char *out) {
  for (int64_t k = 0; k < j->array.bytes; k++) out[k] = byte_of(rank, n, k);
  if (j->type == REBLOCK_DOUBLE) *(double *)out = (double)(*(int64_t *)out >> 20) / 1e7;
}

static void combined(const struct job *j, const unsigned char *from, unsigned char *to) {
  if (j->type == REBLOCK_DOUBLE) {
    double a = *(const double *)from, *b = (double *)to;
    *b = j->combine == REBLOCK_ADD ? a + *b : j->combine == REBLOCK_MINIMUM ? (a < *b ? a : *b) : a > *b ? a : *b;
  } else {
    int32_t a = *(const int32_t *)from, *b = (int32_t *)to;
    if (j->combine == REBLOCK_ADD) *b = (int32_t)((uint32_t)a + (uint32_t)*b);
    else *b = j->combine == REBLOCK_MINIMUM ? (a < *b ? a : *b) : a > *b ? a : *b;
  }
}

/* Combines this rank's elements with the shadows of all ranks with the same copy, in the order of the ranks from this
 * rank down, cyclically. */
static void combine(struct job *j) {
  unsigned char from[64] __attribute__((aligned(16)));
  for (int64_t step = 0; step < ranks; step++) {
    int64_t rank = (me + ranks - step) % ranks, at[AXES], copy, extents[AXES], place[AXES], index[AXES], home[AXES], own[AXES];
    if (!coordinates(&j->array, rank, at, &copy) || copy != j->copy) continue;
    int64_t count = extents_of(&j->array, at, extents);
    for (int64_t n = 0; n < count; n++) {
      place_of(&j->array, extents, n, place);
      if (shown(&j->array, at, place, index) != 1) continue;
      owner_of(&j->array, index, home, own);
      if (memcmp(home, j->at, sizeof *home * (size_t)j->array.axes)) continue;
      value(j, rank, n, from);
      combined(j, from, j->wanted + number_of(&j->array, j->extents, own) * j->array.bytes);
    }
  }
}

static void fill(struct job *j) {
  int64_t bytes = j->array.bytes, place[AXES], index[AXES], at[AXES], own[AXES], extents[AXES];
  for (int64_t n = 0; n < j->count; n++) {
    place_of(&j->array, j->extents, n, place);
    if (shown(&j->array, j->at, place, index) != 1) continue;
    owner_of(&j->array, index, at, own);
    extents_of(&j->array, at, extents);
    int64_t rank = 0;
    for (int k = 0; k < j->array.axes; k++) rank = rank * j->array.shape[k] + at[k];
    value(j, rank * j->array.copies + j->copy, number_of(&j->array, extents, own), j->wanted + n * bytes);
  }
}

static void drawn(struct job *j) {
  static const int64_t sizes[] = {1, 2, 8, 12, 16, 24};
  memset(j, 0, sizeof *j);
  j->back = draw(0, 2) == 0;
  j->type = draw(0, 1) ? REBLOCK_DOUBLE : REBLOCK_INT32;
  int64_t bytes = j->type == REBLOCK_DOUBLE ? 8 : 4;
  if (!j->back) j->type = 0, bytes = sizes[draw(0, 5)];
  j->combine = draw(0, 2);
  draw_array(&j->array, bytes);
  struct array *a = &j->array;
  int64_t elements;
  MUST(reblock_map_elements(a->map, &elements));
  if (coordinates(a, me, j->at, &j->copy)) j->count = extents_of(a, j->at, j->extents);
  expect(elements <= j->count, "elements of the storage");
  j->storage = guarded(j->count * bytes, (int)draw(0, 1));
  j->before = malloc((size_t)(j->count * bytes) + 1), j->wanted = malloc((size_t)(j->count * bytes) + 1);
  unsigned char element[64] __attribute__((aligned(16)));
  for (int64_t n = 0; n < j->count; n++) value(j, me, n, element), memcpy(j->before + n * bytes, element, (size_t)bytes);
  memcpy(j->wanted, j->before, (size_t)(j->count * bytes));
  if (j->count && j->back) combine(j);
  if (j->count && !j->back) fill(j);
  int64_t widths[2][AXES];
  for (int k = 0; k < a->axes; k++) widths[0][k] = a->widths[k][0], widths[1][k] = a->widths[k][1];
  reblock_plan *plan;
  /* A rank without a part may leave out the map. */
  reblock_map *known = draw(0, 1) || coordinates(a, me, j->at, &j->copy) ? a->map : NULL;
  MUST(reblock_plan_shadow(MPI_COMM_WORLD, known, widths[0], widths[1], a->periodic, a->corners, bytes, NULL, &plan));
  j->plan = plan;
  if (j->back) MUST(reblock_plan_reverse(plan, &j->plan)), MUST(reblock_plan_free(&plan));
  static const double one_double = 1;
  static const int32_t one = 1;
  MUST(reblock_update_init(&j->update));
  j->update.type = j->type, j->update.combine = j->combine;
  j->update.beta = j->type == REBLOCK_DOUBLE ? (const void *)&one_double : &one;
}

static void begin(struct job *j) { memcpy(j->storage.data, j->before, (size_t)(j->count * j->array.bytes)); }
static void check(const struct job *j, const char *what) {
  expect(!memcmp(j->storage.data, j->wanted, (size_t)(j->count * j->array.bytes)), what);
}
static void done(struct job *j) {
  MUST(reblock_plan_free(&j->plan)), MUST(reblock_map_free(&j->array.map));
  release(&j->storage), free(j->before), free(j->wanted);
}
static long resident(void) {
  long size = 0, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  fclose(f);
  return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static const reblock_update *update_of(const struct job *j) { return j->back ? &j->update : NULL; }

/* Moves one array several times: blocking, or by a request, during which inner elements may be read. */
static void alone(struct job *j) {
  for (int n = 0; n < 3; n++) {
    int way = (int)draw(0, 1), over = 0;
    void *data = j->count ? j->storage.data : NULL;
    reblock_request *request;
    begin(j);
    if (way == 0) MUST(reblock_plan_update(j->plan, data, data, update_of(j)));
    else {
      MUST(reblock_plan_start_update(j->plan, data, data, update_of(j), &request));
      while (!over) MUST(reblock_request_test(&request, &over));
    }
    check(j, way ? "under way" : "at once");
  }
  reblock_plan_info info;
  MUST(reblock_plan_info_init(&info));
  MUST(reblock_plan_inquire(j->plan, &info));
  int64_t moved[2] = {info.sent, info.received}, sum[2];
  MPI_Allreduce(moved, sum, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  expect(sum[0] == sum[1], "bytes that move");
}

/* Moves several arrays in one set of messages. */
static void together(struct job *jobs) {
  reblock_plan *plans[MANY];
  const void *sources[MANY];
  void *targets[MANY];
  const reblock_update *updates[MANY];
  for (int n = 0; n < 2; n++) {
    for (int k = 0; k < MANY; k++) {
      begin(&jobs[k]);
      plans[k] = jobs[k].plan, sources[k] = targets[k] = jobs[k].storage.data, updates[k] = update_of(&jobs[k]);
    }
    reblock_request *request;
    if (draw(0, 1)) MUST(reblock_plan_update_many(MANY, plans, sources, targets, updates));
    else {
      MUST(reblock_plan_start_update_many(MANY, plans, sources, targets, updates, &request));
      MUST(reblock_request_wait(&request));
    }
    for (int k = 0; k < MANY; k++) check(&jobs[k], "together");
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int cases = argc > 1 ? atoi(argv[1]) : 50;
  seed = argc > 2 ? atoi(argv[2]) : 1;
  state = stream((uint64_t)seed);
  for (number = 0; number < cases; number++) {
    struct job jobs[MANY];
    for (int k = 0; k < MANY; k++) drawn(&jobs[k]);
    for (int k = 0; k < MANY; k++) alone(&jobs[k]);
    together(jobs);
    for (int k = 0; k < MANY; k++) done(&jobs[k]);
    const char *bad = moving();
    expect(!bad, bad ? bad : "");
  }
  /* Plans leak neither memory nor communicators. */
  struct job kept;
  long level = 0;
  drawn(&kept);
  for (int round = 0; round < 3000; round++) {
    reblock_plan *plan, *back;
    struct array *a = &kept.array;
    MUST(reblock_plan_shadow(MPI_COMM_WORLD, a->map, NULL, NULL, NULL, a->corners, a->bytes, NULL, &plan));
    MUST(reblock_plan_reverse(plan, &back));
    MUST(reblock_plan_execute(plan, kept.storage.data, kept.storage.data));
    MUST(reblock_plan_free(&plan)), MUST(reblock_plan_free(&back));
    if (round == 500) level = resident();
  }
  expect(resident() - level < 1024, "memory that grows");
  done(&kept);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("shadows: %d ranks, %d cases of seed %d, %d arrays, %d failures\n", ranks, cases, seed, cases * MANY, wrong);
  MPI_Finalize();
  return wrong != 0;
}
