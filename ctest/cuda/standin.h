/* Memory of NVIDIA's driver, or of the stand-in for it (driver.c), with which the program is linked. A program that was
 * linked with the stand-in also runs with the real driver, which lacks the functions standin_*. */
#ifndef STANDIN_H
#define STANDIN_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part array is part of a permanent allocation in a device's memory. */
enum memory_kind { HOST_ARRAY, DEVICE_ARRAY, POOL_ARRAY, SECOND_DEVICE_ARRAY, MANAGED_ARRAY, PINNED_ARRAY, PART_ARRAY, MEMORY_KINDS };

int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuMemAlloc_v2(uint64_t *memory, size_t bytes);
int cuMemAllocAsync(uint64_t *memory, size_t bytes, void *stream);
int cuMemAllocManaged(uint64_t *memory, size_t bytes, unsigned flags);
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags);
int cuDevicePrimaryCtxReset_v2(int device);
int cuMemFree_v2(uint64_t memory);
int cuMemFreeAsync(uint64_t memory, void *stream);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes);
int cuCtxSynchronize(void);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
extern void standin_fail(const char *name, long nth, int code) __attribute__((weak));
extern long standin_calls(const char *name) __attribute__((weak));
extern int standin_pending(void) __attribute__((weak));
extern int standin_opened(void) __attribute__((weak));
extern void standin_hold(void *stream) __attribute__((weak));
extern int standin_capture(void *stream, int captured) __attribute__((weak));
extern long standin_imported(void) __attribute__((weak));
extern long aware_messages(void) __attribute__((weak));

#define DRIVER(call) \
  do { \
    int code_ = call; \
    if (code_) fprintf(stderr, "%s:%d: %s: code %d\n", __FILE__, __LINE__, #call, code_), abort(); \
  } while (0)

static inline int on_device(enum memory_kind kind) {
  return kind == DEVICE_ARRAY || kind == POOL_ARRAY || kind == SECOND_DEVICE_ARRAY || kind == PART_ARRAY;
}
static inline void enter(enum memory_kind kind) {
  static int devices;
  if (!devices) {
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGetCount(&devices));
  }
  void *context;
  DRIVER(cuDevicePrimaryCtxRetain(&context, kind == SECOND_DEVICE_ARRAY && devices > 1));
  DRIVER(cuCtxPushCurrent_v2(context));
}
static inline void leave(void) {
  void *context;
  DRIVER(cuCtxPopCurrent_v2(&context));
}

/* The stream on which arrays are filled; NULL: the legacy stream. */
static void *placing_stream;

/* An array in memory of that kind. */
struct placed { enum memory_kind kind; void *base; char *data; size_t bytes; };

/* The allocation of part arrays, and its bytes that arrays have taken since the allocation was last unused. */
enum { WHOLE_BYTES = 8 << 20 };
static struct { uint64_t base; size_t used; int arrays; } whole;
/* Returns a part of the allocation, or 0 if there is no room. */
static inline uint64_t part_of_whole(size_t bytes) {
  if (!whole.base) DRIVER(cuMemAlloc_v2(&whole.base, WHOLE_BYTES));
  if (whole.used + bytes > WHOLE_BYTES) return 0;
  uint64_t part = whole.base + whole.used;
  whole.used += (bytes + 15) / 16 * 16, whole.arrays++;
  return part;
}

/* Returns an array with the bytes of `contents`. The array begins `offset` bytes after the start of its allocation. */
static inline struct placed placed(enum memory_kind kind, const void *contents, size_t bytes, size_t offset) {
  uint64_t device = 0;
  void *made = NULL;
  size_t all = bytes + offset + 1;
  if (kind == HOST_ARRAY) made = malloc(all);
  else {
    enter(kind);
    if (kind == PART_ARRAY && !(device = part_of_whole(all))) kind = DEVICE_ARRAY;
    if (kind == PART_ARRAY) made = (void *)device;
    else if (kind == POOL_ARRAY) DRIVER(cuMemAllocAsync(&device, all, placing_stream));
    else if (on_device(kind)) DRIVER(cuMemAlloc_v2(&device, all));
    else if (kind == MANAGED_ARRAY) DRIVER(cuMemAllocManaged(&device, all, 1));
    else DRIVER(cuMemHostAlloc(&made, all, 0));
    if (!made) made = (void *)device;
    /* Copy on the program's stream, so that the copy happens only when reblock's stream waits for it. Other streams
     * than the default streams belong to the first device. */
    if (on_device(kind) && bytes && kind == SECOND_DEVICE_ARRAY && (uintptr_t)placing_stream > 2)
      DRIVER(cuMemcpyHtoD_v2(device + offset, contents, bytes));
    else if (on_device(kind) && bytes) DRIVER(cuMemcpyHtoDAsync_v2(device + offset, contents, bytes, placing_stream));
    leave();
  }
  if (!on_device(kind) && bytes) memcpy((char *)made + offset, contents, bytes);
  return (struct placed){kind, made, (char *)made + offset, bytes};
}
/* Copies the array to `out`, and frees it. */
static inline void take_back(struct placed *array, void *out) {
  if (!on_device(array->kind)) {
    if (array->bytes) memcpy(out, array->data, array->bytes);
    if (array->kind == HOST_ARRAY) free(array->base); /* Other memory of the host stays. */
    return;
  }
  enter(array->kind);
  DRIVER(cuCtxSynchronize());
  if (array->bytes) DRIVER(cuMemcpyDtoH_v2(out, (uint64_t)array->data, array->bytes));
  if (array->kind == PART_ARRAY) whole.used = --whole.arrays ? whole.used : 0;
  else if (array->kind == POOL_ARRAY) DRIVER(cuMemFreeAsync((uint64_t)array->base, NULL));
  else DRIVER(cuMemFree_v2((uint64_t)array->base));
  leave();
}
#endif
