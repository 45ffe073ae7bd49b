/* Two programs that run at the same time and exchange fields: an atmosphere and an ocean, each on its own ranks. They
 * are connected by an intercommunicator (MPI_Comm_connect and MPI_Comm_accept, MPI_Comm_spawn, MPI_Intercomm_create).
 * One field moves from the layout of the first program to that of the second, and another field moves back, by plans on
 * the communicator that MPI_Intercomm_merge makes.
 *
 * Here one executable plays both programs: the first third of the ranks is the ocean. */
#include "must.h"

enum { N = 300 };

/* Returns the map of the field on all ranks of one program. */
static reblock_map *field(MPI_Comm program, const char *distribution) {
  int64_t extents[2] = {N, N};
  reblock_map *map;
  MUST(reblock_map_from_text(program, 2, extents, distribution, &map));
  return map;
}

static double *storage(reblock_map *map) {
  int64_t elements;
  MUST(reblock_map_elements(map, &elements));
  return malloc(elements * sizeof(double) + 1);
}

/* Writes or checks this rank's elements: element (i, j) is scale * (N * i + j). Returns the number of wrong
 * elements. */
static int64_t each(reblock_map *map, double *data, double scale, int set) {
  int64_t mine[2], at[2], index[2], wrong = 0;
  MUST(reblock_map_local(map, mine, NULL, NULL, NULL, NULL, NULL));
  for (at[1] = 0; at[1] < mine[1]; at[1]++)
    for (at[0] = 0; at[0] < mine[0]; at[0]++, data++) {
      MUST(reblock_map_global_index(map, at, index, NULL));
      double value = scale * (double)(N * index[0] + index[1]);
      if (set) *data = value;
      wrong += *data != value;
    }
  return wrong;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int me, ranks, ocean;
  MPI_Comm program, other; /* this program's ranks; the intercommunicator to the other program */
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  int first = ranks < 3 ? 1 : ranks / 3; /* the atmosphere's first rank */
  ocean = me < first;
  MPI_Comm_split(MPI_COMM_WORLD, ocean, me, &program);
  MPI_Intercomm_create(program, 0, MPI_COMM_WORLD, ocean ? first : 0, 0, &other);

  MPI_Comm both;
  MPI_Intercomm_merge(other, ocean, &both); /* the atmosphere's ranks come first */

  /* Each program makes the map of its own layout on its own communicator, and passes NULL for the other program's
   * map. */
  reblock_map *map = field(program, ocean ? "(BLOCK, *)" : "(*, CYCLIC(16))");
  double *data = storage(map);
  reblock_map *from = ocean ? NULL : map, *to = ocean ? map : NULL;
  reblock_plan *wind, *temperature;
  MUST(reblock_plan_create(both, from, NULL, to, NULL, sizeof(double), NULL, &wind));
  MUST(reblock_plan_reverse(wind, &temperature));

  int64_t wrong = 0;
  for (int step = 1; step <= 3; step++) {
    if (!ocean) each(map, data, step, 1);
    MUST(reblock_plan_execute(wind, ocean ? NULL : data, ocean ? data : NULL));
    if (ocean) wrong += each(map, data, step, 0), each(map, data, -step, 1);
    MUST(reblock_plan_execute(temperature, ocean ? data : NULL, ocean ? NULL : data));
    if (!ocean) wrong += each(map, data, -step, 0);
  }
  MUST(reblock_plan_free(&wind));
  MUST(reblock_plan_free(&temperature));

  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, both);
  if (me == 0) printf("coupled: %s: %d and %d ranks, %d elements differ\n", wrong ? "WRONG" : "correct", first, ranks - first, (int)wrong);
  MUST(reblock_map_free(&map));
  free(data);
  MPI_Comm_free(&both);
  MPI_Comm_free(&other);
  MPI_Comm_free(&program);
  MPI_Finalize();
  return wrong != 0;
}
