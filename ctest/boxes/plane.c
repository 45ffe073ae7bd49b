/* Sections with different numbers of axes: moves a plane of an array of three axes to a whole array of two, and
 * back. */
#include "layout.h"

void plane(void);
void plane(void) {
  int64_t n[3] = {draw(1, 9), draw(1, 9), draw(1, 5)}, cut = draw(0, 2), flat[2], count[2], at[3] = {0}, index[2], place;
  for (int k = 0, m = 0; k < 3; k++)
    if (k != cut) flat[m++] = n[k];
  struct layout *whole = calloc(1, sizeof *whole), *part = calloc(1, sizeof *part);
  int boxes = (int)draw(1, 3);
  draw_layout(whole, 3, n, boxes & 1), draw_layout(part, 2, flat, boxes >> 1);
  reblock_map *map[2] = {mapped(whole), mapped(part)};
  for (int side = 0; side < 2; side++) MUST(reblock_map_elements(map[side], &count[side]));
  int64_t *from = calloc((size_t)count[0] + 1, 8), *to = calloc((size_t)count[1] + 1, 8), level = draw(0, n[cut] - 1);
  reblock_range section[3];
  for (int k = 0; k < 3; k++) section[k] = (reblock_range){k == cut ? level : 0, k == cut ? level : n[k] - 1, 1};
  reblock_plan *plan, *back;
  MUST(reblock_plan_create(MPI_COMM_WORLD, map[0], section, map[1], NULL, 8, NULL, &plan));
  MUST(reblock_plan_reverse(plan, &back));
  for (int way = 0; way < 2; way++) {
    for (at[0] = 0; at[0] < n[0]; at[0]++)
      for (at[1] = 0; at[1] < n[1]; at[1]++)
        for (at[2] = 0; at[2] < n[2]; at[2]++)
          for (int copy = 0; copy < whole->copies; copy++)
            if (where(whole, at, copy, &place) == me) from[place] = way ? -1 : at[0] + 100 * at[1] + 10000 * at[2];
    MUST(reblock_plan_execute(way ? back : plan, way ? to : from, way ? from : to));
    for (at[0] = 0; at[0] < n[0]; at[0]++)
      for (at[1] = 0; at[1] < n[1]; at[1]++)
        for (at[2] = 0; at[2] < n[2]; at[2]++) {
          int64_t value = at[0] + 100 * at[1] + 10000 * at[2];
          for (int k = 0, m = 0; k < 3; k++)
            if (k != cut) index[m++] = at[k];
          for (int copy = 0; at[cut] == level && copy < part->copies; copy++)
            if (where(part, index, copy, &place) == me) expect(to[place] == value, "a plane");
          for (int copy = 0; way && copy < whole->copies; copy++)
            if (where(whole, at, copy, &place) == me) expect(from[place] == (at[cut] == level ? value : -1), "a plane's way back");
        }
  }
  MUST(reblock_plan_free(&plan)), MUST(reblock_plan_free(&back));
  MUST(reblock_map_free(&map[0])), MUST(reblock_map_free(&map[1]));
  free(from), free(to), free(whole), free(part);
}
