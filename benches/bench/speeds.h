#ifndef BENCH_MOODS_H
#define BENCH_MOODS_H

/* Returns the time of a plain copy from which on the machine was at the slower of two speeds, from the times of all
 * turns in ascending order. Returns 0 if it had one speed. */
double slower_mood(const double *sorted, int turns);

#endif
