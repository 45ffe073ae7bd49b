/* Problems C := alpha op(A) + beta C for ScaLAPACK's routines, equal on all ranks, and this rank's part of a
 * problem. */
#ifndef TRANSFORMS_H
#define TRANSFORMS_H
#include "../random.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef ILP64
typedef int64_t integer;
#else
typedef int integer;
#endif

enum family { TRAN, GEADD, TRADD, LACPY, FAMILIES };
enum type { SINGLE, DOUBLE, COMPLEX, DOUBLE_COMPLEX, TYPES };
extern const char *const family_names[FAMILIES];
extern const char type_letters[TYPES];
static inline int is_complex(int type) { return type >= COMPLEX; }
static inline size_t real_size(int type) { return type == SINGLE || type == COMPLEX ? 4 : 8; }
static inline size_t element_size(int type) { return real_size(type) << is_complex(type); }

/* A context of the first ranks, or of some ranks in another order. */
struct grid { int context, procs[2], at[2]; char made[16]; };

/* The kinds of elements. */
enum flavour { WHOLE, FRACTIONS, SPECIAL, HUGE_TOO, FLAVOURS };

/* A distributed matrix and this rank's part of it. */
struct matrix {
  int kind, context, extent[2], first[2], block[2], source[2], lld; /* as in the descriptor of that kind */
  int start[2];                                                     /* the submatrix, from 1 */
  int local[2], *global[2];                                         /* this rank's rows and columns, as indices from 0 */
  size_t bytes;
  uint64_t values;
  enum flavour flavour;
};

/* The arrays of A and C: two arrays; one array with the same submatrix; one array with disjoint submatrices. */
enum sharing { APART, IN_PLACE, SIDE_BY_SIDE };
struct problem {
  int family, type, m, n;
  char uplo, trans; /* the call's arguments */
  double alpha[2], beta[2];
  struct matrix a, c;
  enum sharing sharing;
  int flush; /* whether A ends at a guard page and C begins behind one, or the reverse */
  int comparable; /* whether ScaLAPACK's routine can solve the problem */
};
static inline char upper(char letter) { return letter >= 'a' && letter <= 'z' ? (char)(letter - 32) : letter; }
static inline int transposes(const struct problem *p) {
  return p->family == TRAN || (p->family != LACPY && upper(p->trans) != 'N');
}
static inline int conjugates(const struct problem *p) { return is_complex(p->type) && p->family != LACPY && upper(p->trans) == 'C'; }

/* draw.c: draws the problem of a case from `state`, with one argument changed by `change` if that is not 0. */
void draw_problem(struct problem *p, const struct grid *g, uint64_t *state, int family, int largest, uint64_t change);
void free_problem(struct problem *p);
/* Computes element (i, j) of a matrix, from 0. All copies have equal elements. */
void element(const struct matrix *x, int type, int i, int j, void *out);
/* Writes this rank's local array: its elements, and marker bytes between its columns. */
void fill(const struct matrix *x, int type, int me, char *out);
void describe(FILE *out, const struct problem *p, const struct grid *g);

/* naive.c: computes the local array of C after the call from the definition. `bound`: the possible deviation of each
 * real number by another order of roundings; 0 if nothing is rounded. */
void expect(const struct problem *p, const char *before, char *after, double *bound);

/* call.c: the routines of one library, and a call. */
struct library { void *routines[FAMILIES][TYPES][2]; }; /* tranc is the second tran */
void load_library(struct library *l, void *handle, const char *home);
void call_theirs(const struct library *l, const struct problem *p, const void *a, void *c);
void call_ours(const struct library *l, const struct problem *p, const void *a, void *c);

/* arena.c: memory between guard pages. */
struct arena { char *base; size_t bytes; };
char *place(struct arena *arena, size_t bytes, int flush);
void protect(struct arena *arena, int writable);

/* compare.c: kinds of agreement of two results. */
enum likeness { SAME, BOTH_NAN, ROUNDED, SPOILT, SIGN_OF_ZERO, DIFFERENT, LIKENESSES };
struct tally { uint64_t counts[LIKENESSES]; size_t first[LIKENESSES]; };
/* Compares arrays of `bytes` bytes; `bound` as above. */
void compare(int type, const char *x, const char *y, size_t bytes, const double *bound, struct tally *tally);
#endif
