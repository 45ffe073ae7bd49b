/* Checks that all arrays of a case are exact after each way to move them, and that other memory is unchanged. */
#include "transfer.h"
#include "draw.h"
#include "halo.h"
#include "laid.h"
#include "lists.h"
#include "numbers.h"
#include "relabel.h"
#include "shift.h"
#include <stdio.h>
#include <string.h>

struct running {
  const struct move *move;
  struct laid from, to;
  int64_t copies;            /* number of the source's copies that are combined; 1: the nearest is read */
  struct drawn_update drawn; /* the update of this round, if `update` is not NULL */
  const reblock_update *update;
  struct side relabelled; /* the mapping of `to` after relabelling */
  reblock_plan *plan;
};
static struct running run[MAX_MOVES];

/* Returns whether this rank passes the map, which a rank without a part may leave out. */
static int knows(const struct laid *l) {
  int placed = 0;
  for (int i = 0; i < l->side->places; i++) placed |= l->side->ranks[i] == l->rank;
  return l->map && (placed || l->side->box || l->element % 2);
}

/* This rank's arguments for an array: its map, and a section, unless it is the whole array. */
struct said { const reblock_map *map; const reblock_range *section; reblock_range ranges[MAX_AXES]; };
static void say(struct said *said, const struct laid *l) {
  section_of(l->side, 0, said->ranges);
  said->map = knows(l) ? l->map : NULL;
  said->section = said->map && !l->side->whole_section ? said->ranges : NULL;
}

/* Returns this rank's options, or NULL; equal on all ranks that give them. */
static const reblock_plan_options *options_of(const struct one_case *c, const struct move *m, reblock_plan_options *made) {
  *made = c->options;
  if (!c->with_options) reblock_plan_options_init(made);
  if (m->permuted) made->axes = m->axes, made->axes_count = m->from.axes;
  if (m->spreads) made->spread = m->spread, made->spread_count = m->spreads;
  made->copies = m->sums;
  return c->with_options || m->permuted || m->spreads || m->sums ? made : NULL;
}

/* Returns the target's axis for each axis of the source; NULL if the n-th element of the source's section goes to the
 * n-th of the target's. */
static const int64_t *axes_of(const struct move *m) { return m->permuted || m->spreads || m->shift.kind ? m->axes : NULL; }

static void make_plan(const struct one_case *c, struct running *r) {
  struct said from, to;
  reblock_plan_options options;
  say(&from, &r->from), say(&to, &r->to);
  const reblock_plan_options *chosen = options_of(c, r->move, &options);
  MPI_Fint comm = MPI_Comm_c2f(c->enclosing->comm);
  if (r->move->shift.kind)
    shift_plan(comm, r->move, from.map, from.section, &r->to, to.map, to.section, chosen, &r->plan);
  else
    refused(binding->plan_create(comm, from.map, from.section, to.map, to.section, r->from.element, chosen, &r->plan), "plan_create");
}

/* Prepares the arrays for a round, and their expected contents. An array of numbers is updated, with new factors in
 * each round, or copied; other arrays are copied. */
static void prepare(struct running *r, int round) {
  struct origin origin = {r->from.side, axes_of(r->move), r->copies, NULL, &r->move->shift};
  uint64_t salt = hash(r->move->salt, (uint64_t)round);
  r->update = NULL;
  if (r->move->type && (r->move->sums || salt % 5)) {
    update_make(&r->drawn, r->move->type, salt);
    origin.update = r->update = &r->drawn.update;
  }
  laid_fill(&r->from, round);
  laid_want(&r->to, &origin, round);
}

/* Returns this rank's source; a source that is not read may be missing. */
static struct local source_of(const struct running *r) {
  struct local source = laid_local(&r->from);
  if (r->update && update_ignores_source(r->update) && (r->move->salt + (uint64_t)r->from.rank) % 3) source.has = 0;
  return source;
}

static void check(struct running *r, const char *when) {
  int before = bad;
  laid_check(&r->from, "the source", when);
  laid_check(&r->to, "the target", when);
  if (bad > before && r->update) update_print(r->update);
}

/* Moves twice without a plan of the program's own. The second time, the library already has a plan. */
static void move(const struct one_case *c, struct running *r) {
  struct said from, to;
  MPI_Fint comm = MPI_Comm_c2f(c->enclosing->comm);
  say(&from, &r->from), say(&to, &r->to);
  for (int round = 5; round < 7; round++) {
    prepare(r, round);
    struct local source = source_of(r), target = laid_local(&r->to);
    int32_t code;
    if (!r->update) code = binding->move(comm, from.map, from.section, to.map, to.section, r->from.element, &source, &target);
    else code = binding->move_update(comm, from.map, from.section, to.map, to.section, r->from.element, &source, &target, r->update);
    refused(code, "move");
    check(r, "move");
  }
}

