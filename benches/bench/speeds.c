/* Detects whether a shared machine had two speeds: for a while, plain copies and everything else take 1.5 times as
 * long, for example. A median over both speeds is of little use, so each speed has a median of its own. */
#include "speeds.h"

/* Minimum share of the turns of a speed, and minimum ratio of the two medians. */
static const double PART = 0.2, SLOWER = 1.25;

/* Minimum number of turns for a verdict. */
enum { MIN_TURNS = 15 };

double slower_speed(const double *sorted, int turns) {
  if (turns < MIN_TURNS) return 0;
  /* The two speeds are divided at the largest ratio of neighbouring times. */
  int least = (int)(PART * turns) + 1, at = 0;
  for (int n = least; n <= turns - least; n++)
    if (!at || sorted[n] / sorted[n - 1] > sorted[at] / sorted[at - 1]) at = n;
  if (!at || sorted[at + (turns - at) / 2] < SLOWER * sorted[at / 2]) return 0;
  /* A machine that slows down gradually has one speed: the largest step between times must be at least a quarter
   * of the spread of most times. */
  double leap = sorted[at] - sorted[at - 1], within = sorted[turns - least] - sorted[least - 1];
  return leap > within / 4 ? sorted[at] : 0;
}
