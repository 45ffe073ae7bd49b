/* Compares two ways: verifies both, then times them in turn in one run. */
#include "hpf.h"
#include <regex.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* If ranks share cores, the time of one rank would not include that of the ranks that ran before, so the time is that
 * of all ranks. */
double span(void (*run)(const void *what), const void *what) {
  double ends[2];
  MPI_Barrier(MPI_COMM_WORLD);
  ends[0] = -now();
  run(what);
  ends[1] = now();
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return ends[0] + ends[1];
}

struct planned plan_of(int count, struct array *from, struct array *to) {
  size_t n = (size_t)count;
  struct planned p = {.count = count, .owned = malloc(n * sizeof *p.owned), .plans = malloc(n * sizeof *p.plans)};
  p.sources = malloc(n * sizeof *p.sources);
  p.targets = malloc(n * sizeof *p.targets);
  for (int k = 0; k < count; k++) {
    int64_t element = from[k].components * (int64_t)sizeof(double);
    MUST(reblock_plan_create(MPI_COMM_WORLD, from[k].map, NULL, to[k].map, NULL, element, NULL, &p.owned[k]));
    p.plans[k] = p.owned[k];
    p.sources[k] = from[k].data;
    p.targets[k] = to[k].data;
  }
  return p;
}

void plan_batch(const void *planned) {
  const struct planned *p = planned;
  MUST(reblock_plan_execute_many(p->count, p->plans, p->sources, p->targets));
}

void plan_singly(const void *planned) {
  const struct planned *p = planned;
  for (int64_t k = 0; k < p->count; k++) MUST(reblock_plan_execute(p->plans[k], p->sources[k], p->targets[k]));
}

void plan_free(struct planned *p) {
  for (int64_t k = 0; k < p->count; k++) MUST(reblock_plan_free(&p->owned[k]));
  free(p->owned);
  free(p->plans);
  free(p->sources);
  free(p->targets);
}

static void verify(const char *name, const struct way *way) {
  for (int k = 0; k < way->count; k++) array_clear(&way->targets[k]);
  way->run(way->what);
  for (int k = 0; k < way->count; k++) {
    int64_t wrong = array_wrong(&way->targets[k]);
    if (wrong == 0) continue;
    fprintf(stderr, "%s, %s: %lld elements are wrong\n", name, way->name, (long long)wrong);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* A plain copy on all ranks of as many bytes as a move must write, which bounds its time. */
struct bound {
  const struct way *way;
  double **copies;
};

static size_t bytes_of(const struct array *a) { return (size_t)(a->elements * a->components) * sizeof(double); }

static void copy_all(const void *what) {
  const struct bound *b = what;
  for (int k = 0; k < b->way->count; k++) memcpy(b->copies[k], b->way->targets[k].data, bytes_of(&b->way->targets[k]));
}

static struct bound bound_of(const struct way *way) {
  struct bound b = {way, malloc((size_t)way->count * sizeof(double *))};
  for (int k = 0; k < way->count; k++) {
    size_t bytes = bytes_of(&way->targets[k]);
    b.copies[k] = memset(malloc(bytes + 1), 1, bytes + 1);
  }
  return b;
}

static void bound_free(struct bound *b) {
  for (int k = 0; k < b->way->count; k++) free(b->copies[k]);
  free(b->copies);
}

int is_wanted(const char *name) {
  const char *cases = getenv("BENCH_CASES");
  regex_t wanted;
  if (cases == NULL) return 1;
  if (regcomp(&wanted, cases, REG_EXTENDED | REG_NOSUB) != 0) {
    fprintf(stderr, "BENCH_CASES=%s is not a regular expression\n", cases);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int is = regexec(&wanted, name, 0, NULL, 0) == 0;
  regfree(&wanted);
  return is;
}

void contest(const char *name, int turns, const struct way *theirs, const struct way *ours) {
  if (!is_wanted(name)) return;
  if (getenv("BENCH_REPS")) turns = atoi(getenv("BENCH_REPS")) > 0 ? atoi(getenv("BENCH_REPS")) : 1;
  struct bound bound = bound_of(ours);
  const struct way copy = {"memcpy", copy_all, &bound, 0, NULL};
  const struct way *ways[3] = {theirs, ours, &copy};
  double *times[3], medians[3];
  int me, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int w = 0; w < 3; w++) {
    verify(name, ways[w]);
    times[w] = malloc((size_t)turns * sizeof(double));
  }
  for (int turn = -2; turn < turns; turn++) /* the first two are not counted */
    for (int w = 0; w < 3; w++) {
      double t = span(ways[w]->run, ways[w]->what);
      if (turn >= 0) times[w][turn] = t;
    }
  for (int w = 0; w < 3; w++) {
    medians[w] = median(times[w], turns);
    free(times[w]);
  }
  if (me == 0)
    printf("%5d  %-44s %-14s %10.3f  %-10s %10.3f %7.2f", ranks, name, theirs->name, medians[0] * 1e3, ours->name,
           medians[1] * 1e3, medians[0] / medians[1]);
  if (me == 0) ours->count > 0 ? printf(" %10.3f %7.2f\n", medians[2] * 1e3, medians[1] / medians[2]) : printf("\n");
  fflush(stdout);
  bound_free(&bound);
}
