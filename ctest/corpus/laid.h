/* One array of a case on this rank: its declaration to the library, its naive layout, and its memory. */
#ifndef CORPUS_LAID_H
#define CORPUS_LAID_H
#include "case.h"
#include "binding.h"
#include "guarded.h"
#include "naive.h"

struct laid {
  const struct side *side;
  int64_t element;
  int rank, member; /* in the side's group */
  reblock_procs *procs;
  reblock_template *template;
  reblock_map *map; /* NULL on ranks outside of the group */
  struct part part;
  struct guarded memory;
  int64_t type; /* of numbers; 0: elements are just bytes */
  int64_t copy; /* the copy that this rank has, if their values differ */
  char *want;
  int64_t written; /* elements of the section that this rank has */
  char text[512];
};

/* Prints one line about an error; marks the case as failed. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns whether a call of the library has failed, and reports it. */
int refused(int32_t code, const char *call);
/* Returns whether no rank of the communicator has reported an error in this case. */
int all_fine(MPI_Comm comm);
/* Number of this rank's errors in this case. */
extern int bad;

/* Computes this rank's part of the array, without memory and library objects. */
void laid_begin(struct laid *l, const struct side *side, int64_t element);
/* Allocates its local array. */
void laid_allocate(struct laid *l);
/* Makes its arrangement and template; collective over its group. */
void laid_template(struct laid *l);
/* Makes its map with that template. */
void laid_map(struct laid *l);
/* Makes the array with its memory, arrangement, template and map. Collective over its group. */
void laid_declare(struct laid *l, const struct side *side, int64_t element);
/* Frees the handles only, which an existing plan does not need. */
void laid_release(struct laid *l);
void laid_free(struct laid *l);

/* Returns the local array as passed to the library. */
struct local laid_local(const struct laid *l);
/* Writes the round's elements to an array, with a pattern between them, and expects them unchanged. */
void laid_fill(struct laid *l, int round);
/* Expects the round's elements, and unchanged bytes between them. */
void laid_keep(struct laid *l, int round);
/* The source of an array's new contents: a section of another array. Axis k of the section goes to axis axes[k]; if
 * axes is NULL, the n-th element goes to the n-th element. `copies` copies of the source are combined. Elements are
 * copied if `update` is NULL, otherwise updated, and shifted if `shift` is not NULL. */
struct origin {
  const struct side *side;
  const int64_t *axes;
  int64_t copies;
  const reblock_update *update;
  const struct shift *shift;
};
/* Writes a pattern to a target, and numbers if it is updated. Expects the pattern, with the source's elements in the
 * target's section. */
void laid_want(struct laid *l, const struct origin *from, int round);
/* Like laid_want, with the array itself as the source, element by element. */
void laid_want_own(struct laid *l, const reblock_update *update, int round);
/* Returns the address of the expected element at a distance from position 0 of all axes. */
char *laid_wanted(struct laid *l, int64_t offset);
/* Writes the round's element with these indices. */
void laid_value(const struct laid *l, char *at, const int64_t *index, int round);
/* Compares all accessible memory with the expected contents. */
void laid_check(const struct laid *l, const char *name, const char *when);
/* Compares the library's answers about the map with the naive ones. */
void laid_inquire(const struct laid *l);
/* Like laid_inquire, for an array in boxes and elements about `every` apart. */
void boxes_inquire(const struct laid *l, int64_t every);
#endif
