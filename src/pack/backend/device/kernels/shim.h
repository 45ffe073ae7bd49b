/* The kernels' environment on the CPU: blocks run one after another, and so do the threads of a block between two
 * barriers, in ascending or descending order. A kernel that lacks a barrier gives a wrong result in one of the two
 * orders. */
#ifndef SHIM_H
#define SHIM_H
#include <cstdint>

struct dimensions { unsigned x; };
static struct dimensions blockIdx, threadIdx;
static bool descending;
struct uint4 { unsigned x, y, z, w; };

/* Translates an address that a kernel gets to the address by which the CPU reaches that memory; a stand-in for a
 * driver, whose device memory the host cannot access, sets it. */
static uintptr_t same_address(uintptr_t address) { return address; }
extern "C" {
extern uintptr_t (*reblock_translate)(uintptr_t address);
uintptr_t (*reblock_translate)(uintptr_t address) = same_address;
}
template <typename Type> static inline Type *AT(Type *place) { return (Type *)reblock_translate((uintptr_t)place); }

#define KERNEL static void
#define SHARED static
#define DEVICE static inline
#define THREADS \
  for (unsigned turn_ = 0; threadIdx.x = descending ? BLOCK - 1 - turn_ : turn_, turn_ < BLOCK; turn_++)
#define BARRIER

/* Calls a kernel with arguments that are given by their addresses, as cuLaunchKernel does. */
static inline void call(void (*kernel)(), void **) { kernel(); }
template <typename A> static void call(void (*kernel)(A), void **a) { kernel(*(A *)a[0]); }
template <typename A, typename B> static void call(void (*kernel)(A, B), void **a) { kernel(*(A *)a[0], *(B *)a[1]); }
template <typename A, typename B, typename C> static void call(void (*kernel)(A, B, C), void **a) {
  kernel(*(A *)a[0], *(B *)a[1], *(C *)a[2]);
}
#endif
