/* Does every redistribution of the HPF interface do what a naive program does, which deals elements out one by one?
 * Random cases; whole local arrays are compared, with their shadows and gaps and with what lies around them in memory.
 *
 *   mpirun -n RANKS corpus SEED COUNT [no-FEATURE...]
 *
 * Makes the cases of the seeds SEED, SEED + 1, ...; SEED 0 stands for the time. A case that fails prints the command
 * that runs it alone. no-FEATURE leaves things out of the cases, which are the same otherwise: see feature_names. */
#include "draw.h"
#include "laid.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_OF_A_CASE = 100, MOST_FAILURES = 5 };
static int me, ranks, bad;
static char arguments[256], rerun[512];

void complain(const char *format, ...) {
  char line[1024];
  va_list list;
  if (bad++ > 3) return;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  fprintf(stderr, "rank %d: %s\n", me, line);
}

int refused(int32_t code, const char *call) {
  if (code != REBLOCK_OK) complain("%s says %s: %s", call, reblock_code_name(code), reblock_message());
  return code != REBLOCK_OK;
}

/* A signal ends the case: tell which it was. */
static void on_signal(int number) {
  const char *what = number == SIGALRM ? "a case does not end; " : "memory is touched that is not the library's; ";
  if (write(2, what, strlen(what)) < 0 || write(2, rerun, strlen(rerun)) < 0) _exit(4);
  signal(number, SIG_DFL);
  raise(number == SIGALRM ? SIGKILL : number);
}

struct running { struct laid from, to; reblock_plan *plan; };
static struct running run[MAX_MOVES];

static int all_fine(MPI_Comm comm) {
  int worst = 0;
  MPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, comm);
  return worst == 0;
}

/* A rank that is in none of the places may do without the map. */
static int knows(const struct laid *l) {
  int placed = 0;
  for (int i = 0; i < l->side->places; i++) placed |= l->side->ranks[i] == l->rank;
  return l->map && (placed || l->element % 2);
}

static void make_plan(const struct one_case *c, struct running *r) {
  reblock_range from[MAX_AXES], to[MAX_AXES];
  const struct side *a = r->from.side, *b = r->to.side;
  int knows_from = knows(&r->from), knows_to = knows(&r->to);
  section_of(a, 0, from);
  section_of(b, 0, to);
  const reblock_range *from_at = knows_from && !a->whole_section ? from : NULL;
  const reblock_range *to_at = knows_to && !b->whole_section ? to : NULL;
  refused(reblock_plan_create(c->enclosing->comm, knows_from ? r->from.map : NULL, from_at, knows_to ? r->to.map : NULL,
                              to_at, r->from.element, c->with_options ? &c->options : NULL, &r->plan), "plan_create");
}

/* Either by asking or by waiting; the caller may be busy with something else in between. */
static void finish(reblock_request **request) {
  int asking = once_in(2), times = (int)between(0, 20);
  for (int32_t done = 0; asking && !done;)
    if (refused(reblock_test(request, &done), "test")) return;
  for (volatile int busy = 0; busy < times * 1000; busy++) continue;
  if (*request) refused(once_in(8) ? reblock_request_free(request) : reblock_wait(request), "wait");
  else draw();
  if (*request) complain("a request that is complete is not NULL");
}

static void one_by_one(int moves, int started) {
  reblock_request *request[MAX_MOVES] = {NULL};
  int64_t order[MAX_MOVES] = {0, 1, 2};
  for (int i = 0; i < moves; i++) {
    void *source = laid_data(&run[i].from), *target = laid_data(&run[i].to);
    if (started) refused(reblock_start(run[i].plan, source, target, &request[i]), "start");
    else refused(reblock_execute(run[i].plan, source, target), "execute");
  }
  shuffle(order, moves);
  for (int i = 0; started && i < moves; i++) finish(&request[order[i]]);
}

static void together(int moves, int started) {
  reblock_plan *plans[MAX_MOVES];
  const void *sources[MAX_MOVES];
  void *targets[MAX_MOVES];
  reblock_request *request = NULL;
  for (int i = 0; i < moves; i++) {
    plans[i] = run[i].plan;
    sources[i] = laid_data(&run[i].from), targets[i] = laid_data(&run[i].to);
  }
  if (!started) refused(reblock_execute_many(moves, plans, sources, targets), "execute_many");
  else if (!refused(reblock_start_many(moves, plans, sources, targets, &request), "start_many")) finish(&request);
}

