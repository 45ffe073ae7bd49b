/* Elements that are numbers, and their updates, computed one by one in C. The types are those of reblock_update. */
#ifndef CORPUS_NUMBERS_H
#define CORPUS_NUMBERS_H
#include "reblock.h"
#include <stdint.h>

/* An update whose factors are kept with it. */
struct drawn_update { reblock_update update; _Alignas(16) char alpha[16], beta[16]; };

/* Any combination that the type has, with any factors; those of a salt are always the same. */
void update_make(struct drawn_update *u, int64_t type, uint64_t salt);
/* Whether the update reads no source. */
int update_ignores_source(const reblock_update *u);
/* Updates the element at `to` with that at `from`; `again`: what was there before is kept as it is. */
void update_apply(const reblock_update *u, char *to, const char *from, int again);
void update_print(const reblock_update *u);

int64_t number_bytes(int64_t type);
/* Writes a number: 0, -0, infinities and NaNs now and then. */
void number_write(char *at, int64_t type, uint64_t salt);
/* Whether both have the same bytes, or are NaNs, which have several. */
int number_same(const char *a, const char *b, int64_t type);
#endif
