/* Measures resizes over a network: a matrix moves from a grid of the first processes to a larger or smaller grid, by
 * pdgemr2d in several ways and through a file. Every element is checked after each move.
 *
 *   REBLOCK_LIB=.../libreblock.so mpirun -n RANKS resize PR PC QR QC SIZE BLOCK MBIT REPEATS SKIPPED SLOTS FOLDER VARIANT...
 *
 * SKIPPED rounds, which are not counted, open connections and warm caches. SLOTS consecutive ranks share a host's port.
 * Variants are those of bench-net, and "file": reblock_save and reblock_load of a file in FOLDER, which is on the
 * machine's own disk and not behind the network. Run by benches/net.sh resize. Exit status 3: the machine did not keep
 * up. */
#define _GNU_SOURCE
#include "clock.h"
#include "variants.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARIANTS = 16, MAX_REPEATS = 100, FIRST_VARIANT = 12 };
typedef int32_t map_from_blacs(const int *desc, void **map);
typedef int32_t transfers_file(MPI_Comm comm, const char *path, void *map, void *data, int64_t element, const char *dtype);

static int me, ranks;

/* A matrix on a grid of the first ranks; other ranks have no part of it. */
struct side { int context, rows, cols, row, col, local[2], desc[9]; double *data; };

static struct side make_side(int rows, int cols, int size, int block) {
  struct side s = {.context = new_grid("R", rows, cols), .row = -1, .col = -1};
  if (s.context >= 0) Cblacs_gridinfo(s.context, &s.rows, &s.cols, &s.row, &s.col);
  s.rows = rows, s.cols = cols;
  int in = me < rows * cols;
  s.local[0] = in ? local_count(size, block, s.row, 0, rows) : 0;
  s.local[1] = in ? local_count(size, block, s.col, 0, cols) : 0;
  int desc[9] = {1, in ? s.context : -1, size, size, block, block, 0, 0, s.local[0] > 0 ? s.local[0] : 1};
  memcpy(s.desc, desc, sizeof desc);
  s.data = malloc(sizeof(double) * ((size_t)s.local[0] * (size_t)s.local[1] + 1));
  return s;
}

/* Fills a local array, or counts its wrong elements. */
static int each(struct side *s, int block, int fill) {
  int bad = 0;
  for (int j = 0; j < s->local[1]; j++)
    for (int i = 0; i < s->local[0]; i++) {
      double *x = s->data + (size_t)j * (size_t)s->local[0] + i;
      double value = global_index(i, block, s->row, s->rows) + 1e5 * global_index(j, block, s->col, s->cols);
      if (fill) *x = value;
      else bad += *x != value;
    }
  return bad;
}

/* Counts block by block the messages between different hosts, each of `slots` ranks, and the bytes of the busiest
 * port. */
static double busiest(const struct side *a, const struct side *b, int size, int block, int slots, int *messages) {
  int n = ranks, blocks = size / block;
  double *bytes = calloc((size_t)(n * n), sizeof *bytes), most = 0;
  for (int i = 0; i < blocks; i++)
    for (int j = 0; j < blocks; j++) {
      int p = i % a->rows * a->cols + j % a->cols, q = i % b->rows * b->cols + j % b->cols;
      if (p / slots != q / slots) bytes[p * n + q] += 8. * block * block;
    }
  *messages = 0;
  for (int host = 0; host < n / slots; host++) {
    double out = 0, in = 0;
    for (int p = host * slots; p < (host + 1) * slots; p++)
      for (int q = 0; q < n; q++) out += bytes[p * n + q], in += bytes[q * n + p], *messages += bytes[p * n + q] > 0;
    most = most > out ? most : out;
    most = most > in ? most : in;
  }
  free(bytes);
  return most;
}

