/* Which numbers make a case? Those of splitmix64 (Steele, Lea and Flood 2014): the same on every rank that has the same state. */
#ifndef CTEST_RANDOM_H
#define CTEST_RANDOM_H
#include <stdint.h>

/* A number all of whose bits depend on all bits of z. */
static inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
static inline uint64_t next(uint64_t *state) { return mix(*state += 0x9E3779B97F4A7C15u); }
/* The state in which the stream of a seed begins. */
static inline uint64_t stream(uint64_t seed) { return seed * 0x2545F4914F6CDD1Du + 0x9E3779B97F4A7C15u; }
/* From low to high, both included. */
static inline int64_t within(uint64_t *state, int64_t low, int64_t high) {
  return low + (int64_t)(next(state) % (uint64_t)(high - low + 1));
}
/* A number for two others: the same wherever it is asked for. */
static inline uint64_t hash(uint64_t a, uint64_t b) { return mix(mix(a + 0x9E3779B97F4A7C15u) + b); }
#endif
