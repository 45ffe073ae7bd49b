/* Argument of the benchmark's kernels for lists. */
#ifndef LISTS_H
#define LISTS_H

/* Pieces of `len` units, `total` units in all. `pieces` has the start of each piece. */
struct list { const unsigned char *from; unsigned char *to; const unsigned *pieces; unsigned len, total; };
#endif