/* Checks B := combine(alpha op(B), beta B), in which every element keeps its place. */
static void in_place(const struct one_case *c, struct running *r) {
  reblock_plan *own = NULL;
  const reblock_map *map = knows(&r->to) ? r->to.map : NULL;
  struct drawn_update drawn;
  refused(binding->plan_create(MPI_Comm_c2f(c->enclosing->comm), map, NULL, map, NULL, r->to.element, NULL, &own), "plan_create");
  if (!all_fine(c->enclosing->comm)) return;
  for (int round = 8; round < 10; round++) {
    update_make(&drawn, r->move->type, hash(r->move->salt, (uint64_t)round));
    laid_want_own(&r->to, &drawn.update, round);
    struct local both = laid_local(&r->to);
    refused(binding->plan_update(own, &both, &both, &drawn.update), "plan_update in place");
    int before = bad;
    laid_check(&r->to, "the target", "in place");
    if (bad > before) update_print(&drawn.update);
  }
  refused(binding->plan_free(&own), "plan_free");
}

/* Moves from the target back to the source, and to all copies of the source. */
static void back(const struct one_case *c, struct running *r) {
  reblock_plan *reverse = NULL;
  if (r->move->spreads) {
    int32_t code = binding->plan_reverse(r->plan, &reverse);
    if (code != REBLOCK_ERR_ARGUMENT || reverse) complain("plan_reverse of a plan that spreads its source: code %d", (int)code);
    return;
  }
  refused(binding->plan_reverse(r->plan, &reverse), "plan_reverse");
  if (!all_fine(c->enclosing->comm)) return;
  const int64_t *axes = r->move->axes;
  int64_t back[MAX_AXES];
  for (int k = 0; k < r->from.side->axes && axes_of(r->move); k++) back[axes[k]] = k;
  struct shift shift = shift_back(r->move);
  struct origin origin = {r->to.side, axes_of(r->move) ? back : NULL, 1, NULL, &shift};
  laid_fill(&r->to, 7);
  laid_want(&r->from, &origin, 7);
  struct local source = laid_local(&r->to), target = laid_local(&r->from);
  refused(binding->plan_execute(reverse, &source, &target), "execute of a reverse");
  laid_check(&r->to, "the target", "on the way back");
  laid_check(&r->from, "the source", "on the way back");
  refused(binding->plan_free(&reverse), "plan_free");
}

/* Completes a request by testing or waiting, with other work in between. */
static void finish(reblock_request **request) {
  int asking = once_in(2), times = (int)between(0, 20);
  for (int32_t done = 0; asking && !done;)
    if (refused(binding->request_test(request, &done), "request_test")) return;
  for (volatile int busy = 0; busy < times * 1000; busy++) continue;
  if (*request) refused(once_in(8) && binding->request_free ? binding->request_free(request) : binding->request_wait(request), "request_wait");
  else draw();
  if (*request) complain("a request that is complete is not NULL");
}

static void one_by_one(int moves, int started) {
  reblock_request *request[MAX_MOVES] = {NULL};
  int64_t order[MAX_MOVES] = {0, 1, 2};
  for (int i = 0; i < moves; i++) {
    struct running *r = &run[i];
    struct local source = source_of(r), target = laid_local(&r->to);
    if (!r->update && started) refused(binding->plan_start(r->plan, &source, &target, &request[i]), "plan_start");
    else if (!r->update) refused(binding->plan_execute(r->plan, &source, &target), "plan_execute");
    else if (!started) refused(binding->plan_update(r->plan, &source, &target, r->update), "plan_update");
    else {
      refused(binding->plan_start_update(r->plan, &source, &target, r->update, &request[i]), "plan_start_update");
      /* The factors are no longer needed. */
      memset(r->drawn.alpha, 0x5a, sizeof r->drawn.alpha), memset(r->drawn.beta, 0x5a, sizeof r->drawn.beta);
    }
  }
  shuffle(order, moves);
  for (int i = 0; started && i < moves; i++) finish(&request[order[i]]);
}