static void *library;
static void *named(const char *name) {
  void *found = library ? dlsym(library, name) : NULL;
  if (!found) fprintf(stderr, "resize: %s: %s\n", name, dlerror()), MPI_Abort(MPI_COMM_WORLD, 2);
  return found;
}
/* Moves the array through a file. */
static void by_file(struct side *a, struct side *b, const char *path) {
  void *from = NULL, *to = NULL;
  if (a->desc[1] >= 0 && ((map_from_blacs *)named("reblock_map_from_blacs"))(a->desc, &from)) MPI_Abort(MPI_COMM_WORLD, 3);
  if (b->desc[1] >= 0 && ((map_from_blacs *)named("reblock_map_from_blacs"))(b->desc, &to)) MPI_Abort(MPI_COMM_WORLD, 3);
  if (((transfers_file *)named("reblock_save"))(MPI_COMM_WORLD, path, from, a->data, 8, "<f8") ||
      ((transfers_file *)named("reblock_load"))(MPI_COMM_WORLD, path, to, b->data, 8, "<f8")) {
    fprintf(stderr, "resize: %s\n", ((const char *(*)(void))named("reblock_message"))());
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

/* Moves from `a` to `b`, through a file if there is a path. busy: percent of the cores' time. */
static double timed(const struct variant *v, const char *path, struct side *a, struct side *b, int size, int context,
                    double *busy) {
  double before[2], after[2], start, done;
  int one = 1;
  memset(b->data, 0xee, sizeof(double) * (size_t)b->local[0] * (size_t)b->local[1]);
  prepare(v);
  start = start_together(ranks);
  cores(&before[0], &before[1]);
  if (path) by_file(a, b, path);
  else v->library(&size, &size, a->data, &one, &one, a->desc, b->data, &one, &one, b->desc, &context);
  done = now() - start;
  MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  cores(&after[0], &after[1]);
  *busy = 100 - 100 * (after[0] - before[0]) / (after[1] > before[1] ? after[1] - before[1] : 1);
  return done;
}

int main(int argc, char **argv) {
  static struct variant variants[MAX_VARIANTS];
  static double times[MAX_VARIANTS][MAX_REPEATS], idle[MAX_VARIANTS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int count = argc - FIRST_VARIANT, n[FIRST_VARIANT - 1] = {0};
  for (int k = 1; k < FIRST_VARIANT - 1 && k < argc; k++) n[k] = atoi(argv[k]);
  int size = n[5], block = n[6], repeats = n[8], skipped = n[9], slots = n[10], wrong = 0, messages;
  int p = n[1] * n[2], q = n[3] * n[4];
  if (count < 1 || count > MAX_VARIANTS || p < 1 || q < 1 || ranks != (p > q ? p : q) || block < 1 || size < block ||
      size % block || repeats < 1 || repeats > MAX_REPEATS || skipped < 1 || slots < 1 || ranks % slots) {
    if (!me)
      fprintf(stderr, "resize: PR PC QR QC SIZE BLOCK MBIT REPEATS SKIPPED SLOTS FOLDER VARIANT..., on as many ranks as the larger grid\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  char path[512];
  snprintf(path, sizeof path, "%s/resize.npy", argv[FIRST_VARIANT - 1]);
  library = getenv("REBLOCK_LIB") ? dlopen(getenv("REBLOCK_LIB"), RTLD_NOW | RTLD_LOCAL) : NULL;
  for (int k = 0; k < count; k++)
    make_variant(&variants[k], strcmp(argv[FIRST_VARIANT + k], "file") ? argv[FIRST_VARIANT + k] : "auto", getenv("REBLOCK_LIB"));
  int context = new_grid("R", 1, ranks);
  struct side a = make_side(n[1], n[2], size, block), b = make_side(n[3], n[4], size, block);
  each(&a, block, 1);
  double bound = busiest(&a, &b, size, block, slots, &messages) * 8 / (atof(argv[7]) * 1e6 * PAYLOAD);
  for (int r = -skipped; r < repeats; r++)
    for (int k = 0; k < count; k++) {
      int v = (k + r + skipped) % count;
      double busy = 0, done = timed(&variants[v], strcmp(argv[FIRST_VARIANT + v], "file") ? NULL : path, &a, &b, size, context, &busy);
      wrong += each(&b, block, 0);
      if (r >= 0) {
        times[v][r] = done;
        idle[v] += (100 - busy) / repeats;
      }
    }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int busy = 0;
  for (int k = 0; k < count; k++) busy += idle[k] < (getenv("NET_IDLE") ? atof(getenv("NET_IDLE")) : 5);
  MPI_Bcast(&busy, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!me && wrong) fprintf(stderr, "resize: %d elements are wrong\n", wrong);
  else if (!me && busy) fprintf(stderr, "resize: no figures: the cores were busy\n");
  else if (!me)
    printf("%dx%d -> %dx%d, %d x %d in blocks of %d: %d messages, the busiest port takes %.2f ms\n", n[1], n[2], n[3], n[4], size,
           size, block, messages, bound * 1e3);
  for (int k = 0; !me && !wrong && !busy && k < count; k++) {
    double *t = times[k];
    qsort(t, (size_t)repeats, sizeof(double), ascending);
    printf("%-26s %9.2f %9.2f %9.2f %10.3f %6.0f\n", argv[FIRST_VARIANT + k], t[0] * 1e3, t[repeats / 2] * 1e3, t[repeats - 1] * 1e3,
           t[repeats / 2] / bound, idle[k]);
  }
  if (!me) remove(path);
  fflush(stdout);
  free(a.data), free(b.data);
  if (a.desc[1] >= 0) Cblacs_gridexit(a.desc[1]);
  if (b.desc[1] >= 0) Cblacs_gridexit(b.desc[1]);
  Cblacs_gridexit(context);
  Cblacs_exit(1);
  MPI_Finalize();
  return wrong ? 1 : busy ? 3 : 0;
}
