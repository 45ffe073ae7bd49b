/* What moves in the jobs of this test, and whether it is as it should be. */
#include "reblock.h"
#include <stdint.h>

enum { M = 61, N = 47, ROWS = 33, COLS = 29 };

/* Matrices of doubles and of integers; arrays that are BLOCK and CYCLIC, GEN_BLOCK and INDIRECT; and a value. */
extern struct value {
  int64_t round, seed;
  /* The round in which each array was written last, and which of them are constant, one bit each. */
  int64_t written[4], constant;
  /* Resize points at which none was under way. */
  int64_t points;
  char text[37];
} value;
extern reblock_job *job;
extern int desc_a[9], desc_b[9], wrong;
extern double *a;
extern int32_t *b;
extern int64_t *c, *d;
/* What the function that says how d is dealt out does. */
extern enum dealing { DEALS, REFUSES, DIFFERS } dealing;

/* How storage is allocated in the job; NULL: as the library does. Blocks of that allocator, and registered ones, that there are. */
extern void *(*allocate)(int64_t bytes, void *context);
extern int64_t blocks;
/* Blocks that it refuses from now on, in the mode refused-meanwhile. */
extern int refusals;
/* The program that new processes run; NULL: this one. */
extern const char *command;

void fail(const char *what, int64_t n);
void must(int32_t code, const char *what);
/* The value that the element (i, j) has now in the which-th array. */
int64_t of(int64_t i, int64_t j, int64_t which);
/* A descriptor, and elements of local storage. */
void descriptor(int *d, int m, int n, int mb, int nb, int rsrc, int csrc, int context, int *elements);
/* Ranks that work. */
int working(void);
/* Writes all elements, or compares them with what they should be. */
void everything(int check);
/* Writes those of some arrays, one bit each. */
void some(int64_t arrays);
/* A policy: any number of ranks up to *most. */
int64_t any_size(void *most, int64_t ranks, double seconds);
/* Begins the job and registers everything; in a process that has joined, all of it is there then. */
void begin(int unit, int park, int skew);
/* Whether nothing is wrong on any rank that works. */
int all_good(void);
/* What goes wrong, on each of the first ranks. */
void mistakes(int me, int ranks);
/* Options that cannot be used, or differ. */
void misfits(int me, int ranks);
/* A job whose settings cannot be used on one of the ranks; whether anything is wrong. */
int settings(int me, int ranks);
/* What each option does where processes come and go: without a wait, and each with its allocator. */
void options(int32_t *state);
/* The grid that the option skew chooses, from 4 ranks to 6. */
void skewed(void);
/* Every policy, at sizes of at most 4 ranks that wait. */
void policies(const char *folder);
/* The host of this process, by REBLOCK_HOST, unless it is to have a name that cannot be used; what becomes of it then. */
int name_host(const char *folder, int comes);
int without_name(void);
/* Who leaves where that is named; whether this process stays. */
int leaving(void);
/* The same of ranks that wait and come back. */
void parting(int ranks);
/* Sizes to which a policy of the environment leads one after the other, until there is that file, too; whether this process stays. */
int managed(const char *sizes, const char *until);
/* What a resize is said to take, and what it sends. */
void priced(int me, int ranks);
/* Which arrays are constant from now on, one bit each. A process that joins is told. */
void choose(int64_t constant);
/* Constant arrays move while the program writes the others: random rounds, which end while a resize is under way; whether this
 * process stays. */
int meanwhile(int64_t rounds, int64_t most, int print);
/* The last of the ranks has no storage for them at first. */
void refused_meanwhile(int me, int ranks);
/* Constant arrays that move to processes which come late, or end: what these do, and what the others do meanwhile. */
void hinder(const char *program, const char *mode, int comes);
void hindered(const char *mode, int me);
/* There are constant arrays, and so many ranks cannot be. */
void refused_constant(int ranks);
/* All that is registered, in files of a folder: saved, or loaded and compared. */
void filed(const char *folder, int load);
/* All ranks have the code that is expected, and nothing has changed. */
void expect(int32_t code, int32_t want, const char *what);
