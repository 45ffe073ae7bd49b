/* Measures the cost of messages on this machine: ping-pong between rank 0 and the last rank of its node, and between
 * rank 0 and the first rank of another node, and the bandwidth of memcpy on rank 0. Prints them as settings for
 * reblock's cost model. Then all ranks of rank 0's node send short messages to other nodes at the same time. The time
 * that the node's port takes for a message follows from this, and is printed as a comment.
 *
 *   mpirun ... calibrate        on two nodes, two ranks each, for all settings; with as many ranks as cores for the port */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 8, LARGE = 4 << 20, ROUNDS = 200, LARGE_ROUNDS = 20, COPIED = 64 << 20, STREAM = 1000, STREAM_ROUNDS = 21 };
static int me;
static char *buffer;

/* A copy from median.h: the command reblock compiles this file alone, without that header. */
static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns the median time one way between rank 0 and `other` in seconds; checks every byte that comes back. */
static double one_way(int other, int bytes, int rounds) {
  double seconds[ROUNDS];
  for (int k = 0; k < rounds; k++) {
    if (me == 0) {
      memset(buffer, k + 1, (size_t)bytes);
      double start = MPI_Wtime();
      MPI_Send(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      seconds[k] = (MPI_Wtime() - start) / 2;
      for (int i = 0; i < bytes; i++)
        if (buffer[i] != (char)(k + 2)) { fprintf(stderr, "calibrate: a wrong byte came back\n"); MPI_Abort(MPI_COMM_WORLD, 1); }
    } else if (me == other) {
      MPI_Recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      memset(buffer, buffer[0] + 1, (size_t)bytes);
      MPI_Send(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
  if (me) return 0;
  qsort(seconds, (size_t)rounds, sizeof *seconds, ascending);
  return seconds[rounds / 2];
}

/* Returns the median time in seconds of filling `bytes` bytes, as the other rank does between two messages. */
static double fill_seconds(int bytes) {
  double seconds[LARGE_ROUNDS];
  for (int k = 0; k < LARGE_ROUNDS; k++) {
    double start = MPI_Wtime();
    memset(buffer, k, (size_t)bytes);
    seconds[k] = MPI_Wtime() - start;
  }
  qsort(seconds, LARGE_ROUNDS, sizeof *seconds, ascending);
  return seconds[LARGE_ROUNDS / 2];
}

static void setting(const char *name, int other) {
  double small = one_way(other, SMALL, ROUNDS), large = one_way(other, LARGE, LARGE_ROUNDS);
  large -= fill_seconds(LARGE) / 2;
  if (me) return;
  if (large <= small) printf("# %s: this machine is too busy to measure it\n", name);
  else printf("export %s=%.2f,%.2f\n", name, small * 1e6, (LARGE - SMALL) / (large - small) * 1e-9);
}

/* Sends STREAM short messages to rank `to` and waits for its answer, unless `to` is -1. Receives the messages of rank
 * `from` and answers, unless `from` is -1. Collective. Returns, on all ranks, the median time of the slowest sender in
 * seconds. */
static double stream_seconds(int to, int from) {
  static char sent[STREAM][SMALL], received[STREAM][SMALL];
  static MPI_Request requests[STREAM];
  double seconds[STREAM_ROUNDS];
  char answer = 0;
  for (int k = 0; k < STREAM_ROUNDS; k++) {
    memset(sent, k + 1, sizeof sent);
    memset(received, 0, sizeof received);
    for (int i = 0; from >= 0 && i < STREAM; i++)
      MPI_Irecv(received[i], SMALL, MPI_BYTE, from, 2, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime(), own = 0;
    if (to >= 0) {
      for (int i = 0; i < STREAM; i++) MPI_Isend(sent[i], SMALL, MPI_BYTE, to, 2, MPI_COMM_WORLD, &requests[i]);
      MPI_Waitall(STREAM, requests, MPI_STATUSES_IGNORE);
      MPI_Recv(&answer, 1, MPI_BYTE, to, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      own = MPI_Wtime() - start;
    } else if (from >= 0) {
      MPI_Waitall(STREAM, requests, MPI_STATUSES_IGNORE);
      MPI_Send(&answer, 1, MPI_BYTE, from, 3, MPI_COMM_WORLD);
      if (memcmp(received, sent, sizeof sent)) { fprintf(stderr, "calibrate: a wrong byte came\n"); MPI_Abort(MPI_COMM_WORLD, 1); }
    }
    MPI_Allreduce(&own, &seconds[k], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  qsort(seconds, STREAM_ROUNDS, sizeof *seconds, ascending);
  return seconds[STREAM_ROUNDS / 2];
}

/* Prints the time of a message at the port of rank 0's node. The i-th rank of this node sends to the i-th rank of all
 * ranks on other nodes. `near` has, for each rank, the first rank of its node. */
static void port(const int *near, int ranks) {
  int to = -1, from = -1, senders = 0, next = 0;
  for (int r = 0; r < ranks; r++) {
    if (near[r] != 0) continue;
    while (next < ranks && near[next] == 0) next++;
    if (next == ranks) break;
    if (r == me) to = next;
    if (next == me) from = r;
    next++, senders++;
  }
  double seconds = stream_seconds(to, from);
  if (!me) {
    printf("# port of a node: at most %.3f us for a short message, with %d ranks sending (reblock explain --port-start-up %.3f)\n",
           seconds * 1e6 / STREAM / senders, senders, seconds * 1e6 / STREAM / senders);
  }
}

static void copy(void) {
  double seconds[LARGE_ROUNDS];
  char *from = malloc(COPIED), *to = malloc(COPIED);
  if (!from || !to) { fprintf(stderr, "calibrate: no memory\n"); MPI_Abort(MPI_COMM_WORLD, 1); }
  memset(from, 1, COPIED);
  memset(to, 2, COPIED);
  for (int k = 0; k < LARGE_ROUNDS; k++) {
    from[k] = (char)k;
    double start = MPI_Wtime();
    memcpy(to, from, COPIED);
    seconds[k] = MPI_Wtime() - start;
    if (memcmp(to, from, COPIED)) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  qsort(seconds, LARGE_ROUNDS, sizeof *seconds, ascending);
  printf("export REBLOCK_COPY=%.2f\n", COPIED / seconds[LARGE_ROUNDS / 2] * 1e-9);
  free(from), free(to);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int ranks, with_me, *near;
  MPI_Comm node;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &with_me);
  /* Find the other ranks on rank 0's node, whose first rank is 0. */
  int first = me, neighbour = 0, stranger = 0;
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  near = malloc(sizeof(int) * (size_t)ranks);
  buffer = malloc(LARGE);
  if (!near || !buffer) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Allgather(&first, 1, MPI_INT, near, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = ranks - 1; r > 0; r--)
    if (near[r] == 0 && !neighbour) neighbour = r;
    else if (near[r] != 0) stranger = r;
  if (!neighbour && !stranger && !me) fprintf(stderr, "calibrate: at least two ranks, on two nodes to measure the network\n");
  if (!me) copy();
  MPI_Barrier(MPI_COMM_WORLD);
  if (neighbour) setting("REBLOCK_NODE", neighbour);
  if (stranger) {
    setting("REBLOCK_NETWORK", stranger);
    port(near, ranks);
  } else if (!me) printf("# REBLOCK_NETWORK: all ranks are on one node\n");
  MPI_Comm_free(&node);
  free(near), free(buffer);
  MPI_Finalize();
  return !neighbour && !stranger;
}
