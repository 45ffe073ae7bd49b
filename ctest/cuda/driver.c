/* A stand-in for NVIDIA's driver, libcuda.so.1, on a machine without a GPU: two devices whose memory is memory of this
 * process.
 *
 * A device's memory is mapped twice. Programs get addresses of the first mapping, which is not accessible, so a signal
 * ends a program that reads or writes such an address on the host, as on a real machine. Kernels and copies use the
 * second mapping. An inaccessible page follows each allocation. Kernels are functions of this process, found by name:
 * reblock_kernel, if it is linked in, runs the blocks and threads one after another, and translates each address to the
 * second mapping by reblock_translate.
 *
 * Stricter than a real driver: a call that needs a context fails unless one has been pushed; a context other than a
 * memory's own is refused; copies on the default streams, and on streams that standin_hold names, happen only when a
 * stream waits for a later event, or in cuCtxSynchronize and cuStreamSynchronize. While any stream is being captured,
 * calls that allocate or free memory, or that register, open or load something, fail and invalidate the capture, unless
 * the thread's mode is relaxed. An event on the legacy stream also fails and invalidates the capture if a blocking
 * stream is being captured.
 *
 * Functions for tests: standin_fail makes a function fail. standin_calls counts the calls of a function,
 * standin_pending the streams with work for which no call has waited, standin_opened the open allocations of other
 * processes, and standin_imported the uses of such memory by kernels. standin_capture begins or ends the capture of a
 * stream; it returns whether the capture was invalidated. The variable STANDIN_CUDA_FAIL, "FUNCTION:CODE", makes each
 * call of a function fail. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEVICES = 2, MAX_ALLOCATIONS = 4096, STREAMS = 64, PAGE = 4096 };
enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700 };
enum { CAPTURE_UNSUPPORTED = 900, CAPTURE_IMPLICIT = 906, NON_BLOCKING = 1, RELAXED = 2 };
#define DEVICE_BYTES ((size_t)16 << 30)

typedef uint64_t device_pointer;
/* Kernels that are linked into the stand-in. */
extern int reblock_kernel(const char *name, unsigned blocks, unsigned threads, void **arguments) __attribute__((weak));
extern uintptr_t (*reblock_translate)(uintptr_t) __attribute__((weak));

enum kind { DEVICE, POOL, MANAGED, HOST_MEMORY, REGISTERED, IMPORTED };
struct memory {
  enum kind kind;
  uintptr_t base;
  size_t bytes;
  int device;
  unsigned long long number;
  /* For imported memory: the second mapping, and the place in the owner's file. */
  uintptr_t inner;
  struct file_place { int process, file; size_t offset, bytes; } place;
};
static struct memory memories[MAX_ALLOCATIONS];
static int memory_count;
/* Number of uses of imported memory by kernels. */
static long imported;
/* Each allocation gets a number of its own. */
static unsigned long long numbers;
static struct { uintptr_t outer, inner; size_t used; int file; } devices[DEVICES];
/* A context is the address of one of these bytes. */
static char contexts[DEVICES];
static __thread void *pushed[32];
static __thread int depth;

struct stream { int device, pending, used, held, captured, invalid, non_blocking; };
static struct stream streams[STREAMS];
struct event { int used, device; const void *of; long place; };
static struct event events[STREAMS];
/* Copies that wait, in order, by stream (see late_key). `data` is NULL once a copy has happened; all copies before
 * `late_done` have. */
struct late { const void *of; uintptr_t to; size_t bytes; void *data; };
static struct late *late;
static long late_count, late_done;
static __thread char per_thread;
struct module { char *text; int device; };
struct function { char name[64]; struct module *module; };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* For each function, the number of its calls, and the number of the call that fails. */
static struct { char name[40]; long calls, fails_at; int code; } counts[64];
static int count_of(const char *name) {
  int k = 0;
  while (counts[k].name[0] && strcmp(counts[k].name, name)) k++;
  if (!counts[k].name[0]) snprintf(counts[k].name, sizeof counts[k].name, "%s", name);
  return k;
}
/* Makes the `nth` call of `name` from now on fail with `code`; 0 stands for no call. */
void standin_fail(const char *name, long nth, int code) {
  int k = count_of(name);
  counts[k].fails_at = nth ? counts[k].calls + nth : 0, counts[k].code = code;
}
long standin_calls(const char *name) { return counts[count_of(name)].calls; }
int standin_pending(void) {
  int pending = 0;
  for (int k = 0; k < STREAMS; k++) pending += streams[k].used && streams[k].pending;
  return pending;
}

