/* One stream of random numbers for all files of the corpus. */
#ifndef CORPUS_DRAW_H
#define CORPUS_DRAW_H
#include "../random.h"

/* Starts the stream of a seed. */
void restart(uint64_t seed);
uint64_t draw(void);
/* Draws a number from low to high, both included. */
int64_t between(int64_t low, int64_t high);
/* Returns true once in n times. */
int once_in(int n);
/* Puts the list in random order; each order is equally likely. */
void shuffle(int64_t *list, int count);
/* Returns whether each process has only its own indices of INDIRECT axes (REBLOCK_OWNERS=0 in the environment). */
int owners_apart(void);
#endif
