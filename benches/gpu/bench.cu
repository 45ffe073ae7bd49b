/* The library's kernels, and kernels that only the benchmark uses. */
#include "kernels.cu"
#include "lists.h"

KERNEL copy_8_deep(struct job job) { copy<unsigned long long, 8>(here(job)); }
KERNEL copy_16_deep(struct job job) { copy<uint4, 8>(here(job)); }

/* Copies the pieces of a list from an array to memory without gaps, or back. */
template <typename Unit, bool PACKS> DEVICE void listed(const struct list &list) {
  THREADS {
    enum { DEEP = 4 };
    const Unit *from = (const Unit *)list.from;
    Unit *to = (Unit *)list.to;
    unsigned first = blockIdx.x * BLOCK * DEEP + threadIdx.x;
    Unit some[DEEP];
    unsigned places[DEEP];
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
      unsigned p = first + k * BLOCK;
      if (p < list.total) {
        unsigned piece = list.len == 1 ? p : p / list.len;
        places[k] = list.pieces[piece] + (p - piece * list.len);
        some[k] = PACKS ? from[places[k]] : from[p];
      }
    }
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
      unsigned p = first + k * BLOCK;
      if (p < list.total) to[PACKS ? p : places[k]] = some[k];
    }
  }
}
KERNEL pack_list_4(struct list list) { listed<unsigned, true>(list); }
KERNEL pack_list_8(struct list list) { listed<unsigned long long, true>(list); }
KERNEL pack_list_16(struct list list) { listed<uint4, true>(list); }
KERNEL unpack_list_4(struct list list) { listed<unsigned, false>(list); }
KERNEL unpack_list_8(struct list list) { listed<unsigned long long, false>(list); }
KERNEL unpack_list_16(struct list list) { listed<uint4, false>(list); }

/* Copies `count` units of 16 bytes, four per thread. The upper bound for all other copies. */
KERNEL plain_copy(const uint4 *from, uint4 *to, unsigned long long count) {
  THREADS {
    enum { DEEP = 4 };
    unsigned long long first = (unsigned long long)blockIdx.x * BLOCK * DEEP + threadIdx.x;
    uint4 some[DEEP];
#pragma unroll
    for (int k = 0; k < DEEP; k++)
      if (first + k * BLOCK < count) some[k] = from[first + k * BLOCK];
#pragma unroll
    for (int k = 0; k < DEEP; k++)
      if (first + k * BLOCK < count) to[first + k * BLOCK] = some[k];
  }
}

/* Kernels for latencies: an empty kernel, and a kernel that raises a flag for which the host waits. */
KERNEL nothing(void) {}
KERNEL raise_flag(volatile unsigned *flag, unsigned value) {
  THREADS { if (!threadIdx.x) *flag = value; }
}
