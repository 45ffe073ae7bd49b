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
  struct contender stock = {"ScaLAPACK", {pigemr2d_, psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_}, NULL};
  list[0] = copy, list[1] = stock;
  for (int k = 0; k < count; k++) {
    struct contender *c = &list[2 + k];
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
  }
  return 2 + count;
}

static gemr2d *routine(const struct contender *c, char type) { return c->routines[strchr(letters, type) - letters]; }
static int is_copy(const struct contender *c) { return !strcmp(c->name, "memcpy"); }
int can(const struct contender *c, const struct work *w) { return is_copy(c) || routine(c, w->a.type); }

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
