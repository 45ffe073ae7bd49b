/* Tests that plans of shifts, spreads, lists and shadows leak neither memory nor communicators. In each of ROUNDS
 * rounds, a plan of the next kind is made, executed, checked and freed. Prints the growth of memory after the first
 * tenth of the rounds, and the numbers of communicators, groups and windows made since then, which must be 0.
 *
 *   mpirun -n RANKS level ROUNDS */
#include <stdlib.h>
#include <unistd.h>

enum { N = 60 };
#include "vector.h"

static int made;
#define COUNTED(name, parameters, arguments) \
  int name parameters { made++; return P##name arguments; }
COUNTED(MPI_Comm_dup, (MPI_Comm c, MPI_Comm *o), (c, o))
COUNTED(MPI_Comm_idup, (MPI_Comm c, MPI_Comm *o, MPI_Request *q), (c, o, q))
COUNTED(MPI_Comm_split, (MPI_Comm c, int x, int k, MPI_Comm *o), (c, x, k, o))
COUNTED(MPI_Comm_split_type, (MPI_Comm c, int t, int k, MPI_Info i, MPI_Comm *o), (c, t, k, i, o))
COUNTED(MPI_Comm_create, (MPI_Comm c, MPI_Group g, MPI_Comm *o), (c, g, o))
COUNTED(MPI_Comm_group, (MPI_Comm c, MPI_Group *g), (c, g))
COUNTED(MPI_Win_create, (void *b, MPI_Aint s, int d, MPI_Info i, MPI_Comm c, MPI_Win *w), (b, s, d, i, c, w))
COUNTED(MPI_Type_commit, (MPI_Datatype *t), (t))

static long resident(void) {
  long size = 0, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  fclose(f);
  return pages * sysconf(_SC_PAGESIZE) / 1024;
}

enum kind { CIRCULAR, END_OFF, LINE, SPREAD, GATHER, SCATTER, SHADOW, KINDS };
/* Returns the index of the element that a plan of this kind writes to place k of the target, if it moves by `by`; -1 if
 * it writes none. */
static int64_t origin(const struct moved *m, enum kind kind, int64_t k, int64_t by) {
  int64_t i = element(m->to_block, k);
  switch (kind) {
  case CIRCULAR: case LINE: return ((i + by) % N + N) % N;
  case END_OFF: return i + by < 0 || i + by >= N ? -1 : i + by;
  case SPREAD: return (by + N) % N;
  default: return i;
  }
}

static reblock_plan *planned(const struct moved *m, enum kind kind, int64_t by, const reblock_map *shadowed) {
  int64_t list[N], count = 0, along = 0, last = 1 + (by + N) % N, minus = -1;
  reblock_plan *plan = NULL;
  reblock_plan_options options;
  reblock_range one = {last, last, 1};
  MUST(reblock_plan_options_init(&options));
  options.spread = &along, options.spread_count = 1;
  MUST(reblock_map_elements(kind == GATHER ? m->to : m->from, &count));
  int64_t block = kind == GATHER ? m->to_block : blocks_of(m->from_block);
  for (int64_t k = 0; k < count; k++) list[k] = 1 + element(block, k);
  switch (kind) {
  case CIRCULAR: MUST(reblock_plan_cshift(MPI_COMM_WORLD, m->from, NULL, m->to, NULL, 8, 1, &by, NULL, &plan)); break;
  case END_OFF: MUST(reblock_plan_eoshift(MPI_COMM_WORLD, m->from, NULL, m->to, NULL, 8, 1, &by, &minus, NULL, &plan)); break;
  case LINE: MUST(reblock_plan_shift_lines(MPI_COMM_WORLD, m->from, NULL, m->to, NULL, 8, 0, 1, 1, &by, NULL, NULL, &plan)); break;
  case SPREAD: MUST(reblock_plan_create(MPI_COMM_WORLD, m->from, &one, m->to, NULL, 8, &options, &plan)); break;
  case GATHER: MUST(reblock_plan_gather(MPI_COMM_WORLD, m->from, 0, count, list, 8, NULL, &plan)); break;
  case SCATTER: MUST(reblock_plan_scatter(MPI_COMM_WORLD, m->to, 0, count, list, 8, NULL, &plan)); break;
  default: MUST(reblock_plan_shadow(MPI_COMM_WORLD, shadowed, NULL, NULL, NULL, 0, 8, NULL, &plan)); break;
  }
  return plan;
}

int main(int argc, char **argv) {
  static int64_t wide[N + 2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int rounds = argc > 1 ? atoi(argv[1]) : 10000, before = 0;
  long warm = 0;
  struct moved m = make(MPI_COMM_WORLD, 0, 7, NULL);
  reblock_map *shadowed = NULL;
  int64_t one = 1, count = 0, own = 0;
  MUST(reblock_map_shadow(m.from, &one, &one, &shadowed));
  MUST(reblock_map_elements(m.to, &count)), MUST(reblock_map_elements(m.from, &own));
  for (int round = 0; round < rounds; round++) {
    enum kind kind = (enum kind)(round % KINDS);
    int64_t by = round % 23 - 11, bad = 0;
    reblock_plan *plan = planned(&m, kind, by, shadowed);
    fill(&m, source), empty();
    memcpy(wide + 1, source, 8 * (size_t)own);
    if (kind == SHADOW) MUST(reblock_plan_execute(plan, wide, wide));
    else MUST(reblock_plan_execute(plan, source, target));
    for (int64_t k = 0; k < count && kind != SHADOW; k++) bad += target[k] != origin(&m, kind, k, by);
    for (int64_t k = 0, i = me * blocks_of(0) - 1; k < own + 2 && own && kind == SHADOW; k++, i++) bad += i >= 0 && i < N && wide[k] != i;
    if (bad && wrong++ < 5) fprintf(stderr, "rank %d: round %d, kind %d: %d elements are wrong\n", me, round, kind, (int)bad);
    MUST(reblock_plan_free(&plan));
    if (round == rounds / 10) warm = resident(), before = made;
  }
  long grown[2] = {resident() - warm, made - before};
  MPI_Allreduce(MPI_IN_PLACE, grown, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  MUST(reblock_map_free(&shadowed));
  release(&m);
  if (grown[0] >= 1024 || grown[1]) wrong++;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("level: %d plans on %d ranks, resident grew by at most %ld KiB, %ld communicators made, %d wrong\n", rounds, ranks,
                  grown[0], grown[1], wrong);
  MPI_Finalize();
  return wrong != 0;
}
