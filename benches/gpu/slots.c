/* Measures packing and unpacking by kernels that access memory shared by processes and registered with the driver, and
 * compares this with the copy engine to and from pinned memory. Bytes count once, since they cross the bus once. */
#define _GNU_SOURCE
#include "bench.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TURNS = 9, IN_FLIGHT = 4 };
static const size_t ROOM = (size_t)64 << 20;

/* A message that goes through slots. All its slots follow each other in shared memory. */
struct way_out {
  struct plan plan;
  unsigned char *slots, *device;
  size_t bytes, slot;
  unsigned along, columns; /* tiles and columns of a slot */
  enum kernel kernel;
};

static void engine_out(void *what) {
  struct way_out *w = what;
  for (size_t at = 0; at < w->bytes; at += w->slot)
    MUST(cuMemcpyDtoHAsync_v2(w->slots + at, (device_pointer)w->device + at, at + w->slot < w->bytes ? w->slot : w->bytes - at, gpu_stream));
}
static void engine_in(void *what) {
  struct way_out *w = what;
  for (size_t at = 0; at < w->bytes; at += w->slot)
    MUST(cuMemcpyHtoDAsync_v2((device_pointer)w->device + at, w->slots + at, at + w->slot < w->bytes ? w->slot : w->bytes - at, gpu_stream));
}
static void plain(struct way_out *w, unsigned char *from, unsigned char *to) {
  for (size_t at = 0; at < w->bytes; at += w->slot) {
    const unsigned char *source = from + at;
    unsigned char *target = to + at;
    unsigned long long count = (at + w->slot < w->bytes ? w->slot : w->bytes - at) / 16;
    void *arguments[] = {&source, &target, &count};
    gpu.launch(K_plain_copy, (unsigned)((count + 4 * BLOCK - 1) / (4 * BLOCK)), arguments);
  }
}
static void plain_out(void *what) { struct way_out *w = what; plain(w, w->device, w->slots); }
static void plain_in(void *what) { struct way_out *w = what; plain(w, w->slots, w->device); }
/* Packs or unpacks with a launch for each slot. */
static void by_slots(void *what) {
  struct way_out *w = what;
  struct job job = w->plan.job;
  void *arguments[] = {&job};
  for (unsigned first = 0; first < job.tiles; first += w->along) {
    job.first_block = first;
    gpu.launch(w->kernel, first + w->along < job.tiles ? w->along : job.tiles - first, arguments);
  }
}
static void at_once(void *what) {
  struct way_out *w = what;
  plan_run(&w->plan, &gpu, w->kernel, NULL);
}
/* Packs with a launch for each slot. The host waits for each slot, as a sender does before it reports the slot as full,
 * while the kernels of the next slots run. */
static void waited_for(void *what) {
  struct way_out *w = what;
  static void *done[IN_FLIGHT];
  struct job job = w->plan.job;
  void *arguments[] = {&job};
  unsigned turn = 0;
  for (int k = 0; k < IN_FLIGHT && !done[k]; k++) MUST(cuEventCreate(&done[k], 2));
  for (unsigned first = 0; first < job.tiles; first += w->along, turn++) {
    if (turn >= IN_FLIGHT) MUST(cuEventSynchronize(done[turn % IN_FLIGHT]));
    job.first_block = first;
    gpu.launch(w->kernel, first + w->along < job.tiles ? w->along : job.tiles - first, arguments);
    MUST(cuEventRecord(done[turn % IN_FLIGHT], gpu_stream));
  }
  gpu.finish();
}
/* Packs each slot in the GPU's memory; the copy engine then copies it to the host. */
static void staged(void *what) {
  struct way_out *w = what;
  struct job job = w->plan.job;
  void *arguments[] = {&job};
  size_t at = 0, bytes = w->bytes / job.tiles * w->along;
  for (unsigned first = 0; first < job.tiles; first += w->along, at += bytes) {
    job.first_block = first;
    gpu.launch(w->kernel, first + w->along < job.tiles ? w->along : job.tiles - first, arguments);
    MUST(cuMemcpyDtoHAsync_v2(w->slots + at, (device_pointer)w->device + at, at + bytes < w->bytes ? bytes : w->bytes - at, gpu_stream));
  }
}

