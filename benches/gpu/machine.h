/* The machine that runs the kernels: a GPU, or the CPU. The same source is compiled for both. */
#ifndef MACHINE_H
#define MACHINE_H
#include "kernels.h"
#include "lists.h"
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The names of all kernels, as in bench.cu. */
#define EACH_KERNEL(X) \
  EACH_LIBRARY_KERNEL(X) X(copy_8_deep) X(copy_16_deep) \
  X(pack_list_4) X(pack_list_8) X(pack_list_16) X(unpack_list_4) X(unpack_list_8) X(unpack_list_16) \
  X(plain_copy) X(nothing) X(raise_flag)
#define KERNEL_ID(name) K_##name,
enum kernel { EACH_KERNEL(KERNEL_ID) KERNELS };
#undef KERNEL_ID

struct machine {
  const char *name;
  void *(*get)(size_t bytes);
  void (*drop)(void *memory);
  void (*put)(void *to, const void *from, size_t bytes);   /* from the host */
  void (*fetch)(void *to, const void *from, size_t bytes); /* to the host */
  void (*launch)(enum kernel kernel, unsigned blocks, void **arguments);
  void (*finish)(void);
};

extern const struct machine cpu; /* cpu.cc */
extern int cpu_descending;       /* the CPU runs blocks and threads in descending order */
extern const struct machine gpu; /* driver.c */

#ifdef __cplusplus
}
#endif
#endif
