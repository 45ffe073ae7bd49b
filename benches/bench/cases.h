/* The measured cases. */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

/* A block-cyclic layout on ranks first, first + 1, ..., row-major, or column-major if `turned` is set. */
struct layout { int rows, cols, mb, nb, first, turned; };

/* The operation: B := A by p?gemr2d, B := op(A) by p?tran, p?tranu or p?tranc, B := alpha A + beta B, or with A', by
 * p?geadd. */
enum task { REDISTRIBUTE, TRANSPOSE, TRANSPOSE_CONJUGATE, ADD, ADD_TRANSPOSED };
struct bench_case { const char *name; int ranks; char type; int m, n; struct layout from, to; enum task task; };

static inline int turns(enum task task) { return task != REDISTRIBUTE && task != ADD; }
static inline int adds(enum task task) { return task == ADD || task == ADD_TRANSPOSED; }

extern const struct bench_case cases[];
extern const int case_count;
#endif
