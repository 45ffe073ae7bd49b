/* Tests reblock_move: it must move the same elements as a plan of the program's own, and plan only once. Moves random
 * sections of distributed arrays; maps are made anew for each call, ranks without a part pass NULL at random, and each
 * rank has its own strides. Each plan's reverse must bring all elements back, bit for bit.
 *
 * If a rank passes NULL, planning needs a broadcast of the map, so this program counts broadcasts to detect planning.
 * It keeps a list of the last used problems, from which it computes whether the library still has a plan for a problem.
 *
 *   mpirun -n RANKS moves CALLS [SEED] */
#include "plain.h"
#include "random.h"
#include <string.h>

enum { PROBLEMS = 44, KEPT = 32, ROOM = 52 * 7 * 7 * 2, WORDS = 3 };
static int broadcasts, communicators;
int MPI_Ibcast(void *b, int n, MPI_Datatype t, int r, MPI_Comm c, MPI_Request *q) {
  broadcasts++;
  return PMPI_Ibcast(b, n, t, r, c, q);
}
int MPI_Comm_dup(MPI_Comm c, MPI_Comm *o) { return communicators++, PMPI_Comm_dup(c, o); }
int MPI_Comm_idup(MPI_Comm c, MPI_Comm *o, MPI_Request *q) { return communicators++, PMPI_Comm_idup(c, o, q); }
int MPI_Comm_split(MPI_Comm c, int x, int k, MPI_Comm *o) { return communicators++, PMPI_Comm_split(c, x, k, o); }

/* One array with a section, and the layout of this rank's part, whose strides are `gap` times those without gaps. */
struct side { struct plain dealt; reblock_range section[AXES]; int gap; reblock_map *map; int64_t storage[ROOM * WORDS]; };
struct problem { struct plain dealt[2]; reblock_range section[2][AXES]; int words; };

static struct problem problems[PROBLEMS];
static struct side source, target;
static uint64_t state, own;
static int seed, gaps = 1, used[KEPT], kept, hits, relabellings, forgotten, seen[PROBLEMS];

static void expect(int good, int number, const char *what) {
  if (good) return;
  if (wrong++ < 5) fprintf(stderr, "moves: rank %d: %s, problem %d of seed %d on %d ranks\n", me, what, number, seed, ranks);
}

/* Draws sections of equal extents. Problems differ in the first extent, so that no two share a plan. */
static void draw(struct problem *p, int number) {
  int axes = (int)within(&state, 1, 3);
  p->words = within(&state, 0, 1) ? WORDS : 1;
  for (int side = 0; side < 2; side++) {
    struct plain *dealt = &p->dealt[side];
    dealt->axes = axes, dealt->row_major = (int)within(&state, 0, 1);
    for (int64_t k = 0, left = ranks; k < axes; k++) {
      dealt->shape[k] = within(&state, 1, left), left /= dealt->shape[k];
      dealt->blocks[k] = within(&state, 0, 4);
    }
  }
  for (int k = 0; k < axes; k++) {
    int64_t count = within(&state, number % 9 > 0, 3);
    for (int side = 0; side < 2; side++) {
      int64_t lower = within(&state, 0, 2), stride = within(&state, 1, 2), last = lower + (count - 1) * stride;
      p->section[side][k] = (reblock_range){lower, count ? last : lower - 1, stride};
      p->dealt[side].extents[k] = k ? within(&state, last < 0 ? 0 : last + 1, 7) : within(&state, 7, 20);
    }
  }
  p->dealt[0].extents[0] = 7 + number;
}

/* Returns the place of an element in this rank's storage; -1 if another rank has it. */
static int64_t place_of(const struct side *s, const int64_t *index) {
  int64_t offset;
  return find(&s->dealt, index, &offset) == me ? offset * s->gap : -1;
}

/* Returns word w of an element. */
static int64_t value(const struct plain *p, const int64_t *index, int w) {
  int64_t n = 1;
  for (int k = 0; k < p->axes; k++) n = n * 64 + index[k];
  return n * WORDS + w;
}