/* Returns the code with which this call fails, or 0. */
static int called(const char *name) {
  const char *always = getenv("STANDIN_CUDA_FAIL");
  int k = count_of(name);
  counts[k].calls++;
  if (always && !strncmp(always, name, strlen(name)) && always[strlen(name)] == ':') return atoi(always + strlen(name) + 1);
  return counts[k].fails_at && counts[k].calls == counts[k].fails_at ? counts[k].code : 0;
}
#define BEGIN \
  pthread_mutex_lock(&mutex); \
  int code = called(__func__); \
  if (code) return end(code)
static int end(int code) {
  pthread_mutex_unlock(&mutex);
  return code;
}
/* Returns the number of the current context's device, or -1. */
static int current(void) { return depth ? (int)((char *)pushed[depth - 1] - contexts) : -1; }
static __thread int capture_mode;
/* Invalidates the captures of all streams, or of those of the current device that wait for the legacy stream. Returns
 * whether there are any. */
static int invalidates(int legacy, int only_asks) {
  int any = 0;
  for (int k = 0; k < STREAMS; k++)
    if (streams[k].used && streams[k].captured && (!legacy || (!streams[k].non_blocking && streams[k].device == current()))) {
      any = 1;
      if (!only_asks) streams[k].invalid = 1;
    }
  return any;
}
#define UNSAFE_IN_CAPTURE \
  if (capture_mode != RELAXED && invalidates(0, 0)) return end(CAPTURE_UNSUPPORTED)
#define NEEDS_CONTEXT \
  if (current() < 0) return end(INVALID_CONTEXT)

static void give_up(const char *what, uintptr_t address) {
  fprintf(stderr, "stand-in for libcuda: %s: %p\n", what, (void *)address);
  abort();
}
static struct memory *find(uintptr_t address) {
  for (int k = 0; k < memory_count; k++)
    if (memories[k].base <= address && address < memories[k].base + memories[k].bytes) return &memories[k];
  return NULL;
}
static uintptr_t inner(uintptr_t address) {
  for (int d = 0; d < DEVICES; d++)
    if (devices[d].outer <= address && address < devices[d].outer + DEVICE_BYTES) return address - devices[d].outer + devices[d].inner;
  const struct memory *m = find(address);
  return m && m->kind == IMPORTED ? address - m->base + m->inner : address;
}
static int is_device_memory(const struct memory *m) { return m && (m->kind == DEVICE || m->kind == POOL || m->kind == IMPORTED); }
/* Returns the address that a kernel uses for `address`. Ends the program if `address` is in no allocation, as for
 * memory of the host that is not registered. */
static uintptr_t translate(uintptr_t address) {
  const struct memory *m = find(address);
  if (address && !m) give_up("a kernel uses an address outside of all allocations", address);
  imported += m && m->kind == IMPORTED;
  return inner(address);
}

