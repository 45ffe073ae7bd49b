/* Latencies: launches, events, a flag in host memory, and small redistributions. */
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 1000 };

static void nothing(void *what) {
  (void)what;
  gpu.launch(K_nothing, 1, NULL);
  gpu.finish();
}
static void launch_only(void *what) {
  (void)what;
  gpu.launch(K_nothing, 1, NULL);
}
static void *legacy_event;
static void after_legacy(void *what) {
  (void)what;
  MUST(cuEventRecord(legacy_event, NULL));
  MUST(cuStreamWaitEvent(gpu_stream, legacy_event, 0));
  gpu.launch(K_nothing, 1, NULL);
  gpu.finish();
}
static void record_and_wait(void *what) {
  (void)what;
  MUST(cuEventRecord(legacy_event, NULL));
  MUST(cuStreamWaitEvent(gpu_stream, legacy_event, 0));
}
static void empty_sync(void *what) {
  (void)what;
  gpu.finish();
}
static void legacy_sync(void *what) {
  (void)what;
  MUST(cuStreamSynchronize(NULL));
}
static void *own_event;
static void polled(void *what) {
  (void)what;
  gpu.launch(K_nothing, 1, NULL);
  MUST(cuEventRecord(own_event, gpu_stream));
  while (cuEventQuery(own_event)) continue;
}
static volatile unsigned *flag;
static void flagged(void *what) {
  static unsigned value;
  volatile unsigned *place = what;
  value++;
  void *arguments[] = {&place, &value};
  gpu.launch(K_raise_flag, 1, arguments);
  while (*flag != value) continue;
}

struct small { struct plan plan; enum kernel kernel; };
static void small_call(void *what) {
  struct small *s = what;
  plan_run(&s->plan, &gpu, s->kernel, NULL);
  gpu.finish();
}
static void small_launch(void *what) {
  struct small *s = what;
  plan_run(&s->plan, &gpu, s->kernel, NULL);
}
static void small_after_legacy(void *what) {
  struct small *s = what;
  MUST(cuEventRecord(legacy_event, NULL));
  MUST(cuStreamWaitEvent(gpu_stream, legacy_event, 0));
  plan_run(&s->plan, &gpu, s->kernel, NULL);
  gpu.finish();
}
static void small_new(void *what) {
  struct small *s = what;
  plan_tile(&s->plan, &gpu, s->plan.job.lanes, s->plan.job.columns, 0);
  plan_run(&s->plan, &gpu, s->kernel, NULL);
  gpu.finish();
}
static void small(int n, int from, int to, unsigned lanes, unsigned columns) {
  struct matrix a = blocks_of(n, 2, 2, from, 8), b = blocks_of(n, 2, 2, to, 8);
  struct problem o = {.a = &a, .b = &b, .m = n, .n = n};
  unsigned char *source[MAX_RANKS], *target[MAX_RANKS], *device_a = gpu.get(a.bytes), *device_b = gpu.get(b.bytes);
  double *host = malloc(a.bytes > b.bytes ? a.bytes : b.bytes);
  if (!host) fprintf(stderr, "no memory\n"), exit(2);
  arrays_of(&a, device_a, source), arrays_of(&b, device_b, target);
  matrix_fill(&a, host), gpu.put(device_a, host, a.bytes);
  gpu_fill(device_b, 0xff, b.bytes);
  struct small s = {.plan = plan_make(&o, DIRECT, -1, -1, source, target, NULL, 16)};
  s.kernel = copy_kernel(s.plan.unit, 0);
  plan_tile(&s.plan, &gpu, lanes, columns, 0);
  small_call(&s);
  gpu.fetch(host, device_b, b.bytes);
  if (matrix_wrong(&b, host, 0)) printf("small: WRONG\n"), exit(1);
  printf("%d x %d, %d -> %d, all ranks by one launch of %u blocks (%u x %u): %.2f us; after an event of the legacy stream %.2f us; "
         "tables of the plan put there each time %.2f us; the kernel alone %.2f us\n",
         n, n, from, to, s.plan.job.tiles, lanes, columns, median_us(TURNS, small_call, &s), median_us(TURNS, small_after_legacy, &s), median_us(TURNS, small_new, &s),
         median_ms(TURNS, small_launch, &s) * 1e3);
  fflush(stdout);
  plan_free(&s.plan, &gpu);
  gpu.drop(device_a), gpu.drop(device_b), free(host);
}

/* `pinned` is memory of the host that the GPU may write. */
void latencies(void *pinned) {
  MUST(cuEventCreate(&legacy_event, 2));
  MUST(cuEventCreate(&own_event, 2));
  flag = (volatile unsigned *)pinned;
  printf("latencies, us, medians of %d (SPIN=%s)\n", TURNS, getenv("SPIN") ? getenv("SPIN") : "");
  printf("  launch and cuStreamSynchronize          %7.2f\n", median_us(TURNS, nothing, NULL));
  printf("  launch, and its event is asked for      %7.2f\n", median_us(TURNS, polled, NULL));
  printf("  launch, and the host waits for a flag   %7.2f\n", median_us(TURNS, flagged, pinned));
  gpu.finish();
  printf("  launch alone                            %7.2f\n", median_us(TURNS, launch_only, NULL));
  gpu.finish();
  printf("  cuStreamSynchronize of an idle stream   %7.2f\n", median_us(TURNS, empty_sync, NULL));
  printf("  the same of the legacy stream           %7.2f\n", median_us(TURNS, legacy_sync, NULL));
  printf("  event of the legacy stream, and wait    %7.2f\n", median_us(TURNS, record_and_wait, NULL));
  gpu.finish();
  printf("  that, a launch and cuStreamSynchronize  %7.2f\n", median_us(TURNS, after_legacy, NULL));
  small(200, 32, 16, 32, 8);
  small(200, 32, 16, 64, 32);
  small(16, 4, 2, 32, 8);
  small(1000, 64, 36, 64, 16);
  small(2000, 64, 36, 64, 32);
}
