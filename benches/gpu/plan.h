/* Descriptions of redistributions for the kernels. */
#ifndef PLAN_H
#define PLAN_H
#include "machine.h"
#include <stdint.h>

enum { MAX_RANKS = 16 };

/* One dimension of a distributed matrix: blocks dealt out in turn, or an owner for each index. */
struct axis {
  int extent, block, procs;
  const int *owners; /* NULL: in blocks */
};
int owner(const struct axis *axis, int index);
int local_index(const struct axis *axis, int index);
int local_extent(const struct axis *axis, int proc);

/* A matrix in column-major local arrays, one after another in `bytes` of memory. */
struct matrix {
  struct axis axes[DIMENSIONS];
  int element;
  size_t at[MAX_RANKS], bytes; /* of the rank of process (p, q): p + q * procs[ROWS] */
  int ld[MAX_RANKS];
};
/* `gap`: elements between columns. */
struct matrix matrix_of(struct axis rows, struct axis columns, int element, int gap);
int ranks_of(const struct matrix *m);
size_t element_at(const struct matrix *m, int i, int j); /* in bytes */

/* A submatrix moves from A, from (ia, ja) on, to B, from (ib, jb) on. It has m x n elements in B. With `turned`, it is
 * transposed, and has n x m elements in A. */
struct problem {
  const struct matrix *a, *b;
  int m, n, ia, ja, ib, jb, turned;
};

/* An update: to := alpha * op(from) + beta * to. A side whose factor is 0 is not read; factors of 1 are not multiplied
 * by. */
struct change {
  double alpha[2], beta[2];
  int conjugate;
};

/* Ways of a message: from matrix to matrix, or to and from memory in which messages follow each other. */
enum way { DIRECT, PACK, UNPACK };

/* Tables of a job in host memory. */
struct plan {
  struct message *messages;
  struct level *levels;
  struct family *families;
  unsigned count, level_count, family_count;
  int unit;            /* bytes */
  size_t packed;       /* bytes of all messages */
  uint64_t elements;
  void *tables;        /* on the machine */
  struct job job;
};
/* Makes a plan of the messages from rank `from` to rank `to` (-1: all). `source[r]` and `target[r]` are the local
 * arrays of rank r, `packed` the memory of messages. `most_unit` is the longest unit wanted. */
struct plan plan_make(const struct problem *problem, enum way way, int from, int to, unsigned char *const *source,
                      unsigned char *const *target, unsigned char *packed, int most_unit);
/* Sets the tiles, and puts the tables on the machine, once or again. */
void plan_tile(struct plan *plan, const struct machine *machine, unsigned lanes, unsigned columns, int interleaved);
void plan_free(struct plan *plan, const struct machine *machine);
/* Launches a kernel on all messages. */
void plan_run(struct plan *plan, const struct machine *machine, enum kernel kernel, const struct change *change);
/* Returns the kernel that copies units of `unit` bytes. */
enum kernel copy_kernel(int unit, int turned);
#endif
