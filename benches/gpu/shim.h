/* The kernels' environment on the CPU: blocks run one after another, and so do the threads of a block between two barriers, in
 * ascending or descending order. A kernel that lacks a barrier gives a wrong result in one of the two orders. */
#ifndef SHIM_H
#define SHIM_H

struct dimensions { unsigned x; };
static struct dimensions blockIdx, threadIdx;
static bool descending;
struct uint4 { unsigned x, y, z, w; };

#define KERNEL static void
#define SHARED static
#define DEVICE static inline
#define THREADS \
  for (unsigned turn_ = 0; threadIdx.x = descending ? BLOCK - 1 - turn_ : turn_, turn_ < BLOCK; turn_++)
#define BARRIER
#endif
