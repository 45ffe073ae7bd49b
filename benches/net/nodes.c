/* Compares ways to exchange messages between nodes that have several ranks and one port each. Every rank sends BYTES
 * bytes to every rank: by hand over MPI, with one message for each pair of nodes, and by plans of reblock from BLOCK to
 * CYCLIC(BYTES / 8), in turn. Every element is checked after each exchange.
 *
 *   mpirun -n RANKS nodes MBIT REPEATS BYTES[,BYTES...] NAME=PATH[:VARIABLE=VALUE...]...
 *
 * PATH is a library of reblock, and the variables are its settings. A path can be named several times: each copy is a
 * library of its own. A variable that is set for one library is unset for the others. For each size a line has the time
 * in which a port sends its bytes, the median times in ms, and two ratios for each library: its median divided by the
 * smallest median of all others ("best"), and by that of MPI_Alltoallv.
 *
 * Run by benches/nodes.sh on the cluster of benches/net/cluster.sh. Since ranks share cores, a common start at an
 * agreed instant would mostly measure when the system wakes the last rank. So the time of each rank begins at its
 * return from a barrier, and the slowest rank counts. */
#define _GNU_SOURCE
#include "clock.h"
#include "library.h"
#include "nodes.h"
#include <limits.h>
#include <reblock.h>
#include <string.h>

enum { HAND = 3, MAX_VARIANTS = 16, MAX_REPEATS = 100, MAX_SETTINGS = 8, COLUMN = 10 };

/* A library, its settings, and its plan for the present size. */
struct library {
  __typeof__(&reblock_message) message;
  __typeof__(&reblock_map_from_text) map_from_text;
  __typeof__(&reblock_map_free) map_free;
  __typeof__(&reblock_plan_create) plan_create;
  __typeof__(&reblock_plan_execute) plan_execute;
  __typeof__(&reblock_plan_free) plan_free;
  char *settings[MAX_SETTINGS], *values[MAX_SETTINGS];
  reblock_map *from, *to;
  reblock_plan *plan;
};
/* A way to exchange: a function, or a library if the function is null. */
struct variant {
  const char *name;
  void (*by_hand)(const struct nodes *, struct exchange *);
  struct library library;
  double times[MAX_REPEATS]; /* of the slowest rank, in seconds */
  int64_t wrong;
};
static struct variant variants[MAX_VARIANTS] = {
    {.name = "at once", .by_hand = at_once}, {.name = "Alltoallv", .by_hand = alltoallv}, {.name = "by node", .by_hand = by_node}};
static int count = HAND;

static void refuse(const char *text, const char *why) {
  fprintf(stderr, "nodes: %s: %s\n", text, why);
  MPI_Abort(MPI_COMM_WORLD, 2);
}
static void must(const struct variant *v, int32_t code) {
  if (code != REBLOCK_OK) refuse(v->name, v->library.message());
}

/* Sets the environment of a library. The first use of a library reads it. */
static void set_environment(const struct library *l) {
  for (int k = HAND; k < count; k++)
    for (int i = 0; variants[k].library.settings[i]; i++) unsetenv(variants[k].library.settings[i]);
  for (int i = 0; l->settings[i]; i++) setenv(l->settings[i], l->values[i], 1);
}