/* Makes the map of a side, with this rank's own gaps. If this rank has no part, the map is NULL at random. */
static void prepare(struct side *s, const struct plain *dealt, const reblock_range *section) {
  int64_t at[AXES], strides[AXES], stride;
  s->dealt = *dealt;
  memcpy(s->section, section, sizeof s->section);
  s->gap = gaps ? (int)within(&own, 1, 2) : 1;
  s->map = mapped(dealt);
  int inside = coordinates(dealt, me, at);
  if (inside && s->gap > 1) {
    reblock_map *with_gaps;
    stride = s->gap;
    for (int j = 0; j < dealt->axes; j++) {
      int k = dealt->row_major ? dealt->axes - 1 - j : j;
      int64_t count = length(dealt, k, at[k]);
      strides[k] = stride, stride *= count ? count : 1;
    }
    MUST(reblock_map_strides(s->map, strides, &with_gaps));
    MUST(reblock_map_free(&s->map));
    s->map = with_gaps;
  }
  if (!inside && within(&own, 0, 1)) MUST(reblock_map_free(&s->map));
}

static void clear(struct side *s) { for (int i = 0; i < ROOM * WORDS; i++) s->storage[i] = -1 - i; }

static void fill(struct side *s, int words) {
  int64_t index[AXES] = {0};
  clear(s);
  if (!product(s->dealt.extents, s->dealt.axes)) return;
  do {
    int64_t at = place_of(s, index);
    for (int w = 0; at >= 0 && w < words; w++) s->storage[at * words + w] = value(&s->dealt, index, w);
  } while (advance(index, s->dealt.extents, s->dealt.axes));
}

/* Checks that the elements of the target's section equal the source's, and that nothing else was written. */
static void must_be(const struct side *t, const struct side *s, int words, int number, const char *what) {
  static int64_t right[ROOM * WORDS];
  int64_t count[AXES], n[AXES] = {0}, from[AXES], to[AXES];
  for (int i = 0; i < ROOM * WORDS; i++) right[i] = -1 - i;
  for (int k = 0; k < t->dealt.axes; k++) {
    const reblock_range *r = &t->section[k];
    count[k] = r->upper < r->lower ? 0 : (r->upper - r->lower) / r->stride + 1;
  }
  if (product(count, t->dealt.axes))
    do {
      for (int k = 0; k < t->dealt.axes; k++) {
        from[k] = s->section[k].lower + n[k] * s->section[k].stride;
        to[k] = t->section[k].lower + n[k] * t->section[k].stride;
      }
      int64_t at = place_of(t, to);
      for (int w = 0; at >= 0 && w < words; w++) right[at * words + w] = value(&s->dealt, from, w);
    } while (advance(n, count, t->dealt.axes));
  expect(!memcmp(right, t->storage, sizeof right), number, what);
}

/* Checks a plan of the program's own, its reverse, and the reverse of that. */
static void planned(const struct problem *p, int number) {
  reblock_plan *plan, *reverse, *again;
  MUST(reblock_plan_create(MPI_COMM_WORLD, source.map, source.map ? source.section : NULL, target.map,
                           target.map ? target.section : NULL, 8 * p->words, NULL, &plan));
  clear(&target);
  MUST(reblock_plan_execute(plan, source.storage, target.storage));
  must_be(&target, &source, p->words, number, "a plan of the program's own");
  MUST(reblock_plan_reverse(plan, &reverse));
  MUST(reblock_plan_free(&plan));
  clear(&source);
  MUST(reblock_plan_execute(reverse, target.storage, source.storage));
  must_be(&source, &source, p->words, number, "the reverse of a plan");
  MUST(reblock_plan_reverse(reverse, &again));
  MUST(reblock_plan_free(&reverse));
  clear(&target);
  MUST(reblock_plan_execute(again, source.storage, target.storage));
  must_be(&target, &source, p->words, number, "the reverse of a reverse");
  MUST(reblock_plan_free(&again));
}

/* Returns whether the library still keeps the problem's plan; marks the plan as used. */
static int is_kept(int number) {
  int at = 0, found;
  while (at < kept && used[at] != number) at++;
  found = at < kept;
  if (!found && kept < KEPT) kept++;
  if (at == KEPT) at--;
  memmove(used + 1, used, (size_t)at * sizeof *used);
  used[0] = number;
  return found;
}

/* Makes a call in which one rank passes no element size. It must fail on all ranks, and must not count as a use of the
 * plan. */
