/* Facts of the driver: attributes of pointers and their cost, refusals, and the time to load kernels. */
#define _GNU_SOURCE
#include "bench.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `body` in a process of its own, and prints how the process ended. */
static void in_child(const char *what, void (*body)(void)) {
  fflush(stdout);
  pid_t pid = fork();
  int status;
  if (!pid) {
    signal(SIGSEGV, SIG_DFL);
    body();
    fflush(stdout);
    _exit(0);
  }
  if (pid < 0 || waitpid(pid, &status, 0) != pid) perror(what), exit(2);
  printf("%s: ", what);
  if (WIFSIGNALED(status)) printf("ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else printf("exit status %d\n", WEXITSTATUS(status));
}
static volatile unsigned char sink;
static void read_device(void) {
  gpu_open();
  sink = *(volatile unsigned char *)gpu.get(4096);
}
static void write_device(void) {
  gpu_open();
  *(volatile unsigned char *)gpu.get(4096) = 1;
}
static void free_device(void) {
  gpu_open();
  free(gpu.get(4096));
}
static void call_with_device(void) {
  gpu_open();
  int null = open("/dev/shm/reblock-gpu-facts", O_CREAT | O_RDWR, 0600);
  unlink("/dev/shm/reblock-gpu-facts");
  long done = write(null, gpu.get(4096), 4096);
  printf("  write(2) from a device pointer: %ld, %s\n", done, done < 0 ? strerror(errno) : "-");
}

struct query { device_pointer memory; int code; };
enum { QUERIES = 8 };
static int names[QUERIES] = {2, 8, 9, 11, 12, 10, 14, 17};
static const char *const words[QUERIES] = {"memory type", "managed", "device", "range start", "range size", "IPC capable", "handle types", "pool"};
static union { uint64_t number; uint32_t small; } answers[QUERIES];
static void *places[QUERIES];
static void ask_one(void *what) {
  struct query *q = what;
  unsigned type = 0;
  q->code = cuPointerGetAttribute(&type, 2, q->memory);
}
static void ask_three(void *what) {
  struct query *q = what;
  q->code = cuPointerGetAttributes(3, names, places, q->memory);
}
static void ask_all(void *what) {
  struct query *q = what;
  q->code = cuPointerGetAttributes(QUERIES, names, places, q->memory);
}
/* Returns the time of one call, from 100 calls in a row: a single call is too short for the clock. */
static double cost_ns(void (*ask)(void *), struct query *q) {
  double times[21];
  for (int k = 0; k < 21; k++) {
    double start = now();
    for (int n = 0; n < 100; n++) ask(q);
    times[k] = (now() - start) * 1e7;
  }
  return median_of(times, 21);
}
static void pointer(const char *name, const void *memory) {
  struct query q = {(device_pointer)memory, 0};
  ask_one(&q);
  int single = q.code;
  double one = cost_ns(ask_one, &q), three = cost_ns(ask_three, &q), all = cost_ns(ask_all, &q);
  memset(answers, 0, sizeof answers);
  ask_all(&q);
  printf("%-34s %5.0f %5.0f %5.0f ns; alone: %s; all: %s;", name, one, three, all, error_name(single), error_name(q.code));
  for (int k = 0; k < QUERIES; k++) printf(" %s %llx", words[k], (unsigned long long)answers[k].number);
  ipc_handle handle;
  printf("; cuIpcGetMemHandle: %s\n", error_name(cuIpcGetMemHandle(&handle, q.memory)));
  fflush(stdout);
}

static void *without_context(void *memory) {
  unsigned type = 0;
  int code = cuPointerGetAttribute(&type, 2, (device_pointer)memory);
  printf("in a thread that has no context: cuPointerGetAttribute: %s, type %u;", error_name(code), type);
  struct query q = {(device_pointer)memory, 0};
  ask_all(&q);
  printf(" of all: %s;", error_name(q.code));
  void *event;
  printf(" cuEventCreate: %s;", error_name(cuEventCreate(&event, 0)));
  printf(" a launch on a stream of another thread's context: ");
  fflush(stdout);
  double start = now();
  int set = cuCtxSetCurrent(gpu_context);
  printf("cuCtxSetCurrent: %s, %.2f us\n", error_name(set), (now() - start) * 1e6);
  return NULL;
}

static void attribute(const char *name, int number) {
  int value = -1;
  cuDeviceGetAttribute(&value, number, gpu_device);
  printf("%s %d; ", name, value);
}

void load(char **files, int count) {
  gpu_open();
  for (int k = 0; k < count; k++)
    for (int turn = 0; turn < 3; turn++) {
      char *image = read_file(files[k]);
      void *module;
      double start = now();
      MUST(cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
      double loaded = now();
      MUST(cuModuleUnload(module));
      printf("%s: loaded in %.2f ms, unloaded in %.2f ms\n", files[k], (loaded - start) * 1e3, (now() - loaded) * 1e3);
      free(image);
    }
}

void facts(void) {
  in_child("the host reads a device pointer", read_device);
  in_child("the host writes to a device pointer", write_device);
  in_child("free(3) of a device pointer", free_device);
  in_child("a system call with a device pointer", call_with_device);
  printf("libcuda by RTLD_NOLOAD, before: %s", dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) ? "there" : "not there");
  double start = now();
  gpu_open();
  printf("; after: %s\n", dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) ? "there" : "not there");
  char name[100] = "";
  int version = 0;
  MUST(cuDriverGetVersion(&version));
  MUST(cuDeviceGetName(name, sizeof name, gpu_device));
  printf("%s, driver interface %d; loading the driver, its context and the kernels %.0f ms, of which the kernels %.1f ms (CUDA_CACHE_DISABLE=%s)\n", name,
         version, (now() - start) * 1e3, gpu_load_ms, getenv("CUDA_CACHE_DISABLE") ? getenv("CUDA_CACHE_DISABLE") : "");
  attribute("multiprocessors", 16), attribute("L2 bytes", 38), attribute("memory clock kHz", 36), attribute("bus bits", 37);
  attribute("unified addressing", 41), attribute("pageable memory access", 88), attribute("host registers supported", 99);
  attribute("host pointers of registered memory", 91), attribute("pools", 115), attribute("copy engines", 40), attribute("compute mode", 20);
  printf("\n");

  size_t bytes = 1 << 20;
  for (int k = 0; k < QUERIES; k++) places[k] = &answers[k];
  device_pointer managed, pool;
  MUST(cuMemAllocManaged(&managed, bytes, 1));
  MUST(cuMemAllocAsync(&pool, bytes, gpu_stream));
  gpu.finish();
  unsigned char *device = gpu.get(bytes), *plain = malloc(bytes), *pinned = host_memory(bytes);
  unsigned char *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!plain || shared == MAP_FAILED) fprintf(stderr, "no memory\n"), exit(2);
  memset(plain, 1, bytes), memset(shared, 1, bytes);
  printf("pointers: ns of one, three, eight attributes\n");
  pointer("cuMemAlloc", device);
  pointer("cuMemAlloc, in the middle", device + 5000);
  pointer("malloc", plain);
  pointer("stack", &bytes);
  pointer("shared mapping, not registered", shared);
  MUST(cuMemHostRegister_v2(shared, bytes, 3));
  pointer("shared mapping, registered", shared);
  pointer("cuMemHostAlloc", pinned);
  pointer("cuMemAllocManaged", (void *)managed);
  pointer("cuMemAllocAsync", (void *)pool);
  pointer("NULL", NULL);
  pointer("no memory at all", (void *)0x1000);
  *(volatile unsigned char *)managed = 1;
  printf("the host writes to managed memory: works\n");
  device_pointer freed = (device_pointer)gpu.get(bytes);
  gpu.drop((void *)freed);
  pointer("freed", (void *)freed);
  pthread_t thread;
  pthread_create(&thread, NULL, without_context, device);
  pthread_join(thread, NULL);

  latencies(pinned);
}
