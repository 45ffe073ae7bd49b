/* Libraries are loaded beside the linked ScaLAPACK with RTLD_LOCAL, so that no library resolves the calls of another.
 *
 * The plain copy: each rank copies as many bytes as the larger of its two local arrays has, all ranks at the same time.
 * Any redistribution must read the rank's part of A and write its part of B, so a copy of fewer bytes would leave work
 * out. */
#define _GNU_SOURCE
#include "contender.h"
#include <dlfcn.h>
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "isdcz";

/* Finds the routines of a library, or of the library that is linked with this program. */
static void find_routines(struct contender *c, void *handle) {
  char symbol[16];
  for (int t = 0; t < 5; t++) {
    snprintf(symbol, sizeof symbol, "p%cgemr2d_", letters[t]);
    c->routines[t] = (gemr2d *)dlsym(handle, symbol);
    for (int second = 0; second < 2; second++) {
      const char *kind = letters[t] != 'c' && letters[t] != 'z' ? "" : second ? "c" : "u";
      snprintf(symbol, sizeof symbol, "p%ctran%s_", letters[t], kind);
      c->trans[t][second] = (tran *)dlsym(handle, symbol);
    }
    snprintf(symbol, sizeof symbol, "p%cgeadd_", letters[t]);
    c->adds[t] = (geadd *)dlsym(handle, symbol);
  }
}

