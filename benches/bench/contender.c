/* Libraries are loaded beside the linked ScaLAPACK with RTLD_LOCAL, so that none takes another's calls.
 *
 * The copy: each rank copies as many bytes as the larger of its two local arrays has, all ranks at the same time. A rank
 * has to write its part of B and to read its part of A; a copy of fewer bytes would leave something out. */
#define _GNU_SOURCE
#include "contender.h"
#include <dlfcn.h>
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gemr2d pigemr2d_, psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_;
static const char letters[] = "isdcz";

int find_contenders(struct contender *list, char **libraries, int count) {
  struct contender copy = {.name = "memcpy"};
  struct contender stock = {"ScaLAPACK", {pigemr2d_, psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_}, NULL, NULL, NULL};
  int found = 2;
  list[0] = copy, list[1] = stock;
  for (int k = 0; k < count; k++) {
    if (found + 2 > MOST_CONTENDERS) { fprintf(stderr, "bench: too many libraries\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
    struct contender *c = &list[found++];
    char *path = strchr(libraries[k], '='), symbol[16];
    void *handle = path ? dlopen(path + 1, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!handle) {
      fprintf(stderr, "bench: %s: %s\n", libraries[k], path ? dlerror() : "expected NAME=PATH");
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    *path = 0, c->name = libraries[k];
    for (int t = 0; t < 5; t++) {
      snprintf(symbol, sizeof symbol, "p%cgemr2d_", letters[t]);
      c->routines[t] = (gemr2d *)dlsym(handle, symbol);
    }
    c->buffer_bytes = (int64_t(*)(void))dlsym(handle, "reblock_buffer_bytes");
    struct contender with_its_own = *c;
    with_its_own.alloc = (int32_t(*)(int, int64_t, void **))dlsym(handle, "reblock_blacs_alloc");
    with_its_own.release = (int32_t(*)(int, void **))dlsym(handle, "reblock_blacs_free");
    char *name = malloc(strlen(c->name) + sizeof "+alloc");
    with_its_own.name = strcat(strcpy(name, c->name), "+alloc");
    if (with_its_own.alloc && with_its_own.release) list[found++] = with_its_own;
    else free(name);
  }
  return found;
}

static gemr2d *routine(const struct contender *c, char type) { return c->routines[strchr(letters, type) - letters]; }
static int is_copy(const struct contender *c) { return !strcmp(c->name, "memcpy"); }
int can(const struct contender *c, const struct work *w) {
  return w->a.data && w->b.data && (is_copy(c) || routine(c, w->a.type));
}

struct work own(const struct contender *c, const struct work *w) {
  struct work mine = *w;
  if (!c->alloc) return mine;
  void *a, *b;
  mine.a.data = c->alloc(w->context, (int64_t)w->a.bytes, &a) ? NULL : a;
  mine.b.data = c->alloc(w->context, (int64_t)w->b.bytes, &b) ? NULL : b;
  if (mine.a.data) fill(&mine.a);
  return mine;
}
void give_back(const struct contender *c, struct work *w) {
  if (!c->alloc) return;
  void *a = w->a.data, *b = w->b.data;
  if (a) c->release(w->context, &a);
  if (b) c->release(w->context, &b);
}

void act(const struct contender *c, struct work *w) {
  const struct matrix *larger = w->a.bytes > w->b.bytes ? &w->a : &w->b;
  int one = 1;
  if (is_copy(c)) memcpy(w->spare, larger->data, larger->bytes);
  else routine(c, w->a.type)(&w->m, &w->n, w->a.data, &one, &one, w->a.desc, w->b.data, &one, &one, w->b.desc, &w->context);
}

static long status(const char *entry) { /* bytes, of /proc/self/status */
  char line[128];
  long kib = -1;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, entry, strlen(entry))) kib = strtol(line + strlen(entry), NULL, 10);
  if (f) fclose(f);
  return kib < 0 ? -1 : kib * 1024;
}
/* Memory that malloc kept from earlier calls is given back first, else a later contender would grow less. */
long growth(const struct contender *c, struct work *w) {
  malloc_trim(0);
  FILE *f = fopen("/proc/self/clear_refs", "w");
  int reset = f && fputs("5", f) >= 0 && !fclose(f); /* the peak is now what is in use now */
  long before = status("VmRSS:");
  act(c, w);
  long peak = status("VmHWM:");
  return reset && before >= 0 && peak >= 0 ? (peak > before ? peak - before : 0) : -1;
}
