/* What random cases of gathers and scatters are made of. */
#ifndef IRREGULAR_H
#define IRREGULAR_H
#include "../random.h"
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 3, MOST_PLANS = 3, MOST_BYTES = 40, GUARD = 64 };

/* What elements are; RAW ones are only moved. */
enum number { RAW, INT32, INT64, FLOAT, DOUBLE, COMPLEX, DOUBLE_COMPLEX };

/* An update, and its factors as they are in memory. */
struct update { int combine, conjugate; unsigned char alpha[16], beta[16]; };

struct array {
  int axes, row_major, copies;
  int64_t lower[MOST_AXES], extents[MOST_AXES], elements;
  reblock_map *map;
  int32_t has_part;     /* whether this rank has a part */
  int64_t room, before; /* elements of this rank's storage, and of them before that at place 0 */
  int64_t *own;         /* of each element of the array, in column-major order, its place in the storage; -1: on another rank */
};

struct list { int64_t count, *indices; };

extern int me, ranks;
void fail(const char *what, int64_t got, int64_t want);
#define MUST(call) do { int32_t code_ = (call); if (code_) fail(#call, code_, REBLOCK_OK); } while (0)

void make_array(struct array *a, uint64_t *s);
void free_array(struct array *a);
/* The list of rank r along `axis`, or of elements where it is REBLOCK_ALL_AXES. */
struct list list_of(const struct array *a, int64_t axis, uint64_t seed, int r);
/* Calls with each element of a rank's local array: its number there, and its number in the array. */
void each_named(const struct array *a, int64_t axis, const struct list *l,
                void (*body)(void *, int64_t local, int64_t element), void *data);
/* Elements of a local array for a list. */
int64_t named(const struct array *a, int64_t axis, const struct list *l);

int bytes_of(enum number n);
/* The value that a hash stands for. */
void value(enum number n, int bytes, uint64_t hash, void *out);
/* to := combine(x, y) of two numbers, and to := factor * x. */
void combined(enum number n, int combine, const void *x, const void *y, void *to);
void scaled(enum number n, const void *factor, const void *x, void *to);
int is(enum number n, const void *number, int what);
void conjugated(enum number n, void *x);
/* to := combine(alpha * op(x), beta * to), or with beta 1. */
void updated(enum number n, const struct update *u, int again, const void *x, void *to);
#endif
