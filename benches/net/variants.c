/* Ways to redistribute a vector. All move the same messages between the same arrays. */
#define _GNU_SOURCE
#include "variants.h"
#include "library.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MESSAGES = 256, TAG = 1 };
gemr2d pdgemr2d_;

void make_variant(struct variant *v, const char *name, const char *library) {
  static const char *const plain[] = {"reference", "unscheduled-by-hand", "alltoallv", "scalapack"};
  memset(v, 0, sizeof *v);
  snprintf(v->name, sizeof v->name, "%s", name);
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (!strcmp(name, plain[i])) { v->library = i == 3 ? pdgemr2d_ : NULL; return; }
  sscanf(name, "%31[^/]/%15[^/]/%15s", v->scheduler, v->window, v->buffer);
  void *handle = library ? load_copy(library) : NULL;
  v->library = handle ? (gemr2d *)dlsym(handle, "pdgemr2d_") : NULL;
  if (v->library) return;
  fprintf(stderr, "bench-net: %s: %s\n", name, library ? dlerror() : "REBLOCK_LIB names no library");
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static void put(const char *name, const char *value) {
  if (*value && strcmp(value, "auto")) setenv(name, value, 1);
  else unsetenv(name);
}
void prepare(const struct variant *v) {
  put("REBLOCK_SCHEDULER", v->scheduler);
  put("REBLOCK_WINDOW", v->window);
  put("REBLOCK_BUFFER", v->buffer);
}

/* Sends in the order of a schedule with the minimum number of steps. Posts all receives first, and has one send under
 * way at a time. Ranks follow the order of the steps, but do not wait for each other between steps. */
static void reference(const struct message *list, int count, struct vector *v, int sends) {
  MPI_Request requests[MAX_MESSAGES];
  MPI_Status statuses[MAX_MESSAGES];
  for (int k = 0; k < count; k++) {
    int peer = list[k].peer;
    size_t at = (size_t)list[k].place * (size_t)v->x;
    if (sends) MPI_Send(v->a + at, v->x, MPI_DOUBLE, peer, TAG, MPI_COMM_WORLD);
    else MPI_Irecv(v->b + at, v->x, MPI_DOUBLE, peer, TAG, MPI_COMM_WORLD, &requests[k]);
  }
  if (!sends) MPI_Waitall(count, requests, statuses);
}

static void unscheduled(const struct message *list, int count, struct vector *v, int sends) {
  MPI_Request requests[MAX_MESSAGES];
  MPI_Status statuses[MAX_MESSAGES];
  int k = 0, last = -1;
  for (; k < count; k++) { /* by rank, not by step */
    int next = -1;
    for (int i = 0; i < count; i++)
      if (list[i].peer > last && (next < 0 || list[i].peer < list[next].peer)) next = i;
    size_t at = (size_t)list[next].place * (size_t)v->x;
    last = list[next].peer;
    if (sends) MPI_Isend(v->a + at, v->x, MPI_DOUBLE, last, TAG, MPI_COMM_WORLD, &requests[k]);
    else MPI_Irecv(v->b + at, v->x, MPI_DOUBLE, last, TAG, MPI_COMM_WORLD, &requests[k]);
  }
  MPI_Waitall(count, requests, statuses);
}

static void alltoallv(const struct message *list, int count, struct vector *v, int sends) {
  static int none[MAX_MESSAGES];
  int counts[MAX_MESSAGES] = {0}, places[MAX_MESSAGES] = {0};
  for (int k = 0; k < count; k++) {
    counts[list[k].peer] = v->x;
    places[list[k].peer] = list[k].place * v->x;
  }
  MPI_Alltoallv(v->a, sends ? counts : none, sends ? places : none, MPI_DOUBLE, v->b, sends ? none : counts,
                sends ? none : places, MPI_DOUBLE, MPI_COMM_WORLD);
}

void redistribute(const struct variant *v, const struct pattern *p, struct vector *x, int rank) {
  if (v->library) {
    int m = p->blocks * x->x, one = 1;
    v->library(&m, &one, x->a, &one, &one, x->desca, x->b, &one, &one, x->descb, &x->context);
    return;
  }
  struct message list[MAX_MESSAGES];
  int count = messages_of(p, rank, list), sends = rank < p->sources;
  (!strcmp(v->name, "reference") ? reference : !strcmp(v->name, "alltoallv") ? alltoallv : unscheduled)(list, count, x,
                                                                                                        sends);
}
