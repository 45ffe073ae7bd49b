/* WHAT is measured? */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

/* A block-cyclic layout on ranks first, first + 1, ..., row-major. */
struct layout { int rows, cols, mb, nb, first; };
struct bench_case { const char *name; int ranks; char type; int m, n; struct layout from, to; };

extern const struct bench_case cases[];
extern const int case_count;
#endif
