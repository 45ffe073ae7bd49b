/* Errors in boxes: all ranks must return the same error, and nothing may be written. */
#include "layout.h"

static void refused(int32_t code, int32_t wanted, const char *text, const char *what) {
  const char *message = reblock_message();
  int32_t least = code, most = code;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT32_T, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
  if (least == wanted && most == wanted && strstr(message, text)) return;
  wrong++;
  fprintf(stderr, "boxes: rank %d: %s: %s: %s, expected %s with \"%s\"\n", me, what, reblock_code_name(code), message,
          reblock_code_name(wanted), text);
}

static reblock_map *map;
/* Makes a map of one box of two axes on each rank. */
static int32_t one(int64_t rows, int64_t columns, int64_t i, int64_t j, int64_t m, int64_t n) {
  int64_t extents[] = {rows, columns}, start[] = {i, j}, size[] = {m, n};
  return reblock_map_from_boxes(MPI_COMM_WORLD, 2, extents, 1, start, size, 0, NULL, NULL, &map);
}

/* Tests columns of which only some rows are in a box: sections of these rows work, all others are an error. */
static void holes(void) {
  double before[] = {1, 2, 3, 4, 5, 6}, from[6], to[6];
  int64_t blocks[] = {0, 0}, shape[] = {1, ranks}, extents[] = {3, 2 * ranks};
  reblock_map *dealt;
  reblock_plan *plan = NULL;
  /* Only the first two rows of each rank's two columns are in a box. */
  MUST(one(3, 2 * ranks, 0, 2 * me, 2, 2));
  MUST(reblock_map_block_cyclic(MPI_COMM_WORLD, 2, extents, shape, blocks, &dealt));
  memcpy(from, before, sizeof from), memcpy(to, before, sizeof to);
  refused(reblock_plan_create(MPI_COMM_WORLD, map, NULL, dealt, NULL, 8, NULL, &plan), REBLOCK_ERR_ARGUMENT,
          "of the section is in no box", "a source with holes");
  refused(reblock_plan_create(MPI_COMM_WORLD, dealt, NULL, map, NULL, 8, NULL, &plan), REBLOCK_ERR_ARGUMENT,
          "of the section is in no box", "a target with holes");
  refused(reblock_move(MPI_COMM_WORLD, map, NULL, map, NULL, 8, from, to), REBLOCK_ERR_ARGUMENT, "in no box", "a move of holes");
  if (memcmp(to, before, sizeof to)) wrong++, fprintf(stderr, "boxes: rank %d: a move that fails has written\n", me);
  reblock_range section[] = {{0, 1, 1}, {0, 2 * ranks - 1, 1}};
  MUST(reblock_plan_create(MPI_COMM_WORLD, map, section, dealt, section, 8, NULL, &plan));
  double rows[] = {1, 2, 4, 5}, wanted[] = {1, 2, 3, 4, 5, 6};
  memset(to, 0, sizeof to), to[2] = 3, to[5] = 6;
  MUST(reblock_plan_execute(plan, rows, to));
  MUST(reblock_plan_free(&plan));
  if (memcmp(to, wanted, sizeof to)) wrong++, fprintf(stderr, "boxes: rank %d: rows above a hole\n", me);
  if (ranks > 1)
    refused(reblock_plan_create(MPI_COMM_WORLD, me ? map : NULL, me ? section : NULL, dealt, section, 8, NULL, &plan),
            REBLOCK_ERR_ARGUMENT, me ? "" : "this process may have boxes of the array", "a rank that does not know its boxes");
  int64_t index[] = {2, 0}, rank, place[2];
  refused(reblock_map_dereference(map, 1, index, &rank, place), REBLOCK_ERR_ARGUMENT, "is in no box", "dereference of a hole");
  MUST(reblock_map_free(&dealt));
}