static void together(int moves, int started) {
  reblock_plan *plans[MAX_MOVES];
  struct local sources[MAX_MOVES], targets[MAX_MOVES];
  const reblock_update *updates[MAX_MOVES];
  reblock_request *request = NULL;
  int updated = 0;
  for (int i = 0; i < moves; i++) {
    plans[i] = run[i].plan, updates[i] = run[i].update;
    updated |= updates[i] != NULL;
    sources[i] = source_of(&run[i]), targets[i] = laid_local(&run[i].to);
  }
  /* An empty batch does nothing. */
  if (moves == 2 && !started) refused(binding->plan_execute_many(0, plans, sources, targets), "execute_many of no array");
  if (updated && !started) {
    refused(binding->plan_update_many(moves, plans, sources, targets, updates), "plan_update_many");
  } else if (updated) {
    int32_t code = binding->plan_start_update_many(moves, plans, sources, targets, updates, &request);
    if (!refused(code, "plan_start_update_many")) finish(&request);
  } else if (!started) refused(binding->plan_execute_many(moves, plans, sources, targets), "plan_execute_many");
  else if (!refused(binding->plan_start_many(moves, plans, sources, targets, &request), "plan_start_many")) finish(&request);
}

static void execute(const struct one_case *c) {
  static const char *const names[] = {"plan_execute", "execute again", "plan_start", "plan_execute_many", "plan_start_many"};
  int rounds = c->moves == 1 ? 3 : 5;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < c->moves; i++) prepare(&run[i], round);
    if (round < 3) one_by_one(c->moves, round == 2);
    else together(c->moves, round == 4);
    for (int i = 0; i < c->moves; i++) check(&run[i], names[round]);
  }
}

/* Checks the plan's counts of bytes and messages. A plan may have several phases and counts a byte in each phase that
 * moves it, so it may receive more bytes than the target's section has. */
static void check_plan(struct running *r, MPI_Comm comm) {
  reblock_plan_info info = {0};
  refused(reblock_plan_info_init(&info), "plan_info_init");
  refused(binding->plan_inquire(r->plan, &info), "plan_inquire");
  prepare(r, 0);
  if (info.received + info.kept < r->to.written * r->to.element)
    complain("plan_inquire says %lld received and %lld kept, expected %lld in all", (long long)info.received,
             (long long)info.kept, (long long)(r->to.written * r->to.element));
  int64_t left[2] = {info.sent - info.received, info.messages_sent - info.messages_received};
  MPI_Allreduce(MPI_IN_PLACE, left, 2, MPI_INT64_T, MPI_SUM, comm);
  if (left[0] || left[1])
    complain("all send %lld bytes and %lld messages more than all receive", (long long)left[0], (long long)left[1]);
}

void transfer(const struct one_case *c) {
  memset(run, 0, sizeof run);
  for (int i = 0; i < c->moves; i++) {
    struct running *r = &run[i];
    const struct move *m = r->move = &c->move[i];
    int64_t copy;
    laid_declare(&r->from, &m->from, m->element), laid_declare(&r->to, &m->to, m->element);
    r->from.type = r->to.type = m->type;
    r->copies = naive_copies(&m->from, r->from.part.coords, &copy);
    if (m->sums) r->from.copy = copy;
    else r->copies = 1;
  }
  int fine = all_fine(c->enclosing->comm), release = once_in(4), plan_first = once_in(2);
  for (int i = 0; i < c->moves && fine; i++) make_plan(c, &run[i]);
  fine = fine && all_fine(c->enclosing->comm);
  for (int i = 0; i < c->moves && fine && c->options.relabel; i++)
    relabel(run[i].plan, c->enclosing, &run[i].from, axes_of(run[i].move), &run[i].to,
            &run[i].relabelled);
  fine = fine && all_fine(c->enclosing->comm);
  for (int i = 0; i < c->moves && fine; i++) {
    check_plan(&run[i], c->enclosing->comm);
    laid_inquire(&run[i].from), laid_inquire(&run[i].to);
    if (release) laid_release(&run[i].from), laid_release(&run[i].to);
  }
  if (fine) execute(c);
  for (int i = 0; i < c->moves && fine; i++) {
    back(c, &run[i]);
    const struct move *m = run[i].move;
    if (binding->move && !release && !c->with_options && !axes_of(m) && !m->sums) move(c, &run[i]);
    if (binding->has_aliases && m->type && !release && !m->to.holes) in_place(c, &run[i]);
    if (!release && feature(HALOS, 2)) halo(c, &run[i].from);
    if (!release && !c->options.relabel && feature(HALOS, 2)) halo(c, &run[i].to);
    if (!release && !c->options.relabel && feature(LISTS, 2)) lists(c, &run[i].from, &run[i].to);
  }
  for (int i = 0; i < c->moves; i++) {
    if (plan_first) refused(binding->plan_free(&run[i].plan), "plan_free");
    if (bad && run[i].from.text[0]) fprintf(stderr, "from %s\n", run[i].from.text);
    if (bad && run[i].to.text[0]) fprintf(stderr, "to %s\n", run[i].to.text);
    laid_free(&run[i].from), laid_free(&run[i].to);
    refused(binding->plan_free(&run[i].plan), "plan_free");
  }
}
