/* Tests mistakes in calls of the HPF interface. Each must return a code and a text, the same code on all ranks if the
 * call is collective; nothing may be written, and the library must work afterwards. The first rank, the last rank and
 * all ranks make each mistake in turn. Also passes special communicators, which must be refused or must work.
 *
 *   mpirun -n RANKS mistakes */
#include "mistakes.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_OF_A_CALL = 60 };
enum mode { NOBODY, FIRST, LAST, EVERYBODY, MODES };
static const char *const mode_names[] = {"nobody", "the first rank", "the last rank", "every rank"};

int me, ranks, seen, chosen;
int32_t early;
reblock_procs *procs;
reblock_template *blocks, *cyclic;
reblock_map *from, *to;
reblock_plan *plan;
int64_t source[ROOM], target[ROOM];
char text_room[8];
const char *program;

static enum mode mode;
static int wrong, failures;
static int32_t wanted;
static char text[512];

int mistake(const char *what, int32_t code, enum makers makers) {
  if (seen++ != chosen) return 0;
  wanted = code;
  wrong = mode == EVERYBODY ? makers != ONE : mode != NOBODY && makers != ALL && (makers != ONE || ranks > 1) &&
                                                  me == (mode == FIRST ? 0 : ranks - 1);
  snprintf(text, sizeof text, "mistakes: %s, by %s", what, mode_names[mode]);
  return wrong;
}

static void on_alarm(int number) {
  if (number == SIGALRM && write(2, text, strlen(text)) > 0 && write(2, ": does not return\n", 18) > 0) _exit(3);
  _exit(3);
}

void begin(const char *what) {
  snprintf(text, sizeof text, "mistakes: %s", what);
  alarm(SECONDS_OF_A_CALL);
}

void report(const char *what, int32_t code) {
  failures++;
  fprintf(stderr, "%s: rank %d %s: code %d (%s), \"%s\"\n", text, me, what, code, reblock_code_name(code),
          reblock_message());
}

static int32_t templated(reblock_template **made, int64_t block) {
  int64_t lower = 1, upper = N;
  int32_t code = reblock_template_create(procs, 1, &lower, &upper, made);
  if (!code) code = block ? reblock_template_dist_cyclic(*made, 0, 0, block) : reblock_template_dist_block(*made, 0, 0, 0);
  return code ? code : reblock_template_commit(*made);
}

static void set_up(void) {
  int64_t shape = ranks;
  int32_t codes[] = {reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs),
                     templated(&blocks, 0), templated(&cyclic, 3),
                     reblock_map_whole(blocks, &from), reblock_map_whole(cyclic, &to),
                     reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, NULL, &plan)};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i]) report("cannot set up", codes[i]), MPI_Abort(MPI_COMM_WORLD, 1);
}

void empty_target(void) { for (int i = 0; i < ROOM; i++) target[i] = -7 - i; }
static int target_is_empty(void) {
  for (int i = 0; i < ROOM; i++) if (target[i] != -7 - i) return 0;
  return 1;
}

/* Freeing NULL is not a mistake. */
static void free_nothing(void) {
  reblock_procs *no_procs = NULL;
  reblock_template *no_template = NULL;
  reblock_map *no_map = NULL;
  reblock_plan *no_plan = NULL;
  reblock_request *no_request = NULL;
  int32_t codes[] = {reblock_procs_free(&no_procs), reblock_template_free(&no_template), reblock_map_free(&no_map),
                     reblock_plan_free(&no_plan), reblock_request_free(&no_request)};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i]) report("cannot free nothing", codes[i]);
}

/* Checks that a correct redistribution still works. */
static void redistribute(void) {
  int64_t count = 0, bad = 0, block = (N + ranks - 1) / ranks;
  for (int64_t i = 0; i < block; i++) source[i] = me * block + i;
  empty_target();
  int32_t code = reblock_plan_execute(plan, source, target);
  if (code) report("cannot go on", code);
  reblock_map_elements(to, &count);
  for (int64_t i = 0; i < count; i++) bad += target[i] != (i / 3 * ranks + me) * 3 + i % 3;
  if (bad) report("redistributes wrongly afterwards", code);
}

static int is_wanted(int32_t code) { return code != REBLOCK_OK && (!wanted || code == wanted); }

