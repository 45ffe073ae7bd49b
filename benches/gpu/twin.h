/* Naive loops over elements, for comparison: without families, tiles or units. */
#ifndef TWIN_H
#define TWIN_H
#include "plan.h"

/* Copies or updates B's section in host memory. `type` is s, d, c or z if there is an update; NULL is a copy. */
void twin_matrix(const struct problem *o, char type, const struct change *update, const unsigned char *a, unsigned char *b);
/* Writes all messages after each other, the messages to rank 0 first. Elements are in the order of B's columns. */
void twin_pack(const struct problem *o, const unsigned char *a, unsigned char *messages);
/* to := alpha * op(from) + beta * to, of one number. */
void twin_update(char type, const struct change *u, const void *from, void *to);
#endif
