/* Tests arrays in boxes against a program that searches for each element. Layouts are random tiles with random owners,
 * one box per rank, irregular tilings, and distributions. Sections move between all of them by plans, reverse plans,
 * batches, requests, moves, updates of the target and files. Whole storages are compared.
 *
 *   mpirun -n RANKS boxes CASES [SEED [FOLDER]] */
#include "layout.h"
#include "../random.h"

int me, ranks, wrong;
uint64_t state;
static int seed, number;

int64_t draw(int64_t low, int64_t high) { return within(&state, low, high); }
void must(int32_t code, const char *call) {
  if (!code) return;
  fprintf(stderr, "rank %d: %s: %s: %s\n", me, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
void expect(int good, const char *what) {
  if (good) return;
  if (wrong++ < 5) fprintf(stderr, "boxes: rank %d: %s, case %d of seed %d on %d ranks\n", me, what, number, seed, ranks);
}

/* An array that moves from one layout to the other. */
struct move {
  int axes;
  int64_t lens[AXES], bytes, count[2];
  struct layout *side[2];
  reblock_range section[2][AXES];
  reblock_map *map[2];
  unsigned char *source, *target, *wanted, *before;
  reblock_plan *plan;
};

static unsigned char value(int64_t element, int64_t byte, int salt) {
  return (unsigned char)hash((uint64_t)(element * 32 + byte), (uint64_t)(seed * 1000 + number * 10 + salt));
}

/* Advances to the next index of the section; returns 0 after the last. */
static int advance(const struct move *m, int64_t *at) {
  for (int k = 0; k < m->axes; k++) {
    if (++at[k] < m->lens[k]) return 1;
    at[k] = 0;
  }
  return 0;
}
static int empty(const struct move *m) {
  for (int k = 0; k < m->axes; k++)
    if (!m->lens[k]) return 1;
  return 0;
}

/* Returns the address of an element of the section on side `side`; NULL if another rank has the element. */
static unsigned char *at_home(const struct move *m, int side, const int64_t *at, unsigned char *storage) {
  int64_t index[AXES], place;
  for (int k = 0; k < m->axes; k++) index[k] = m->section[side][k].lower + at[k] * m->section[side][k].stride;
  for (int copy = 0; copy < m->side[side]->copies; copy++)
    if (where(m->side[side], index, copy, &place) == me) return storage + place * m->bytes;
  return NULL;
}

/* Writes the source's values and computes the expected target. */
static void fill(struct move *m) {
  for (int64_t i = 0; i < m->count[0] * m->bytes; i++) m->source[i] = value(i, me, 1);
  for (int64_t i = 0; i < m->count[1] * m->bytes; i++) m->before[i] = value(i, me, 2);
  memcpy(m->wanted, m->before, (size_t)(m->count[1] * m->bytes));
  memcpy(m->target, m->before, (size_t)(m->count[1] * m->bytes));
  int64_t at[AXES] = {0}, element = 0;
  if (empty(m)) return;
  do {
    unsigned char *from = at_home(m, 0, at, m->source), *to = at_home(m, 1, at, m->wanted);
    for (int64_t byte = 0; byte < m->bytes; byte++) {
      if (from) from[byte] = value(element, byte, 0);
      if (to) to[byte] = value(element, byte, 0);
    }
    element++;
  } while (advance(m, at));
}

static void check(const struct move *m, const char *what) {
  expect(!memcmp(m->target, m->wanted, (size_t)(m->count[1] * m->bytes)), what);
}

static struct move *drawn(void) {
  static const int64_t bytes[] = {1, 2, 4, 8, 12, 16, 24}, most[] = {0, 400, 30, 11};
  struct move *m = calloc(1, sizeof *m);
  m->axes = (int)draw(1, AXES), m->bytes = bytes[draw(0, 6)];
  for (int k = 0; k < m->axes; k++) m->lens[k] = draw(draw(0, 20) > 0, most[m->axes]);
  int boxes = (int)draw(1, 3);
  for (int side = 0; side < 2; side++) {
    int64_t extents[AXES];
    int whole = draw(0, 1) == 0;
    for (int k = 0; k < m->axes; k++) {
      int64_t lower = whole ? 0 : draw(0, 4), stride = whole || draw(0, 2) ? 1 : 3;
      extents[k] = m->lens[k] ? lower + (m->lens[k] - 1) * stride + 1 + (whole ? 0 : draw(0, 3)) : lower;
      m->section[side][k] = (reblock_range){lower, lower + m->lens[k] * stride - 1, stride};
      if (m->section[side][k].upper >= extents[k]) m->section[side][k].upper = extents[k] - 1;
    }
    m->side[side] = calloc(1, sizeof(struct layout));
    draw_layout(m->side[side], m->axes, extents, boxes >> side & 1);
    m->map[side] = mapped(m->side[side]);
    MUST(reblock_map_elements(m->map[side], &m->count[side]));
    int64_t storage = m->side[side]->storage[me];
    expect(!m->side[side]->in_boxes || m->count[side] <= storage, "more elements than the storage has");
  }
  size_t room[2];
  for (int side = 0; side < 2; side++) room[side] = (size_t)(m->count[side] * m->bytes) + 1;
  m->source = malloc(room[0]), m->target = malloc(room[1]), m->wanted = malloc(room[1]), m->before = malloc(room[1]);
  fill(m);
  return m;
}

static void done(struct move *m) {
  for (int side = 0; side < 2; side++) MUST(reblock_map_free(&m->map[side])), free(m->side[side]);
  MUST(reblock_plan_free(&m->plan));
  free(m->source), free(m->target), free(m->wanted), free(m->before), free(m);
}

static void plan(struct move *m) {
  MUST(reblock_plan_create(MPI_COMM_WORLD, m->map[0], m->section[0], m->map[1], m->section[1], m->bytes, NULL, &m->plan));
}

/* Tests a plan, its reverse, and the single call without a plan. */
static void one(struct move *m) {
  plan(m);
  for (int n = 0; n < 3; n++) {
    memcpy(m->target, m->before, (size_t)(m->count[1] * m->bytes));
    MUST(reblock_plan_execute(m->plan, m->source, m->target));
    check(m, "executed");
  }
  reblock_plan_info info;
  MUST(reblock_plan_info_init(&info));
  MUST(reblock_plan_inquire(m->plan, &info));
  int64_t moved[3] = {info.sent, info.received, info.kept}, sum[3];
  MPI_Allreduce(moved, sum, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  int64_t all = m->bytes * m->side[1]->copies;
  for (int k = 0; k < m->axes; k++) all *= m->lens[k];
  expect(sum[0] == sum[1] && sum[0] + sum[2] == all, "bytes that move");
  reblock_plan *back;
  MUST(reblock_plan_reverse(m->plan, &back));
  unsigned char *again = malloc((size_t)(m->count[0] * m->bytes) + 1);
  memcpy(again, m->source, (size_t)(m->count[0] * m->bytes));
  int64_t at[AXES] = {0};
  if (!empty(m))
    do {
      unsigned char *from = at_home(m, 0, at, again);
      if (from) memset(from, 0, (size_t)m->bytes);
    } while (advance(m, at));
  MUST(reblock_plan_execute(back, m->target, again));
  expect(!memcmp(again, m->source, (size_t)(m->count[0] * m->bytes)), "the way back");
  MUST(reblock_plan_free(&back));
  free(again);
  for (int n = 0; n < 2; n++) {
    memcpy(m->target, m->before, (size_t)(m->count[1] * m->bytes));
    MUST(reblock_move(MPI_COMM_WORLD, m->map[0], m->section[0], m->map[1], m->section[1], m->bytes, m->source, m->target));
    check(m, "moved");
  }
}

/* Moves several arrays in one set of messages, blocking or by a request. */
static void several(void) {
  enum { MANY = 4 };
  struct move *all[MANY];
  reblock_plan *plans[MANY];
  const void *sources[MANY];
  void *targets[MANY];
  int count = (int)draw(2, MANY), request = (int)draw(0, 1);
  for (int n = 0; n < count; n++) {
    all[n] = drawn();
    plan(all[n]);
    plans[n] = all[n]->plan, sources[n] = all[n]->source, targets[n] = all[n]->target;
  }
  reblock_request *under_way[MANY + 1] = {0};
  if (!request) MUST(reblock_plan_execute_many(count, plans, sources, targets));
  else {
    MUST(reblock_plan_start_many(count - 1, plans, sources, targets, &under_way[0]));
    MUST(reblock_plan_start(plans[count - 1], sources[count - 1], targets[count - 1], &under_way[1]));
    for (int32_t over = 0; !over;) MUST(reblock_request_test(&under_way[1], &over));
    MUST(reblock_request_wait(&under_way[0]));
  }
  for (int n = 0; n < count; n++) check(all[n], request ? "started" : "executed with others"), done(all[n]);
}

/* Checks that the map gives the right place of each element. */
static void asked(struct move *m) {
  struct layout *l = m->side[draw(0, 1)];
  if (!l->in_boxes) l = m->side[0] == l ? m->side[1] : m->side[0];
  reblock_map *map = m->map[l == m->side[1]];
  int64_t index[AXES] = {0}, place, owner[1], count, offset, ranks_of[64], places[64 * AXES], indices[64 * AXES], asking = 0;
  int32_t here;
  for (int k = 0; k < l->axes; k++)
    if (!l->extents[k]) return;
  for (int n = 0; n < 40; n++) {
    for (int k = 0; k < l->axes; k++) index[k] = draw(0, l->extents[k] - 1);
    int rank = where(l, index, 0, &place);
    MUST(reblock_map_offset(map, index, &offset, &here));
    expect(here == (rank == me) && (!here || offset == place), "the place of an element");
    MUST(reblock_map_local_index(map, index, NULL, &here));
    expect(here == (rank == me), "whether an element is here");
    int32_t code = reblock_map_owners(map, index, 1, owner, &count);
    expect(rank == me ? !code && count == 1 && owner[0] == me : code == REBLOCK_ERR_ARGUMENT, "the owner of an element");
    if (n % ranks != me) continue;
    for (int k = 0; k < l->axes; k++) indices[asking * l->axes + k] = index[k];
    asking++;
  }
  MUST(reblock_map_dereference(map, asking, indices, ranks_of, places));
  for (int64_t n = 0; n < asking; n++) {
    int rank = where(l, indices + n * l->axes, 0, &place);
    expect(ranks_of[n] == rank, "who has an element");
    for (int t = 0; t < l->tiles; t++) {
      int inside = 1, right = 1;
      for (int k = 0; k < l->axes; k++) {
        int64_t x = indices[n * l->axes + k] - l->tile[t].start[k];
        inside &= x >= 0 && x < l->tile[t].size[k];
        right &= places[n * l->axes + k] == x;
      }
      expect(!inside || right, "where in its box an element is");
    }
  }
}

/* Saves the array in one layout, and loads the file into the other layout. */
static void through_a_file(const char *folder) {
  char path[4096];
  struct move *m = drawn();
  for (int k = 0; k < m->axes; k++)
    if (m->side[0]->extents[k] != m->side[1]->extents[k]) { done(m); return; }
  /* Use all elements of both arrays. */
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < m->axes; k++) m->section[side][k] = (reblock_range){0, (m->lens[k] = m->side[side]->extents[k]) - 1, 1};
  fill(m);
  snprintf(path, sizeof path, "%s/boxes.npy", folder);
  MUST(reblock_save(MPI_COMM_WORLD, path, m->map[0], m->source, m->bytes, NULL));
  MUST(reblock_load(MPI_COMM_WORLD, path, m->map[1], m->target, m->bytes, NULL));
  check(m, "through a file");
  done(m);
}

void mistakes(void);
void plane(void);
void grids(void);

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int cases = argc > 1 ? atoi(argv[1]) : 100;
  seed = argc > 2 ? atoi(argv[2]) : 1;
  if (!me) printf("boxes: seed %d\n", seed);
  state = stream((uint64_t)seed);
  for (number = 0; number < cases; number++) {
    struct move *m = drawn();
    one(m);
    asked(m);
    done(m);
    if (number % 4 == 0) several();
    if (number % 3 == 0) plane();
    if (number % 2 == 0) grids();
    if (number % 5 == 0 && argc > 3) through_a_file(argv[3]);
  }
  mistakes();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me && !wrong) printf("boxes: %d cases on %d ranks\n", cases, ranks);
  MPI_Finalize();
  return wrong != 0;
}
