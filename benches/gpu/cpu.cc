/* The kernels on the CPU, one block and one thread after another. */
#include "bench.cu"
#include "machine.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

int cpu_descending;

static void launch(enum kernel kernel, unsigned blocks, void **arguments) {
  descending = cpu_descending;
  for (unsigned b = 0; b < blocks; b++) {
    blockIdx.x = descending ? blocks - 1 - b : b;
    switch (kernel) {
#define KERNEL_CASE(name) case K_##name: call(name, arguments); break;
      EACH_KERNEL(KERNEL_CASE)
      case KERNELS: break;
    }
  }
}
static void *get(size_t bytes) {
  void *memory = aligned_alloc(16, (bytes + 15) / 16 * 16);
  if (!memory) fprintf(stderr, "no memory\n"), exit(2);
  return memory;
}
static void put(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
static void finish(void) {}
const struct machine cpu = {"CPU", get, free, put, put, launch, finish};
