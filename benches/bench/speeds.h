#ifndef BENCH_SPEEDS_H
#define BENCH_SPEEDS_H

/* Returns the time of a plain copy from which on the machine was at the slower of two speeds, from the times of all
 * turns in ascending order. Returns 0 if it had one speed. */
double slower_speed(const double *sorted, int turns);

#endif
