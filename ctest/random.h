/* Random numbers by splitmix64 (Steele, Lea and Flood 2014): equal on all ranks with equal state. */
#ifndef CTEST_RANDOM_H
#define CTEST_RANDOM_H
#include <stdint.h>

/* Mixes z: every bit of the result depends on every bit of z. */
static inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
static inline uint64_t next(uint64_t *state) { return mix(*state += 0x9E3779B97F4A7C15u); }
/* Returns the initial state of a seed's stream. */
static inline uint64_t stream(uint64_t seed) { return seed * 0x2545F4914F6CDD1Du + 0x9E3779B97F4A7C15u; }
/* Draws a number from low to high, both included. */
static inline int64_t within(uint64_t *state, int64_t low, int64_t high) {
  return low + (int64_t)(next(state) % (uint64_t)(high - low + 1));
}
/* Returns a number that depends only on the two arguments. */
static inline uint64_t hash(uint64_t a, uint64_t b) { return mix(mix(a + 0x9E3779B97F4A7C15u) + b); }
#endif
