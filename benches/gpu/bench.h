/* Clocks, matrices and memory for the measurements. */
#ifndef BENCH_H
#define BENCH_H
#include "driver.h"
#include "plan.h"

/* Returns the median time of `turns` runs of `body` on the stream, in ms, by events. A few runs before them are not
 * counted. */
double median_ms(int turns, void (*body)(void *), void *what);
/* Returns the median time in us, by the clock. `body` returns when its work is done. */
double median_us(int turns, void (*body)(void *), void *what);
double median_of(double *times, int count);

/* A matrix in blocks on a grid; matrix_fill sets each element to its place, column * rows + row. */
struct matrix blocks_of(int n, int rows, int columns, int block, int element);
void matrix_fill(const struct matrix *m, double *host);
/* Returns the number of elements that do not hold their place in A, or in A' if `turned`. */
uint64_t matrix_wrong(const struct matrix *m, const double *host, int turned);
void *host_memory(size_t bytes); /* pinned */
/* Sets `at` to the local arrays of all ranks, which follow each other in `memory`. */
void arrays_of(const struct matrix *m, void *memory, unsigned char **at);

void speed(int n);
void host_slots(int n);
void ipc(int processes, int n);
void facts(void);
void latencies(void *pinned);
void load(char **files, int count);
#endif
