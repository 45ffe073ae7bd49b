/* NVIDIA's driver interface: the functions that are used, found by name in libcuda.so.1. No header of CUDA is
 * needed. */
#ifndef DRIVER_H
#define DRIVER_H
#include "machine.h"
#include <stdint.h>

typedef uint64_t device_pointer;
typedef struct { char reserved[64]; } ipc_handle;

#define EACH_FUNCTION(X) \
  X(cuInit, (unsigned flags)) \
  X(cuGetErrorName, (int code, const char **name)) \
  X(cuDriverGetVersion, (int *version)) \
  X(cuDeviceGet, (int *device, int ordinal)) \
  X(cuDeviceGetName, (char *name, int len, int device)) \
  X(cuDeviceGetAttribute, (int *value, int attribute, int device)) \
  X(cuDevicePrimaryCtxRetain, (void **context, int device)) \
  X(cuDevicePrimaryCtxSetFlags_v2, (int device, unsigned flags)) \
  X(cuCtxSetCurrent, (void *context)) \
  X(cuCtxSynchronize, (void)) \
  X(cuMemAlloc_v2, (device_pointer *memory, size_t bytes)) \
  X(cuMemFree_v2, (device_pointer memory)) \
  X(cuMemAllocManaged, (device_pointer *memory, size_t bytes, unsigned flags)) \
  X(cuMemAllocAsync, (device_pointer *memory, size_t bytes, void *stream)) \
  X(cuMemFreeAsync, (device_pointer memory, void *stream)) \
  X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags)) \
  X(cuMemFreeHost, (void *memory)) \
  X(cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags)) \
  X(cuMemHostUnregister, (void *memory)) \
  X(cuMemHostGetDevicePointer_v2, (device_pointer *memory, void *host, unsigned flags)) \
  X(cuMemcpyHtoD_v2, (device_pointer to, const void *from, size_t bytes)) \
  X(cuMemcpyDtoH_v2, (void *to, device_pointer from, size_t bytes)) \
  X(cuMemcpyHtoDAsync_v2, (device_pointer to, const void *from, size_t bytes, void *stream)) \
  X(cuMemcpyDtoHAsync_v2, (void *to, device_pointer from, size_t bytes, void *stream)) \
  X(cuMemcpyDtoDAsync_v2, (device_pointer to, device_pointer from, size_t bytes, void *stream)) \
  X(cuMemsetD8_v2, (device_pointer memory, unsigned char value, size_t bytes)) \
  X(cuModuleLoadDataEx, (void **module, const void *image, unsigned options, int *names, void **values)) \
  X(cuModuleUnload, (void *module)) \
  X(cuModuleGetFunction, (void **function, void *module, const char *name)) \
  X(cuLaunchKernel, (void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned threads_y, \
                     unsigned threads_z, unsigned shared, void *stream, void **arguments, void **more)) \
  X(cuStreamCreate, (void **stream, unsigned flags)) \
  X(cuStreamSynchronize, (void *stream)) \
  X(cuStreamWaitEvent, (void *stream, void *event, unsigned flags)) \
  X(cuEventCreate, (void **event, unsigned flags)) \
  X(cuEventRecord, (void *event, void *stream)) \
  X(cuEventSynchronize, (void *event)) \
  X(cuEventQuery, (void *event)) \
  X(cuEventElapsedTime, (float *ms, void *from, void *to)) \
  X(cuPointerGetAttribute, (void *value, int attribute, device_pointer memory)) \
  X(cuPointerGetAttributes, (unsigned count, int *attributes, void **values, device_pointer memory)) \
  X(cuIpcGetMemHandle, (ipc_handle *handle, device_pointer memory)) \
  X(cuIpcOpenMemHandle_v2, (device_pointer *memory, ipc_handle handle, unsigned flags)) \
  X(cuIpcCloseMemHandle, (device_pointer memory))

#define FUNCTION_DECLARED(name, arguments) extern int (*name) arguments;
EACH_FUNCTION(FUNCTION_DECLARED)
#undef FUNCTION_DECLARED

/* Ends the program if a call failed. */
#define MUST(call) must(call, #call, __FILE__, __LINE__)
void must(int code, const char *call, const char *file, int line);
const char *error_name(int code);

/* Loads the driver, opens device 0 and loads the kernels from the PTX file named by $PTX. */
void gpu_open(void);
extern void *gpu_stream; /* does not wait for the legacy stream */
extern void *gpu_context;
extern int gpu_device;
extern double gpu_load_ms; /* time to load the kernels */
double now(void);          /* seconds */
/* Sets each byte, and returns when all bytes are set. */
void gpu_fill(void *memory, unsigned char value, size_t bytes);
char *read_file(const char *path);
#endif
