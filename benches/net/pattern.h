/* The messages of R(P,K,Q), the redistribution of a vector from cyclic(x) on P ranks to cyclic(Kx) on Q other ranks.
 * Ranks 0 .. P-1 send, and ranks P .. P+Q-1 receive. Supports only patterns with at most one block of x elements for
 * each pair of ranks, so that messages have equal lengths and are contiguous in both local arrays. */
#ifndef NET_PATTERN_H
#define NET_PATTERN_H

struct pattern {
  int sources, factor, destinations;
  int blocks; /* blocks of the vector: one period of the two layouts */
  int steps;  /* minimum number of steps: the largest number of messages of a rank */
  int *block; /* [source * destinations + destination]: the block that is sent, or -1 */
  int *step;  /* [source * destinations + destination]: its step */
};

/* A message of one rank. */
struct message { int peer, place; }; /* place: position of its block in the local array */

/* Returns the messages; null if a pair of ranks would exchange several blocks. */
struct pattern *make_pattern(int sources, int factor, int destinations);

/* Lists the messages of a rank by step; returns their number. */
int messages_of(const struct pattern *p, int rank, struct message *list);
#endif
