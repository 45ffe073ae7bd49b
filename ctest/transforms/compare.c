/* Compares two results number by number. The payload and sign of a NaN may differ: x86 takes those of the first
 * operand, which depends on the compiler. SPOILT: a part of a complex number is NaN on one side only, and the other
 * side has an infinite or NaN part. */
#include "transforms.h"
#include <math.h>
#include <string.h>

static double number(const char *array, size_t real, size_t k) {
  float single;
  double value;
  memcpy(real == 4 ? (void *)&single : (void *)&value, array + k * real, real);
  return real == 4 ? single : value;
}

void compare(int type, const char *x, const char *y, size_t bytes, const double *bound, struct tally *tally) {
  size_t real = real_size(type), count = bytes / real;
  memset(tally, 0, sizeof *tally);
  for (size_t k = 0; k < count; k++) {
    double a = number(x, real, k), b = number(y, real, k);
    enum likeness how = DIFFERENT;
    if (!memcmp(x + k * real, y + k * real, real)) how = SAME;
    else if (isnan(a) && isnan(b)) how = BOTH_NAN;
    else if (a == 0 && b == 0) how = SIGN_OF_ZERO; /* if the bits differ */
    else if (fabs(a - b) <= bound[k]) how = ROUNDED;
    else if (is_complex(type) && isnan(a) != isnan(b)) {
      const char *defined = isnan(a) ? y : x;
      if (!isfinite(number(defined, real, k)) || !isfinite(number(defined, real, k ^ 1))) how = SPOILT;
    }
    if (!tally->counts[how]++) tally->first[how] = k;
  }
}