int find_contenders(struct contender *list, char **libraries, int count) {
  struct contender copy = {.name = "memcpy", .kind = COPY};
  struct contender stock = {.name = "ScaLAPACK", .kind = LIBRARY};
  find_routines(&stock, RTLD_DEFAULT);
  int found = 2;
  list[0] = copy, list[1] = stock;
  for (int k = 0; k < count; k++) {
    if (found + 5 > MAX_CONTENDERS) { fprintf(stderr, "bench: too many libraries\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
    struct contender *c = &list[found++];
    char *path = strchr(libraries[k], '=');
    void *handle = path ? dlopen(path + 1, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!handle) {
      fprintf(stderr, "bench: %s: %s\n", libraries[k], path ? dlerror() : "expected NAME=PATH");
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    *path = 0, c->name = libraries[k];
    c->kind = LIBRARY;
    find_routines(c, handle);
    c->buffer_bytes = (int64_t(*)(void))dlsym(handle, "reblock_buffer_bytes");
    struct contender with_its_own = *c;
    with_its_own.alloc = (int32_t(*)(int, int64_t, void **))dlsym(handle, "reblock_blacs_alloc");
    with_its_own.release = (int32_t(*)(int, void **))dlsym(handle, "reblock_blacs_free");
    char *name = malloc(strlen(c->name) + sizeof "+alloc");
    with_its_own.name = strcat(strcpy(name, c->name), "+alloc");
    if (with_its_own.alloc && with_its_own.release) list[found++] = with_its_own;
    else free(name);
  }
  if (count) {
    struct contender same = list[2], turned = list[2];
    same.name = "gemr2d A -> B", same.kind = SAME_LAYOUT;
    turned.name = "gemr2d A' -> B", turned.kind = TURNED_LAYOUT;
    list[found++] = same, list[found++] = turned;
  }
  struct contender loop = {.name = "local loop", .kind = LOOP};
  list[found++] = loop;
  return found;
}

static long type_of(const struct work *w) { return strchr(letters, w->a.type) - letters; }
int can(const struct contender *c, const struct work *w) {
  long t = type_of(w);
  int updates = w->task != REDISTRIBUTE && c->kind == LIBRARY;
  return w->a.data && w->b.data &&
         (c->kind == COPY || c->kind == LOOP ||
          (updates ? adds(w->task) ? c->adds[t] != NULL : c->trans[t][w->task == TRANSPOSE_CONJUGATE] != NULL : c->routines[t] != NULL));
}
int asked(const struct contender *c, const struct work *w) {
  return c->kind <= LIBRARY || (c->kind == LOOP ? w->task == ADD : c->kind == SAME_LAYOUT ? w->task != REDISTRIBUTE : turns(w->task));
}
long mistakes(const struct contender *c, const struct work *w) {
  if (c->kind == COPY) return 0;
  int moves = c->kind == SAME_LAYOUT || c->kind == TURNED_LAYOUT;
  return wrong_elements(&w->a) + wrong_results(&w->b, moves ? REDISTRIBUTE : w->task);
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

static void update(const struct contender *c, struct work *w) {
  static const float alpha[2] = {(float)ALPHA, 0}, beta[2] = {(float)BETA, 0}, one[2] = {1, 0}, none[2] = {0, 0};
  static const double alpha2[2] = {ALPHA, 0}, beta2[2] = {BETA, 0}, one2[2] = {1, 0}, none2[2] = {0, 0};
  int first = 1, single = w->a.type == 's' || w->a.type == 'c';
  const char *trans = w->task == ADD ? "N" : "T";
  if (adds(w->task))
    c->adds[type_of(w)](trans, &w->m, &w->n, single ? (void *)alpha : (void *)alpha2, w->a.data, &first, &first, w->a.desc,
                        single ? (void *)beta : (void *)beta2, w->b.data, &first, &first, w->b.desc, 1);
  else
    c->trans[type_of(w)][w->task == TRANSPOSE_CONJUGATE](&w->m, &w->n, single ? (void *)one : (void *)one2, w->a.data, &first, &first,
                                                         w->a.desc, single ? (void *)none : (void *)none2, w->b.data, &first, &first,
                                                         w->b.desc);
}

/* Adds by a plain loop, which the compiler vectorises. Both arrays have the same layout. */
static void loop_over(const struct work *w) {
  size_t singles = w->a.bytes / 4, doubles = w->a.bytes / 8;
  if (w->a.type == 's' || w->a.type == 'c') {
    const float *restrict a = (const float *)w->a.data;
    float *restrict b = (float *)w->b.data;
    for (size_t k = 0; k < singles; k++) b[k] = (float)ALPHA * a[k] + (float)BETA * b[k];
  } else {
    const double *restrict a = (const double *)w->a.data;
    double *restrict b = (double *)w->b.data;
    for (size_t k = 0; k < doubles; k++) b[k] = ALPHA * a[k] + BETA * b[k];
  }
}

void act(const struct contender *c, struct work *w) {
  const struct matrix *larger = w->a.bytes > w->b.bytes ? &w->a : &w->b, *from = c->kind == TURNED_LAYOUT ? &w->turned : &w->a;
  int one = 1;
  if (c->kind == COPY) memcpy(w->spare, larger->data, larger->bytes);
  else if (c->kind == LOOP) loop_over(w);
  else if (c->kind == LIBRARY && w->task != REDISTRIBUTE) update(c, w);
  else
    c->routines[type_of(w)](&w->m, &w->n, from->data, &one, &one, from->desc, w->b.data, &one, &one, w->b.desc, &w->context);
}

static long status(const char *entry) { /* an entry of /proc/self/status in bytes */
  char line[128];
  long kib = -1;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, entry, strlen(entry))) kib = strtol(line + strlen(entry), NULL, 10);
  if (f) fclose(f);
  return kib < 0 ? -1 : kib * 1024;
}
/* Returns memory that malloc has kept from earlier calls to the system first; otherwise a later contender would grow
 * less. */
long growth(const struct contender *c, struct work *w) {
  malloc_trim(0);
  FILE *f = fopen("/proc/self/clear_refs", "w");
  int reset = f && fputs("5", f) >= 0 && !fclose(f); /* the peak is now what is in use now */
  long before = status("VmRSS:");
  act(c, w);
  long peak = status("VmHWM:");
  return reset && before >= 0 && peak >= 0 ? (peak > before ? peak - before : 0) : -1;
}
