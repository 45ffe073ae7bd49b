/* Another library, such as MaM or DMR, makes this program's job larger and smaller: it spawns processes and merges
 * them, and later lets some go. Plain MPI plays that library here. reblock moves the arrays that such libraries cannot
 * move: a block-cyclic matrix on a process grid, and an array of three axes. The array is constant, so it moves while
 * the old processes continue to compute. The matrix changes in each iteration, so it moves when they stop.
 *
 * On 2 ranks the program spawns 2 more. On 4 ranks it spawns none, because Debian's MPICH cannot: the last 2 play the
 * new processes. */
#include "must.h"

enum { OLD = 2, N = 300, BLOCK = 16, X = 40, Y = 30, Z = 50 };
enum { MATRIX, CONSTANT, ARRAYS };

static reblock_map *maps[ARRAYS]; /* NULL in a process that has no part of the arrays */
static double *data[ARRAYS];
static int iterations;

/* The other library makes the job larger: returns the communicator of old and new processes. */
static MPI_Comm grown(char *program, MPI_Comm old, int comes) {
  MPI_Comm both, all;
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_get_parent(&both);
  if (both == MPI_COMM_NULL && ranks == OLD)
    MPI_Comm_spawn(program, MPI_ARGV_NULL, OLD, MPI_INFO_NULL, 0, old, &both, MPI_ERRCODES_IGNORE);
  else if (both == MPI_COMM_NULL)
    MPI_Intercomm_create(old, 0, MPI_COMM_WORLD, comes ? 0 : OLD, 0, &both);
  MPI_Intercomm_merge(both, comes, &all);
  return all;
}

/* The other library makes the job smaller: returns the communicator of the remaining processes; MPI_COMM_NULL in the
 * others. */
static MPI_Comm shrunk(MPI_Comm all) {
  MPI_Comm stay;
  int me;
  MPI_Comm_rank(all, &me);
  MPI_Comm_split(all, me < OLD ? 0 : MPI_UNDEFINED, me, &stay);
  return stay;
}

/* Makes the layouts on all ranks of `comm`, of which there are 2 or 4, and allocates storage for them. */
static void lay_out(MPI_Comm comm, reblock_map **map, double **storage) {
  int64_t matrix[2] = {N, N}, block[2] = {BLOCK, BLOCK}, constant[3] = {X, Y, Z}, elements;
  int ranks;
  MPI_Comm_size(comm, &ranks);
  int64_t grid[2] = {ranks / 2, 2};
  MUST(reblock_map_block_cyclic(comm, 2, matrix, grid, block, &map[MATRIX]));
  MUST(reblock_map_from_text(comm, 3, constant, ranks == 2 ? "(BLOCK, *, *)" : "(BLOCK, *, CYCLIC(3)) ONTO P(2, 2)", &map[CONSTANT]));
  for (int k = 0; k < ARRAYS; k++) {
    MUST(reblock_map_elements(map[k], &elements));
    storage[k] = malloc(elements * sizeof(double) + 1);
  }
}

static void give_back(void) {
  for (int k = 0; k < ARRAYS; k++) {
    if (maps[k] != NULL) MUST(reblock_map_free(&maps[k]));
    free(data[k]), data[k] = NULL;
  }
}

/* Writes or checks this rank's elements, which all have different values; those of the matrix grow by 1 in each
 * iteration. Returns the number of wrong elements. */
static int64_t each(int set) {
  int64_t wrong = 0;
  for (int k = 0; k < ARRAYS && maps[k] != NULL; k++) {
    int64_t elements, mine[3] = {1, 1, 1}, at[3], index[3] = {0};
    MUST(reblock_map_elements(maps[k], &elements));
    MUST(reblock_map_local(maps[k], mine, NULL, NULL, NULL, NULL, NULL));
    for (int64_t n = 0; n < elements; n++) {
      at[0] = n % mine[0], at[1] = n / mine[0] % mine[1], at[2] = n / mine[0] / mine[1];
      MUST(reblock_map_global_index(maps[k], at, index, NULL));
      double value = (double)((index[2] * 1000 + index[1]) * 1000 + index[0]) + (k == MATRIX ? iterations : 0);
      if (set) data[k][n] = value;
      wrong += data[k][n] != value;
    }
  }
  return wrong;
}

static void iterate(void) {
  int64_t elements;
  MUST(reblock_map_elements(maps[MATRIX], &elements));
  for (int64_t n = 0; n < elements; n++) data[MATRIX][n] += 1;
  iterations++;
}

/* Moves both arrays to the layouts on `to`, which is MPI_COMM_NULL in a process that is to have no part. Processes that
 * have a part now, on `from`, compute while the constant array is under way. */
static void move(MPI_Comm all, MPI_Comm from, MPI_Comm to) {
  reblock_map *next[ARRAYS] = {NULL};
  double *moved[ARRAYS] = {NULL};
  reblock_plan *plans[ARRAYS];
  reblock_request *request;
  int32_t mine = 0, done = 0;
  if (to != MPI_COMM_NULL) lay_out(to, next, moved);
  for (int k = 0; k < ARRAYS; k++) MUST(reblock_plan_create(all, maps[k], NULL, next[k], NULL, sizeof(double), NULL, &plans[k]));

  MUST(reblock_plan_start(plans[CONSTANT], data[CONSTANT], moved[CONSTANT], &request));
  while (from != MPI_COMM_NULL && !done) { /* all of them stop at the same iteration */
    iterate();
    if (!mine) MUST(reblock_request_test(&request, &mine));
    MPI_Allreduce(&mine, &done, 1, MPI_INT32_T, MPI_MIN, from);
  }
  if (from == MPI_COMM_NULL) MUST(reblock_request_wait(&request));
  MUST(reblock_plan_execute(plans[MATRIX], data[MATRIX], moved[MATRIX]));
  MPI_Bcast(&iterations, 1, MPI_INT, 0, all);

  for (int k = 0; k < ARRAYS; k++) MUST(reblock_plan_free(&plans[k]));
  give_back();
  for (int k = 0; k < ARRAYS; k++) maps[k] = next[k], data[k] = moved[k];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent, half, all, stay;
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_get_parent(&parent);
  int comes = parent != MPI_COMM_NULL || me >= OLD;
  MPI_Comm_split(MPI_COMM_WORLD, comes, me, &half);
  if (!comes) lay_out(half, maps, data), each(1), iterate();

  all = grown(argv[0], half, comes);
  move(all, comes ? MPI_COMM_NULL : half, all);
  int64_t wrong = each(0);
  iterate();
  stay = shrunk(all);
  move(all, all, stay);
  wrong += each(0); /* in the remaining processes; the others have no elements */

  int ranks;
  MPI_Comm_size(all, &ranks);
  MPI_Comm_rank(all, &me);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, all);
  if (me == 0) printf("malleable: %s: %d ranks, then %d ranks, then %d, %d elements differ\n", wrong ? "WRONG" : "correct", OLD, ranks, OLD,
                      (int)wrong);
  give_back();
  if (stay != MPI_COMM_NULL) MPI_Comm_free(&stay);
  MPI_Comm_free(&half);
  MPI_Comm_free(&all); /* otherwise spawned processes may crash in Open MPI 4's MPI_Finalize */
  MPI_Finalize();
  return wrong != 0;
}