/* Adds the library of an argument NAME=PATH[:VARIABLE=VALUE...]. */
static void add_library(char *text) {
  if (count == MAX_VARIANTS) refuse(text, "too many libraries");
  struct variant *v = &variants[count++];
  struct library *l = &v->library;
  int settings = 0;
  v->name = strsep(&text, "=");
  char *path = strsep(&text, ":");
  if (!path) refuse(v->name, "expected NAME=PATH[:VARIABLE=VALUE...]");
  for (char *part; (part = strsep(&text, ":"));) {
    if (settings == MAX_SETTINGS - 1 || !strchr(part, '=')) refuse(part, "expected up to 7 of VARIABLE=VALUE");
    l->settings[settings] = strsep(&part, "=");
    l->values[settings++] = part;
  }
  void *handle = load_copy(path);
  if (!handle) refuse(path, "cannot be loaded");
#define FIND(routine)                                                                                                  \
  if (!(l->routine = (__typeof__(l->routine))dlsym(handle, "reblock_" #routine))) refuse(path, dlerror())
  FIND(message);
  FIND(map_from_text);
  FIND(map_free);
  FIND(plan_create);
  FIND(plan_execute);
  FIND(plan_free);
#undef FIND
}

static void make_plan(struct variant *v, int ranks, int cell) {
  struct library *l = &v->library;
  int64_t extent = (int64_t)ranks * ranks * cell;
  char format[32];
  snprintf(format, sizeof format, "(CYCLIC(%d))", cell);
  set_environment(l);
  must(v, l->map_from_text(MPI_COMM_WORLD, 1, &extent, "(BLOCK)", &l->from));
  must(v, l->map_from_text(MPI_COMM_WORLD, 1, &extent, format, &l->to));
  must(v, l->plan_create(MPI_COMM_WORLD, l->from, NULL, l->to, NULL, sizeof(double), NULL, &l->plan));
}
static void free_plan(struct variant *v) {
  must(v, v->library.plan_free(&v->library.plan));
  must(v, v->library.map_free(&v->library.from));
  must(v, v->library.map_free(&v->library.to));
}

/* Performs an exchange, records its time, and checks it. Repeat -1 is not recorded. */
static void exchange(const struct nodes *n, struct exchange *x, struct variant *v, int repeat) {
  fill(n, x);
  if (!v->by_hand) set_environment(&v->library);
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now();
  if (v->by_hand) v->by_hand(n, x);
  else must(v, v->library.plan_execute(v->library.plan, x->source, x->target));
  double seconds = now() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  v->wrong += elements_wrong(n, x);
  if (repeat >= 0) v->times[repeat] = seconds;
}

static int width(const char *text) { return strlen(text) < COLUMN ? COLUMN : (int)strlen(text) + 1; }

static void print_head(void) {
  char ratio[128];
  printf("%8s %*s", "bytes", COLUMN, "bound");
  for (int k = 0; k < count; k++) printf(" %*s", width(variants[k].name), variants[k].name);
  for (int k = HAND; k < count; k++) {
    for (int i = 0; i < 2; i++) {
      snprintf(ratio, sizeof ratio, "%.100s/%s", variants[k].name, i ? "Alltoallv" : "best");
      printf(" %*s", width(ratio), ratio);
    }
  }
  printf("\n");
}

static void print_line(int bytes, double bound, int repeats) {
  double medians[MAX_VARIANTS], best = 0;
  char ratio[128];
  for (int k = 0; k < count; k++) medians[k] = median(variants[k].times, repeats);
  for (int k = 0; k < HAND; k++) best = k && best < medians[k] ? best : medians[k];
  printf("%8d %*.3f", bytes, COLUMN, bound * 1e3);
  for (int k = 0; k < count; k++) printf(" %*.3f", width(variants[k].name), medians[k] * 1e3);
  for (int k = HAND; k < count; k++) {
    for (int i = 0; i < 2; i++) {
      snprintf(ratio, sizeof ratio, "%.100s/%s", variants[k].name, i ? "Alltoallv" : "best");
      printf(" %*.2f", width(ratio), medians[k] / (i ? medians[1] : best));
    }
  }
  printf("\n");
  fflush(stdout);
}

/* Measures one size; returns the exit status. */
static int measure(const struct nodes *n, double mbit, int repeats, int bytes) {
  struct exchange x;
  int status = 0;
  make_exchange(n, &x, bytes / (int)sizeof(double));
  for (int k = 0; k < count; k++) {
    variants[k].wrong = 0;
    if (k >= HAND) make_plan(&variants[k], n->ranks, x.cell);
  }
  for (int r = -1; r < repeats; r++) /* the first round opens connections and is not counted */
    for (int k = 0; k < count; k++)
      exchange(n, &x, &variants[(k + r + 1) % count], r);
  for (int k = HAND; k < count; k++) free_plan(&variants[k]);
  free_exchange(&x);
  for (int k = 0; k < count; k++) {
    if (!variants[k].wrong) continue;
    status = 1;
    if (!n->rank) fprintf(stderr, "nodes: %d bytes: %s: %lld elements are wrong\n", bytes, variants[k].name, (long long)variants[k].wrong);
  }
  double sent = (double)(n->count - 1) * n->width * n->width * bytes;
  if (!status && !n->rank) print_line(bytes, sent * 8 / (mbit * 1e6 * PAYLOAD), repeats);
  return status;
}

int main(int argc, char **argv) {
  struct nodes n;
  int status = 0;
  MPI_Init(&argc, &argv);
  double mbit = argc > 3 ? atof(argv[1]) : 0;
  int repeats = argc > 3 ? atoi(argv[2]) : 0;
  if (mbit <= 0 || repeats < 1 || repeats > MAX_REPEATS) refuse("usage", "MBIT REPEATS BYTES[,BYTES...] NAME=PATH[:VARIABLE=VALUE...]...");
  find_nodes(&n);
  for (int k = 4; k < argc; k++) add_library(argv[k]);
  if (!n.rank) print_head();
  for (char *list = argv[3], *text; (text = strsep(&list, ","));) {
    long bytes = atol(text);
    if (bytes < 8 || bytes % 8 || bytes / 8 > INT_MAX / n.ranks / n.width) refuse(text, "must be a multiple of 8, at least 8");
    int was = measure(&n, mbit, repeats, (int)bytes);
    status = was ? was : status;
  }
  MPI_Finalize();
  return status;
}
