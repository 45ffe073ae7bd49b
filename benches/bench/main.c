/* Measures time and memory of redistributions, transpositions and sums, next to a plain copy (the upper bound), to
 * ScaLAPACK, and to the redistribution that sends the same messages. All contenders take turns in one run; each result
 * is checked element by element before it is timed.
 *
 *   [BENCH_CASES=REGEX] [BENCH_REPS=N or BENCH_SECONDS=S] mpirun -n RANKS bench RESULTS.csv NAME=LIBRARY...
 *
 * Runs the cases for that number of ranks, prints a table, and adds lines to RESULTS.csv. A time begins when the first
 * rank leaves a barrier and ends when the last rank is done, by the clock of the machine on which all ranks run. If
 * ranks share cores, the time of one rank would not include the time of the ranks that ran before it. "cpu": processor
 * time of all ranks together, waiting included; more reliable than the clock if other programs use the same cores.
 * "grown": the largest growth of a rank's resident memory in its first call, with the destination touched before (the
 * system counts in steps of some 100 KiB, and counts pages read from other ranks' arrays). "buffers": the library's own
 * count of its memory after that. */
#include "../median.h"
#include "contender.h"
#include "speeds.h"
#include <mpi.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MIN_REPEATS = 5, MAX_REPEATS = 1000, WARM_UP = 256 << 10 };

static int me, ranks, contenders, failed;
static struct contender contender[MAX_CONTENDERS];

struct result { double starts[MAX_REPEATS], turns[MAX_REPEATS], times[MAX_REPEATS], used[MAX_REPEATS]; long grown, buffers; int asked, able, right; };
static struct result results[MAX_CONTENDERS];

static void sum(long *x) { MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); }
static void most(long *x) { MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD); }

/* Lets MPI allocate the memory that it keeps for any traffic, so that it counts for no library. */
static void warm_up(void) {
  size_t bytes = (size_t)ranks * WARM_UP;
  char *from = calloc(1, bytes), *to = calloc(1, bytes);
  for (int r = 0; r < 3; r++) MPI_Alltoall(from, WARM_UP, MPI_BYTE, to, WARM_UP, MPI_BYTE, MPI_COMM_WORLD);
  free(from), free(to);
}

/* Checks the first call of a contender: its result and its memory. */
static void check(const struct contender *c, struct work *w, struct result *r) {
  r->asked = asked(c, w), r->able = r->asked && can(c, w), r->right = 0, r->grown = r->buffers = -1;
  if (!r->able) return;
  if (adds(w->task)) fill(&w->b);
  else spoil(&w->b);
  MPI_Barrier(MPI_COMM_WORLD);
  r->grown = growth(c, w);
  r->buffers = c->buffer_bytes ? (long)c->buffer_bytes() : -1;
  long wrong = mistakes(c, w);
  sum(&wrong), most(&r->grown), most(&r->buffers);
  r->right = !wrong;
  failed |= !r->right;
}

