/* Times moves of matrices of doubles in the memory of a GPU by the library, on as many ranks as the job has. Each case
 * is verified first, against the same move in the host's memory.
 *
 *   REBLOCK_DEVICE=1 mpirun -n RANKS device [N]       N x N elements; default 8192
 *
 * A line has the median time of a call until the last rank has returned, bytes read and written by all ranks together,
 * and the fraction of the ceiling: the rate at which the driver copies a range within the GPU's memory on one rank. */
#include "../ctest/cuda/standin.h"
#include "median.h"
#include "reblock.h"
#include <mpi.h>

enum { TURNS = 11, WARM_UP = 3 };
static int me, ranks;

#define MUST(call) must(call, #call)
static void must(int32_t code, const char *call) {
  if (!code) return;
  fprintf(stderr, "rank %d: %s: %s: %s\n", me, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static reblock_map *map_of(int64_t n, int block, int rows, int columns) {
  char text[80];
  int64_t extents[2] = {n, n};
  snprintf(text, sizeof text, "(CYCLIC(%d), CYCLIC(%d)) ONTO P(%d,%d)", block, block, rows, columns);
  reblock_map *map;
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 2, extents, text, &map));
  return map;
}
/* Returns the bytes per second, read and written, of copies by the driver. */
static double ceiling_of(size_t bytes) {
  double times[TURNS];
  uint64_t from, to;
  enter(DEVICE_ARRAY);
  DRIVER(cuMemAlloc_v2(&from, bytes));
  DRIVER(cuMemAlloc_v2(&to, bytes));
  for (int k = -WARM_UP; k < TURNS; k++) {
    double begin = MPI_Wtime();
    DRIVER(cuMemcpyDtoD_v2(to, from, bytes));
    DRIVER(cuCtxSynchronize());
    if (k >= 0) times[k] = MPI_Wtime() - begin;
  }
  DRIVER(cuMemFree_v2(from));
  DRIVER(cuMemFree_v2(to));
  leave();
  return 2 * (double)bytes / median(times, TURNS);
}
static int time_one(int64_t n, int from_block, int to_block, double ceiling) {
  int rows = ranks >= 4 ? 2 : 1;
  reblock_map *maps[2] = {map_of(n, from_block, rows, ranks / rows), map_of(n, to_block, ranks / rows, rows)};
  reblock_plan *plan;
  MUST(reblock_plan_create(MPI_COMM_WORLD, maps[0], NULL, maps[1], NULL, 8, NULL, &plan));
  int64_t count[2];
  for (int k = 0; k < 2; k++) MUST(reblock_map_elements(maps[k], &count[k]));
  double *host = malloc(8 * (size_t)count[0] + 8), *want = calloc((size_t)count[1] + 1, 8), *got = calloc((size_t)count[1] + 1, 8), times[TURNS];
  for (int64_t i = 0; i < count[0]; i++) host[i] = (double)(i * ranks + me);
  MUST(reblock_plan_execute(plan, host, want));
  struct placed a = placed(DEVICE_ARRAY, host, 8 * (size_t)count[0], 0), b = placed(DEVICE_ARRAY, got, 8 * (size_t)count[1], 0);
  for (int k = -WARM_UP; k < TURNS; k++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), took;
    MUST(reblock_plan_execute(plan, a.data, b.data));
    took = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (k >= 0) times[k] = took;
  }
  take_back(&b, got);
  take_back(&a, host);
  int wrong = memcmp(got, want, 8 * (size_t)count[1]) != 0;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  double typical = median(times, TURNS), rate = 16 * (double)n * (double)n / typical;
  if (!me && wrong) printf("%lld^2, blocks %d -> %d, %d ranks: WRONG on %d ranks\n", (long long)n, from_block, to_block, ranks, wrong);
  else if (!me)
    printf("%lld^2, blocks %d -> %d, %d ranks: %.3f ms, %.1f GB/s, %.3f of a plain copy\n", (long long)n, from_block, to_block, ranks,
           typical * 1e3, rate / 1e9, rate / ceiling);
  fflush(stdout);
  MUST(reblock_plan_free(&plan));
  for (int k = 0; k < 2; k++) MUST(reblock_map_free(&maps[k]));
  free(host), free(want), free(got);
  return wrong;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int64_t n = argc > 1 ? atoll(argv[1]) : 8192;
  double ceiling = me ? 0 : ceiling_of(8 * (size_t)(n * n));
  if (!me) printf("plain copy by the driver: %.1f GB/s read and written\n", ceiling / 1e9);
  static const int blocks[][2] = {{128, 36}, {64, 256}, {1, 256}};
  int wrong = 0;
  for (int k = 0; k < 3; k++) wrong += time_one(n, blocks[k][0], blocks[k][1], ceiling);
  wrong += time_one(n < 200 ? n : 200, 32, 16, ceiling);
  MPI_Finalize();
  return wrong != 0;
}
