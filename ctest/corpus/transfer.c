/* Are all arrays of a case exact after each way to move them, and their memory untouched elsewhere? */
#include "transfer.h"
#include "draw.h"
#include "laid.h"
#include "relabel.h"
#include <stdio.h>
#include <string.h>

struct running {
  struct laid from, to;
  struct side relabelled; /* what `to` is where its places have gone to other ranks */
  reblock_plan *plan;
};
static struct running run[MAX_MOVES];

/* A rank that is in none of the places may do without the map. */
static int knows(const struct laid *l) {
  int placed = 0;
  for (int i = 0; i < l->side->places; i++) placed |= l->side->ranks[i] == l->rank;
  return l->map && (placed || l->element % 2);
}

/* What this rank says of an array: its map, and a section, unless that is all of it. */
struct said { const reblock_map *map; const reblock_range *section; reblock_range ranges[MAX_AXES]; };
static void say(struct said *said, const struct laid *l) {
  section_of(l->side, 0, said->ranges);
  said->map = knows(l) ? l->map : NULL;
  said->section = said->map && !l->side->whole_section ? said->ranges : NULL;
}

static void make_plan(const struct one_case *c, struct running *r) {
  struct said from, to;
  say(&from, &r->from), say(&to, &r->to);
  refused(door->plan_create(MPI_Comm_c2f(c->enclosing->comm), from.map, from.section, to.map, to.section, r->from.element,
                            c->with_options ? &c->options : NULL, &r->plan), "plan_create");
}

/* Twice without a plan of the program's own: the second time the library has one. */
static void move(const struct one_case *c, struct running *r) {
  struct said from, to;
  say(&from, &r->from), say(&to, &r->to);
  for (int round = 5; round < 7; round++) {
    laid_fill(&r->from, round);
    laid_want(&r->to, r->from.side, round);
    struct local source = laid_local(&r->from), target = laid_local(&r->to);
    refused(door->move(MPI_Comm_c2f(c->enclosing->comm), from.map, from.section, to.map, to.section, r->from.element, &source,
                       &target), "move");
    laid_check(&r->from, "the source", "move");
    laid_check(&r->to, "the target", "move");
  }
}

/* From the target to the source, all copies of it. */
static void back(const struct one_case *c, struct running *r) {
  reblock_plan *reverse = NULL;
  refused(door->plan_reverse(r->plan, &reverse), "plan_reverse");
  if (!all_fine(c->enclosing->comm)) return;
  laid_fill(&r->to, 7);
  laid_want(&r->from, r->to.side, 7);
  struct local source = laid_local(&r->to), target = laid_local(&r->from);
  refused(door->plan_execute(reverse, &source, &target), "execute of a reverse");
  laid_check(&r->to, "the target", "on the way back");
  laid_check(&r->from, "the source", "on the way back");
  refused(door->plan_free(&reverse), "plan_free");
}

/* Either by asking or by waiting; the caller may be busy with something else in between. */
static void finish(reblock_request **request) {
  int asking = once_in(2), times = (int)between(0, 20);
  for (int32_t done = 0; asking && !done;)
    if (refused(door->request_test(request, &done), "request_test")) return;
  for (volatile int busy = 0; busy < times * 1000; busy++) continue;
  if (*request) refused(once_in(8) && door->request_free ? door->request_free(request) : door->request_wait(request), "request_wait");
  else draw();
  if (*request) complain("a request that is complete is not NULL");
}

static void one_by_one(int moves, int started) {
  reblock_request *request[MAX_MOVES] = {NULL};
  int64_t order[MAX_MOVES] = {0, 1, 2};
  for (int i = 0; i < moves; i++) {
    struct local source = laid_local(&run[i].from), target = laid_local(&run[i].to);
    if (started) refused(door->plan_start(run[i].plan, &source, &target, &request[i]), "plan_start");
    else refused(door->plan_execute(run[i].plan, &source, &target), "plan_execute");
  }
  shuffle(order, moves);
  for (int i = 0; started && i < moves; i++) finish(&request[order[i]]);
}

static void together(int moves, int started) {
  reblock_plan *plans[MAX_MOVES];
  struct local sources[MAX_MOVES], targets[MAX_MOVES];
  reblock_request *request = NULL;
  for (int i = 0; i < moves; i++) {
    plans[i] = run[i].plan;
    sources[i] = laid_local(&run[i].from), targets[i] = laid_local(&run[i].to);
  }
  /* A batch of nothing is nothing. */
  if (moves == 2 && !started) refused(door->plan_execute_many(0, plans, sources, targets), "execute_many of no array");
  if (!started) refused(door->plan_execute_many(moves, plans, sources, targets), "plan_execute_many");
  else if (!refused(door->plan_start_many(moves, plans, sources, targets, &request), "plan_start_many")) finish(&request);
}

static void execute(const struct one_case *c) {
  static const char *const names[] = {"plan_execute", "execute again", "plan_start", "plan_execute_many", "plan_start_many"};
  int rounds = c->moves == 1 ? 3 : 5;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < c->moves; i++) {
      laid_fill(&run[i].from, round);
      laid_want(&run[i].to, run[i].from.side, round);
    }
    if (round < 3) one_by_one(c->moves, round == 2);
    else together(c->moves, round == 4);
    for (int i = 0; i < c->moves; i++) {
      laid_check(&run[i].from, "the source", names[round]);
      laid_check(&run[i].to, "the target", names[round]);
    }
  }
}

/* A plan may have several phases: bytes count in each. */
static void check_plan(struct running *r, MPI_Comm comm) {
  reblock_plan_info info = {0};
  refused(reblock_plan_info_init(&info), "plan_info_init");
  refused(door->plan_inquire(r->plan, &info), "plan_inquire");
  laid_want(&r->to, r->from.side, 0);
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
    laid_declare(&run[i].from, &c->move[i].from, c->move[i].element);
    laid_declare(&run[i].to, &c->move[i].to, c->move[i].element);
  }
  int fine = all_fine(c->enclosing->comm), release = once_in(4), plan_first = once_in(2);
  for (int i = 0; i < c->moves && fine; i++) make_plan(c, &run[i]);
  fine = fine && all_fine(c->enclosing->comm);
  for (int i = 0; i < c->moves && fine && c->options.relabel; i++)
    relabel(run[i].plan, c->enclosing, &run[i].from, &run[i].to, &run[i].relabelled);
  fine = fine && all_fine(c->enclosing->comm);
  for (int i = 0; i < c->moves && fine; i++) {
    check_plan(&run[i], c->enclosing->comm);
    laid_inquire(&run[i].from), laid_inquire(&run[i].to);
    if (release) laid_release(&run[i].from), laid_release(&run[i].to);
  }
  if (fine) execute(c);
  for (int i = 0; i < c->moves && fine; i++) {
    if (door->plan_reverse) back(c, &run[i]);
    if (door->move && !release && !c->with_options) move(c, &run[i]);
  }
  for (int i = 0; i < c->moves; i++) {
    if (plan_first) refused(door->plan_free(&run[i].plan), "plan_free");
    if (bad && run[i].from.text[0]) fprintf(stderr, "from %s\n", run[i].from.text);
    if (bad && run[i].to.text[0]) fprintf(stderr, "to %s\n", run[i].to.text);
    laid_free(&run[i].from), laid_free(&run[i].to);
    refused(door->plan_free(&run[i].plan), "plan_free");
  }
}