__attribute__((constructor)) static void begin(void) {
  for (int d = 0; d < DEVICES; d++) {
    int file = memfd_create("device", MFD_CLOEXEC);
    void *outer = MAP_FAILED, *in = MAP_FAILED;
    if (file >= 0 && !ftruncate(file, (off_t)DEVICE_BYTES)) {
      outer = mmap(NULL, DEVICE_BYTES, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
      in = mmap(NULL, DEVICE_BYTES, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    }
    if (outer == MAP_FAILED || in == MAP_FAILED) give_up("no memory for a device", 0);
    /* The file stays open for other processes. */
    devices[d].outer = (uintptr_t)outer, devices[d].inner = (uintptr_t)in, devices[d].file = file;
  }
  if (&reblock_translate) reblock_translate = translate;
}

static int remember(enum kind kind, uintptr_t base, size_t bytes, int device) {
  if (memory_count == MAX_ALLOCATIONS) return OUT_OF_MEMORY;
  memories[memory_count++] = (struct memory){.kind = kind, .base = base, .bytes = bytes, .device = device, .number = ++numbers};
  return OK;
}
static int forget(uintptr_t base, enum kind kind) {
  struct memory *m = find(base);
  if (!m || m->base != base || m->kind != kind) return INVALID_VALUE;
  if (kind == DEVICE || kind == POOL) {
    size_t whole = (m->bytes + PAGE - 1) / PAGE * PAGE;
    madvise((void *)inner(base), whole, MADV_REMOVE);
    mprotect((void *)inner(base), whole, PROT_NONE);
  }
  *m = memories[--memory_count];
  return OK;
}
static int allocate(device_pointer *made, size_t bytes, int device, enum kind kind) {
  size_t whole = (bytes + PAGE - 1) / PAGE * PAGE, used = devices[device].used;
  if (!bytes) return INVALID_VALUE;
  if (used + whole + PAGE > DEVICE_BYTES) return OUT_OF_MEMORY;
  *made = devices[device].outer + used;
  if (mprotect((void *)(devices[device].inner + used), whole, PROT_READ | PROT_WRITE)) return OUT_OF_MEMORY;
  memset((void *)(devices[device].inner + used), 0x5a, whole);
  devices[device].used += whole + PAGE;
  return remember(kind, *made, bytes, device);
}

int cuInit(unsigned flags) {
  BEGIN;
  return end(flags ? INVALID_VALUE : OK);
}
int cuGetErrorName(int code, const char **name) {
  *name = code == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
    : code == INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT" : code == NOT_FOUND ? "CUDA_ERROR_NOT_FOUND"
    : code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : NULL;
  return *name ? OK : INVALID_VALUE;
}
int cuGetErrorString(int code, const char **text) {
  *text = code == OUT_OF_MEMORY ? "out of memory" : code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : NULL;
  return *text ? OK : INVALID_VALUE;
}
int cuDriverGetVersion(int *version) {
  BEGIN;
  *version = 11070;
  return end(OK);
}
int cuDeviceGetName(char *name, int size, int device) {
  BEGIN;
  snprintf(name, (size_t)size, "the stand-in's device %d", device);
  return end(OK);
}
int cuDeviceGetCount(int *count) {
  BEGIN;
  *count = DEVICES;
  return end(OK);
}
int cuDeviceGet(int *device, int ordinal) {
  BEGIN;
  if (ordinal < 0 || ordinal >= DEVICES) return end(101);
  *device = ordinal;
  return end(OK);
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  BEGIN;
  (void)device;
  *value = attribute == 75 ? 7 : attribute == 16 ? 4 : 0; /* compute capability 7.0, 4 multiprocessors */
  return end(OK);
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  BEGIN;
  *context = &contexts[device];
  return end(OK);
}
int cuCtxPushCurrent_v2(void *context) {
  BEGIN;
  if ((char *)context < contexts || (char *)context >= contexts + DEVICES || depth == 32) return end(INVALID_CONTEXT);
  pushed[depth++] = context;
  return end(OK);
}
int cuCtxPopCurrent_v2(void **context) {
  BEGIN;
  NEEDS_CONTEXT;
  *context = pushed[--depth];
  return end(OK);
}

int cuMemAlloc_v2(device_pointer *memory, size_t bytes) {
  BEGIN;
  NEEDS_CONTEXT;
  UNSAFE_IN_CAPTURE;
  return end(allocate(memory, bytes, current(), DEVICE));
}
int cuMemFree_v2(device_pointer memory) {
  BEGIN;
  NEEDS_CONTEXT;
  UNSAFE_IN_CAPTURE;
  return end(forget(memory, DEVICE));
}
int cuMemAllocAsync(device_pointer *memory, size_t bytes, void *stream) {
  BEGIN;
  NEEDS_CONTEXT;
  (void)stream;
  return end(allocate(memory, bytes, current(), POOL));
}
int cuMemFreeAsync(device_pointer memory, void *stream) {
  BEGIN;
  (void)stream;
  return end(forget(memory, POOL));
}
static int host_memory(void **memory, size_t bytes, enum kind kind) {
  void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return OUT_OF_MEMORY;
  *memory = base;
  return remember(kind, (uintptr_t)base, bytes, 0);
}
int cuMemAllocManaged(device_pointer *memory, size_t bytes, unsigned flags) {
  BEGIN;
  NEEDS_CONTEXT;
  (void)flags;
  void *base = NULL;
  code = host_memory(&base, bytes, MANAGED);
  *memory = (uintptr_t)base;
  return end(code);
}
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  BEGIN;
  NEEDS_CONTEXT;
  (void)flags;
  return end(host_memory(memory, bytes, HOST_MEMORY));
}
int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) {
  BEGIN;
  NEEDS_CONTEXT;
  UNSAFE_IN_CAPTURE;
  (void)flags;
  if (find((uintptr_t)memory)) return end(712);
  return end(remember(REGISTERED, (uintptr_t)memory, bytes, current()));
}
int cuMemHostUnregister(void *memory) {
  BEGIN;
  NEEDS_CONTEXT;
  return end(forget((uintptr_t)memory, REGISTERED));
}

