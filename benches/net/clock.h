/* The common start of all ranks, and the check that the machine was fast enough for the network to be the
 * bottleneck. */
#ifndef NET_CLOCK_H
#define NET_CLOCK_H
#include "../median.h"
#include <mpi.h>
#include <stdio.h>
#include <time.h>

/* Share of data in a frame at MTU 1500: 1514 bytes with Ethernet's header, 52 of them IP and TCP with timestamps. */
static const double PAYLOAD = (1500. - 52) / (1500 + 14);

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static inline void sleep_until(double t) {
  struct timespec s = {(time_t)t, (long)((t - (double)(time_t)t) * 1e9)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &s, NULL);
}
/* Makes all ranks continue at one instant, and returns it. */
static inline double start_together(int ranks) {
  double start;
  MPI_Barrier(MPI_COMM_WORLD);
  start = now() + 0.010 + 0.0005 * ranks;
  MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  sleep_until(start);
  return start;
}
/* Reads the idle time of the machine's cores, and their total time. */
static inline void cores(double *idle, double *all) {
  double v[8] = {0};
  FILE *f = fopen("/proc/stat", "r");
  if (!f || fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7) != 8)
    MPI_Abort(MPI_COMM_WORLD, 2);
  fclose(f);
  *idle = v[3] + v[4], *all = 0;
  for (int i = 0; i < 8; i++) *all += v[i];
}
#endif
