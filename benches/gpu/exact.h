/* Kernels against naive loops: random redistributions, packed messages, transpositions, updates and lists. Buffers are
 * compared as a whole, with the gaps between columns and behind the arrays. */
#ifndef EXACT_H
#define EXACT_H
#include "machine.h"

/* Runs random cases; returns the number of wrong ones, and describes the first of them on standard error. */
int exact_run(const struct machine *machine, int cases, unsigned long long seed);
#endif
