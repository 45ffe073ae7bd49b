#define _GNU_SOURCE
#include "guarded.h"
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct guarded guarded_make(size_t bytes, int guard_behind) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct guarded g = {.bytes = bytes, .opened = (bytes + page - 1) / page * page};
  g.mapped = g.opened + page;
  g.mapping = mmap(NULL, g.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (g.mapping == MAP_FAILED || mprotect(guard_behind ? g.mapping + g.opened : g.mapping, page, PROT_NONE)) {
    fprintf(stderr, "no guarded memory of %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  g.open = guard_behind ? g.mapping : g.mapping + page;
  g.data = guard_behind ? g.open + g.opened - bytes : g.open;
  return g;
}

void guarded_free(struct guarded *g) { munmap(g->mapping, g->mapped); }

char pattern(size_t at, uint64_t salt) { return (char)(0xA5 ^ (at * 29) ^ (salt * 131) ^ (at >> 8)); }

void guarded_fill(struct guarded *g, uint64_t salt) {
  for (size_t i = 0; i < g->opened; i++) g->open[i] = pattern(i, salt);
}
