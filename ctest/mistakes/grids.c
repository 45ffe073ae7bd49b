/* Mistakes in requests for a process grid, and the right answers. */
#include "mistakes.h"

int32_t process_grids(void) {
  int64_t count = 30, extents[2] = {24000, 24000}, block[2] = {100, 100}, present[2] = {5, 5}, element = 8, grid[2] = {0, 0};
  int64_t *extents_at = extents, *block_at = block, *grid_at = grid;
  double seconds = -1;
  if (mistake("no process", ARGUMENT, ANYBODY)) count = 0;
  if (mistake("-3 processes", ARGUMENT, ANYBODY)) count = -3;
  if (mistake("more processes than MPI numbers", ARGUMENT, ANYBODY)) count = INT64_C(1) << 31;
  if (mistake("a matrix of no rows", ARGUMENT, ANYBODY)) extents[0] = 0;
  if (mistake("blocks of -1 columns", ARGUMENT, ANYBODY)) block[1] = -1;
  if (mistake("a present grid of no columns", ARGUMENT, ANYBODY)) present[1] = 0;
  if (mistake("elements of no byte", ARGUMENT, ANYBODY)) element = 0;
  if (mistake("no extents", ARGUMENT, ANYBODY)) extents_at = NULL;
  if (mistake("no blocks", ARGUMENT, ANYBODY)) block_at = NULL;
  if (mistake("nowhere to put a grid", ARGUMENT, ANYBODY)) grid_at = NULL;
  int32_t code = reblock_grid_for(count, extents_at, block_at, element, present, 2, grid_at, &seconds);
  if (code) return code;
  if (grid[0] * grid[1] != 30 || grid[0] > 2 * grid[1] || grid[1] > 2 * grid[0] || seconds <= 0)
    report("chooses a grid that was not asked for", code);
  double other = -1;
  code = reblock_grid_for(30, extents, block, 8, present, 0, grid, &other);
  if (code || grid[0] != 5 || grid[1] != 6 || other < seconds) report("says that another grid is cheaper than the cheapest", code);
  code = reblock_grid_for(48, NULL, NULL, 0, NULL, 0, grid, &other);
  if (code || grid[0] != 6 || grid[1] != 8 || other != 0) report("chooses another grid than 6 x 8", code);
  return code;
}
