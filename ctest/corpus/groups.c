/* The communicators of cases, which are made once: of all ranks, of all ranks in reverse order, and of some ranks. */
#include "case.h"
#include "draw.h"

static struct group table[12];
static int made;

static int add(const int *members, int count) {
  struct group *g = &table[made];
  int me, colour = MPI_UNDEFINED, key = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  g->count = count;
  for (int i = 0; i < count; i++) {
    g->members[i] = members[i];
    if (members[i] == me) colour = 1, key = i;
  }
  MPI_Comm_split(MPI_COMM_WORLD, colour, key, &g->comm);
  return made++;
}

void groups_make(int ranks) {
  int up[MAX_RANKS], down[MAX_RANKS], even[MAX_RANKS], odd[MAX_RANKS], evens = 0, odds = 0, half = (ranks + 1) / 2;
  for (int r = 0; r < ranks; r++) {
    up[r] = r, down[r] = ranks - 1 - r;
    if (r % 2) odd[odds++] = r;
    else even[evens++] = r;
  }
  add(up, ranks);
  add(down, ranks);
  if (ranks == 1) return;
  add(even, evens);
  add(odd, odds);
  add(down, half);
  add(up, half);
  add(up, ranks - 1);
  add(down, ranks - 1);
  add(up + ranks - 1, 1);
}

void groups_free(void) {
  for (int i = 0; i < made; i++)
    if (table[i].comm != MPI_COMM_NULL) MPI_Comm_free(&table[i].comm);
}

static int member(const struct group *g, int rank) {
  for (int i = 0; i < g->count; i++)
    if (g->members[i] == rank) return 1;
  return 0;
}

struct group *draw_enclosing(void) {
  int other = (int)between(0, made - 1);
  return feature(GROUPS, 3) ? &table[other] : &table[0];
}

const struct group *draw_group(const struct group *enclosing) {
  const struct group *g = &table[between(0, made - 1)];
  if (!feature(GROUPS, 3)) return enclosing;
  for (int i = 0; i < g->count; i++)
    if (!member(enclosing, g->members[i])) return enclosing;
  return g;
}
