/* Calls every function that takes a communicator with every special communicator. Some must be refused, whether one
 * rank or all ranks pass them; the others must work, with all data compared. */
#include "mistakes.h"
#include <string.h>

/* Arguments of a function: a communicator, by its handle in C or in Fortran, and maps of N elements with indices from
 * `lower` on. */
struct given {
  MPI_Comm comm;
  int fortran;
  reblock_map *from, *to;
  int64_t lower;
};

#define CALL(name, ...) \
  (g->fortran ? name##_fortran(MPI_Comm_c2f(g->comm), __VA_ARGS__) : name(g->comm, __VA_ARGS__))

static char file[512];

/* Lists the indices of a map's local elements, in storage order; returns their number. */
static int64_t indices(const reblock_map *map, int64_t *list) {
  int64_t count = 0;
  if (reblock_map_elements(map, &count)) report("cannot count elements", 0);
  for (int64_t k = 0; k < count; k++)
    if (reblock_map_global_index(map, &k, &list[k], NULL)) report("has no index for an element", 0);
  return count;
}

/* Element i of the array has the value i in the source. */
static void fill_source(const struct given *g) { indices(g->from, source); }

/* Checks that element i of the target has the value of element i + shift of the source; returns `code`. */
static int32_t compared(const struct given *g, int32_t code, int64_t shift) {
  static int64_t due[ROOM];
  if (code) return code;
  int64_t count = indices(g->to, due), wrong = 0;
  for (int64_t k = 0; k < count; k++) wrong += target[k] != (due[k] - g->lower + shift) % N + g->lower;
  if (wrong) report("has wrong elements", code);
  return code;
}

/* Executes a plan, if there is one, and frees it. */
static int32_t executed(const struct given *g, int32_t code, reblock_plan *made, int64_t shift) {
  if (code && made) report("has a plan after an error", code);
  if (!code) {
    fill_source(g);
    empty_target();
    code = compared(g, reblock_plan_execute(made, source, target), shift);
  }
  reblock_plan_free(&made);
  return code;
}

static int32_t mapped(int32_t code, reblock_map *made) {
  if (code && made) report("has a map after an error", code);
  reblock_map_free(&made);
  return code;
}

static int32_t procs_create(const struct given *g) {
  reblock_procs *made = NULL;
  int64_t shape = 1;
  int32_t code = CALL(reblock_procs_create, 1, &shape, NULL, &made);
  if (code && made) report("has an arrangement after an error", code);
  reblock_procs_free(&made);
  return code;
}
static int32_t block_cyclic(const struct given *g) {
  reblock_map *made = NULL;
  int64_t extent = N, shape = 1;
  return mapped(CALL(reblock_map_block_cyclic, 1, &extent, &shape, NULL, &made), made);
}
static int32_t darray(const struct given *g) {
  reblock_map *made = NULL;
  int extent = N, format = MPI_DISTRIBUTE_BLOCK, block = MPI_DISTRIBUTE_DFLT_DARG, shape = 1;
  return mapped(CALL(reblock_map_from_darray, 1, &extent, &format, &block, &shape, MPI_ORDER_C, &made), made);
}
static int32_t from_text(const struct given *g) {
  reblock_map *made = NULL;
  int64_t extent = N;
  return mapped(CALL(reblock_map_from_text, 1, &extent, "(CYCLIC(3))", &made), made);
}
static int32_t from_boxes(const struct given *g) {
  reblock_map *made = NULL;
  int64_t extent = N;
  return mapped(CALL(reblock_map_from_boxes, 1, &extent, 0, NULL, NULL, 0, NULL, NULL, &made), made);
}
static int32_t plan_create(const struct given *g) {
  reblock_plan *made = NULL;
  int32_t code = CALL(reblock_plan_create, g->from, NULL, g->to, NULL, 8, NULL, &made);
  return executed(g, code, made, 0);
}
static int32_t gather(const struct given *g) {
  static int64_t list[ROOM];
  reblock_plan *made = NULL;
  int64_t count = indices(g->to, list);
  int32_t code = CALL(reblock_plan_gather, g->from, 0, count, list, 8, NULL, &made);
  return executed(g, code, made, 0);
}
static int32_t scatter(const struct given *g) {
  static int64_t list[ROOM];
  reblock_plan *made = NULL;
  int64_t count = indices(g->from, list);
  int32_t code = CALL(reblock_plan_scatter, g->to, 0, count, list, 8, NULL, &made);
  return executed(g, code, made, 0);
}
static int32_t cshift(const struct given *g) {
  reblock_plan *made = NULL;
  int64_t shift = 5;
  int32_t code = CALL(reblock_plan_cshift, g->from, NULL, g->to, NULL, 8, 1, &shift, NULL, &made);
  return executed(g, code, made, shift);
}
static int32_t eoshift(const struct given *g) {
  reblock_plan *made = NULL;
  int64_t shift = 0;
  int32_t code = CALL(reblock_plan_eoshift, g->from, NULL, g->to, NULL, 8, 1, &shift, NULL, NULL, &made);
  return executed(g, code, made, 0);
}
static int32_t shift_lines(const struct given *g) {
  reblock_plan *made = NULL;
  int64_t distance = 5;
  int32_t code = CALL(reblock_plan_shift_lines, g->from, NULL, g->to, NULL, 8, 0, 1, 1, &distance, NULL, NULL, &made);
  return executed(g, code, made, distance);
}
static int32_t shadow(const struct given *g) {
  reblock_plan *made = NULL;
  reblock_map *wide = NULL;
  int64_t one = 1;
  if (reblock_map_shadow(g->from, &one, &one, &wide)) report("has no map with a shadow", 0);
  int32_t code = CALL(reblock_plan_shadow, wide, NULL, NULL, NULL, 0, 8, NULL, &made);
  if (code && made) report("has a plan after an error", code);
  reblock_plan_free(&made), reblock_map_free(&wide);
  return code;
}
static int32_t move(const struct given *g) {
  fill_source(g);
  return compared(g, CALL(reblock_move, g->from, NULL, g->to, NULL, 8, source, target), 0);
}
static int32_t move_update(const struct given *g) {
  reblock_update update;
  if (reblock_update_init(&update)) report("has no update", 0);
  update.type = REBLOCK_INT64;
  fill_source(g);
  return compared(g, CALL(reblock_move_update, g->from, NULL, g->to, NULL, 8, source, target, &update), 0);
}
static int32_t save(const struct given *g) {
  fill_source(g);
  return CALL(reblock_save, file, g->from, source, 8, NULL);
}
/* Loads the file that the previous function saved. */
static int32_t load(const struct given *g) {
  return compared(g, CALL(reblock_load, file, g->to, target, 8, NULL), 0);
}
static int32_t scope(const struct given *g) {
  reblock_scope *made = NULL;
  int32_t code = g->fortran ? reblock_scope_create_fortran(MPI_Comm_c2f(g->comm), &made) : reblock_scope_create(g->comm, &made);
  if (code && made) report("has a scope after an error", code);
  reblock_scope_free(&made);
  return code;
}
static int32_t job_init(const struct given *g) {
  reblock_job *made = NULL;
  int32_t code = CALL(reblock_job_init, NULL, &made);
  if (code && made) report("has a job after an error", code);
  return made ? reblock_job_finalize(&made) : code;
}

static const struct { const char *name; int32_t (*call)(const struct given *); } entries[] = {
    {"reblock_procs_create", procs_create}, {"reblock_map_block_cyclic", block_cyclic}, {"reblock_map_from_darray", darray},
    {"reblock_map_from_text", from_text}, {"reblock_map_from_boxes", from_boxes}, {"reblock_plan_create", plan_create},
    {"reblock_plan_gather", gather}, {"reblock_plan_scatter", scatter}, {"reblock_plan_cshift", cshift},
    {"reblock_plan_eoshift", eoshift}, {"reblock_plan_shift_lines", shift_lines}, {"reblock_plan_shadow", shadow},
    {"reblock_move", move}, {"reblock_move_update", move_update}, {"reblock_save", save}, {"reblock_load", load},
    {"reblock_scope_create", scope}, {"reblock_job_init", job_init}};
enum { FUNCTIONS = sizeof entries / sizeof *entries };

/* Communicators that must be refused. */
enum refused { INTER, NONE, FREED, REFUSED };
static const char *const refused_names[REFUSED] = {"an intercommunicator", "MPI_COMM_NULL", "a communicator that is freed"};
/* Expected words of the error. */
static const char *const due_words[REFUSED] = {"MPI_Intercomm_merge", "MPI_COMM_NULL", "MPI_Comm_test_inter"};

/* Returns an intercommunicator with half of the ranks on each side. */
static MPI_Comm between_halves(void) {
  MPI_Comm half, made;
  int upper = me >= ranks / 2;
  MPI_Comm_split(MPI_COMM_WORLD, upper, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : ranks / 2, 0, &made);
  MPI_Comm_free(&half);
  return made;
}

/* Returns the handle of a freed communicator. */
static MPI_Comm freed(void) {
  MPI_Comm made, handle;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  handle = made;
  MPI_Comm_free(&made);
  return handle;
}

/* Returns whether a function can be tested with this communicator. An intercommunicator needs two ranks. Only MPICH
 * recognises the handle of a freed communicator; in Open MPI, the handle is an address, and its use reads freed
 * memory. */
static int is_possible(enum refused kind) {
#ifdef MPICH_VERSION
  return ranks > 1 || kind != INTER;
#else
  return kind != FREED && (ranks > 1 || kind != INTER);
#endif
}

/* Makes one call of one function. If all ranks pass a refused communicator, each rank waits 2 s in vain for a call
 * that others have begun. To save time, all ranks pass only the intercommunicator: to half of the functions of C on 2
 * ranks, and to the other half on 4. */
int32_t special_communicators(void) {
  struct given given = {MPI_COMM_WORLD, 0, from, to, 1};
  int function = -1, kind = 0, wrong = 0;
  for (int f = 0; f < 2 * FUNCTIONS; f++)
    for (int k = 0; k < REFUSED; k++) {
      if (!is_possible(k)) continue;
      int all = k == INTER && f < FUNCTIONS && f % 2 == (ranks > 2), now = seen == chosen;
      char what[128];
      snprintf(what, sizeof what, "%s for %s%s", refused_names[k], entries[f % FUNCTIONS].name, f < FUNCTIONS ? "" : "_fortran");
      int mine = mistake(what, ARGUMENT, all ? ANYBODY : ONE);
      if (now) function = f, kind = k, wrong = mine;
    }
  if (function < 0) return REBLOCK_OK;
  snprintf(file, sizeof file, "%s.special.npy", program);
  given.fortran = function >= FUNCTIONS;
  MPI_Comm special = kind == INTER ? between_halves() : kind == FREED ? freed() : MPI_COMM_NULL;
  if (wrong) given.comm = special;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int32_t code = entries[function % FUNCTIONS].call(&given);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  if (code == ARGUMENT && !strstr(reblock_message(), due_words[kind])) report("has another text", code);
  if (kind == INTER) MPI_Comm_free(&special);
  return code;
}

/* Communicators of every kind that MPI makes of MPI_COMM_WORLD's processes. */
enum served { SELF, DUPLICATE, BACKWARDS, OF_HALF, OF_NODE, CARTESIAN, GRAPH, DIST_GRAPH, MERGED, SERVED };
static const char *const served_names[SERVED] = {
    "MPI_COMM_SELF", "a duplicate", "ranks in another order", "one half of the ranks", "MPI_Comm_split_type's",
    "MPI_Cart_create's", "MPI_Graph_create's", "MPI_Dist_graph_create_adjacent's", "MPI_Intercomm_merge's"};

static MPI_Comm served(enum served kind) {
  MPI_Comm made = MPI_COMM_SELF, inter;
  int next = (me + 1) % ranks, before = (me + ranks - 1) % ranks, weight = 1, periodic = 1, ends[64], edges[64];
  for (int k = 0; k < ranks; k++) ends[k] = k + 1, edges[k] = (k + 1) % ranks;
  switch (kind) {
  case DUPLICATE: MPI_Comm_dup(MPI_COMM_WORLD, &made); break;
  case BACKWARDS: MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &made); break;
  case OF_HALF: MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &made); break;
  case OF_NODE: MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made); break;
  case CARTESIAN: MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 1, &made); break;
  case GRAPH: MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, 1, &made); break;
  case DIST_GRAPH:
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &weight, 1, &next, &weight, MPI_INFO_NULL, 1, &made);
    break;
  case MERGED:
    inter = between_halves();
    MPI_Intercomm_merge(inter, me < ranks / 2, &made);
    MPI_Comm_free(&inter);
    break;
  default: break;
  }
  return made;
}

