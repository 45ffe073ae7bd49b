/* Which numbers make a case? A generator that gives every rank the same ones (splitmix64). */
#ifndef CORPUS_DRAW_H
#define CORPUS_DRAW_H
#include <stdint.h>

uint64_t mix(uint64_t seed);
/* Starts the stream of a seed. */
void restart(uint64_t seed);
uint64_t draw(void);
/* From low to high, both included. */
int64_t between(int64_t low, int64_t high);
/* True once in n times. */
int once_in(int n);
/* Each order is as likely as any other. */
void shuffle(int64_t *list, int count);
/* Whether each process is to know its own indices only of axes with INDIRECT owners: REBLOCK_OWNERS=0 in the environment. */
int owners_apart(void);
#endif
