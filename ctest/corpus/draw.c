#include "draw.h"

static uint64_t state;

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void restart(uint64_t seed) { state = seed * 0x2545F4914F6CDD1Du; draw(); }

uint64_t draw(void) { return mix(state += 0x9E3779B97F4A7C15u); }

int64_t between(int64_t low, int64_t high) { return low + (int64_t)(draw() % (uint64_t)(high - low + 1)); }

int once_in(int n) { return between(1, n) == 1; }

void shuffle(int64_t *list, int count) {
  for (int i = count - 1; i > 0; i--) {
    int64_t j = between(0, i), t = list[i];
    list[i] = list[j], list[j] = t;
  }
}
