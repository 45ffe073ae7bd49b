/* An exchange of one cell of doubles between each two ranks, and three ways to perform the exchange by hand. */
#ifndef NET_NODES_H
#define NET_NODES_H
#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The nodes of MPI_COMM_WORLD, in the order of their lowest ranks. All have equal numbers of ranks. */
struct nodes {
  int rank, ranks;  /* of MPI_COMM_WORLD */
  int count, width; /* nodes, and ranks of a node */
  int node, local;  /* of this rank */
  int *rank_of;     /* [node * width + local] */
  MPI_Comm comm;    /* the ranks of this node */
};

/* Local arrays of an exchange, with one cell for each rank in order, and the shared memory of the node. Cells in shared
 * memory are ordered by the other node, then by the receiving rank, then by the sending rank. */
struct exchange {
  int cell;   /* doubles */
  int turn;   /* exchanges so far */
  int rounds; /* those by node */
  double *source, *target;
  double *outgoing, *incoming; /* in shared memory: cells to each node, and from each node */
  atomic_int *packed;          /* [node]: increased by each rank that has packed its cells for the node */
  atomic_int *arrived;         /* [node]: the last round in which the node's message has arrived */
  MPI_Win window;
};

/* Finds the nodes. Ends the job if their numbers of ranks differ. */
void find_nodes(struct nodes *n);

void make_exchange(const struct nodes *n, struct exchange *x, int cell);
void free_exchange(struct exchange *x);

/* Begins a turn: gives each element of the source a value that no other element or turn has, and overwrites the
 * target. */
void fill(const struct nodes *n, struct exchange *x);

/* Returns the number of wrong elements in all targets. Collective. */
int64_t elements_wrong(const struct nodes *n, const struct exchange *x);

/* Exchanges with a message for each pair of ranks: all receives and sends at once. */
void at_once(const struct nodes *n, struct exchange *x);

/* Exchanges by MPI_Alltoallv. */
void alltoallv(const struct nodes *n, struct exchange *x);

/* Exchanges with one message for each pair of nodes: ranks pack their cells into shared memory, one rank sends them,
 * one rank of the other node receives them, and all ranks of that node unpack theirs. The messages of a node are dealt
 * to its ranks. No rank may begin an exchange before all ranks have completed the previous exchange. */
void by_node(const struct nodes *n, struct exchange *x);
#endif
