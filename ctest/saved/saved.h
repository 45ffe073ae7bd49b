/* Arrays that are saved and loaded, and their expected contents. */
#ifndef SAVED_H
#define SAVED_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_AXES = 4, MAX_RANKS = 16, MAX_ELEMENT = 64 };

extern int me, ranks, failures;
/* Communicators of the first ranks of MPI_COMM_WORLD; the index is the number of ranks. */
extern MPI_Comm first[MAX_RANKS + 1];

/* Reports an error. */
#define FAIL(...) (failures++, fprintf(stderr, "saved: rank %d: ", me), fprintf(stderr, __VA_ARGS__), fprintf(stderr, "\n"))
/* Ends the job if a call fails. */
#define MUST(call) must(call, #call)
void must(int32_t code, const char *call);

/* An array: axes, elements, and a number that makes its values different from those of other arrays. */
struct array {
  int axes;
  int64_t extents[MAX_AXES], element;
  uint64_t version;
};
int64_t elements_of(const struct array *array);
/* Returns byte `byte` of the element with number `place` in Fortran order. */
unsigned char value_of(const struct array *array, int64_t place, int64_t byte);

/* A random layout of an array on the first ranks of a communicator, equal on all ranks. */
struct laid {
  reblock_map *map;
  int in_boxes; /* then all ranks need the map */
  int64_t elements; /* of the storage */
  unsigned char *storage;
};
uint64_t draw(uint64_t below);
void seed(uint64_t seed);
struct laid lay(const struct array *array, MPI_Comm comm, int has_shadow);
/* Writes the array's values to this rank's elements in a storage, or compares them; other bytes are 0xee. */
void fill(const struct array *array, struct laid *laid);
void empty(const struct array *array, struct laid *laid);
int64_t differ(const struct array *array, const struct laid *laid);
int is_empty(const struct array *array, const struct laid *laid);
void let_go(struct laid *laid);

/* Functions by which one rank reads or writes a file by hand. */
unsigned char *read_all(const char *path, int64_t *bytes);
void write_all(const char *path, const unsigned char *data, int64_t bytes);
/* Returns the number of errors in a file with a saved array. */
int judge(const char *path, const struct array *array, const char *dtype);
/* Writes a file like NumPy, with the last index varying fastest. */
void write_by_hand(const char *path, const struct array *array, const char *dtype);

void random_cases(const char *folder, int cases);
void mistakes(const char *folder);
void full(const char *folder);
void forever(const char *folder);
void whole(const char *folder);
#endif