static void fail(const struct problem *p, int number) {
  int64_t element = me == within(&state, 0, ranks - 1) ? -1 : 8 * p->words;
  clear(&target);
  int32_t code = reblock_move(MPI_COMM_WORLD, source.map, source.map ? source.section : NULL, target.map,
                              target.map ? target.section : NULL, element, source.storage, target.storage);
  expect(code == REBLOCK_ERR_ARGUMENT, number, "a call that has to fail");
  for (int i = 0; i < ROOM * WORDS; i++)
    if (target.storage[i] != -1 - i) { expect(0, number, "a call that failed writes"); break; }
}

static void move(int number, int fails) {
  const struct problem *p = &problems[number];
  prepare(&source, &p->dealt[0], p->section[0]);
  prepare(&target, &p->dealt[1], p->section[1]);
  fill(&source, p->words), clear(&target);
  if (fails) fail(p, number);
  else {
    int lacking[2] = {!source.map, !target.map}, known = is_kept(number), made = communicators;
    hits += known, forgotten += !known && seen[number], seen[number] = 1;
    MPI_Allreduce(MPI_IN_PLACE, lacking, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    broadcasts = 0;
    MUST(reblock_move(MPI_COMM_WORLD, source.map, source.map ? source.section : NULL, target.map,
                      target.map ? target.section : NULL, 8 * p->words, source.storage, target.storage));
    expect(known ? broadcasts == 0 : broadcasts >= lacking[0] + lacking[1], number, known ? "planned again" : "not planned");
    expect(communicators == made, number, "a communicator was made");
    must_be(&target, &source, p->words, number, "reblock_move");
    planned(p, number);
  }
  if (source.map) MUST(reblock_map_free(&source.map));
  if (target.map) MUST(reblock_map_free(&target.map));
}

/* Checks that elements that relabelling moved to other ranks come back from there. */
static void relabelled(int number) {
  const struct problem *p = &problems[number];
  reblock_plan_options options;
  reblock_plan *plan, *reverse;
  reblock_map *moved, *none;
  /* This rank's strides may not fit the part that relabelling assigns to it. */
  gaps = 0;
  prepare(&source, &p->dealt[0], p->section[0]);
  prepare(&target, &p->dealt[1], p->section[1]);
  fill(&source, p->words), clear(&target);
  MUST(reblock_plan_options_init(&options));
  options.relabel = 1;
  MUST(reblock_plan_create(MPI_COMM_WORLD, source.map, source.map ? source.section : NULL, target.map,
                           target.map ? target.section : NULL, 8 * p->words, &options, &plan));
  MUST(reblock_plan_target(plan, &moved));
  relabellings += moved != NULL;
  MUST(reblock_plan_execute(plan, source.storage, target.storage));
  MUST(reblock_plan_reverse(plan, &reverse));
  MUST(reblock_plan_target(reverse, &none));
  expect(!none, number, "the way back is relabelled");
  clear(&source);
  MUST(reblock_plan_execute(reverse, target.storage, source.storage));
  must_be(&source, &source, p->words, number, "the reverse after relabelling");
  MUST(reblock_plan_free(&plan)), MUST(reblock_plan_free(&reverse));
  if (moved) MUST(reblock_map_free(&moved));
  if (source.map) MUST(reblock_map_free(&source.map));
  if (target.map) MUST(reblock_map_free(&target.map));
}

int main(int argc, char **argv) {
  int calls = argc > 1 ? atoi(argv[1]) : 200;
  seed = argc > 2 ? atoi(argv[2]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  state = stream((uint64_t)seed), own = stream((uint64_t)seed * 100 + (uint64_t)me);
  for (int number = 0; number < PROBLEMS; number++) draw(&problems[number], number);
  for (int call = 0; call < calls; call++) {
    /* Either a recently used problem or any problem, so that some plans are dropped and made again. */
    int number = kept && within(&state, 0, 1) ? used[within(&state, 0, kept - 1)] : (int)within(&state, 0, PROBLEMS - 1);
    move(number, call % 5 == 4);
  }
  for (int number = 0; number < PROBLEMS; number++) relabelled(number);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me)
    printf("moves: %d calls on %d ranks, seed %d: %d by plans that were kept, %d by plans made again, %d relabelled, %d wrong\n",
           calls, ranks, seed, hits, forgotten, relabellings, wrong);
  MPI_Finalize();
  return wrong != 0;
}