/* Tests places in the storage that exceed 63 bits. */
static void far_away(void) {
  int64_t extents[] = {8 * ranks}, start[] = {8 * me}, size[] = {8}, offset[] = {-1};
  int32_t code = reblock_map_from_boxes(MPI_COMM_WORLD, 1, extents, 1, start, size, 0, offset, NULL, &map);
  refused(code, REBLOCK_ERR_ARGUMENT, "box 0: its offset is below 0", "an offset below 0");
  offset[0] = INT64_MAX - 7;
  code = reblock_map_from_boxes(MPI_COMM_WORLD, 1, extents, 1, start, size, 0, offset, NULL, &map);
  refused(code, REBLOCK_ERR_ARGUMENT, "box 0: its places in the storage reach below 0 or beyond 2^63", "a box that ends beyond 2^63");
  int64_t backward[] = {-1};
  offset[0] = 6;
  code = reblock_map_from_boxes(MPI_COMM_WORLD, 1, extents, 1, start, size, 0, offset, backward, &map);
  refused(code, REBLOCK_ERR_ARGUMENT, "box 0: its places in the storage reach below 0", "a box that begins before the storage");
  offset[0] = INT64_MAX / 8 - 7;
  MUST(reblock_map_from_boxes(MPI_COMM_WORLD, 1, extents, 1, start, size, 0, offset, NULL, &map));
  reblock_plan *plan = NULL;
  refused(reblock_plan_create(MPI_COMM_WORLD, map, NULL, map, NULL, 16, NULL, &plan), REBLOCK_ERR_ARGUMENT, "more than 2^63 bytes",
          "a box that ends beyond 2^63 bytes");
  MUST(reblock_map_free(&map));
}

void mistakes(void) {
  far_away();
  int last = me == ranks - 1;
  refused(one(4, ranks, 0, last && me ? me - 1 : me, last ? 5 : 4, 1), REBLOCK_ERR_ARGUMENT,
          last ? "box 0: it has indices 0 to 4 of axis 0, expected indices from 0 to 3" : "", "a box beyond the array");
  if (ranks > 1) {
    char text[100];
    snprintf(text, sizeof text, "element (1,%d) has two owners: box 0 of rank %d and box 0 of rank %d", ranks - 2, ranks - 2, ranks - 1);
    refused(one(4, ranks, last, last ? me - 1 : me, last ? 1 : 4, 1), REBLOCK_ERR_ARGUMENT, text, "two owners");
    refused(one(4, me ? 9 : 8, 0, me % 2 ? 1 : 0, 0, 0), REBLOCK_ERR_DIFFERS, "extents", "other extents");
  }
  int64_t extents[] = {9}, starts[] = {0, 3}, sizes[] = {4, 2}, offsets[] = {0, 9}, axis = 1;
  refused(reblock_map_from_boxes(MPI_COMM_WORLD, 1, extents, last ? 2 : 0, starts, sizes, 0, NULL, NULL, &map), REBLOCK_ERR_ARGUMENT,
          "element (3) has two owners: box 0 of rank", "two boxes of one rank");
  starts[1] = 5, offsets[1] = 3;
  refused(reblock_map_from_boxes(MPI_COMM_WORLD, 1, extents, last ? 2 : 0, starts, sizes, 0, offsets, NULL, &map), REBLOCK_ERR_ARGUMENT,
          last ? "boxes 0 and 1 overlap in the storage" : "", "one place twice");
  refused(reblock_map_from_boxes(MPI_COMM_WORLD, 1, extents, 1, last ? NULL : starts, sizes, 0, NULL, NULL, &map), REBLOCK_ERR_ARGUMENT,
          last ? "starts is NULL" : "", "NULL");
  refused(reblock_map_from_boxes(MPI_COMM_WORLD, 1, extents, last ? -1 : 0, starts, sizes, 0, NULL, NULL, &map), REBLOCK_ERR_ARGUMENT,
          last ? "boxes is -1" : "", "a count below 0");
  holes();
  reblock_map *other = NULL;
  int64_t width[] = {1, 1};
  refused(reblock_map_shadow(map, width, width, &other), REBLOCK_ERR_ARGUMENT, "an array in boxes", "a shadow");
  refused(reblock_map_strides(map, &axis, &other), REBLOCK_ERR_ARGUMENT, "an array in boxes", "strides");
  MUST(reblock_map_free(&map));
}
