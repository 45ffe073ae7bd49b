/* Random gathers and scatters against a naive program that knows all arrays and all lists: arrays of 1 to 3 axes with all formats,
 * shadows, copies and orders of axes; lists of indices along one axis and of elements, with neighbours and duplicates, empty ones,
 * and on ranks that have nothing; elements that are numbers, combined in each way, and bytes; one by one, in batches, and as
 * requests. Whole storages are compared bit for bit, with what lies around them.
 *
 *   mpirun -n RANKS irregular SEED CASES [FIRST]
 *   mpirun -n RANKS irregular memory             rounds of the same cases: memory does not grow */
#include "irregular.h"
#include <malloc.h>

int me, ranks;
static int failures;
static uint64_t now;
static int plan_now;

void fail(const char *what, int64_t got, int64_t want) {
  failures++;
  fprintf(stderr, "rank %d, case %llu, plan %d: %s: %lld, expected %lld; %s\n", me, (unsigned long long)now, plan_now, what,
          (long long)got, (long long)want, reblock_message());
}

/* One plan of a case, and the storages that it is carried out with. */
struct one {
  int scatters, computes, bytes;
  enum number number;
  struct update update;
  int64_t axis;
  uint64_t lists, values;
  struct list list;
  reblock_plan *plan;
  unsigned char *array, *local, *whole; /* storages between guards, and the array as the naive program has it */
  int64_t count;
};

struct case_ { struct array array; int plans; struct one one[MOST_PLANS]; };

/* What is in an element of the array, of a local array of rank r, and anywhere else. */
static void in_array(const struct one *o, int64_t element, void *out) { value(o->number, o->bytes, hash(o->values, (uint64_t)element), out); }
static void in_local(const struct one *o, int r, int64_t at, void *out) {
  value(o->number, o->bytes, hash(hash(o->values + 1, (uint64_t)r), (uint64_t)at), out);
}

static void draw_update(struct one *o, uint64_t *s) {
  o->update.combine = (int)within(s, REBLOCK_ADD, o->number <= INT64 ? REBLOCK_OR : o->number <= DOUBLE ? REBLOCK_MAXIMUM : REBLOCK_ADD);
  o->update.conjugate = (int)within(s, 0, 3) == 0;
  unsigned char *factors[2] = {o->update.alpha, o->update.beta};
  for (int k = 0; k < 2; k++) {
    int64_t kind = within(s, 0, 5), simple = kind == 0 ? 0 : 1;
    uint64_t h = next(s);
    memset(factors[k], 0, 16);
    if (kind > 3) value(o->number, o->bytes, h, factors[k]);
    else if (o->number == INT32) memcpy(factors[k], &(int32_t){(int32_t)simple}, 4);
    else if (o->number == INT64) memcpy(factors[k], &simple, 8);
    else if (o->number == FLOAT || o->number == COMPLEX) memcpy(factors[k], &(float){(float)simple}, 4);
    else memcpy(factors[k], &(double){(double)simple}, 8);
  }
}

static void draw(struct case_ *c, uint64_t seed) {
  uint64_t state = stream(seed), *s = &state;
  static const int sizes[] = {1, 2, 3, 5, 7, 8, 12, 16, 20, 24, 40};
  make_array(&c->array, s);
  c->plans = (int)within(s, 1, MOST_PLANS);
  for (int p = 0; p < c->plans; p++) {
    struct one *o = &c->one[p];
    memset(o, 0, sizeof *o);
    o->scatters = (int)within(s, 0, 1);
    o->number = (enum number)within(s, RAW, DOUBLE_COMPLEX);
    o->bytes = o->number == RAW ? sizes[within(s, 0, 10)] : bytes_of(o->number);
    o->computes = o->number != RAW && within(s, 0, 3) > 0;
    draw_update(o, s);
    o->axis = within(s, -1, c->array.axes - 1);
    o->lists = next(s), o->values = next(s);
  }
}

static void check_info(const struct one *o) {
  reblock_plan_info info;
  MUST(reblock_plan_info_init(&info));
  MUST(reblock_plan_inquire(o->plan, &info));
  if (info.messages_sent > ranks - 1 || info.messages_received > ranks - 1) fail("messages", info.messages_sent, ranks - 1);
  if (ranks == 1 && info.sent + info.received) fail("bytes sent to others", info.sent, 0);
}

