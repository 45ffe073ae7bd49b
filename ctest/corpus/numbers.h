/* Elements that are numbers, and their updates, computed one by one in C. The types are those of reblock_update. */
#ifndef CORPUS_NUMBERS_H
#define CORPUS_NUMBERS_H
#include "reblock.h"
#include <stdint.h>

/* An update together with its factors. */
struct drawn_update { reblock_update update; _Alignas(16) char alpha[16], beta[16]; };

/* Draws any combination that the type has, with any factors. The result depends only on the seed. */
void update_make(struct drawn_update *u, int64_t type, uint64_t salt);
/* Returns whether the update reads no source. */
int update_ignores_source(const reblock_update *u);
/* Updates the element at `to` with that at `from`. `again`: the old value is not multiplied by beta. */
void update_apply(const reblock_update *u, char *to, const char *from, int again);
void update_print(const reblock_update *u);

int64_t number_bytes(int64_t type);
/* Writes a number: sometimes 0, -0, infinity or NaN. */
void number_write(char *at, int64_t type, uint64_t salt);
/* Returns whether both numbers have the same bytes, or both are NaN. */
int number_same(const char *a, const char *b, int64_t type);
#endif