static void execute(const struct one_case *c) {
  static const char *const names[] = {"execute", "execute again", "start", "execute_many", "start_many"};
  for (int round = 0; round < (c->moves > 1 ? 5 : 3); round++) {
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
  refused(reblock_plan_inquire(r->plan, &info), "plan_inquire");
  laid_want(&r->to, r->from.side, 0);
  if (info.received + info.kept < r->to.written * r->to.element)
    complain("plan_inquire says %lld received and %lld kept, expected %lld in all", (long long)info.received,
             (long long)info.kept, (long long)(r->to.written * r->to.element));
  int64_t left[2] = {info.sent - info.received, info.messages_sent - info.messages_received};
  MPI_Allreduce(MPI_IN_PLACE, left, 2, MPI_INT64_T, MPI_SUM, comm);
  if (left[0] || left[1])
    complain("all send %lld bytes and %lld messages more than all receive", (long long)left[0], (long long)left[1]);
}

static void take_part(const struct one_case *c) {
  memset(run, 0, sizeof run);
  for (int i = 0; i < c->moves; i++) {
    laid_declare(&run[i].from, &c->move[i].from, c->move[i].element);
    laid_declare(&run[i].to, &c->move[i].to, c->move[i].element);
  }
  int fine = all_fine(c->enclosing->comm), release = once_in(4), plan_first = once_in(2);
  for (int i = 0; i < c->moves && fine; i++) make_plan(c, &run[i]);
  fine = fine && all_fine(c->enclosing->comm);
  for (int i = 0; i < c->moves && fine; i++) {
    check_plan(&run[i], c->enclosing->comm);
    laid_inquire(&run[i].from), laid_inquire(&run[i].to);
    if (release) laid_release(&run[i].from), laid_release(&run[i].to);
  }
  if (fine) execute(c);
  for (int i = 0; i < c->moves; i++) {
    if (plan_first) refused(reblock_plan_free(&run[i].plan), "plan_free");
    if (bad && run[i].from.text[0]) fprintf(stderr, "rank %d: from %s\n", me, run[i].from.text);
    if (bad && run[i].to.text[0]) fprintf(stderr, "rank %d: to %s\n", me, run[i].to.text);
    laid_free(&run[i].from), laid_free(&run[i].to);
    refused(reblock_plan_free(&run[i].plan), "plan_free");
  }
}

static int run_case(uint64_t seed) {
  struct one_case c;
  snprintf(rerun, sizeof rerun, "run alone: mpirun -n %d corpus %llu 1%s\n", ranks, (unsigned long long)seed,
           arguments);
  alarm(SECONDS_OF_A_CASE);
  bad = 0;
  draw_case(&c, seed);
  if (c.enclosing->comm != MPI_COMM_NULL) take_part(&c);
  int failed = !all_fine(MPI_COMM_WORLD);
  if (failed && !me) {
    fputs(rerun, stderr);
    case_print(&c);
  }
  case_free(&c);
  return failed;
}

static void leave_out(int argc, char **argv) {
  for (int i = 3; i < argc; i++) {
    int known = 0;
    for (int f = 0; f < FEATURES; f++)
      if (!strncmp(argv[i], "no-", 3) && !strcmp(argv[i] + 3, feature_names[f])) known = left_out[f] = 1;
    if (!known) {
      fprintf(stderr, "corpus: %s is no feature\n", argv[i]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    strcat(strcat(arguments, " "), argv[i]);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3 || ranks > MAX_RANKS) {
    if (!me) fprintf(stderr, "mpirun -n RANKS %s SEED COUNT [no-FEATURE...], at most %d ranks\n", argv[0], MAX_RANKS);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  leave_out(argc, argv);
  uint64_t seed = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), done = 0;
  if (!seed) seed = (uint64_t)time(NULL) * 100000;
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (!me) printf("corpus: %d ranks, seed %llu\n", ranks, (unsigned long long)seed), fflush(stdout);
  signal(SIGSEGV, on_signal), signal(SIGBUS, on_signal), signal(SIGALRM, on_signal);
  groups_make(ranks);
  int failures = 0;
  for (; done < count && failures < MOST_FAILURES; done++) failures += run_case(seed + done);
  alarm(0);
  groups_free();
  if (!me) printf("corpus: %llu cases, %d failed\n", (unsigned long long)done, failures);
  MPI_Finalize();
  return failures != 0;
}
