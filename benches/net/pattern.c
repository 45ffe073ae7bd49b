/* The messages of R(P,K,Q), counted block by block, and a schedule of them in the minimum number of steps, by Koenig's
 * alternating paths. Shares no code with the library, whose own schedules are compared with it. */
#include "pattern.h"
#include <stdlib.h>

static int *filled(int n, int value) {
  int *list = malloc(sizeof(int) * (size_t)n);
  for (int i = 0; i < n; i++) list[i] = value;
  return list;
}
static int common_multiple(int a, int b) {
  int x = a, y = b;
  while (y) { int t = x % y; x = y, y = t; }
  return a / x * b;
}

/* The action of each end in each step: [rank * steps + step], -1 for none. */
struct table { int steps, *to, *from; };
static void set(struct table *t, int source, int destination, int step, int on) {
  t->to[source * t->steps + step] = on ? destination : -1;
  t->from[destination * t->steps + step] = on ? source : -1;
}
/* Frees step `a` of a destination whose step `b` is free: exchanges the two steps along the alternating path from the
 * destination. */
static void exchange(struct table *t, int destination, int a, int b) {
  int source = t->from[destination * t->steps + a];
  if (source < 0) return;
  int next = t->to[source * t->steps + b];
  set(t, source, destination, a, 0);
  if (next >= 0) {
    set(t, source, next, b, 0);
    exchange(t, next, a, b);
    set(t, source, next, a, 1);
  }
  set(t, source, destination, b, 1);
}
/* Gives a message a step. Tries steps from the source's number on, so that the schedules of regular patterns are
 * circulants. */
static void place(struct table *t, int source, int destination) {
  int a = -1, b = -1;
  for (int k = 0; k < t->steps; k++) {
    int step = (k + source) % t->steps;
    int sends = t->to[source * t->steps + step] >= 0, receives = t->from[destination * t->steps + step] >= 0;
    if (!sends && !receives) { set(t, source, destination, step, 1); return; }
    if (!sends && a < 0) a = step;
    if (!receives && b < 0) b = step;
  }
  exchange(t, destination, a, b);
  set(t, source, destination, a, 1);
}

struct pattern *make_pattern(int sources, int factor, int destinations) {
  struct pattern *p = malloc(sizeof *p);
  int pairs = sources * destinations, *sends = calloc((size_t)sources, sizeof(int));
  int *receives = calloc((size_t)destinations, sizeof(int)), whole = 1;
  p->sources = sources, p->factor = factor, p->destinations = destinations;
  p->blocks = common_multiple(sources, factor * destinations);
  p->block = filled(pairs, -1), p->step = filled(pairs, -1), p->steps = 0;
  for (int b = 0; b < p->blocks; b++) {
    int s = b % sources, d = b / factor % destinations;
    whole &= p->block[s * destinations + d] < 0;
    p->block[s * destinations + d] = b;
    if (++sends[s] > p->steps) p->steps = sends[s];
    if (++receives[d] > p->steps) p->steps = receives[d];
  }
  struct table t = {p->steps, filled(sources * p->steps, -1), filled(destinations * p->steps, -1)};
  for (int i = 0; whole && i < pairs; i++) if (p->block[i] >= 0) place(&t, i / destinations, i % destinations);
  for (int i = 0; whole && i < sources * p->steps; i++)
    if (t.to[i] >= 0) p->step[i / p->steps * destinations + t.to[i]] = i % p->steps;
  free(t.to), free(t.from), free(sends), free(receives);
  return whole ? p : NULL;
}

int messages_of(const struct pattern *p, int rank, struct message *list) {
  int count = 0, q = p->destinations, sends = rank < p->sources;
  for (int step = 0; step < p->steps; step++)
    for (int other = 0; other < (sends ? q : p->sources); other++) {
      int pair = sends ? rank * q + other : other * q + rank - p->sources, b = p->block[pair];
      if (b < 0 || p->step[pair] != step) continue;
      list[count].peer = sends ? p->sources + other : other;
      list[count++].place = sends ? b / p->sources : b / (p->factor * q) * p->factor + b % p->factor;
    }
  return count;
}
