/* Arguments of the kernels, shared by host and device: a redistribution as reblock's plans describe it (planner/src/layout/intersect).
 *
 * A message is the product of two index sets, one for each dimension of a matrix. A set is a body of families that repeats at a
 * period, then a tail. A family is equal runs at equal distances, in the coordinates of the source and of the target. Single elements
 * have no index. */
#ifndef KERNELS_H
#define KERNELS_H

enum { SOURCE, TARGET, SIDES };
enum { ROWS, COLUMNS, DIMENSIONS };

/* `count` runs of `len` indices. `first` is the position of the first index among those of the body or of the tail. */
struct family {
  long long start[SIDES], stride[SIDES];
  unsigned len, count, first, unused;
};

/* Positions 0 to total - 1: `reps` times the `bodies` families from `families` on, then the `tails` families behind them. */
struct set {
  long long period[SIDES];
  unsigned families, bodies, tails, reps, per_period, total;
};

/* An element is `step[ROWS][side] * row + step[COLUMNS][side] * column` units behind `at[side]`. */
struct message {
  unsigned char *at[SIDES];
  long long step[DIMENSIONS][SIDES];
  unsigned set[DIMENSIONS];
  unsigned first_tile, unused;
};

/* All messages of a launch. A block copies one tile of `lanes` rows and `columns` columns; a transposed tile has TURNED of both.
 * Consecutive blocks take tiles of different messages if `interleaved`, else of the same message. A launch of some of the blocks
 * starts with `first_block`. Copies that are not transposed are `shift` bytes behind the addresses of the messages. */
struct job {
  const struct message *messages;
  const struct set *sets;
  const struct family *families;
  unsigned count, tiles, lanes, columns, interleaved, most_tiles, first_block, unused;
  long long shift[SIDES];
};

/* to := alpha * op(from) + beta * to. A side whose factor is 0 is not read; factors of 1 are not multiplied by. */
struct update {
  double alpha[2], beta[2];
  int conjugate;
};

/* Pieces of `len` units, `total` units in all; `pieces` says where each begins. */
struct list { const unsigned char *from; unsigned char *to; const unsigned *pieces; unsigned len, total; };

enum { BLOCK = 256, TURNED = 32, MOST_COLUMNS = 128 };
#endif
