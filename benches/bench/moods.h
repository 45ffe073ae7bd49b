#ifndef BENCH_MOODS_H
#define BENCH_MOODS_H

/* The time of a plain copy from which on the machine was in the slower of two moods, from those of all turns, ascending; 0 if it
 * had one mood only. */
double slower_mood(const double *sorted, int turns);

#endif
