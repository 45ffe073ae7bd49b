/* The messages of R(P,K,Q), the redistribution of a vector from cyclic(x) on P ranks to cyclic(Kx) on Q others. Ranks
 * 0 .. P-1 send and ranks P .. P+Q-1 receive. Only patterns in which a pair exchanges at most one block of x elements,
 * so that messages are equal and contiguous in both local arrays. */
#ifndef NET_PATTERN_H
#define NET_PATTERN_H

struct pattern {
  int sources, factor, destinations;
  int blocks; /* of the vector: one period of the two layouts */
  int steps;  /* the fewest in which no rank is twice: the largest number of messages of a rank */
  int *block; /* [source * destinations + destination]: the block that goes there, or -1 */
  int *step;  /* the same, in a schedule of the fewest steps */
};

/* A message as a rank sees it. */
struct message { int peer, place; }; /* place: of its block in the local array */

/* Null if a pair would exchange several blocks. */
struct pattern *make_pattern(int sources, int factor, int destinations);

/* The messages of a rank, by step; returns how many. */
int messages_of(const struct pattern *p, int rank, struct message *list);
#endif