static double rate(struct way_out *w, void (*body)(void *)) { return (double)w->bytes / median_ms(TURNS, body, w) * 1e-6; }

/* Fills the expected message of rank 0 to itself by a naive loop; returns its elements. */
static size_t expected(const struct matrix *a, const struct matrix *b, int n, double *message) {
  size_t count = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n && !owner(&a->axes[COLUMNS], j) && !owner(&b->axes[COLUMNS], j); i++)
      if (!owner(&a->axes[ROWS], i) && !owner(&b->axes[ROWS], i)) message[count++] = (double)j * n + i;
  return count;
}
static void check(int wrong, const char *what) {
  if (wrong) printf("%s: WRONG\n", what), exit(1);
}

void host_slots(int n) {
  gpu_open();
  int file = open("/dev/shm/reblock-gpu-bench", O_CREAT | O_RDWR | O_EXCL, 0600);
  if (file < 0 || ftruncate(file, (off_t)ROOM)) perror("/dev/shm"), exit(2);
  unlink("/dev/shm/reblock-gpu-bench");
  unsigned char *shared = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) perror("mmap"), exit(2);
  memset(shared, 1, ROOM);
  struct matrix a = blocks_of(n, 2, 2, 128, 8), b = blocks_of(n, 2, 2, 36, 8);
  struct problem o = {.a = &a, .b = &b, .m = n, .n = n};
  unsigned char *source[MAX_RANKS], *target[MAX_RANKS];
  double *all = host_memory(a.bytes), *message = malloc(ROOM);
  unsigned char *device_a = gpu.get(a.bytes), *device_b = gpu.get(b.bytes), *device = gpu.get(ROOM), *pinned = host_memory(ROOM);
  if (!message) fprintf(stderr, "no memory\n"), exit(2);
  memset(pinned, 1, ROOM);
  matrix_fill(&a, all), gpu.put(device_a, all, a.bytes);
  arrays_of(&a, device_a, source), arrays_of(&b, device_b, target);
  size_t count = expected(&a, &b, n, message);

  double start = now();
  gpu.fetch(shared, device, ROOM);
  printf("cuMemcpyDtoH into /dev/shm that is not registered: %.1f GB/s\n", (double)ROOM / (now() - start) * 1e-9);
  start = now();
  gpu.fetch(shared, device, ROOM);
  printf("again: %.1f GB/s\n", (double)ROOM / (now() - start) * 1e-9);
  for (int turn = 0; turn < 2; turn++) {
    start = now();
    MUST(cuMemHostRegister_v2(shared, ROOM, 3)); /* portable, mapped */
    double registered = now() - start;
    start = now();
    MUST(cuMemHostUnregister(shared));
    printf("cuMemHostRegister of %zu MiB of /dev/shm: %.2f ms; cuMemHostUnregister: %.2f ms\n", ROOM >> 20, registered * 1e3, (now() - start) * 1e3);
  }
  MUST(cuMemHostRegister_v2(shared, ROOM, 3));
  device_pointer seen;
  MUST(cuMemHostGetDevicePointer_v2(&seen, shared, 0));
  printf("the GPU sees it at %s address\n", seen == (device_pointer)shared ? "the same" : "another");

  printf("one message of 128 -> 36, %.1f MiB; GB/s; medians of %d\n", (double)count * 8 / (1 << 20), TURNS);
  printf("%-8s | %8s %8s | %8s %8s %8s %8s %8s | %8s %8s | %8s %8s %8s\n", "slot", "engine", "engine", "plain", "packed", "packed", "packed", "pack +",
         "engine", "engine", "plain", "unpack", "unpack");
  printf("%-8s | %8s %8s | %8s %8s %8s %8s %8s | %8s %8s | %8s %8s %8s\n", "", "pinned", "shm", "shm", "shm", "waited", "at once", "engine",
         "pinned", "shm", "shm", "shm", "at once");
  for (size_t slot = (size_t)64 << 10; slot <= (size_t)4 << 20; slot *= slot == (size_t)1 << 20 ? 4 : 2) {
    struct way_out w = {.device = device, .bytes = count * 8};
    double rates[12];
    for (int out = 1; out >= 0; out--) {
      w.plan = plan_make(&o, out ? PACK : UNPACK, 0, 0, source, target, (unsigned char *)seen, 16);
      const struct level *rows = &w.plan.levels[w.plan.messages[0].first_level + ROWS];
      size_t column = (size_t)rows->total * (size_t)w.plan.unit;
      w.columns = (unsigned)(slot / column ? slot / column : 1);
      if (w.columns > MAX_COLUMNS) w.columns = MAX_COLUMNS;
      w.slot = w.columns * column;
      w.kernel = copy_kernel(w.plan.unit, 0);
      unsigned lanes = 128;
      w.along = (rows->total + lanes - 1) / lanes;
      plan_tile(&w.plan, &gpu, lanes, w.columns, 0);
      if (out) {
        w.slots = (unsigned char *)seen;
        memset(shared, 0, ROOM), by_slots(&w), gpu.finish();
        check(memcmp(shared, message, w.bytes), "packed into slots");
        memset(shared, 0, ROOM), at_once(&w), gpu.finish();
        check(memcmp(shared, message, w.bytes), "packed into all slots");
        rates[3] = rate(&w, by_slots), rates[4] = rate(&w, waited_for), rates[5] = rate(&w, at_once);
        gpu.put(device, message, w.bytes);
        rates[1] = rate(&w, engine_out), rates[2] = rate(&w, plain_out);
        w.slots = pinned;
        memset(pinned, 0, ROOM);
        rates[0] = rate(&w, engine_out);
        check(memcmp(pinned, message, w.bytes), "copied by the engine");
        struct plan kept = w.plan;
        w.plan = plan_make(&o, PACK, 0, 0, source, target, device, 16);
        plan_tile(&w.plan, &gpu, lanes, w.columns, 0);
        gpu_fill(device, 0, ROOM);
        memset(pinned, 0, ROOM);
        rates[6] = rate(&w, staged);
        plan_free(&w.plan, &gpu);
        w.plan = kept;
      } else {
        w.slots = (unsigned char *)seen;
        memcpy(shared, message, w.bytes);
        for (int launches = 0; launches < 2; launches++) {
          gpu_fill(device_b, 0xff, b.bytes);
          if (launches) by_slots(&w);
          else at_once(&w);
          gpu.finish();
          gpu.fetch(all, device_b, b.bytes);
          size_t right = 0, written = 0;
          for (size_t k = 0; k < b.bytes / 8; k++) written += all[k] == all[k];
          size_t at = 0;
          for (int j = 0; j < n; j++)
            for (int i = 0; i < n && !owner(&a.axes[COLUMNS], j) && !owner(&b.axes[COLUMNS], j); i++)
              if (!owner(&a.axes[ROWS], i) && !owner(&b.axes[ROWS], i)) right += all[element_at(&b, i, j) / 8] == message[at++];
          check(right != count || written != count, "unpacked from slots");
        }
        rates[10] = rate(&w, by_slots), rates[11] = rate(&w, at_once);
        rates[8] = rate(&w, engine_in), rates[9] = rate(&w, plain_in);
        w.slots = pinned;
        rates[7] = rate(&w, engine_in);
      }
      plan_free(&w.plan, &gpu);
    }
    printf("%5zu Ki | %8.1f %8.1f | %8.1f %8.1f %8.1f %8.1f %8.1f | %8.1f %8.1f | %8.1f %8.1f %8.1f\n", w.slot >> 10, rates[0], rates[1], rates[2],
           rates[3], rates[4], rates[5], rates[6], rates[7], rates[8], rates[9], rates[10], rates[11]);
    fflush(stdout);
  }
}
