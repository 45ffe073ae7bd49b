/* Had the machine two moods? On a machine that others share, a plain copy may take half as long again for a while, and so does
 * all else. Then one median over both says little; each mood has its own. */
#include "moods.h"

/* A mood has this part of the turns at least, and its median is so many times that of the faster one. */
static const double PART = 0.2, SLOWER = 1.25;

/* Of fewer turns nothing can be said. */
enum { FEWEST = 15 };

double slower_mood(const double *sorted, int turns) {
  if (turns < FEWEST) return 0;
  /* The moods are apart where the time leaps most. */
  int least = (int)(PART * turns) + 1, at = 0;
  for (int n = least; n <= turns - least; n++)
    if (!at || sorted[n] / sorted[n - 1] > sorted[at] / sorted[at - 1]) at = n;
  if (!at || sorted[at + (turns - at) / 2] < SLOWER * sorted[at / 2]) return 0;
  /* One that slows down little by little has no moods: the leap is a quarter at least of how far most times are apart. */
  double leap = sorted[at] - sorted[at - 1], within = sorted[turns - least] - sorted[least - 1];
  return leap > within / 4 ? sorted[at] : 0;
}
