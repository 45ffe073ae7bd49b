/* The exchange of nodes.h over MPI and shared memory. Shares no code with the library. */
#include "nodes.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_RANKS = 1, TAG_NODES, YIELDS = 32, NAP_NS = 20000 };

void find_nodes(struct nodes *n) {
  int first, widths[2];
  MPI_Comm_rank(MPI_COMM_WORLD, &n->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n->ranks);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, n->rank, MPI_INFO_NULL, &n->comm);
  MPI_Comm_rank(n->comm, &n->local);
  MPI_Comm_size(n->comm, &n->width);
  widths[0] = n->width, widths[1] = -n->width, first = n->rank;
  MPI_Allreduce(MPI_IN_PLACE, widths, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (widths[0] != -widths[1]) {
    if (!n->rank) fprintf(stderr, "nodes: hosts have %d to %d ranks, expected equal numbers\n", -widths[1], widths[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Bcast(&first, 1, MPI_INT, 0, n->comm);
  int own[2] = {first, n->local}, *all = malloc(2 * sizeof(int) * (size_t)n->ranks), *node = malloc(sizeof(int) * (size_t)n->ranks);
  MPI_Allgather(own, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
  n->count = 0;
  n->rank_of = malloc(sizeof(int) * (size_t)n->ranks);
  for (int r = 0; r < n->ranks; r++) {
    node[r] = all[2 * r] == r ? n->count++ : node[all[2 * r]];
    n->rank_of[node[r] * n->width + all[2 * r + 1]] = r;
  }
  n->node = node[n->rank];
  free(all), free(node);
}

static size_t bytes_of(const struct exchange *x, int cells) { return sizeof(double) * (size_t)x->cell * (size_t)cells; }

void make_exchange(const struct nodes *n, struct exchange *x, int cell) {
  x->cell = cell, x->turn = x->rounds = 0;
  x->source = malloc(bytes_of(x, n->ranks));
  x->target = malloc(bytes_of(x, n->ranks));
  size_t region = bytes_of(x, n->ranks * n->width);
  MPI_Aint bytes = n->local ? 0 : (MPI_Aint)(2 * region + 2 * sizeof(atomic_int) * (size_t)n->count);
  int unit;
  char *base;
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, n->comm, &base, &x->window);
  MPI_Win_shared_query(x->window, 0, &bytes, &unit, &base);
  if (!n->local) memset(base, 0, (size_t)bytes);
  x->outgoing = (double *)(void *)base;
  x->incoming = (double *)(void *)(base + region);
  x->packed = (atomic_int *)(void *)(base + 2 * region);
  x->arrived = x->packed + n->count;
  MPI_Barrier(MPI_COMM_WORLD);
}
void free_exchange(struct exchange *x) {
  MPI_Win_free(&x->window);
  free(x->source), free(x->target);
}

/* Returns the value of an element of the cell between two ranks. */
static double value(const struct nodes *n, const struct exchange *x, int from, int to, int k) {
  return (((double)x->turn * n->ranks + from) * n->ranks + to) * x->cell + k;
}
void fill(const struct nodes *n, struct exchange *x) {
  x->turn++;
  for (int r = 0; r < n->ranks; r++)
    for (int k = 0; k < x->cell; k++) x->source[(size_t)r * (size_t)x->cell + (size_t)k] = value(n, x, n->rank, r, k);
  memset(x->target, 0xee, bytes_of(x, n->ranks));
}
int64_t elements_wrong(const struct nodes *n, const struct exchange *x) {
  int64_t wrong = 0;
  for (int r = 0; r < n->ranks; r++)
    for (int k = 0; k < x->cell; k++) wrong += x->target[(size_t)r * (size_t)x->cell + (size_t)k] != value(n, x, r, n->rank, k);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

/* Returns the cell of another rank in a local array. */
static double *of_rank(const struct exchange *x, double *array, int rank) { return array + (size_t)x->cell * (size_t)rank; }

void at_once(const struct nodes *n, struct exchange *x) {
  MPI_Request *requests = malloc(2 * sizeof *requests * (size_t)n->ranks);
  int count = 0;
  for (int k = 1; k < n->ranks; k++) {
    int peer = (n->rank + n->ranks - k) % n->ranks;
    MPI_Irecv(of_rank(x, x->target, peer), x->cell, MPI_DOUBLE, peer, TAG_RANKS, MPI_COMM_WORLD, &requests[count++]);
  }
  for (int k = 1; k < n->ranks; k++) {
    int peer = (n->rank + k) % n->ranks;
    MPI_Isend(of_rank(x, x->source, peer), x->cell, MPI_DOUBLE, peer, TAG_RANKS, MPI_COMM_WORLD, &requests[count++]);
  }
  memcpy(of_rank(x, x->target, n->rank), of_rank(x, x->source, n->rank), bytes_of(x, 1));
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

void alltoallv(const struct nodes *n, struct exchange *x) {
  int *counts = malloc(2 * sizeof(int) * (size_t)n->ranks), *places = counts + n->ranks;
  for (int r = 0; r < n->ranks; r++) counts[r] = x->cell, places[r] = r * x->cell;
  MPI_Alltoallv(x->source, counts, places, MPI_DOUBLE, x->target, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  free(counts);
}

/* Returns a cell in a region of shared memory. */
static double *in_region(const struct nodes *n, const struct exchange *x, double *region, int node, int to, int from) {
  return region + (size_t)x->cell * (size_t)((node * n->width + to) * n->width + from);
}
static void pack(const struct nodes *n, struct exchange *x, int node) {
  for (int to = 0; to < n->width; to++) {
    int rank = n->rank_of[node * n->width + to];
    memcpy(in_region(n, x, x->outgoing, node, to, n->local), of_rank(x, x->source, rank), bytes_of(x, 1));
  }
  atomic_fetch_add_explicit(&x->packed[node], 1, memory_order_release);
}
static void unpack(const struct nodes *n, struct exchange *x, int node) {
  double *region = node == n->node ? x->outgoing : x->incoming;
  for (int from = 0; from < n->width; from++) {
    int rank = n->rank_of[node * n->width + from];
    memcpy(of_rank(x, x->target, rank), in_region(n, x, region, node, n->local, from), bytes_of(x, 1));
  }
}
static int all_packed(const struct nodes *n, const struct exchange *x, int node) {
  return atomic_load_explicit(&x->packed[node], memory_order_acquire) == n->width * x->rounds;
}

/* Yields the core to other ranks, since there may be more ranks than cores. */
static void pause_briefly(void) {
  static int pauses;
  struct timespec nap = {0, NAP_NS};
  if (++pauses % YIELDS) sched_yield();
  else nanosleep(&nap, NULL);
}

/* The work of one rank. Rank `node % width` of a node sends to another node and receives from it. */
struct work {
  MPI_Request *requests; /* [node] receives, then [node] sends */
  int *sent, *unpacked;  /* [node] */
};
/* Does all work that is possible now. Returns whether nothing is left. */
static int advance(const struct nodes *n, struct exchange *x, struct work *w) {
  int all = n->width * n->width * x->cell, left = 0, flag;
  MPI_Request *receives = w->requests, *sends = receives + n->count;
  for (int k = 0; k < n->count; k++) {
    int to = (n->node + k) % n->count, from = (n->node + n->count - k) % n->count;
    if (!w->sent[to] && all_packed(n, x, to)) {
      int peer = n->rank_of[to * n->width + n->node % n->width];
      MPI_Isend(in_region(n, x, x->outgoing, to, 0, 0), all, MPI_DOUBLE, peer, TAG_NODES, MPI_COMM_WORLD, &sends[to]);
      w->sent[to] = 1;
    }
    if (receives[from] != MPI_REQUEST_NULL) {
      MPI_Test(&receives[from], &flag, MPI_STATUS_IGNORE);
      if (flag) atomic_store_explicit(&x->arrived[from], x->rounds, memory_order_release);
    }
    int ready = k ? atomic_load_explicit(&x->arrived[from], memory_order_acquire) == x->rounds : all_packed(n, x, from);
    if (!w->unpacked[from] && ready) {
      unpack(n, x, from);
      w->unpacked[from] = 1;
    }
    left += !w->sent[to] || !w->unpacked[from];
  }
  MPI_Testall(n->count, sends, &flag, MPI_STATUSES_IGNORE);
  return !left && flag;
}
void by_node(const struct nodes *n, struct exchange *x) {
  struct work w;
  int all = n->width * n->width * x->cell;
  w.requests = malloc(2 * sizeof *w.requests * (size_t)n->count);
  w.sent = malloc(2 * sizeof(int) * (size_t)n->count);
  w.unpacked = w.sent + n->count;
  for (int k = 0; k < n->count; k++) {
    int mine = k != n->node && k % n->width == n->local;
    w.sent[k] = !mine, w.unpacked[k] = 0;
    w.requests[k] = w.requests[n->count + k] = MPI_REQUEST_NULL;
    if (!mine) continue;
    int peer = n->rank_of[k * n->width + n->node % n->width];
    MPI_Irecv(in_region(n, x, x->incoming, k, 0, 0), all, MPI_DOUBLE, peer, TAG_NODES, MPI_COMM_WORLD, &w.requests[k]);
  }
  x->rounds++;
  for (int k = 0; k < n->count; k++) pack(n, x, (n->node + k) % n->count);
  while (!advance(n, x, &w)) pause_briefly();
  free(w.requests), free(w.sent);
}
