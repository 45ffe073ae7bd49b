/* Compares the model's choice and price with measured times over a network. An array with blocks of uneven sizes is
 * moved by each of several schedules, in turn, and every element is checked after each move.
 *
 *   mpirun -n RANKS gen_block MBIT REPEATS CASE... -- SCHEDULER...
 *
 * A case is SHAPE/FROM/TO, as in 600x400/4x8:g1,g2/8x4:g3,b@0: the array's extents, then for each side the grid, one
 * format per axis, and optionally the first rank. gN is GEN_BLOCK with sizes drawn from seed N, b BLOCK, cN CYCLIC(N),
 * w all on one process (of an axis of the grid with one process). Elements are doubles. Prices are those of
 * reblock_plan_explain for the machine of REBLOCK_NETWORK. Run by benches/net.sh. Exit status 3: the machine did not
 * keep up. */
#define _GNU_SOURCE
#include "../../ctest/random.h"
#include "../../examples/must.h"
#include "clock.h"
#include <string.h>

enum { MAX_AXES = 3, MAX_PROCS = 64, MAX_REPEATS = 100, MAX_SCHEDULERS = 16, TEXT = 1 << 20 };
static int me, ranks;

struct side { int64_t grid[MAX_AXES], first; reblock_procs *procs; reblock_template *template; reblock_map *map; double *data; };

/* Draws uneven sizes, equal on all ranks: parts of n in the ratio of random numbers from 1 to 9. */
static void draw(int64_t n, int procs, uint64_t seed, int64_t *sizes) {
  int64_t parts[MAX_PROCS], all = 0, dealt = 0;
  uint64_t state = stream(seed);
  for (int p = 0; p < procs; p++) all += parts[p] = within(&state, 1, 9);
  for (int p = 0; p < procs; p++) dealt += sizes[p] = n * parts[p] / all;
  sizes[0] += n - dealt;
}

static void refuse(const char *text) {
  if (!me) fprintf(stderr, "gen_block: %s is no case\n", text);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Reads the numbers of "AxB...", and returns their number. */
static int numbers(const char *text, int64_t *out) {
  int axes = 0;
  char *end;
  do {
    if (axes == MAX_AXES) refuse(text);
    out[axes++] = strtoll(text, &end, 10);
    if (end == text) refuse(text);
    text = end + 1;
  } while (*end == 'x');
  return axes;
}

static void make_side(struct side *s, const char *text, int axes, const int64_t *shape) {
  const char *formats = strchr(text, ':'), *end = text + strcspn(text, "/"), *at = memchr(text, '@', (size_t)(end - text));
  int64_t places[MAX_PROCS], lower[MAX_AXES], count = 1, sizes[MAX_PROCS];
  if (!formats || formats > end || numbers(text, s->grid) != axes) refuse(text);
  for (int d = 0; d < axes; d++) count *= s->grid[d], lower[d] = 1;
  s->first = at ? atoll(at + 1) : 0;
  if (count < 1 || count > MAX_PROCS || s->first + count > ranks) refuse(text);
  for (int p = 0; p < count; p++) places[p] = s->first + p;
  MUST(reblock_procs_create(MPI_COMM_WORLD, axes, s->grid, places, &s->procs));
  MUST(reblock_template_create(s->procs, axes, lower, shape, &s->template));
  for (int d = 0; d < axes; d++) {
    char kind = *++formats;
    int64_t number = strtoll(formats + 1, (char **)&formats, 10);
    if (kind == 'g') {
      draw(shape[d], (int)s->grid[d], (uint64_t)number, sizes);
      MUST(reblock_template_dist_gen_block(s->template, d, d, s->grid[d], sizes));
    } else if (kind == 'c') MUST(reblock_template_dist_cyclic(s->template, d, d, number));
    else if (kind == 'b' || kind == 'w') MUST(reblock_template_dist_block(s->template, d, d, 0));
    else refuse(text);
  }
  MUST(reblock_template_commit(s->template));
  MUST(reblock_map_whole(s->template, &s->map));
  int64_t elements;
  MUST(reblock_map_elements(s->map, &elements));
  s->data = malloc(sizeof(double) * (size_t)(elements + 1));
}
static void free_side(struct side *s) {
  free(s->data);
  MUST(reblock_map_free(&s->map));
  MUST(reblock_template_free(&s->template));
  MUST(reblock_procs_free(&s->procs));
}

/* Fills a local array, or counts its wrong elements. */
static int each(struct side *s, int axes, const int64_t *shape, int fill) {
  int64_t extents[MAX_AXES] = {0}, local[MAX_AXES] = {0}, index[MAX_AXES];
  int32_t has_part;
  int bad = 0;
  MUST(reblock_map_local(s->map, extents, NULL, NULL, NULL, NULL, &has_part));
  int64_t count = has_part ? 1 : 0;
  for (int d = 0; d < axes; d++) count *= extents[d];
  for (int64_t k = 0; k < count; k++) {
    double value = 0;
    MUST(reblock_map_global_index(s->map, local, index, NULL));
    for (int d = axes; d-- > 0;) value = value * (double)shape[d] + (double)index[d];
    if (fill) s->data[k] = value;
    else bad += s->data[k] != value;
    for (int d = 0; d < axes && ++local[d] == extents[d]; d++) local[d] = 0;
  }
  return bad;
}

/* Returns a number from the library's JSON text. */
static double figure(const char *json, const char *name) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = strstr(json, key);
  return at ? atof(at + strlen(key)) : 0;
}
struct planned { char name[32], taken[32]; reblock_plan *plan; double price, times[MAX_REPEATS], idle; };

