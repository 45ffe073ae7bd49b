/* Kernels that copy a product of index sets from one array to another, on an NVIDIA GPU.
 *
 * ```text
 * for each message: for each column: for each row: copy the unit, or update the number
 * ```
 * A column is a combination of the indices of all loops but the innermost one, whose indices are the rows.
 * Deviations from that text:
 * 1. A block copies one tile of one message. It finds the message by binary search among the first tiles of all.
 * 2. A thread finds its row in the set once, and copies it in all columns of the tile. The block's threads find the columns once,
 *    and keep them in shared memory. So divisions and searches cost little, and no element has an index in memory.
 * 3. The unit of a copy is as long as all runs, distances and addresses allow, at most 16 bytes: the caller has scaled the rows.
 * 4. A transposed tile goes through shared memory, so that neighbours are next to each other on both sides.
 *
 * Cost: each byte is read and written once; docs/research/gpu.md has measured fractions of a plain copy's speed.
 *
 * The same text is compiled for the CPU (shim.h): each THREADS block is then a loop over the threads. Only shared memory keeps its contents
 * from one THREADS block to the next. AT returns the address by which the kernel reaches a place in memory; on a GPU it is the
 * same, on the CPU a test may translate it. */
#include "kernels.h"
#ifdef __CUDACC_RTC__
#define KERNEL extern "C" __global__ void
#define SHARED __shared__
#define DEVICE static __device__ __forceinline__
#define THREADS
#define BARRIER __syncthreads();
#define AT(place) (place)
#else
#include "shim.h"
#endif
#include "copy.cuh"
#include "update.cuh"