#include "ipc.h"

int cuPointerGetAttributes(unsigned count, int *attributes, void **values, device_pointer address) {
  BEGIN;
  const struct memory *m = find(address);
  int device = is_device_memory(m);
  for (unsigned k = 0; k < count; k++) switch (attributes[k]) {
      case 1: *(void **)values[k] = m && m->kind != POOL ? &contexts[m->device] : NULL; break;
      case 2: *(unsigned *)values[k] = !m ? 0 : device || m->kind == MANAGED ? 2 : 1; break;
      case 3: *(device_pointer *)values[k] = m ? address : 0; break;
      case 7: *(unsigned long long *)values[k] = m ? m->number : 0; break;
      case 8: *(unsigned char *)values[k] = m && m->kind == MANAGED; break;
      case 9: *(int *)values[k] = m ? m->device : -2; break;
      case 10: *(unsigned char *)values[k] = m && m->kind == DEVICE; break;
      case 11: *(uintptr_t *)values[k] = m ? m->base : 0; break;
      case 12: *(size_t *)values[k] = m ? m->bytes : 0; break;
      default: return end(INVALID_VALUE);
    }
  return end(OK);
}

/* Returns whether `bytes` bytes from `address` on are in one allocation of the current context's device. */
static int is_mine(device_pointer address, size_t bytes) {
  const struct memory *m = find(address);
  return is_device_memory(m) && m->device == current() && address + bytes <= m->base + m->bytes;
}
static int copy(device_pointer to, const void *from, void *out, size_t bytes) {
  if (!bytes) return OK;
  if (!is_mine(to, bytes)) return INVALID_VALUE;
  if (out) memcpy(out, (void *)inner(to), bytes);
  else memcpy((void *)inner(to), from, bytes);
  return OK;
}
/* Does the copies before number `count` on the stream with this key, or on all streams. */
static void do_late(const void *of, int all, long count) {
  for (long k = late_done; k < count; k++)
    if (late[k].data && (all || late[k].of == of)) {
      memcpy((void *)inner(late[k].to), late[k].data, late[k].bytes);
      free(late[k].data);
      late[k].data = NULL;
    }
  while (late_done < late_count && !late[late_done].data) late_done++;
}
static int is_legacy(void *stream) { return (uintptr_t)stream <= 1; }
static int is_default(void *stream) { return (uintptr_t)stream <= 2; }
/* Returns the key of a stream: NULL for the legacy stream; each thread has a default stream of its own. */
static const void *late_key(void *stream) { return is_legacy(stream) ? NULL : is_default(stream) ? &per_thread : stream; }
static struct stream *stream_of(void *stream) {
  struct stream *s = stream;
  return s >= streams && s < streams + STREAMS && s->used ? s : NULL;
}

/* Returns the address at which the host can access `bytes` bytes of a device's memory, for an MPI of tests (aware.c);
 * NULL for other memory. */
