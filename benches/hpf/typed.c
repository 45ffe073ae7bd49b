/* Moves arrays by MPI alone: MPI_Alltoallw with a datatype for each pair of ranks. If the two ranks share one box, the
 * type is a subarray; otherwise it is nested: runs along the first axis, repeated at the shared positions of the other
 * axes. For column-major arrays. */
#include "hpf.h"
#include <string.h>

struct typed { int ranks, *sends, *receives, *places; MPI_Datatype *send, *receive; const void *source; void *target; };

/* Returns flags of the indices of an axis that each rank has: a byte for each index, rank by rank. */
static char *who_has(const struct array *a, int k, int ranks) {
  char *mine = calloc((size_t)a->extents[k], 1), *all = malloc((size_t)(a->extents[k] * ranks));
  for (int64_t i = 0; a->elements > 0 && i < a->counts[k]; i++) mine[a->indices[k][i]] = 1;
  MPI_Allgather(mine, (int)a->extents[k], MPI_BYTE, all, (int)a->extents[k], MPI_BYTE, MPI_COMM_WORLD);
  free(mine);
  return all;
}

/* This rank's positions along one axis that another rank shares, as runs. */
struct runs { int count, *starts, *lengths; };

static struct runs runs_of(const struct array *a, int k, const char *theirs) {
  size_t room = (size_t)a->counts[k] + 1;
  struct runs r = {0, malloc(room * sizeof(int)), malloc(room * sizeof(int))};
  for (int i = 0; a->elements > 0 && i < a->counts[k]; i++) {
    if (!theirs[a->indices[k][i]]) continue;
    if (r.count > 0 && r.starts[r.count - 1] + r.lengths[r.count - 1] == i) r.lengths[r.count - 1]++;
    else r.starts[r.count] = i, r.lengths[r.count++] = 1;
  }
  return r;
}

static MPI_Datatype box(const struct array *a, const struct runs *runs, MPI_Datatype element) {
  int sizes[AXES], parts[AXES], starts[AXES];
  MPI_Datatype type;
  for (int k = 0; k < a->axes; k++) {
    sizes[k] = (int)a->counts[k];
    parts[k] = runs[k].lengths[0];
    starts[k] = runs[k].starts[0];
  }
  MPI_Type_create_subarray(a->axes, sizes, parts, starts, MPI_ORDER_FORTRAN, element, &type);
  return type;
}

static MPI_Datatype nested(const struct array *a, const struct runs *runs, MPI_Datatype element) {
  MPI_Datatype type, outer;
  MPI_Type_indexed(runs[0].count, runs[0].lengths, runs[0].starts, element, &type);
  for (int k = 1; k < a->axes; k++) {
    MPI_Aint *places = malloc((size_t)a->counts[k] * sizeof *places);
    int count = 0;
    for (int r = 0; r < runs[k].count; r++)
      for (int i = 0; i < runs[k].lengths[r]; i++)
        places[count++] = (runs[k].starts[r] + i) * a->strides[k] * a->components * (MPI_Aint)sizeof(double);
    MPI_Type_create_hindexed_block(count, 1, places, type, &outer);
    MPI_Type_free(&type);
    free(places);
    type = outer;
  }
  return type;
}

/* Makes the datatype of the elements shared with each rank. A count is 1, or 0 if nothing is shared. */
static void types(const struct array *mine, const struct array *theirs, int ranks, int *counts, MPI_Datatype *made) {
  char *has[AXES];
  MPI_Datatype element;
  MPI_Type_contiguous((int)mine->components, MPI_DOUBLE, &element);
  for (int k = 0; k < mine->axes; k++) has[k] = who_has(theirs, k, ranks);
  for (int r = 0; r < ranks; r++) {
    struct runs runs[AXES];
    int least = 1, most = 1;
    for (int k = 0; k < mine->axes; k++) {
      runs[k] = runs_of(mine, k, has[k] + r * mine->extents[k]);
      if (runs[k].count < least) least = runs[k].count;
      if (runs[k].count > most) most = runs[k].count;
    }
    counts[r] = least > 0;
    made[r] = MPI_DOUBLE;
    if (least > 0) {
      made[r] = most == 1 ? box(mine, runs, element) : nested(mine, runs, element);
      MPI_Type_commit(&made[r]);
    }
    for (int k = 0; k < mine->axes; k++) free(runs[k].starts), free(runs[k].lengths);
  }
  for (int k = 0; k < mine->axes; k++) free(has[k]);
  MPI_Type_free(&element);
}

struct typed *typed_make(const struct array *from, const struct array *to) {
  struct typed *t = malloc(sizeof *t);
  MPI_Comm_size(MPI_COMM_WORLD, &t->ranks);
  size_t n = (size_t)t->ranks;
  t->sends = malloc(n * sizeof(int));
  t->receives = malloc(n * sizeof(int));
  t->places = calloc(n, sizeof(int));
  t->send = malloc(n * sizeof(MPI_Datatype));
  t->receive = malloc(n * sizeof(MPI_Datatype));
  t->source = from->data;
  t->target = to->data;
  types(from, to, t->ranks, t->sends, t->send);
  types(to, from, t->ranks, t->receives, t->receive);
  return t;
}

void typed_run(const void *typed) {
  const struct typed *t = typed;
  MPI_Alltoallw(t->source, t->sends, t->places, t->send, t->target, t->receives, t->places, t->receive, MPI_COMM_WORLD);
}

void typed_free(struct typed *t) {
  for (int r = 0; r < t->ranks; r++) {
    if (t->sends[r]) MPI_Type_free(&t->send[r]);
    if (t->receives[r]) MPI_Type_free(&t->receive[r]);
  }
  free(t->sends);
  free(t->receives);
  free(t->places);
  free(t->send);
  free(t->receive);
  free(t);
}