/* Calls all functions with a communicator that must work. Each of its ranks has maps on it. */
static void serve(enum served kind) {
  struct given given = {served(kind), 0, NULL, NULL, 0};
  int64_t extent = N;
  int first = me, number;
  MPI_Bcast(&first, 1, MPI_INT, 0, given.comm);
  snprintf(file, sizeof file, "%s.special.%d.npy", program, first);
  empty_target();
  for (int f = 0; f < 2 * FUNCTIONS; f++) {
    char what[128];
    snprintf(what, sizeof what, "%s of %s%s", served_names[kind], entries[f % FUNCTIONS].name, f < FUNCTIONS ? "" : "_fortran");
    begin(what);
    if (!f) {
      int32_t code = reblock_map_from_text(given.comm, 1, &extent, "(BLOCK)", &given.from);
      if (!code) code = reblock_map_from_text(given.comm, 1, &extent, "(CYCLIC(3))", &given.to);
      if (code) report("has no maps", code);
    }
    given.fortran = f >= FUNCTIONS;
    int32_t code = entries[f % FUNCTIONS].call(&given);
    if (code) report("should have no error", code);
  }
  MPI_Barrier(given.comm);
  MPI_Comm_rank(given.comm, &number);
  if (!number && remove(file)) report("cannot remove its file", 0);
  reblock_map_free(&given.from), reblock_map_free(&given.to);
  if (kind != SELF) MPI_Comm_free(&given.comm);
}

int communicators_are_served(void) {
  int kinds = 0;
  for (int kind = 0; kind < SERVED; kind++)
    if (ranks > 1 || kind != MERGED) serve(kind), kinds++;
  return kinds * 2 * FUNCTIONS;
}
