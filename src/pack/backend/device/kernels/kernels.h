/* Arguments of the kernels, shared by host and device. The Rust twins of these types are in
 * src/pack/backend/device/tables/mod.rs.
 *
 * A message is the product of index sets, one for each level of a nest of loops. A set is a body of families that
 * repeats at a period, then a tail. A family is equal runs at equal distances, in the coordinates of the source and of
 * the target. Single elements have no index. */
#ifndef KERNELS_H
#define KERNELS_H

enum { SOURCE, TARGET, SIDES };
enum { ROWS, COLUMNS, DIMENSIONS };

/* `count` runs of `len` indices. `first` is the position of the first index among those of the body or of the tail. */
struct family {
  long long start[SIDES], stride[SIDES];
  unsigned len, count, first, unused;
};

/* One loop. Positions 0 to total - 1: `reps` times the `bodies` families from `families` on, then the `tails` families
 * behind them. Index i lies `step * i` bytes behind index 0. */
struct level {
  long long step[SIDES], period[SIDES];
  unsigned families, bodies, tails, reps, per_period, total;
};

/* A product of `levels` levels from number `first_level` on. Rows are the indices of the first level: a row is one
 * unit. Columns are the `columns` combinations of the indices of the others, the innermost first. `at` is the address
 * of index 0 of all levels. */
struct message {
  unsigned char *at[SIDES];
  unsigned first_level, levels, columns, first_tile;
};

/* All messages of a launch. A block copies one tile of `lanes` rows and `columns` columns; a transposed tile has TURNED
 * of both. Consecutive blocks take tiles of different messages if `interleaved`, else of the same message. A launch of
 * some of the blocks starts with `first_block`. The addresses of a copy that is not transposed are `shift` bytes behind
 * those of its message. */
struct job {
  const struct message *messages;
  const struct level *levels;
  const struct family *families;
  unsigned count, tiles, lanes, columns, interleaved, most_tiles, first_block, unused;
  long long shift[SIDES];
};

/* to := combine(alpha * op(from), beta * to). `alpha` and `beta` have the bytes of a number, then zeros. A side is read
 * if `reads` or `keeps`, and multiplied if `scales` or `scales_old`. If `aligned`, all addresses are multiples of a
 * number's size. */
enum { ADD, MINIMUM, MAXIMUM, AND, OR };
struct update {
  unsigned char alpha[16], beta[16];
  unsigned combine, conjugates, reads, keeps, scales, scales_old, aligned, unused;
};

/* Threads of a block; rows and columns of a transposed tile; limit of the columns of other tiles. */
enum { BLOCK = 256, TURNED = 32, MAX_COLUMNS = 128 };

/* Kernels, by name: copies of units of 1 to 16 bytes, and updates of the number types. */
#define EACH_LIBRARY_KERNEL(X) \
  X(copy_1) X(copy_2) X(copy_4) X(copy_8) X(copy_16) \
  X(turn_1) X(turn_2) X(turn_4) X(turn_8) X(turn_16) \
  X(add_s) X(add_d) X(add_c) X(add_z) X(add_i) X(add_l) \
  X(turn_add_s) X(turn_add_d) X(turn_add_c) X(turn_add_z) X(turn_add_i) X(turn_add_l)
#endif