static void plan(struct case_ *c, struct one *o, uint64_t *s) {
  struct array *a = &c->array;
  reblock_plan_options options;
  int knows = within(s, 0, 1) || a->has_part || o->axis == REBLOCK_ALL_AXES;
  MUST(reblock_plan_options_init(&options));
  int64_t way = within(s, 0, 3);
  if (way == 0) options.transport = "mpi";
  if (way == 1) options.buffer = 1 << 20;
  o->list = list_of(a, o->axis, o->lists, me);
  o->count = named(a, o->axis, &o->list);
  int32_t (*make)(MPI_Comm, const reblock_map *, int64_t, int64_t, const int64_t *, int64_t, const reblock_plan_options *,
                  reblock_plan **) = o->scatters ? reblock_plan_scatter : reblock_plan_gather;
  MUST(make(MPI_COMM_WORLD, knows ? a->map : NULL, o->axis, o->list.count, o->list.indices, o->bytes,
            within(s, 0, 1) ? &options : NULL, &o->plan));
  if (o->plan) check_info(o);
}

static unsigned char *guarded(int64_t bytes) {
  unsigned char *memory = malloc((size_t)bytes + 2 * GUARD);
  memset(memory, 0xA5, (size_t)bytes + 2 * GUARD);
  return memory + GUARD;
}

/* Storages with what is in them before; `turn` makes other values. */
static void fill(struct case_ *c, struct one *o, int turn) {
  struct array *a = &c->array;
  o->values += (uint64_t)turn;
  o->array = guarded(a->room * o->bytes), o->local = guarded(o->count * o->bytes);
  o->whole = malloc((size_t)(a->elements * o->bytes + 1));
  for (int64_t e = 0; e < a->elements; e++) {
    in_array(o, e, o->whole + e * o->bytes);
    if (a->own[e] >= 0) memcpy(o->array + a->own[e] * o->bytes, o->whole + e * o->bytes, (size_t)o->bytes);
  }
  for (int64_t at = 0; at < o->count; at++) in_local(o, me, at, o->local + at * o->bytes);
}

/* What a rank's values for an element come to, and which elements it names. */
struct sums { struct one *o; int r; unsigned char *sums, *any; };
static void sum(void *data, int64_t at, int64_t element) {
  struct sums *t = data;
  struct one *o = t->o;
  unsigned char x[MOST_BYTES], *to = t->sums + element * o->bytes;
  in_local(o, t->r, at, x);
  if (o->computes && t->any[element]) combined(o->number, o->update.combine, x, to, to);
  else memcpy(to, x, (size_t)o->bytes);
  t->any[element] = 1;
}

static void naive_scatter(struct case_ *c, struct one *o) {
  struct array *a = &c->array;
  unsigned char *before = calloc((size_t)a->elements + 1, 1);
  for (int r = 0; r < ranks; r++) {
    struct list l = list_of(a, o->axis, o->lists, r);
    struct sums t = {o, r, malloc((size_t)(a->elements * o->bytes + 1)), calloc((size_t)a->elements + 1, 1)};
    each_named(a, o->axis, &l, sum, &t);
    for (int64_t e = 0; e < a->elements; e++) {
      unsigned char *to = o->whole + e * o->bytes, *x = t.sums + e * o->bytes;
      if (!t.any[e]) continue;
      if (!o->computes) memcpy(to, x, (size_t)o->bytes);
      /* Without the source there is nothing to come from further ranks. */
      else if (!before[e] || !is(o->number, o->update.alpha, 0)) updated(o->number, &o->update, before[e], x, to);
      before[e] = 1;
    }
    free(t.sums), free(t.any), free(l.indices);
  }
  free(before);
}

struct wanted { struct one *o; unsigned char *local; };
static void want(void *data, int64_t at, int64_t element) {
  struct wanted *w = data;
  struct one *o = w->o;
  unsigned char *to = w->local + at * o->bytes, *x = o->whole + element * o->bytes;
  if (o->computes) updated(o->number, &o->update, 0, x, to);
  else memcpy(to, x, (size_t)o->bytes);
}

static void same(const char *what, const unsigned char *got, const unsigned char *wanted, int64_t bytes) {
  for (int64_t k = -GUARD; k < bytes + GUARD; k++)
    if (got[k] != wanted[k]) { fail(what, k, bytes); return; }
}

static void check(struct case_ *c, struct one *o) {
  struct array *a = &c->array;
  unsigned char *array = guarded(a->room * o->bytes), *local = guarded(o->count * o->bytes);
  struct wanted w = {o, local};
  for (int64_t at = 0; at < o->count; at++) in_local(o, me, at, local + at * o->bytes);
  if (o->scatters) naive_scatter(c, o);
  else each_named(a, o->axis, &o->list, want, &w);
  for (int64_t e = 0; e < a->elements; e++)
    if (a->own[e] >= 0) memcpy(array + a->own[e] * o->bytes, o->whole + e * o->bytes, (size_t)o->bytes);
  plan_now = (int)(o - c->one);
  same("byte of the array", o->array, array, a->room * o->bytes);
  same("byte of the local array", o->local, local, o->count * o->bytes);
  free(array - GUARD), free(local - GUARD), free(o->array - GUARD), free(o->local - GUARD), free(o->whole);
}

