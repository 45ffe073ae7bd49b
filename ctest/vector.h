/* A vector that moves from blocks of one length, dealt out cyclically, to blocks of another length, for programs in
 * which calls fail. A program first defines the vector's length N. */
#ifndef VECTOR_H
#define VECTOR_H
#include "reblock.h"
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { UNTOUCHED = -7 };
static int me, ranks, wrong;
static int64_t source[N], target[N];

/* Checks that a call has returned the wanted code, with a text that gives the reason. */
static void wants(int32_t code, int32_t wanted, const char *text, const char *what) {
  if (code == wanted && strstr(reblock_message(), text)) return;
  fprintf(stderr, "rank %d: %s: %s, \"%s\", expected %s with \"%s\"\n", me, what, reblock_code_name(code), reblock_message(),
          reblock_code_name(wanted), text);
  wrong++;
}
#define MUST(call) wants(call, REBLOCK_OK, "", #call)

struct moved {
  int64_t from_block, to_block;
  reblock_procs *procs;
  reblock_template *from_template, *template;
  reblock_map *from, *to;
  reblock_plan *plan;
};

/* Returns the block size. A size of 0 stands for one block per rank. */
static int64_t blocks_of(int64_t block) { return block ? block : (N + ranks - 1) / ranks; }

static reblock_map *mapped(reblock_procs *procs, int64_t block, reblock_template **template) {
  int64_t lower = 1, upper = N;
  reblock_map *map = NULL;
  MUST(reblock_template_create(procs, 1, &lower, &upper, template));
  if (block) MUST(reblock_template_dist_cyclic(*template, 0, 0, block));
  else MUST(reblock_template_dist_block(*template, 0, 0, 0));
  MUST(reblock_template_commit(*template));
  MUST(reblock_map_whole(*template, &map));
  return map;
}

static inline struct moved make(MPI_Comm comm, int64_t from_block, int64_t to_block, const reblock_plan_options *options) {
  struct moved m = {.from_block = from_block, .to_block = to_block};
  int64_t shape = ranks;
  MUST(reblock_procs_create(comm, 1, &shape, NULL, &m.procs));
  m.from = mapped(m.procs, from_block, &m.from_template);
  m.to = mapped(m.procs, to_block, &m.template);
  MUST(reblock_plan_create(comm, m.from, NULL, m.to, NULL, sizeof *source, options, &m.plan));
  return m;
}

static inline void release(struct moved *m) {
  MUST(reblock_plan_free(&m->plan));
  MUST(reblock_map_free(&m->from));
  MUST(reblock_map_free(&m->to));
  MUST(reblock_template_free(&m->template));
  MUST(reblock_template_free(&m->from_template));
  MUST(reblock_procs_free(&m->procs));
}

static inline void empty(void) { for (int k = 0; k < N; k++) target[k] = UNTOUCHED; }
static inline void is_empty(const char *what) {
  for (int k = 0; k < N; k++)
    if (target[k] != UNTOUCHED) { wrong++, fprintf(stderr, "rank %d: %s: something is written\n", me, what); return; }
}

/* Returns element k of this rank's part, whose value is its index, from 0. */
static int64_t element(int64_t block, int64_t k) { return (k / block * ranks + me) * block + k % block; }
static inline void fill(const struct moved *m, int64_t *array) {
  int64_t count = 0;
  MUST(reblock_map_elements(m->from, &count));
  for (int64_t k = 0; k < count; k++) array[k] = element(blocks_of(m->from_block), k);
}
static inline void check(reblock_map *map, int64_t block, const int64_t *array, const char *what) {
  int64_t count = 0, bad = 0;
  MUST(reblock_map_elements(map, &count));
  for (int64_t k = 0; k < count; k++) bad += array[k] != element(blocks_of(block), k);
  if (bad) wrong++, fprintf(stderr, "rank %d: %s: %d elements are wrong\n", me, what, (int)bad);
}
static inline void execute(const struct moved *m) {
  fill(m, source);
  empty();
  MUST(reblock_plan_execute(m->plan, source, target));
  check(m->to, m->to_block, target, "execute");
}
#endif
