/* Detects whether a shared machine had two speeds. A plain copy may take half as long again for a while, and so does
 * everything else. One median over both is then of little use, so each speed gets its own. */
#include "moods.h"

/* Minimum share of the turns of a speed, and minimum ratio of the two medians. */
static const double PART = 0.2, SLOWER = 1.25;

/* Minimum number of turns for a verdict. */
enum { FEWEST = 15 };

double slower_mood(const double *sorted, int turns) {
  if (turns < FEWEST) return 0;
  /* The two speeds are divided at the largest ratio of neighbouring times. */
  int least = (int)(PART * turns) + 1, at = 0;
  for (int n = least; n <= turns - least; n++)
    if (!at || sorted[n] / sorted[n - 1] > sorted[at] / sorted[at - 1]) at = n;
  if (!at || sorted[at + (turns - at) / 2] < SLOWER * sorted[at / 2]) return 0;
  /* One that slows down little by little has no moods: the leap is a quarter at least of how far most times are apart. */
  double leap = sorted[at] - sorted[at - 1], within = sorted[turns - least] - sorted[least - 1];
  return leap > within / 4 ? sorted[at] : 0;
}
