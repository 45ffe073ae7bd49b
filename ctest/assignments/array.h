/* Arrays of random layouts, with all their elements on every rank. Every rank draws the same. */
#ifndef ASSIGNMENTS_ARRAY_H
#define ASSIGNMENTS_ARRAY_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, WORDS = 3 };

struct array {
  int axes, words; /* an element has so many words */
  int64_t lower[AXES], extent[AXES], elements;
  int64_t *all;    /* all elements, column-major, as they should be */
  reblock_map *map;
  reblock_map *ordered; /* the same without the strides that this rank gave, if it did */
  int has;         /* whether this rank has storage */
  int64_t room;    /* elements of this rank's storage */
  int64_t *data, *want;
};

extern int me, ranks, wrong;
extern uint64_t state;
int64_t draw(int64_t low, int64_t high);
int once_in(int n);
/* Says what is not as it should be, in the present case. */
void complain(const char *what);
void must(int32_t code, const char *call);
#define MUST(call) must(call, #call)
/* The call fails with that code and such a text. */
void wants(int32_t code, int32_t wanted, const char *text, const char *what);
/* How many elements a range has. */
int64_t count_of(const reblock_range *range);

/* An array with these bounds, in any layout, with any elements. */
void array_draw(struct array *a, int axes, int words, const int64_t *lower, const int64_t *extent);
/* An array with any bounds in which two sections of so many indices along each axis fit. */
void array_draw_around(struct array *a, int axes, int words, const int64_t *counts);
/* The array with another map, which becomes its own, or with the same, if that is NULL. */
void array_onto(struct array *a, reblock_map *map);
/* A section of it of so many indices, in any order. */
void section_draw(const struct array *a, const int64_t *counts, reblock_range *section);
/* New elements, in this rank's storage, too. */
void array_fill(struct array *a);
/* Whether this rank's storage has the elements that it should have, and nothing else was written. */
void array_check(struct array *a, const char *what);
void array_free(struct array *a);
/* The place of an element in `all`. */
int64_t number_of(const struct array *a, const int64_t *index);
#endif
