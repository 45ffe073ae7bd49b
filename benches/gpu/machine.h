/* The machine on which kernels run: a GPU, or the CPU, for which the same text is compiled. */
#ifndef MACHINE_H
#define MACHINE_H
#include "kernels.h"
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Kernels, by name: `name` is as in kernels.cu. */
#define EACH_KERNEL(X) \
  X(copy_1) X(copy_2) X(copy_4) X(copy_8) X(copy_16) X(copy_8_deep) X(copy_16_deep) \
  X(turn_1) X(turn_2) X(turn_4) X(turn_8) X(turn_16) \
  X(add_s) X(add_d) X(add_c) X(add_z) X(turn_add_s) X(turn_add_d) X(turn_add_c) X(turn_add_z) \
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
