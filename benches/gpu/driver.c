#define _GNU_SOURCE
#include "driver.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTION_DEFINED(name, arguments) int(*name) arguments;
EACH_FUNCTION(FUNCTION_DEFINED)

void *gpu_stream, *gpu_context;
int gpu_device;
double gpu_load_ms;
static void *functions[KERNELS];

double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

const char *error_name(int code) {
  const char *name = NULL;
  if (!code) return "success";
  return !cuGetErrorName(code, &name) && name ? name : "unknown error";
}
void must(int code, const char *call, const char *file, int line) {
  if (!code) return;
  fprintf(stderr, "%s:%d: %s: %s (%d)\n", file, line, call, error_name(code), code);
  fflush(stdout);
  exit(2);
}

char *read_file(const char *path) {
  FILE *f = path ? fopen(path, "rb") : NULL;
  if (!f) fprintf(stderr, "PTX must name a file made by ptx.py, or a cubin\n"), exit(2);
  fseek(f, 0, SEEK_END);
  long bytes = ftell(f);
  rewind(f);
  char *text = calloc((size_t)bytes + 1, 1);
  if (!text || fread(text, 1, (size_t)bytes, f) != (size_t)bytes) fprintf(stderr, "%s cannot be read\n", path), exit(2);
  fclose(f);
  return text;
}

void gpu_open(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) fprintf(stderr, "%s\n", dlerror()), exit(2);
#define FUNCTION_FOUND(name, arguments) \
  if (!(name = (int(*) arguments)dlsym(library, #name))) fprintf(stderr, "libcuda.so.1 has no %s\n", #name), exit(2);
  EACH_FUNCTION(FUNCTION_FOUND)
  MUST(cuInit(0));
  MUST(cuDeviceGet(&gpu_device, 0));
  if (getenv("SPIN")) MUST(cuDevicePrimaryCtxSetFlags_v2(gpu_device, 1));
  MUST(cuDevicePrimaryCtxRetain(&gpu_context, gpu_device));
  MUST(cuCtxSetCurrent(gpu_context));
  MUST(cuStreamCreate(&gpu_stream, 1));
  char *text = read_file(getenv("PTX"));
  void *module;
  double start = now();
  MUST(cuModuleLoadDataEx(&module, text, 0, NULL, NULL));
  gpu_load_ms = (now() - start) * 1e3;
  free(text);
#define KERNEL_FOUND(name) MUST(cuModuleGetFunction(&functions[K_##name], module, #name));
  EACH_KERNEL(KERNEL_FOUND)
}

static void *get(size_t bytes) {
  device_pointer memory;
  MUST(cuMemAlloc_v2(&memory, bytes ? bytes : 1));
  return (void *)memory;
}
static void drop(void *memory) { MUST(cuMemFree_v2((device_pointer)memory)); }
/* Copies to the GPU, and returns when the copy is complete. cuMemcpyHtoD alone returns as soon as it has read a small
 * piece of pageable memory, and kernels on a stream that does not wait for the legacy stream may then run before the
 * bytes arrive. */
static void put(void *to, const void *from, size_t bytes) {
  if (bytes) MUST(cuMemcpyHtoD_v2((device_pointer)to, from, bytes));
  MUST(cuStreamSynchronize(NULL));
}
void gpu_fill(void *memory, unsigned char value, size_t bytes) {
  MUST(cuMemsetD8_v2((device_pointer)memory, value, bytes));
  MUST(cuStreamSynchronize(NULL));
}
static void fetch(void *to, const void *from, size_t bytes) {
  if (bytes) MUST(cuMemcpyDtoH_v2(to, (device_pointer)from, bytes));
}
static void launch(enum kernel kernel, unsigned blocks, void **arguments) {
  MUST(cuLaunchKernel(functions[kernel], blocks, 1, 1, BLOCK, 1, 1, 0, gpu_stream, arguments, NULL));
}
static void finish(void) { MUST(cuStreamSynchronize(gpu_stream)); }
const struct machine gpu = {"GPU", get, drop, put, fetch, launch, finish};