static void carry_out(struct case_ *c, uint64_t *s) {
  static const int64_t types[] = {0, REBLOCK_INT32, REBLOCK_INT64, REBLOCK_FLOAT, REBLOCK_DOUBLE, REBLOCK_COMPLEX, REBLOCK_DOUBLE_COMPLEX};
  int64_t way = within(s, 0, 3), n = c->plans;
  reblock_plan *plans[MOST_PLANS];
  const void *sources[MOST_PLANS];
  void *targets[MOST_PLANS];
  reblock_update update[MOST_PLANS];
  const reblock_update *updates[MOST_PLANS];
  reblock_request *requests[MOST_PLANS] = {0};
  for (int p = 0; p < n; p++) {
    struct one *o = &c->one[p];
    unsigned char *array = c->array.room ? o->array + c->array.before * o->bytes : NULL, *local = o->count ? o->local : NULL;
    plans[p] = o->plan, sources[p] = o->scatters ? local : array, targets[p] = o->scatters ? array : local;
    MUST(reblock_update_init(&update[p]));
    update[p].type = types[o->number], update[p].combine = o->update.combine, update[p].conjugate = o->update.conjugate;
    update[p].alpha = o->update.alpha, update[p].beta = o->update.beta;
    updates[p] = o->computes ? &update[p] : NULL;
  }
  if (way == 0) {
    for (int p = 0; p < n; p++) MUST(reblock_plan_update(plans[p], sources[p], targets[p], updates[p]));
  } else if (way == 1) {
    MUST(reblock_plan_update_many(n, plans, sources, targets, updates));
  } else if (way == 2) {
    for (int p = 0; p < n; p++) MUST(reblock_plan_start_update(plans[p], sources[p], targets[p], updates[p], &requests[p]));
    for (int64_t p = n - 1; p >= 0; p--) MUST(reblock_request_wait(&requests[p]));
  } else {
    int32_t done = 0;
    MUST(reblock_plan_start_update_many(n, plans, sources, targets, updates, &requests[0]));
    while (!done && failures == 0) MUST(reblock_request_test(&requests[0], &done));
  }
}

static void run(uint64_t seed) {
  struct case_ c;
  uint64_t state = stream(seed + 1);
  draw(&c, seed);
  for (int p = 0; p < c.plans; p++) {
    plan_now = p;
    plan(&c, &c.one[p], &state);
    if (failures) return;
  }
  for (int turn = 0; turn < 2; turn++) {
    for (int p = 0; p < c.plans; p++) fill(&c, &c.one[p], turn);
    carry_out(&c, &state);
    for (int p = 0; p < c.plans; p++) check(&c, &c.one[p]);
    if (failures) return;
  }
  for (int p = 0; p < c.plans; p++) {
    MUST(reblock_plan_free(&c.one[p].plan));
    free(c.one[p].list.indices);
  }
  free_array(&c.array);
}

/* Bytes in use after each of some rounds, each of which makes, uses and frees the same plans. */
static void level(void) {
  size_t before = 0;
  for (int round = 0; round < 40 && failures == 0; round++) {
    for (now = 0; now < 12 && failures == 0; now++) run(hash(99, now));
    struct mallinfo2 held = mallinfo2();
    size_t bytes = held.uordblks + held.hblkhd;
    if (round == 9) before = bytes; /* MPI and the library keep what they have made by then */
    /* MPICH takes room for many requests at once, some 160 KiB, when it first needs more of them. */
    if (round == 39 && bytes > before + (256 << 10)) fail("bytes in use", (int64_t)bytes, (int64_t)before);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  uint64_t cases = argc > 2 ? strtoull(argv[2], NULL, 10) : 100, first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
  int memory = argc > 1 && strcmp(argv[1], "memory") == 0;
  if (memory) level();
  for (now = first; !memory && now < first + cases && failures == 0; now++) run(hash(seed, now));
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (all && failures && !memory) fprintf(stderr, "rank %d: again with: irregular %llu 1 %llu\n", me, (unsigned long long)seed, (unsigned long long)(now - 1));
  if (me == 0 && !all && memory) printf("irregular: memory is level on %d ranks\n", ranks);
  if (me == 0 && !all && !memory) printf("irregular: seed %llu: %llu cases on %d ranks\n", (unsigned long long)seed, (unsigned long long)cases, ranks);
  MPI_Finalize();
  return all != 0;
}
