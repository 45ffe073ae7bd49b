/* Tests array assignments against a program that assigns element by element: sections in either direction, sources that
 * are spread, shifts, and assignments within one array.
 *
 *   mpirun -n RANKS assignments SEED CASES
 *
 * Makes the cases of the seeds SEED, SEED + 1, ...; SEED 0 stands for the time. */
#include "assignment.h"
#include "more.h"
#include "../random.h"
#include <time.h>

int me, ranks, wrong;
uint64_t state;
static uint64_t now;

void complain(const char *what) {
  if (wrong++ < 5) fprintf(stderr, "rank %d: seed %llu: %s\n", me, (unsigned long long)now, what);
}
void must(int32_t code, const char *call) {
  if (code == REBLOCK_OK) return;
  fprintf(stderr, "rank %d: seed %llu: %s: %s: %s\n", me, (unsigned long long)now, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
void wants(int32_t code, int32_t wanted, const char *text, const char *what) {
  if (code == wanted && (code == REBLOCK_OK || strstr(reblock_message(), text))) return;
  fprintf(stderr, "rank %d: %s: %s, \"%s\", expected %s with \"%s\"\n", me, what, reblock_code_name(code), reblock_message(),
          reblock_code_name(wanted), text);
  wrong++;
}

static void *source_of(const struct array *a) { return a->has ? a->data : NULL; }

static int64_t *copy_of(const struct array *a) {
  size_t bytes = 8 * (size_t)((a->elements + 1) * a->words);
  return memcpy(malloc(bytes), a->all, bytes);
}

/* Sections in boxes cannot be spread, filled, or shifted line by line. */
static int refused_in_boxes(const struct assignment *s) {
  int64_t boxes[2];
  MUST(reblock_map_boxes(s->from->map, &boxes[0])), MUST(reblock_map_boxes(s->to->map, &boxes[1]));
  int filled = 0;
  for (int k = 0; k < s->from->axes; k++) filled |= s->kind == END_OFF && s->bounded && s->shifts[k] && count_of(&s->from_section[k]);
  int lines = s->kind == LINES;
  return ((s->spreads || lines) && boxes[0] >= 0) || ((s->spreads || filled || lines) && boxes[1] >= 0);
}

static void execute(struct assignment *s, int how) {
  void *source = source_of(s->from), *target = source_of(s->to);
  reblock_request *request;
  int64_t alpha = 1, beta = 0;
  reblock_update update;
  int64_t *old = copy_of(s->from);
  MUST(reblock_update_init(&update));
  update.type = REBLOCK_INT64, update.alpha = &alpha, update.beta = &beta;
  if (how >= 2) alpha = draw(-3, 3), beta = draw(-2, 2);
  assignment_naive(s, old, alpha, beta, 0);
  if (how == 0) MUST(reblock_plan_execute(s->plan, source, target));
  else if (how == 1) MUST(reblock_plan_start(s->plan, source, target, &request)), MUST(reblock_request_wait(&request));
  else if (how == 2) MUST(reblock_plan_update(s->plan, source, target, &update));
  else {
    MUST(reblock_plan_start_update(s->plan, source, target, &update, &request));
    MUST(reblock_request_wait(&request));
  }
  free(old);
}

static void check_info(const struct assignment *s) {
  reblock_plan_info info;
  MUST(reblock_plan_info_init(&info));
  MUST(reblock_plan_inquire(s->plan, &info));
  int64_t left[2] = {info.sent - info.received, info.messages_sent - info.messages_received};
  MPI_Allreduce(MPI_IN_PLACE, left, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (left[0] || left[1]) complain("ranks send more than they receive, or less");
}

/* Tests the reverse plan: elements go back to their source. */
static void back(struct assignment *s) {
  reblock_plan *reverse;
  if (s->spreads) {
    wants(reblock_plan_reverse(s->plan, &reverse), REBLOCK_ERR_ARGUMENT, "spreads", "the way back of a spread");
    return;
  }
  MUST(reblock_plan_reverse(s->plan, &reverse));
  int64_t *old = copy_of(s->to);
  assignment_naive(s, old, 1, 0, 1);
  MUST(reblock_plan_execute(reverse, source_of(s->to), source_of(s->from)));
  free(old);
  MUST(reblock_plan_free(&reverse));
}

/* Tests relabelling: if parts of the target move to other ranks, these ranks have the storage. */
static int64_t relabelled, spread_too;
static void relabel(struct assignment *s) {
  reblock_map *map = NULL;
  MUST(reblock_plan_target(s->plan, &map));
  int moved = map != NULL, ends[2] = {moved, -moved};
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (ends[0] != -ends[1]) complain("the target has another map on some ranks only");
  if (moved && !s->relabel) complain("the target has another map, which nobody asked for");
  relabelled += moved, spread_too += moved && s->spreads;
  array_onto(s->to, map);
}

static void one_case(void) {
  struct array a, b;
  struct assignment s;
  int within = once_in(3), before = wrong, words = once_in(3) ? (int)draw(2, WORDS) : 1;
  assignment_draw(&s, within ? &b : &a, &b, words, within);
  int32_t code = assignment_plan(&s);
  if (!code) relabel(&s);
  array_fill(s.from);
  if (!within) array_fill(&b);
  if (refused_in_boxes(&s)) wants(code, REBLOCK_ERR_ARGUMENT, "boxes", "a spread of an array in boxes");
  else {
    must(code, "assignment_plan");
    check_info(&s);
    for (int how = 0; how < (words == 1 ? 4 : 2); how++) {
      execute(&s, how);
      array_check(&b, "the target"), array_check(s.from, "the source");
    }
    back(&s);
    array_check(s.from, "the source on the way back"), array_check(&b, "the target on the way back");
    MUST(reblock_plan_free(&s.plan));
  }
  if (wrong > before) assignment_print(&s);
  if (!within) array_free(&a);
  array_free(&b);
}

/* Tests two assignments in one call, or two arrays that exchange their contents. All sources must be read before any
 * target is written. */
static void batch(void) {
  struct array a[2], b[2];
  struct assignment s[2];
  int swap = once_in(2), before = wrong;
  for (int i = 0; i < 2; i++) {
    if (swap && i) s[1] = s[0], s[1].from = s[0].to, s[1].to = s[0].from;
    else do {
      assignment_draw(&s[i], &a[i], &b[i], 1, 0);
      s[i].relabel = 0;
      if (!refused_in_boxes(&s[i]) && !(swap && (s[i].spreads || s[i].kind != COPY))) break;
      array_free(&a[i]), array_free(&b[i]);
    } while (1);
    if (swap && i) {
      memcpy(s[1].from_section, s[0].to_section, sizeof s[0].to_section);
      memcpy(s[1].to_section, s[0].from_section, sizeof s[0].from_section);
      for (int k = 0; k < s[0].from->axes; k++) s[1].axes[s[0].axes[k]] = k;
    }
    s[i].overlap = swap;
    MUST(assignment_plan(&s[i]));
  }
  int arrays = swap ? 1 : 2;
  for (int i = 0; i < arrays; i++) array_fill(&a[i]), array_fill(&b[i]);
  int64_t *old[2] = {copy_of(s[0].from), copy_of(s[1].from)};
  for (int i = 0; i < 2; i++) assignment_naive(&s[i], old[i], 1, 0, 0);
  reblock_plan *plans[2] = {s[0].plan, s[1].plan};
  const void *sources[2] = {source_of(s[0].from), source_of(s[1].from)};
  void *targets[2] = {source_of(s[0].to), source_of(s[1].to)};
  reblock_request *request;
  if (once_in(2)) MUST(reblock_plan_execute_many(2, plans, sources, targets));
  else MUST(reblock_plan_start_many(2, plans, sources, targets, &request)), MUST(reblock_request_wait(&request));
  for (int i = 0; i < arrays; i++) array_check(&a[i], "a source of a batch"), array_check(&b[i], "a target of a batch");
  for (int i = 0; i < 2 && wrong > before && wrong < 8; i++) assignment_print(&s[i]);
  for (int i = 0; i < 2; i++) free(old[i]), MUST(reblock_plan_free(&s[i].plan));
  for (int i = 0; i < arrays; i++) array_free(&a[i]), array_free(&b[i]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, cases = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
  if (!seed) seed = (uint64_t)time(NULL) * 1000;
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (!me) printf("assignments: %d ranks, seed %llu\n", ranks, (unsigned long long)seed), fflush(stdout);
  for (now = seed; now < seed + cases; now++) {
    state = stream(now);
    if (once_in(4)) batch();
    else one_case();
  }
  now = 0;
  mistakes();
  same_maps();
  lent();
  reshaped();
  relabelled_spread();
  if (ranks == 4) shadows();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me)
    printf("assignments: %llu cases, %lld of them relabelled, %lld of these spread, %d wrong\n", (unsigned long long)cases,
           (long long)relabelled, (long long)spread_too, wrong);
  MPI_Finalize();
  return wrong != 0;
}