static double clocked(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
/* Runs the work. Returns the time at which this rank began; sets the time at which it was done, and its processor
 * time. */
static double timed(const struct contender *c, struct work *w, double *done, double *used) {
  MPI_Barrier(MPI_COMM_WORLD);
  double before = clocked(CLOCK_PROCESS_CPUTIME_ID), start = clocked(CLOCK_MONOTONIC);
  act(c, w);
  *done = clocked(CLOCK_MONOTONIC);
  *used = clocked(CLOCK_PROCESS_CPUTIME_ID) - before;
  return start;
}

/* Measures all contenders in turn, each with its own work. Returns the repetitions, which are equal on all ranks. */
static int measure(struct work *works) {
  double round = 0, done, used;
  for (int k = 0; k < contenders; k++) check(&contender[k], &works[k], &results[k]);
  for (int k = 0; k < contenders; k++)
    if (results[k].right) {
      double start = timed(&contender[k], &works[k], &done, &used);
      round += done - start;
    }
  MPI_Bcast(&round, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  /* Time limit for a case, except for the minimum number of repetitions. */
  double seconds = getenv("BENCH_SECONDS") ? atof(getenv("BENCH_SECONDS")) : 2;
  int reps = getenv("BENCH_REPS") ? atoi(getenv("BENCH_REPS")) : (int)(seconds / (round + 1e-9));
  int least = getenv("BENCH_REPS") ? 1 : MIN_REPEATS;
  reps = reps < least ? least : reps > MAX_REPEATS ? MAX_REPEATS : reps;
  for (int n = 0; n < reps; n++)
    for (int k = 0; k < contenders; k++)
      if (results[k].right) {
        struct result *r = &results[k];
        r->starts[n] = timed(&contender[k], &works[k], &r->times[n], &r->used[n]);
      }
  for (int k = 0; k < contenders; k++) {
    MPI_Allreduce(MPI_IN_PLACE, results[k].starts, reps, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, results[k].times, reps, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, results[k].used, reps, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int n = 0; n < reps; n++) results[k].turns[n] = results[k].times[n] -= results[k].starts[n];
    qsort(results[k].times, (size_t)reps, sizeof(double), ascending);
    qsort(results[k].used, (size_t)reps, sizeof(double), ascending);
  }
  return reps;
}

static void print_size(FILE *f, const char *format, long bytes, double unit) {
  char text[32] = "-";
  if (bytes >= 0) snprintf(text, sizeof text, "%.2f", (double)bytes / unit);
  fprintf(f, format, text);
}

/* If the machine had two speeds, prints the medians at each. */
static void print_speeds(int reps) {
  double slower = slower_speed(results[0].times, reps);
  for (int slow = 0; slower > 0 && slow < 2; slow++) {
    double copy = 0, some[MAX_REPEATS];
    for (int k = 0; k < contenders; k++) {
      if (!results[k].right) continue;
      int count = 0;
      for (int n = 0; n < reps; n++)
        if ((results[0].turns[n] >= slower) == slow) some[count++] = results[k].turns[n];
      qsort(some, (size_t)count, sizeof *some, ascending);
      double middle = some[count / 2] * 1e3;
      if (!k) printf("  %s speed of the machine, %d of %d turns:", slow ? "slower" : "faster", count, reps), copy = middle;
      printf(" %s %.3f (%.2f)", contender[k].name, middle, middle / copy);
    }
    printf("\n");
  }
}

/* Returns the median time of moving the matrix by p?gemr2d, from the layout of A' if A is transposed; 0 if it was not
 * measured. */
static double moving(enum task task, int reps) {
  enum kind wanted = turns(task) ? TURNED_LAYOUT : SAME_LAYOUT;
  for (int k = 0; k < contenders; k++)
    if (contender[k].kind == wanted && results[k].right) return results[k].times[reps / 2] * 1e3;
  return 0;
}

static void print(const struct bench_case *c, int reps, FILE *csv) {
  static const char *const names[] = {"gemr2d", "tran", "tranc", "geadd N", "geadd T"};
  double moved = moving(c->task, reps);
  printf("\n%s (p%c%s, %d ranks, %d x %d, %d calls)\n", c->name, c->type, names[c->task], ranks, c->m, c->n, reps);
  for (int k = 0; k < contenders; k++) {
    const struct result *r = &results[k];
    const char *name = contender[k].name;
    char to_moved[16] = "-";
    if (!r->asked) continue;
    if (!r->able || !r->right) { printf("  %-14s %s\n", name, r->able ? "WRONG" : contender[k].alloc ? "has no memory" : "has no such routine"); continue; }
    double low = r->times[0] * 1e3, middle = r->times[reps / 2] * 1e3, high = r->times[reps - 1] * 1e3;
    double used = r->used[reps / 2] * 1e3;
    double copy = middle / (results[0].times[reps / 2] * 1e3), stock = middle / (results[1].times[reps / 2] * 1e3);
    if (moved > 0) snprintf(to_moved, sizeof to_moved, "%.2f", middle / moved);
    printf("  %-14s %10.3f %10.3f %10.3f %10.3f %9.2f %12.3f %9s", name, low, middle, high, used, copy, stock, to_moved);
    print_size(stdout, " %10s", k ? r->grown : -1, 1 << 20);
    print_size(stdout, " %11s\n", r->buffers, 1 << 20);
    fprintf(csv, "%d,\"%s\",%c,%d,%d,%s,%d,%.6f,%.6f,%.6f,%.4f,%.4f,", ranks, c->name, c->type, c->m, c->n, name, reps, low,
            middle, high, copy, stock);
    print_size(csv, "%s,", k ? r->grown : -1, 1);
    print_size(csv, "%s", r->buffers, 1);
    fprintf(csv, ",%s,%.6f\n", to_moved, used);
  }
  print_speeds(reps);
  fflush(stdout);
}

static void run(const struct bench_case *c, FILE *csv) {
  struct work w = {.task = c->task, .m = c->m, .n = c->n};
  struct layout turned = {c->from.cols, c->from.rows, c->from.nb, c->from.mb, c->from.first, 1};
  /* Each case has a context of its own, so that memory that a library keeps for a context counts in every case. The
   * context has the source's shape if that covers all ranks, because COSTA takes the shapes of both grids from the
   * context. */
  int rows = c->from.rows * c->from.cols == ranks ? c->from.rows : 1;
  Cblacs_get(0, 0, &w.context);
  Cblacs_gridinit(&w.context, "R", rows, ranks / rows);
  w.a = turns(c->task) ? make_matrix(c->from, c->type, c->n, c->m) : make_matrix(c->from, c->type, c->m, c->n);
  w.b = make_matrix(c->to, c->type, c->m, c->n);
  w.b.other = 1;
  if (c->task != REDISTRIBUTE) w.b.desc[1] = w.a.desc[1]; /* one context for both */
  if (turns(c->task)) w.turned = make_matrix(turned, c->type, c->m, c->n), fill(&w.turned);
  size_t larger = w.a.bytes > w.b.bytes ? w.a.bytes : w.b.bytes;
  w.spare = malloc(larger + 1);
  memset(w.spare, 1, larger);
  fill(&w.a);
  struct work works[MAX_CONTENDERS];
  for (int k = 0; k < contenders; k++) works[k] = own(&contender[k], &w);
  int reps = measure(works);
  if (!me) print(c, reps, csv);
  for (int k = 0; k < contenders; k++) give_back(&contender[k], &works[k]);
  free_matrix(&w.a), free_matrix(&w.b), free(w.spare);
  if (turns(c->task)) free_matrix(&w.turned);
  Cblacs_gridexit(w.context);
}

int main(int argc, char **argv) {
  regex_t wanted;
  const char *pattern = getenv("BENCH_CASES") && *getenv("BENCH_CASES") ? getenv("BENCH_CASES") : ".";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  FILE *csv = argc > 1 && !me ? fopen(argv[1], "a") : NULL;
  int usable = argc > 1 && argc <= MAX_CONTENDERS && (me || csv);
  if (!usable || regcomp(&wanted, pattern, REG_EXTENDED | REG_NOSUB)) {
    if (!me) fprintf(stderr, "[BENCH_CASES=REGEX] mpirun -n RANKS bench RESULTS.csv NAME=LIBRARY...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  contenders = find_contenders(contender, argv + 2, argc - 2);
  warm_up();
  if (!me) printf("\n%-16s %10s %10s %10s %10s %9s %12s %9s %10s %11s\n", "", "min ms", "median ms", "max ms", "cpu ms", "/ memcpy",
                  "/ ScaLAPACK", "/ gemr2d", "grown MiB", "buffers MiB");
  for (int k = 0; k < case_count; k++)
    if (cases[k].ranks == ranks && !regexec(&wanted, cases[k].name, 0, NULL, 0)) run(&cases[k], csv);
  if (csv) fclose(csv);
  Cblacs_exit(1);
  MPI_Finalize();
  return failed;
}
