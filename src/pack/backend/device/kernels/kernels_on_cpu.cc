/* The library's kernels on the CPU, for stand-ins for a driver. */
#include "kernels.cu"
#include <cstring>

/* Runs the kernel of that name, in ascending or descending order of blocks and threads, in turn; returns 1 if there is none. */
extern "C" int reblock_kernel(const char *name, unsigned blocks, unsigned threads, void **arguments) {
  void (*run)(void **) = nullptr;
#define KERNEL_NAMED(known) \
  if (!strcmp(name, #known)) run = [](void **given) { call(known, given); };
  EACH_LIBRARY_KERNEL(KERNEL_NAMED)
  if (!run || threads != BLOCK) return 1;
  descending = !descending;
  for (unsigned b = 0; b < blocks; b++) {
    blockIdx.x = descending ? blocks - 1 - b : b;
    run(arguments);
  }
  return 0;
}
