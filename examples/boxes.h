/* Redistributes arrays by MPI alone, to compare with reblock: one MPI_Alltoallw, with a subarray datatype for each pair
 * of ranks. Each rank must have one box without a shadow, stored row-major (MPI_ORDER_C) or column-major
 * (MPI_ORDER_FORTRAN) as in the map. The boxes come from the maps. */
#ifndef BOXES_H
#define BOXES_H
#include "must.h"
#include <string.h>

enum { BOX_AXES = 3, TURNS = 9 };

struct box { int64_t lower[BOX_AXES], extents[BOX_AXES]; };

struct exchange { int ranks, *send_counts, *receive_counts, *places; MPI_Datatype *send, *receive; };

/* Returns the boxes of all ranks. */
static inline struct box *boxes_of(reblock_map *map, int ranks) {
  struct box mine = {{0}, {0}}, *all = malloc((size_t)ranks * sizeof *all);
  MUST(reblock_map_local(map, mine.extents, mine.lower, NULL, NULL, NULL, NULL));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

/* Makes the datatype of the elements that `mine` and `theirs` share, within this rank's storage. Returns 0 if they
 * share none. */
static inline int shared(int axes, const struct box *mine, const struct box *theirs, int order, MPI_Datatype element,
                         MPI_Datatype *type) {
  int sizes[BOX_AXES], parts[BOX_AXES], starts[BOX_AXES];
  *type = element;
  for (int k = 0; k < axes; k++) {
    int64_t lower = mine->lower[k] > theirs->lower[k] ? mine->lower[k] : theirs->lower[k];
    int64_t mine_end = mine->lower[k] + mine->extents[k], their_end = theirs->lower[k] + theirs->extents[k];
    int64_t end = mine_end < their_end ? mine_end : their_end;
    if (lower >= end) return 0;
    sizes[k] = (int)mine->extents[k];
    parts[k] = (int)(end - lower);
    starts[k] = (int)(lower - mine->lower[k]);
  }
  MPI_Type_create_subarray(axes, sizes, parts, starts, order, element, type);
  MPI_Type_commit(type);
  return 1;
}

/* Prepares a move from `from` to `to`. Collective over MPI_COMM_WORLD. */
static inline struct exchange exchange_create(int axes, reblock_map *from, reblock_map *to, int order,
                                              MPI_Datatype element) {
  struct exchange e;
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &e.ranks);
  size_t n = (size_t)e.ranks;
  e.send_counts = malloc(n * sizeof(int));
  e.receive_counts = malloc(n * sizeof(int));
  e.places = calloc(n, sizeof(int));
  e.send = malloc(n * sizeof(MPI_Datatype));
  e.receive = malloc(n * sizeof(MPI_Datatype));
  struct box *sources = boxes_of(from, e.ranks), *targets = boxes_of(to, e.ranks);
  for (int r = 0; r < e.ranks; r++) {
    e.send_counts[r] = shared(axes, &sources[me], &targets[r], order, element, &e.send[r]);
    e.receive_counts[r] = shared(axes, &targets[me], &sources[r], order, element, &e.receive[r]);
  }
  free(sources);
  free(targets);
  return e;
}

static inline void exchange_run(const struct exchange *e, const void *source, void *target) {
  MPI_Alltoallw(source, e->send_counts, e->places, e->send, target, e->receive_counts, e->places, e->receive,
                MPI_COMM_WORLD);
}

static inline void exchange_free(struct exchange *e) {
  for (int r = 0; r < e->ranks; r++) {
    if (e->send_counts[r]) MPI_Type_free(&e->send[r]);
    if (e->receive_counts[r]) MPI_Type_free(&e->receive[r]);
  }
  free(e->send_counts);
  free(e->receive_counts);
  free(e->places);
  free(e->send);
  free(e->receive);
}

/* Median times of the slowest rank in seconds. */
struct times { double reblock, alltoallw; };

static inline int shorter(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Times both ways in turn. Ends the job if their results differ. Collective over MPI_COMM_WORLD. */
static inline struct times both_ways(int axes, reblock_map *from, reblock_map *to, int order, MPI_Datatype element,
                                     const void *source, void *target) {
  reblock_plan *plan;
  double times[2][TURNS];
  int64_t elements;
  int bytes;
  MPI_Type_size(element, &bytes);
  MUST(reblock_map_elements(to, &elements));
  void *other = malloc((size_t)elements * (size_t)bytes + 1);
  struct exchange exchange = exchange_create(axes, from, to, order, element);
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, bytes, NULL, &plan));
  for (int turn = -1; turn < TURNS; turn++) /* the first turn does not count */
    for (int way = 0; way < 2; way++) {
      MPI_Barrier(MPI_COMM_WORLD);
      double t = MPI_Wtime();
      if (way == 0) MUST(reblock_plan_execute(plan, source, target));
      else exchange_run(&exchange, source, other);
      t = MPI_Wtime() - t;
      MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (turn >= 0) times[way][turn] = t;
    }
  if (memcmp(target, other, (size_t)elements * (size_t)bytes) != 0) {
    fprintf(stderr, "reblock and MPI_Alltoallw differ\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MUST(reblock_plan_free(&plan));
  exchange_free(&exchange);
  free(other);
  for (int way = 0; way < 2; way++) qsort(times[way], TURNS, sizeof(double), shorter);
  return (struct times){times[0][TURNS / 2], times[1][TURNS / 2]};
}
#endif
