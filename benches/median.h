/* Medians of times, for all benchmarks in C. */
#ifndef BENCH_MEDIAN_H
#define BENCH_MEDIAN_H
#include <stdlib.h>

static inline int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts the times and returns their median; 0 if there are none. */
static inline double median(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  return count ? times[count / 2] : 0;
}
#endif
