/* The data of the jobs in this test, and their checks. */
#include "reblock.h"
#include <stdint.h>

enum { M = 61, N = 47, ROWS = 33, COLS = 29 };

/* Matrices of doubles and of integers; arrays that are BLOCK and CYCLIC, GEN_BLOCK and INDIRECT; and a value. */
extern struct value {
  int64_t round, seed;
  /* The round of each array's last write, and a bit mask of the constant arrays. */
  int64_t written[4], constant;
  /* Resize points without a resize under way. */
  int64_t points;
  char text[37];
} value;
extern reblock_job *job;
extern int desc_a[9], desc_b[9], wrong;
extern double *a;
extern int32_t *b;
extern int64_t *c, *d;
/* Behaviour of the function that returns d's distribution. */
extern enum dealing { DEALS, REFUSES, DIFFERS } dealing;

/* The job's allocator, or NULL for the library's; and the number of its blocks, registered blocks included. */
extern void *(*allocate)(int64_t bytes, void *context);
extern int64_t blocks;
/* Number of next allocations that fail, in the mode refused-meanwhile. */
extern int refusals;
/* The program of new processes; NULL for this program. */
extern const char *command;

void fail(const char *what, int64_t n);
void must(int32_t code, const char *what);
/* Returns the current value of element (i, j) of array `which`. */
int64_t of(int64_t i, int64_t j, int64_t which);
/* Fills in a descriptor; returns the elements of local storage. */
void descriptor(int *d, int m, int n, int mb, int nb, int rsrc, int csrc, int context, int *elements);
/* Returns the number of ranks that work. */
int working(void);
/* Writes all elements, or compares them with their expected values. */
void everything(int check);
/* Writes the arrays in a bit mask. */
void some(int64_t arrays);
/* A policy that returns any number of ranks up to *most. */
int64_t any_size(void *most, int64_t ranks, double seconds);
/* Begins the job and registers all data; in a process that has joined, the data are then complete. */
void begin(int unit, int park, int skew);
/* Returns whether no working rank has found an error. */
int all_good(void);
/* Tests mistakes, on each of the first ranks. */
void mistakes(int me, int ranks);
/* Tests options that are invalid, or differ between ranks. */
void misfits(int me, int ranks);
/* Tests settings that are invalid on one rank; returns whether anything is wrong. */
int settings(int me, int ranks);
/* Tests each option while processes join and leave: without parking, and with each rank's allocator. */
void options(int32_t *state);
/* Tests the grid that the option skew chooses when a job grows from 4 ranks to 6. */
void skewed(void);
/* Tests every policy, at sizes of at most 4 ranks that are parked. */
void policies(const char *folder);
/* Names the host of this process, by REBLOCK_HOST, or gives it an invalid name; returns the process's result. */
int name_host(const char *folder, int comes);
int without_name(void);
/* Tests removal of named ranks and hosts; returns whether this process stays. */
int leaving(void);
/* Tests removal of named ranks that are parked and come back. */
void parting(int ranks);
/* Follows the sizes of a policy in the environment, and continues until the file exists; returns whether this process
 * stays. */
int managed(const char *sizes, const char *until);
/* Tests the predicted price of a resize, and the bytes that it sends. */
void priced(int me, int ranks);
/* Chooses the constant arrays, by a bit mask. A process that joins receives it. */
void choose(int64_t constant);
/* Moves constant arrays while the program writes the others, in random rounds that end during a resize; returns
 * whether this process stays. */
int meanwhile(int64_t rounds, int64_t most, int print);
/* Tests ranks that at first get no storage for constant arrays. */
void refused_meanwhile(int me, int ranks);
/* Moves constant arrays to processes that come late or end. `comes`: this process is a new process. */
void hinder(const char *program, const char *mode, int comes);
void hindered(const char *mode, int me);
/* Tests a size that cannot be reached, with constant arrays. */
void refused_constant(int ranks);
/* Saves all registered data to files of a folder, or loads and compares them. */
void filed(const char *folder, int load);
/* Checks that all ranks have the expected code, and that nothing has changed. */
void expect(int32_t code, int32_t want, const char *what);
