/* New processes that reblock has not started. A resource manager or another library (MaM, DMR) has started processes
 * and merged them with the old ones into one communicator. A matrix moves from the old processes to all of them.
 * reblock needs the communicator, and nothing else.
 *
 * On 2 ranks the program spawns 2 more. On 4 ranks it spawns none, because Debian's MPICH cannot: the last 2 play
 * processes that have just started. */
#include "must.h"

enum { OLD = 2, N = 500 };

/* Stands for any way to get new processes. Returns the communicator of all processes; `old` becomes that of the old
 * ones, or MPI_COMM_NULL in the new ones. */
static MPI_Comm merged(char *program, MPI_Comm *old) {
  MPI_Comm both, half, all;
  int me, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_get_parent(&both);
  int come = both != MPI_COMM_NULL || me >= OLD;
  if (both == MPI_COMM_NULL && ranks == OLD) {
    MPI_Comm_spawn(program, MPI_ARGV_NULL, OLD, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both, MPI_ERRCODES_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &half);
  } else {
    MPI_Comm_split(MPI_COMM_WORLD, come, me, &half);
    if (both == MPI_COMM_NULL) MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, come ? 0 : OLD, 0, &both);
  }
  MPI_Intercomm_merge(both, come, &all);
  *old = come ? MPI_COMM_NULL : half;
  return all;
}

/* Returns the map of an N x N matrix in blocks of rows on all ranks of `comm`. */
static reblock_map *rows_on(MPI_Comm comm) {
  int64_t extents[2] = {N, N};
  reblock_map *map;
  MUST(reblock_map_from_text(comm, 2, extents, "(BLOCK, *)", &map));
  return map;
}

static double *storage(reblock_map *map) {
  int64_t elements;
  MUST(reblock_map_elements(map, &elements));
  return malloc(elements * sizeof(double) + 1);
}

/* Writes or checks this rank's elements: element (i, j) is N * i + j. Returns the number of wrong elements. */
static int64_t each(reblock_map *map, double *data, int set) {
  int64_t mine[2], at[2], index[2], wrong = 0;
  MUST(reblock_map_local(map, mine, NULL, NULL, NULL, NULL, NULL));
  for (at[1] = 0; at[1] < mine[1]; at[1]++)
    for (at[0] = 0; at[0] < mine[0]; at[0]++, data++) {
      MUST(reblock_map_global_index(map, at, index, NULL));
      double value = (double)(N * index[0] + index[1]);
      if (set) *data = value;
      wrong += *data != value;
    }
  return wrong;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm old, all = merged(argv[0], &old);
  reblock_map *from = NULL;
  double *data = NULL;
  if (old != MPI_COMM_NULL) { /* the layout and the data from before */
    from = rows_on(old);
    data = storage(from);
    each(from, data, 1);
  }

  reblock_map *to = rows_on(all); /* the layout on old and new processes */
  double *moved = storage(to);
  reblock_plan *plan;
  MUST(reblock_plan_create(all, from, NULL, to, NULL, sizeof(double), NULL, &plan)); /* from: NULL in a new process */
  MUST(reblock_plan_execute(plan, data, moved));                                     /* data: NULL in a new process */
  MUST(reblock_plan_free(&plan));
  if (from != NULL) MUST(reblock_map_free(&from));
  free(data);
  data = moved;

  int64_t wrong = each(to, data, 0);
  int me, ranks;
  MPI_Comm_rank(all, &me);
  MPI_Comm_size(all, &ranks);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, all);
  if (me == 0) printf("merged: %s: %d ranks, %d elements differ\n", wrong ? "WRONG" : "correct", ranks, (int)wrong);
  MUST(reblock_map_free(&to));
  free(data);
  MPI_Comm_free(&all); /* otherwise spawned processes may crash in Open MPI 4's MPI_Finalize */
  MPI_Finalize();
  return wrong != 0;
}
