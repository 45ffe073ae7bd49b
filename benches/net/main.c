/* Compares redistributions over a network with the time of the busiest port. R(P,K,Q) with equal messages, one rank a
 * host, by hand over MPI, by ScaLAPACK and by reblock, in turn; every element is checked after each.
 *
 *   REBLOCK_LIB=.../libreblock.so mpirun -n P+Q bench-net P K Q MBIT REPEATS BYTES VARIANT...
 *
 * Run by benches/net.sh on the cluster of benches/net/cluster.sh, whose hosts share a clock: all ranks start at an
 * agreed time, and the measured time ends when the last rank is done. Exit status 3: the machine did not keep up, so
 * that the network was not the bottleneck; no figure is printed. */
#include "clock.h"
#include "variants.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARIANTS = 32, MAX_REPEATS = 1000, MIN_HOSTS = 16, LATE_STARTS = 50 };

static int me, ranks, late, wrong;
static double idle_least = 5; /* percent of the cores; NET_IDLE */

/* Makes a vector in which the value of each element is its index. */
static void make_vector(struct vector *v, const struct pattern *p, int bytes) {
  int map[256], sends = me < p->sources, from, to, m, xb;
  v->x = bytes / (int)sizeof(double), m = p->blocks * v->x, xb = p->factor * v->x;
  v->places = p->blocks / (sends ? p->sources : p->destinations);
  v->a = v->b = malloc(sizeof(double) * (size_t)v->places * (size_t)v->x);
  for (int r = 0; r < ranks; r++) map[r] = r;
  Cblacs_get(0, 0, &v->context), Cblacs_gridmap(&v->context, map, 1, 1, ranks);
  Cblacs_get(0, 0, &from), Cblacs_gridmap(&from, map, p->sources, p->sources, 1);
  Cblacs_get(0, 0, &to), Cblacs_gridmap(&to, map + p->sources, p->destinations, p->destinations, 1);
  int desca[9] = {1, from, m, 1, v->x, 1, 0, 0, v->places * v->x}, descb[9] = {1, to, m, 1, xb, 1, 0, 0, v->places * v->x};
  memcpy(v->desca, desca, sizeof desca), memcpy(v->descb, descb, sizeof descb);
  for (int i = 0; sends && i < v->places * v->x; i++) v->a[i] = (i / v->x * p->sources + me) * v->x + i % v->x;
}
static void leave(struct vector *v) {
  if (v->desca[1] >= 0) Cblacs_gridexit(v->desca[1]);
  if (v->descb[1] >= 0) Cblacs_gridexit(v->descb[1]);
  Cblacs_gridexit(v->context);
  free(v->a);
}
static int elements_wrong(const struct vector *v, const struct pattern *p) {
  int bad = 0, xb = v->x * p->factor;
  for (int i = 0; me >= p->sources && i < v->places * v->x; i++)
    bad += v->b[i] != (i / xb * p->destinations + me - p->sources) * xb + i % xb;
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return bad;
}

/* Times one redistribution; repeats it if a rank came too late to the start. `idle` is in percent of the cores'
 * time. */
static double timed(const struct variant *v, const struct pattern *p, struct vector *x, double *idle) {
  double start, done, before[2], after[2];
  for (;;) {
    if (me >= p->sources) memset(x->b, 0xee, sizeof(double) * (size_t)x->places * (size_t)x->x);
    prepare(v);
    MPI_Barrier(MPI_COMM_WORLD);
    start = now() + 0.010 + 0.0005 * ranks;
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int missed = now() > start;
    sleep_until(start);
    cores(&before[0], &before[1]);
    redistribute(v, p, x, me);
    done = now() - start;
    MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    cores(&after[0], &after[1]);
    MPI_Allreduce(MPI_IN_PLACE, &missed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += elements_wrong(x, p);
    *idle = 100 * (after[0] - before[0]) / (after[1] > before[1] ? after[1] - before[1] : 1);
    if (!missed || ++late > LATE_STARTS) return done;
  }
}

struct result { double times[MAX_REPEATS], idle; };

/* Returns the reason why the figures do not show the limits of the network; null if they do. */
static const char *invalid(const struct variant *v, const struct result *r, int variants, int repeats, double bound) {
  static char why[256];
  if (wrong) return "elements are wrong";
  if (late > LATE_STARTS) return "ranks were late at the start";
  for (int k = 0; k < variants; k++) {
    double ratio = r[k].times[repeats / 2] / bound;
    if (!strcmp(v[k].name, "reference") && (ratio < 0.97 || ratio > 1.03)) {
      snprintf(why, sizeof why, "the reference took %.3f of the bound, not 0.97 to 1.03", ratio);
      return why;
    }
    if (r[k].idle < idle_least) {
      snprintf(why, sizeof why, "in %.60s the cores were idle for %.1f %% of the time", v[k].name, r[k].idle);
      return why;
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  static struct variant variants[MAX_VARIANTS];
  static struct result results[MAX_VARIANTS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int count = argc - 7, repeats = argc > 7 ? atoi(argv[5]) : 0, bytes = argc > 7 ? atoi(argv[6]) : 0;
  struct pattern *p = count > 0 ? make_pattern(atoi(argv[1]), atoi(argv[2]), atoi(argv[3])) : NULL;
  if (!p || ranks != p->sources + p->destinations || ranks < MIN_HOSTS || ranks > 256 || count > MAX_VARIANTS - 1 ||
      repeats < 1 || repeats > MAX_REPEATS || bytes < 8) {
    if (!me) fprintf(stderr, "bench-net: P K Q MBIT REPEATS BYTES VARIANT... on P+Q ranks, at least 16; one block a pair\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (getenv("NET_IDLE")) idle_least = atof(getenv("NET_IDLE"));
  make_variant(&variants[0], "reference", NULL);
  for (int k = 1; k <= count; k++) make_variant(&variants[k], argv[6 + k], getenv("REBLOCK_LIB"));
  count++;
  struct vector x;
  make_vector(&x, p, bytes);
  double bound = p->steps * (bytes * 8. / (atof(argv[4]) * 1e6 * PAYLOAD)), idle;
  for (int r = -1; r < repeats; r++) /* the first round opens connections and is not counted */
    for (int k = 0; k < count; k++) {
      int v = (k + r + 1) % count;
      double t = timed(&variants[v], p, &x, &idle);
      if (r >= 0) results[v].times[r] = t, results[v].idle += idle / repeats;
    }
  for (int k = 0; k < count; k++) qsort(results[k].times, (size_t)repeats, sizeof(double), ascending);
  const char *why = invalid(variants, results, count, repeats, bound);
  int refused = why != NULL; /* rank 0 decides, because other ranks read the cores' times later */
  MPI_Bcast(&refused, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!me && refused) fprintf(stderr, "bench-net: no figures: %s\n", why);
  for (int k = 0; !me && !refused && k < count; k++) {
    const double *t = results[k].times;
    printf("%-26s %8d %9.2f %9.2f %9.2f %10.3f %6.0f\n", variants[k].name, bytes, t[0] * 1e3, t[repeats / 2] * 1e3,
           t[repeats - 1] * 1e3, t[repeats / 2] / bound, results[k].idle);
  }
  leave(&x);
  fflush(stdout);
  Cblacs_exit(1);
  MPI_Finalize();
  return refused ? 3 : 0;
}
