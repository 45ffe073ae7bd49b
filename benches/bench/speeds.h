#ifndef BENCH_SPEEDS_H
#define BENCH_SPEEDS_H

/* Returns the shortest time of a plain copy at the slower of two speeds; 0 if the machine had one speed. `sorted` has
 * the times of all turns, in ascending order. */
double slower_speed(const double *sorted, int turns);

#endif
