/* One array of a case on this rank: declared to the library, dealt out naively, and its memory. */
#ifndef CORPUS_LAID_H
#define CORPUS_LAID_H
#include "case.h"
#include "door.h"
#include "guarded.h"
#include "naive.h"

struct laid {
  const struct side *side;
  int64_t element;
  int rank, member; /* in the side's group */
  reblock_procs *procs;
  reblock_template *template;
  reblock_map *map; /* NULL on ranks that the group does not have */
  struct part part;
  struct guarded memory;
  int64_t type; /* of numbers; 0: elements are just bytes */
  int64_t copy; /* which copy this rank has, where their values differ */
  char *want;
  int64_t written; /* elements of the section that this rank has */
  char text[512];
};

/* What is wrong, in one line; marks the case as failed. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whether a call of the library has failed, which it must not; says so. */
int refused(int32_t code, const char *call);
/* Whether no rank of the communicator has complained in this case. */
int all_fine(MPI_Comm comm);
/* Complaints of this rank in this case. */
extern int bad;

/* The array as it is dealt out to this rank, without memory and without anything of the library's. */
void laid_begin(struct laid *l, const struct side *side, int64_t element);
/* Memory for its local array. */
void laid_allocate(struct laid *l);
/* Its arrangement and template; collective over its group. */
void laid_template(struct laid *l);
/* Its map with that template. */
void laid_map(struct laid *l);
/* All of that; collective over its group. */
void laid_declare(struct laid *l, const struct side *side, int64_t element);
/* Frees the handles only; a plan does without them. */
void laid_release(struct laid *l);
void laid_free(struct laid *l);

/* The local array as the library gets it. */
struct local laid_local(const struct laid *l);
/* Writes the round's elements to an array, and a pattern between them; what is wanted of it is that again. */
void laid_fill(struct laid *l, int round);
/* What is wanted of an array is the round's elements, and what is there between them. */
void laid_keep(struct laid *l, int round);
/* What an array is written from: a section of another one. Axis k of it goes to axis axes[k], or else all in order, the n-th element
 * to the n-th; so many copies of it are combined; elements are updated, or just copied; and shifted, if that is not NULL. */
struct origin {
  const struct side *side;
  const int64_t *axes;
  int64_t copies;
  const reblock_update *update;
  const struct shift *shift;
};
/* Writes a pattern to an array that is to be written to, and numbers where it is updated; what is wanted of it is that, and in its
 * section what the source's section makes of it. */
void laid_want(struct laid *l, const struct origin *from, int round);
/* The same with the array itself as the source, element by element. */
void laid_want_own(struct laid *l, const reblock_update *update, int round);
/* Where that is wanted of the element so far from position 0 of all axes. */
char *laid_wanted(struct laid *l, int64_t offset);
/* Writes the round's element with these indices. */
void laid_value(const struct laid *l, char *at, const int64_t *index, int round);
/* Compares all that may be touched with what is wanted. */
void laid_check(const struct laid *l, const char *name, const char *when);
/* Compares what the library says of the map with the naive answers. */
void laid_inquire(const struct laid *l);
/* The same of an array in boxes, of elements about `every` apart. */
void boxes_inquire(const struct laid *l, int64_t every);
#endif
