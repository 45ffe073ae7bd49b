#include "draw.h"

static uint64_t state;

void restart(uint64_t seed) { state = stream(seed); }

uint64_t draw(void) { return next(&state); }

int64_t between(int64_t low, int64_t high) { return within(&state, low, high); }

int once_in(int n) { return between(1, n) == 1; }

void shuffle(int64_t *list, int count) {
  for (int i = count - 1; i > 0; i--) {
    int64_t j = between(0, i), t = list[i];
    list[i] = list[j], list[j] = t;
  }
}
