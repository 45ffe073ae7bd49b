/* The job of a program that resizes, and its helper functions. */
#ifndef HABITS_JOB_H
#define HABITS_JOB_H
#include "../scalapack.h"
#include "reblock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void blacs_gridinfo_(const int *, int *, int *, int *, int *);

static reblock_job *job;
static int me, wrong;
static int64_t round_;

static void fail(const char *what, int64_t n) {
  fprintf(stderr, "resizing: rank %d, round %d: %s (%lld): %s\n", me, (int)round_, what, (long long)n, reblock_message());
  wrong = 1;
}

static void must(int32_t code, const char *what) {
  if (!code) return;
  fail(what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns the number of working ranks. */
static int working(void) {
  MPI_Comm comm;
  int ranks;
  must(reblock_job_get_comm(job, &comm), "comm");
  MPI_Comm_rank(comm, &me), MPI_Comm_size(comm, &ranks);
  return ranks;
}

/* Returns the map of an axis in blocks on all working ranks. */
static inline reblock_map *in_blocks(int64_t extent) {
  MPI_Comm comm;
  int64_t shape = working(), lower = 0, upper = extent - 1;
  reblock_procs *procs;
  reblock_template *template;
  reblock_map *map;
  must(reblock_job_get_comm(job, &comm), "comm");
  must(reblock_procs_create(comm, 1, &shape, NULL, &procs), "procs");
  must(reblock_template_create(procs, 1, &lower, &upper, &template), "template");
  must(reblock_template_dist_block(template, 0, 0, 0), "block");
  must(reblock_template_commit(template), "commit");
  must(reblock_map_whole(template, &map), "map");
  reblock_template_free(&template), reblock_procs_free(&procs);
  return map;
}
#endif
