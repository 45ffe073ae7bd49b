/* Tests reverse plans with copies, and with irregular owners. Also tests that the library keeps plans of irregular
 * owners. To make such a plan, ranks must exchange their indices, and this program counts these exchanges.
 *
 *   mpirun -n RANKS returns */
#include "plain.h"
#include "random.h"
#include <string.h>

static int exchanges;
int MPI_Ialltoallv(const void *a, const int *n, const int *p, MPI_Datatype t, void *b, const int *m, const int *o, MPI_Datatype u,
                   MPI_Comm c, MPI_Request *q) {
  exchanges++;
  return PMPI_Ialltoallv(a, n, p, t, b, m, o, u, c, q);
}

static void expect(int good, const char *what) {
  if (!good) wrong++, fprintf(stderr, "returns: rank %d: %s, on %d ranks\n", me, what, ranks);
}

/* Checks that an array with a copy on each process along the second axis of P comes back to all copies. */
static void copies(void) {
  enum { N = 23 };
  int64_t extents[2] = {N, 3}, shape[2] = {1, ranks}, elements[2], had[N * 3], moved[N * 3], again[N * 3];
  char line[64];
  reblock_map *copied, *columns;
  reblock_plan *plan, *reverse;
  snprintf(line, sizeof line, "(CYCLIC(2),*) ONTO P(%d,%d)", ranks % 2 ? 1 : 2, ranks % 2 ? ranks : ranks / 2);
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 2, extents, line, &copied));
  MUST(reblock_map_block_cyclic(MPI_COMM_WORLD, 2, extents, shape, NULL, &columns));
  MUST(reblock_map_elements(copied, &elements[0])), MUST(reblock_map_elements(columns, &elements[1]));
  for (int64_t i = 0, place[2], index[2]; i < elements[0]; i++) {
    int32_t is_own;
    place[0] = i % (elements[0] / 3), place[1] = i / (elements[0] / 3);
    MUST(reblock_map_global_index(copied, place, index, &is_own));
    had[i] = index[0] * 10 + index[1], again[i] = -1;
  }
  MUST(reblock_plan_create(MPI_COMM_WORLD, copied, NULL, columns, NULL, 8, NULL, &plan));
  MUST(reblock_plan_reverse(plan, &reverse));
  MUST(reblock_plan_execute(plan, had, moved));
  MUST(reblock_plan_execute(reverse, moved, again));
  expect(!memcmp(had, again, (size_t)elements[0] * 8), "copies are not all written on the way back");
  MUST(reblock_plan_free(&plan)), MUST(reblock_plan_free(&reverse));
  MUST(reblock_map_free(&copied)), MUST(reblock_map_free(&columns));
}

/* Makes a map of irregular owners, of which each rank passes a range. With REBLOCK_OWNERS=0, each process then has only
 * its own indices, and ranks exchange indices to make a plan. */
static reblock_map *owners_apart(int64_t n, uint64_t salt) {
  int64_t zero = 0, last = n - 1, shape = ranks, first = me * n / ranks, end = (me + 1) * n / ranks, owners[64];
  reblock_procs *procs;
  reblock_template *tmpl;
  reblock_map *map;
  for (int64_t i = first; i < end; i++) owners[i - first] = (int64_t)(hash(salt, (uint64_t)i) % (uint64_t)ranks);
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs));
  MUST(reblock_template_create(procs, 1, &zero, &last, &tmpl));
  MUST(reblock_template_dist_indirect_local(tmpl, 0, 0, first, end - first, owners));
  MUST(reblock_template_commit(tmpl));
  MUST(reblock_map_whole(tmpl, &map));
  MUST(reblock_template_free(&tmpl)), MUST(reblock_procs_free(&procs));
  return map;
}

/* Moves between two maps of irregular owners in both directions, twice, and by the reverse of a plan. */
static void apart(void) {
  enum { N = 60 };
  int64_t had[N], moved[N], back[N];
  int first = 0, again = 0;
  const char *given = getenv("REBLOCK_OWNERS");
  for (int round = 0; round < 2; round++) {
    reblock_map *a = owners_apart(N, 1), *b = owners_apart(N, 2);
    reblock_plan *plan, *reverse;
    int64_t counts[2];
    MUST(reblock_map_elements(a, &counts[0])), MUST(reblock_map_elements(b, &counts[1]));
    for (int i = 0; i < N; i++) had[i] = moved[i] = back[i] = -1;
    for (int64_t i = 0, at = 0; i < N; i++) if ((int64_t)(hash(1, (uint64_t)i) % (uint64_t)ranks) == me) had[at++] = i;
    exchanges = 0;
    MUST(reblock_move(MPI_COMM_WORLD, a, NULL, b, NULL, 8, had, moved));
    *(round ? &again : &first) = exchanges;
    for (int64_t i = 0, at = 0; i < N; i++)
      if ((int64_t)(hash(2, (uint64_t)i) % (uint64_t)ranks) == me) expect(moved[at++] == i, "an INDIRECT axis");
    MUST(reblock_plan_create(MPI_COMM_WORLD, a, NULL, b, NULL, 8, NULL, &plan));
    MUST(reblock_plan_reverse(plan, &reverse));
    MUST(reblock_plan_execute(reverse, moved, back));
    expect(!memcmp(had, back, sizeof had), "the way back of an INDIRECT axis");
    MUST(reblock_plan_free(&plan)), MUST(reblock_plan_free(&reverse));
    MUST(reblock_map_free(&a)), MUST(reblock_map_free(&b));
  }
  if (ranks > 1 && given && !strcmp(given, "0")) expect(first > 0, "no indices exchanged");
  expect(again == 0, "indices exchanged again");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  copies();
  apart();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("returns: %d ranks, %d wrong\n", ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
