/* Checks, random numbers and short functions that make maps, for the programs that test habits with the HPF
 * interface. */
#ifndef HABITS_HPF_H
#define HABITS_HPF_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int me, ranks, wrong;
static char scene[256] = "";

static void expect(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s: not %s (%s)\n", me, scene, what, reblock_message());
  wrong++;
}
#define MUST(call) must(call, #call)
static inline void must(int code, const char *call) {
  if (!code) return;
  fprintf(stderr, "rank %d: %s: %s: %s: %s\n", me, scene, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The state of the random numbers, which are equal on all ranks. */
static uint64_t state = 1;
static inline int64_t draw(int64_t from, int64_t to) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return from + (int64_t)((state >> 33) % (uint64_t)(to - from + 1));
}

static inline void start(int *argc, char ***argv, unsigned seconds) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  alarm(seconds);
}

static inline int finish(const char *name) {
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%s: %d ranks, %d wrong\n", name, ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}

static inline reblock_procs *line(MPI_Comm comm, int64_t count) {
  reblock_procs *made;
  MUST(reblock_procs_create(comm, 1, &count, NULL, &made));
  return made;
}

/* Returns the map of an array of n indices from 1 on, with this distribution. */
static inline reblock_map *mapped(reblock_procs *procs, int64_t n, const char *distribution) {
  int64_t one = 1;
  reblock_template *with;
  reblock_map *made;
  MUST(reblock_template_create(procs, 1, &one, &n, &with));
  MUST(reblock_template_dist_text(with, distribution));
  MUST(reblock_template_commit(with));
  MUST(reblock_map_whole(with, &made));
  MUST(reblock_template_free(&with));
  return made;
}
#endif
