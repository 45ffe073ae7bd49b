/* Moves a matrix from blocks of rows to columns dealt out in eights, on 4 ranks. Each rank checks the elements that it
 * gets. */
#include "must.h"

/* Returns the expected value of the element at `index`. */
static double value(const int64_t *index) { return (double)(1000 * index[0] + index[1]); }

int main(int argc, char **argv) {
  int me = start_on_four(&argc, &argv);
  int64_t extents[2] = {1000, 600}, mine[2], at[2], index[2], count;

  /* The layouts before and after. */
  reblock_map *from, *to;
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 2, extents, "(BLOCK, *)", &from));
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 2, extents, "(*, CYCLIC(8))", &to));

  /* The program's own storage: column-major, as large as the map says. */
  MUST(reblock_map_elements(from, &count));
  double *source = malloc(count * sizeof *source), *next = source;
  MUST(reblock_map_local(from, mine, NULL, NULL, NULL, NULL, NULL));
  for (at[1] = 0; at[1] < mine[1]; at[1]++)
    for (at[0] = 0; at[0] < mine[0]; at[0]++) {
      MUST(reblock_map_global_index(from, at, index, NULL));
      *next++ = value(index);
    }
  MUST(reblock_map_elements(to, &count));
  double *target = malloc(count * sizeof *target);

  /* A plan is made once, and moves any number of arrays with these layouts. */
  reblock_plan *plan;
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, sizeof(double), NULL, &plan));
  MUST(reblock_plan_execute(plan, source, target));

  int64_t wrong = 0;
  next = target;
  MUST(reblock_map_local(to, mine, NULL, NULL, NULL, NULL, NULL));
  for (at[1] = 0; at[1] < mine[1]; at[1]++)
    for (at[0] = 0; at[0] < mine[0]; at[0]++) {
      MUST(reblock_map_global_index(to, at, index, NULL));
      wrong += *next++ != value(index);
    }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("first: %s: %d elements differ\n", wrong ? "WRONG" : "correct", (int)wrong);

  MUST(reblock_plan_free(&plan));
  MUST(reblock_map_free(&from));
  MUST(reblock_map_free(&to));
  free(source);
  free(target);
  MPI_Finalize();
  return wrong != 0;
}
