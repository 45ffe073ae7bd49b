/* MPI's own way to redistribute arrays: one MPI_Alltoallw, with a subarray datatype for each pair of ranks. It serves
 * arrays of which each rank has one box, stored row-major and without a shadow; the boxes come from reblock's maps. */
#ifndef BOXES_H
#define BOXES_H
#include "must.h"

enum { BOX_AXES = 3 };

struct box { int64_t lower[BOX_AXES], extents[BOX_AXES]; };

struct exchange { int ranks, *send_counts, *receive_counts, *places; MPI_Datatype *send, *receive; };

/* The boxes of all ranks. */
static inline struct box *boxes_of(reblock_map *map, int ranks) {
  struct box mine = {{0}, {0}}, *all = malloc((size_t)ranks * sizeof *all);
  MUST(reblock_map_local(map, mine.extents, mine.lower, NULL, NULL, NULL, NULL));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

/* The datatype of what `mine` shares with `theirs`, as a part of my storage; 0 if they share nothing. */
static inline int shared(int rank, const struct box *mine, const struct box *theirs, MPI_Datatype element,
                         MPI_Datatype *type) {
  int sizes[BOX_AXES], parts[BOX_AXES], starts[BOX_AXES];
  *type = element;
  for (int k = 0; k < rank; k++) {
    int64_t lower = mine->lower[k] > theirs->lower[k] ? mine->lower[k] : theirs->lower[k];
    int64_t mine_end = mine->lower[k] + mine->extents[k], their_end = theirs->lower[k] + theirs->extents[k];
    int64_t end = mine_end < their_end ? mine_end : their_end;
    if (lower >= end) return 0;
    sizes[k] = (int)mine->extents[k];
    parts[k] = (int)(end - lower);
    starts[k] = (int)(lower - mine->lower[k]);
  }
  MPI_Type_create_subarray(rank, sizes, parts, starts, MPI_ORDER_C, element, type);
  MPI_Type_commit(type);
  return 1;
}

/* Collective over MPI_COMM_WORLD. */
static inline struct exchange exchange_create(int rank, reblock_map *from, reblock_map *to, MPI_Datatype element) {
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
    e.send_counts[r] = shared(rank, &sources[me], &targets[r], element, &e.send[r]);
    e.receive_counts[r] = shared(rank, &targets[me], &sources[r], element, &e.receive[r]);
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
#endif