void *standin_as_host(const void *address, size_t bytes) {
  pthread_mutex_lock(&mutex);
  const struct memory *m = find((uintptr_t)address);
  void *found = NULL;
  if (is_device_memory(m)) {
    if (!is_mine((uintptr_t)address, bytes)) give_up("MPI uses memory behind an allocation, or of a context that is not current", (uintptr_t)address);
    found = (void *)inner((uintptr_t)address);
  }
  end(OK);
  return found;
}

/* Like all copies without a stream, waits for the legacy stream. */
int cuMemcpyHtoD_v2(device_pointer to, const void *from, size_t bytes) {
  BEGIN;
  NEEDS_CONTEXT;
  do_late(NULL, 0, late_count);
  return end(copy(to, from, NULL, bytes));
}
int cuMemcpyDtoH_v2(void *to, device_pointer from, size_t bytes) {
  BEGIN;
  NEEDS_CONTEXT;
  do_late(NULL, 0, late_count);
  return end(copy(from, NULL, to, bytes));
}
int cuMemcpyDtoD_v2(device_pointer to, device_pointer from, size_t bytes) {
  BEGIN;
  NEEDS_CONTEXT;
  do_late(NULL, 0, late_count);
  if (!is_mine(from, bytes) || !is_mine(to, bytes)) return end(INVALID_VALUE);
  memmove((void *)inner(to), (void *)inner(from), bytes);
  return end(OK);
}
int cuMemcpyHtoDAsync_v2(device_pointer to, const void *from, size_t bytes, void *stream) {
  BEGIN;
  NEEDS_CONTEXT;
  if (!is_default(stream)) {
    struct stream *s = stream_of(stream);
    if (!s || s->device != current()) return end(INVALID_VALUE);
    if (!s->held) {
      s->pending = 1;
      return end(copy(to, from, NULL, bytes));
    }
  }
  if (!is_mine(to, bytes)) return end(INVALID_VALUE);
  late = realloc(late, sizeof *late * (size_t)(late_count + 1));
  late[late_count] = (struct late){late_key(stream), to, bytes, malloc(bytes + 1)};
  memcpy(late[late_count++].data, from, bytes);
  return end(OK);
}
int cuMemcpyDtoHAsync_v2(void *to, device_pointer from, size_t bytes, void *stream) {
  BEGIN;
  NEEDS_CONTEXT;
  struct stream *s = stream_of(stream);
  if (!s || s->device != current()) return end(INVALID_VALUE);
  s->pending = 1;
  return end(copy(from, NULL, to, bytes));
}
int cuMemcpyDtoDAsync_v2(device_pointer to, device_pointer from, size_t bytes, void *stream) {
  BEGIN;
  NEEDS_CONTEXT;
  struct stream *s = stream_of(stream);
  if (!s || s->device != current() || !is_mine(from, bytes) || !is_mine(to, bytes)) return end(INVALID_VALUE);
  s->pending = 1;
  memmove((void *)inner(to), (void *)inner(from), bytes);
  return end(OK);
}
int cuCtxSynchronize(void) {
  BEGIN;
  NEEDS_CONTEXT;
  do_late(NULL, 1, late_count);
  for (int k = 0; k < STREAMS; k++) streams[k].pending = 0;
  return end(OK);
}

#include "streams.h"

/* Frees all of the device's memory, registrations, streams and events. Later allocations reuse the addresses, as with a
 * real driver. */
int cuDevicePrimaryCtxReset_v2(int device) {
  BEGIN;
  if (device < 0 || device >= DEVICES) return end(101);
  do_late(NULL, 1, late_count);
  for (int k = memory_count - 1; k >= 0; k--)
    if (memories[k].device == device && (is_device_memory(&memories[k]) || memories[k].kind == REGISTERED)) {
      if (memories[k].kind == IMPORTED) unmap(&memories[k]);
      forget(memories[k].base, memories[k].kind);
    }
  for (int k = 0; k < STREAMS; k++) {
    if (streams[k].device == device) streams[k].used = 0;
    if (events[k].device == device) events[k].used = 0;
  }
  devices[device].used = 0;
  return end(OK);
}

#include "launch.h"