static int plan(struct planned *p, const char *name, const struct side *a, const struct side *b) {
  static char json[TEXT];
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  options.scheduler = strcmp(name, "auto") ? name : NULL;
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", name);
  if (reblock_plan_create(MPI_COMM_WORLD, a->map, NULL, b->map, NULL, 8, &options, &p->plan)) return 0; /* the scheduler does not apply */
  MUST(reblock_plan_explain(p->plan, json, sizeof json, NULL));
  const char *taken = strstr(json, "\"scheduler\":\"");
  if (taken) sscanf(taken + strlen("\"scheduler\":\""), "%31[^\"]", p->taken);
  p->price = figure(json, "price_seconds");
  return 1;
}

static double timed(struct planned *p, struct side *a, struct side *b, double *idle) {
  double before[2], after[2], start, done;
  start = start_together(ranks);
  cores(&before[0], &before[1]);
  MUST(reblock_plan_execute(p->plan, a->data, b->data));
  done = now() - start;
  MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  cores(&after[0], &after[1]);
  *idle = 100 * (after[0] - before[0]) / (after[1] > before[1] ? after[1] - before[1] : 1);
  return done;
}

static int measure(const char *text, double mbit, int repeats, char **names, int count) {
  static struct planned plans[MAX_SCHEDULERS];
  int64_t shape[MAX_AXES];
  struct side a, b;
  reblock_plan_info info;
  const char *from = strchr(text, '/'), *to = from ? strchr(from + 1, '/') : NULL;
  if (!to) refuse(text);
  int axes = numbers(text, shape), known = 0, wrong = 0, busy = 0;
  make_side(&a, from + 1, axes, shape), make_side(&b, to + 1, axes, shape);
  each(&a, axes, shape, 1);
  for (int k = 0; k < count; k++) known += plan(&plans[known], names[k], &a, &b);
  MUST(reblock_plan_info_init(&info));
  MUST(reblock_plan_inquire(plans[0].plan, &info));
  int64_t most = info.sent > info.received ? info.sent : info.received;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  double bound = (double)most * 8 / (mbit * 1e6 * PAYLOAD);
  for (int r = -1; r < repeats; r++) /* the first round opens connections and is not counted */
    for (int k = 0; k < known; k++) {
      struct planned *p = &plans[(k + r + 1) % known];
      int64_t elements;
      MUST(reblock_map_elements(b.map, &elements));
      memset(b.data, 0xee, sizeof(double) * (size_t)elements);
      double idle, done = timed(p, &a, &b, &idle);
      wrong += each(&b, axes, shape, 0);
      if (r >= 0) p->times[r] = done, p->idle += idle / repeats;
    }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int k = 0; k < known; k++) busy += plans[k].idle < (getenv("NET_IDLE") ? atof(getenv("NET_IDLE")) : 5);
  MPI_Bcast(&busy, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!me && wrong) fprintf(stderr, "gen_block: %d elements are wrong\n", wrong);
  else if (!me && busy) fprintf(stderr, "gen_block: no figures: the cores were busy\n");
  else if (!me) printf("%s, the busiest port takes %.2f ms\n", text, bound * 1e3);
  for (int k = 0; k < known; k++) {
    struct planned *p = &plans[k];
    qsort(p->times, (size_t)repeats, sizeof(double), ascending);
    double median = p->times[repeats / 2];
    if (!me && !wrong && !busy)
      printf("  %-16s %-16s %9.2f %9.2f %9.2f %9.2f %8.3f %8.3f %5.0f\n", p->name, p->taken, p->price * 1e3, p->times[0] * 1e3,
             median * 1e3, p->times[repeats - 1] * 1e3, p->price / median, median / bound, p->idle);
    MUST(reblock_plan_free(&p->plan));
  }
  free_side(&a), free_side(&b);
  if (!me) fflush(stdout);
  return wrong ? 1 : busy ? 3 : 0;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int cases = 3, status = 0;
  while (cases < argc && strcmp(argv[cases], "--")) cases++;
  int count = argc - cases - 1, repeats = argc > 2 ? atoi(argv[2]) : 0;
  if (count < 1 || count > MAX_SCHEDULERS || repeats < 1 || repeats > MAX_REPEATS || atof(argv[1]) <= 0) {
    if (!me) fprintf(stderr, "gen_block MBIT REPEATS CASE... -- SCHEDULER...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int k = 3; k < cases; k++) {
    int was = measure(argv[k], atof(argv[1]), repeats, argv + cases + 1, count);
    status = was ? was : status;
  }
  MPI_Finalize();
  return status;
}