/* Checks the code on this rank and on all ranks. `alone`: the call is local. */
static void check(int32_t code, int alone) {
  int32_t mine[4] = {code, -code, early, -wrong}, all[4];
  MPI_Allreduce(mine, all, 4, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
  int anybody = 0;
  MPI_Allreduce(&wrong, &anybody, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  int everybody = all[3] != 0, due = alone ? wrong : anybody;
  if (!alone && all[0] != -all[1]) report("has another code than other ranks", code);
  if (early && (!wrong || !is_wanted(early))) report("has an error that is not due", early);
  /* If a local call before this one (`early`) refused the mistake on every rank, this call is valid. */
  if (all[2] && everybody) return;
  /* If the local call refused the mistake on some ranks only, this call must fail, because the ranks differ. */
  if (due && !(all[2] ? code != REBLOCK_OK : is_wanted(code))) report("should have another code", code);
  if (!due && code) report("should have no error", code);
  if (code && !reblock_message()[0]) report("has an error without a text", code);
  if (code && reblock_code_name(code)[0] == 0) report("has an error without a name", code);
}

struct family { const char *name; int32_t (*call)(void); int alone; };
static const struct family families[] = {
    {"arrangements", arrangements, 0}, {"templates", templates, 0}, {"maps", maps, 1}, {"inquiries", inquiries, 1},
    {"bounds", bounds, 1}, {"plans", plans, 0}, {"sizes", sizes, 0}, {"executes", executes, 0},
    {"starts", starts, 0}, {"executes of many", executes_of_many, 0},
    {"starts of many", starts_of_many, 0}, {"handles", handles, 0}, {"refusals", refusals, 0}, {"stale handles", stale, 0},
    {"times", times, 0}, {"arrays", arrays, 0},
    {"redistributions", redistributions, 0}, {"realignments", realignments, 0}, {"directives", directives, 0},
    {"names", names, 1}, {"process grids", process_grids, 1},
    {"communicators", communicators, 0}, {"freed communicators", gone, 0}, {"functions", functions, 0}, {"outside", outside, 1},
    {"plain maps", plain_maps, 0}, {"darrays", darrays, 0}, {"maps of texts", text_maps, 0}, {"moves of sections", section_moves, 0},
    {"reverses", reverses, 0}, {"updates", updates, 0}, {"updates that are started", started_updates, 0},
    {"updates of many", updates_of_many, 0}, {"updates of many that are started", started_updates_of_many, 0},
    {"updates of moves", moved_updates, 0}, {"plans for shadows", shadow_plans, 0}, {"moves of shadows", shadow_moves, 0},
    {"gathers", gathers, 0}, {"scatters", scatters, 0}, {"special communicators", special_communicators, 0},
    {"counts of arrangements", counts_of_arrangements, 0}, {"counts of templates", counts_of_templates, 1},
    {"counts of maps", counts_of_maps, 1}, {"counts of maps in one call", counts_of_made_maps, 0},
    {"counts of boxes", counts_of_boxes, 0}, {"counts of scalars", counts_of_scalars, 0}, {"counts of plans", counts_of_plans, 0}, {"counts of options", counts_of_options, 0},
    {"counts of moves", counts_of_moves, 0}, {"counts of storage", counts_of_storage, 0}, {"counts of grids", counts_of_grids, 1},
};

/* Makes all mistakes of a family in one mode; returns their number. */
static int make_all(const struct family *f) {
  if (ranks == 1 && (mode == FIRST || mode == LAST)) return 0;
  for (chosen = 0;; chosen++) {
    seen = 0, wrong = 0, early = 0, wanted = 0;
    begin(f->name);
    empty_target();
    int32_t code = f->call();
    if (chosen >= seen) return seen;
    if (code && !target_is_empty()) report("has written to the target", code);
    check(code, f->alone);
    redistribute();
  }
}

int main(int argc, char **argv) {
  int made = 0, served;
  program = argv[0];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > MAX_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  signal(SIGALRM, on_alarm);
  set_up();
  for (size_t f = 0; f < sizeof families / sizeof *families; f++)
    for (mode = NOBODY; mode < MODES; mode++) made += make_all(&families[f]) * (mode != NOBODY);
  served = communicators_are_served();
  alarm(0);
  free_nothing();
  reblock_plan_free(&plan);
  reblock_map_free(&from), reblock_map_free(&to);
  reblock_template_free(&blocks), reblock_template_free(&cyclic);
  reblock_procs_free(&procs);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("mistakes: %d ranks, %d mistakes, %d failures; %d calls with communicators of other kinds\n", ranks, made, failures, served);
  MPI_Finalize();
  return failures != 0;
}
