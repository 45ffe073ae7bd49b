/* Arrays of random layouts. Every rank also has all elements, and all ranks draw the same arrays. */
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
  int axes, words; /* words: 8-byte words of an element */
  int64_t lower[AXES], extent[AXES], elements;
  int64_t *all;    /* expected values of all elements, column-major */
  reblock_map *map;
  reblock_map *ordered; /* the same map without this rank's own strides, if it has any */
  int has;         /* whether this rank has storage */
  int64_t room;    /* elements of this rank's storage */
  int64_t *data, *want;
};

extern int me, ranks, wrong;
extern uint64_t state;
int64_t draw(int64_t low, int64_t high);
int once_in(int n);
/* Reports an error in the current case. */
void complain(const char *what);
void must(int32_t code, const char *call);
#define MUST(call) must(call, #call)
/* Checks that the call failed with that code and that its text contains `text`. */
void wants(int32_t code, int32_t wanted, const char *text, const char *what);
/* Returns the number of elements of a range. */
int64_t count_of(const reblock_range *range);

/* Draws an array with these bounds, in any layout, with any elements. */
void array_draw(struct array *a, int axes, int words, const int64_t *lower, const int64_t *extent);
/* Draws an array with bounds in which two sections of these extents fit. */
void array_draw_around(struct array *a, int axes, int words, const int64_t *counts);
/* Gives the array another map, which the array then owns, or its original map again if `map` is NULL. */
void array_onto(struct array *a, reblock_map *map);
/* Draws a section with these extents, in any order. */
void section_draw(const struct array *a, const int64_t *counts, reblock_range *section);
/* Draws new elements, and writes them to this rank's storage. */
void array_fill(struct array *a);
/* Checks that this rank's storage has the expected elements and that nothing else was written. */
void array_check(struct array *a, const char *what);
void array_free(struct array *a);
/* Returns the place of an element in `all`. */
int64_t number_of(const struct array *a, const int64_t *index);
#endif
