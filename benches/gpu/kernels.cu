/* Kernels that copy a product of index sets from one matrix to another, on an NVIDIA GPU.
 *
 * ```text
 * for each message: for each column: for each row: copy the element
 * ```
 * Deviations from that text:
 * 1. A block copies one tile of one message. It finds the message by binary search among the first tiles of all.
 * 2. A thread finds its row in the set once, and copies it in all columns of the tile. The block's threads find the columns once,
 *    and keep them in shared memory. So divisions and searches cost little, and no element has an index in memory.
 * 3. The unit of a copy is as long as all runs, distances and addresses allow, at most 16 bytes: the caller has scaled the rows.
 * 4. A transposed tile goes through shared memory, so that neighbours are next to each other on both sides.
 *
 * The same text is compiled for the CPU (shim.h): each THREADS block is then a loop over the threads. Only shared memory keeps its contents
 * from one THREADS block to the next. */
#include "kernels.h"
#ifdef __CUDACC_RTC__
#define KERNEL extern "C" __global__ void
#define SHARED __shared__
#define DEVICE static __device__ __forceinline__
#define THREADS
#define BARRIER __syncthreads();
#else
#include "shim.h"
#endif
#include "copy.cuh"
#include "update.cuh"

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

/* Copies `count` units of 16 bytes, four a thread: the ceiling of all other copies. */
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

/* Kernels for latencies: an empty one, and one that raises a flag for which the host waits. */
KERNEL nothing(void) {}
KERNEL raise_flag(volatile unsigned *flag, unsigned value) {
  THREADS { if (!threadIdx.x) *flag = value; }
}
