#include "data.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void blacs_gridinfo_(const int *, int *, int *, int *, int *);

struct value value;
reblock_job *job;
int desc_a[9], desc_b[9], wrong;
double *a;
int32_t *b;
int64_t *c, *d;
enum dealing dealing;
void *(*allocate)(int64_t bytes, void *context);
int64_t blocks;
int refusals;
const char *command;

void fail(const char *what, int64_t n) {
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  fprintf(stderr, "resize: rank %d of its world, round %d: %s (%d): %s\n", me, (int)value.round, what, (int)n,
          reblock_message());
  wrong = 1;
}

void must(int32_t code, const char *what) {
  if (!code) return;
  fail(what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int64_t of(int64_t i, int64_t j, int64_t which) {
  int64_t round = which < 4 ? value.written[which] : value.round;
  uint64_t x = (uint64_t)(i * 1000003 + j * 7919 + which * 104729 + round * 15485863 + value.seed);
  x ^= x >> 29, x *= 0xbf58476d1ce4e5b9u, x ^= x >> 32;
  return (int64_t)(x >> 12);
}

/* Returns the global index of local index l: blocks of nb dealt out to np processes from process src on. */
static int global(int l, int nb, int at, int src, int np) { return (l / nb * np + (at - src + np) % np) * nb + l % nb; }

/* Writes a matrix of doubles or integers or, with `check`, compares it with the expected matrix. */
static void matrix(const int *d, void *data, int which, int check) {
  int rows, cols, row, col, i, j;
  blacs_gridinfo_(&d[1], &rows, &cols, &row, &col);
  for (int lj = 0; (j = global(lj, d[5], col, d[7], cols)) < d[3]; lj++)
    for (int li = 0; (i = global(li, d[4], row, d[6], rows)) < d[2]; li++) {
      size_t at = (size_t)lj * d[8] + li;
      int64_t want = of(i, j, which);
      if (which == 0 && !check) ((double *)data)[at] = (double)want;
      if (which == 1 && !check) ((int32_t *)data)[at] = (int32_t)want;
      if (!check) continue;
      if (which == 0 ? ((double *)data)[at] != (double)want : ((int32_t *)data)[at] != (int32_t)want) {
        fail("a matrix has a wrong element", which);
        return;
      }
    }
}

static void array(int64_t number, int64_t *data, int check) {
  reblock_map *map = NULL;
  int64_t extents[2], strides[2], before[2], after[2], at[2], index[2];
  int32_t own;
  must(reblock_job_get_map(job, number, &map), "map");
  must(reblock_map_local(map, extents, NULL, before, after, strides, NULL), "local");
  for (int k = 0; k < 2; k++) extents[k] = extents[k] ? before[k] + extents[k] + after[k] : 0;
  for (at[1] = 0; at[1] < extents[1]; at[1]++)
    for (at[0] = 0; at[0] < extents[0]; at[0]++) {
      must(reblock_map_global_index(map, at, index, &own), "global index");
      int64_t *place = &data[at[0] * strides[0] + at[1] * strides[1]];
      if (!own) continue;
      if (!check) *place = of(index[0], index[1], number);
      else if (*place != of(index[0], index[1], number)) {
        fail("an array has a wrong element", index[0]);
        at[1] = extents[1];
        break;
      }
    }
  reblock_map_free(&map);
}

static void each(int check, int64_t arrays) {
  if (check && strcmp(value.text, "what all ranks have alike")) fail("the value is wrong", 0);
  for (int k = 0; !check && k < 4; k++) value.written[k] = arrays >> k & 1 ? value.round : value.written[k];
  if (arrays & 1) matrix(desc_a, a, 0, check);
  if (arrays & 2) matrix(desc_b, b, 1, check);
  if (arrays & 4) array(2, c, check);
  if (arrays & 8) array(3, d, check);
}

void everything(int check) { each(check, 15); }
void some(int64_t arrays) { each(0, arrays); }

/* Distributes by GEN_BLOCK and INDIRECT on an arrangement of any shape. */
static int32_t deal(void *context, int64_t axes, const int64_t *shape, reblock_template *template) {
  int64_t sizes[ROWS], owners[COLS], left = ROWS;
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  enum dealing how = *(enum dealing *)context;
  if (axes != 2 || shape[0] > ROWS) return REBLOCK_ERR_ARGUMENT;
  if (how == REFUSES && me == 0) return REBLOCK_ERR_STATE;
  for (int64_t k = 0; k < shape[0]; left -= sizes[k], k++) sizes[k] = k + 1 == shape[0] || left < 3 + 2 * k ? left : 3 + 2 * k;
  for (int64_t j = 0; j < COLS; j++) owners[j] = (j * j + j / 3) % shape[1];
  if (how == DIFFERS && me == 0) owners[3] = (owners[3] + 1) % shape[1];
  int32_t code = reblock_template_dist_gen_block(template, 0, 0, shape[0], sizes);
  return code ? code : reblock_template_dist_indirect(template, 1, 1, COLS, owners);
}

/* Commits a template and returns its map, with a shadow unless the widths are NULL. Sets the elements of local
 * storage. */
static reblock_map *mapped(reblock_template *template, const int64_t *before, const int64_t *after, int64_t *elements) {
  reblock_map *map, *plain;
  must(reblock_template_commit(template), "commit");
  must(reblock_map_whole(template, &plain), "map");
  must(reblock_map_shadow(plain, before, after, &map), "shadow");
  must(reblock_map_elements(map, elements), "elements");
  reblock_map_free(&plain), reblock_template_free(&template);
  return map;
}

void descriptor(int *d, int m, int n, int mb, int nb, int rsrc, int csrc, int context, int *elements) {
  int rows, cols, row, col, local = 0, wide = 0;
  blacs_gridinfo_(&context, &rows, &cols, &row, &col);
  rsrc %= rows, csrc %= cols;
  while (global(local, mb, row, rsrc, rows) < m) local++;
  while (global(wide, nb, col, csrc, cols) < n) wide++;
  int entries[9] = {1, context, m, n, mb, nb, rsrc, csrc, local + 3};
  memcpy(d, entries, sizeof entries);
  *elements = (local + 3) * (wide + 1);
}

static void release(void *data, void *context) {
  if (context != &blocks) fail("another context in release", 0);
  blocks--, free(data);
}

void begin(int unit, int park, int skew) {
  reblock_job_options options;
  int context, count, ranks;
  int32_t joined;
  reblock_map *map_c = NULL, *map_d = NULL;
  must(reblock_job_options_init(&options), "options");
  options.unit = unit, options.park = park, options.skew = skew;
  options.allocate = allocate, options.release = allocate ? release : NULL, options.context = &blocks, options.command = command;
  int32_t code = reblock_job_init(MPI_COMM_WORLD, &options, &job);
  if (code == REBLOCK_ERR_CANCELLED) {
    /* The job continues without this process. */
    MPI_Finalize();
    exit(0);
  }
  must(code, "init");
  must(reblock_job_joined(job, &joined), "joined");
  must(reblock_job_get_blacs(job, 0, 0, &context), "blacs");
  if (!joined) {
    MPI_Comm comm;
    must(reblock_job_get_comm(job, &comm), "comm");
    MPI_Comm_size(comm, &ranks);
    strcpy(value.text, "what all ranks have alike");
    descriptor(desc_a, M, N, 4, 3, 0, 0, context, &count);
    a = malloc(count * sizeof *a);
    descriptor(desc_b, N, M, 5, 7, 0, 1, context, &count);
    b = malloc(count * sizeof *b);
    int64_t lower[2] = {1, -3}, upper[2] = {ROWS, COLS - 4}, shape[2] = {1, ranks}, elements;
    int64_t before[2] = {1, 0}, after[2] = {0, 2}, none[2] = {0, 0};
    reblock_procs *procs;
    reblock_template *template;
    must(reblock_procs_create(comm, 2, shape, NULL, &procs), "procs");
    must(reblock_template_create(procs, 2, lower, upper, &template), "template");
    must(reblock_template_dist_block(template, 0, 0, 0), "block");
    must(reblock_template_dist_cyclic(template, 1, 1, 3), "cyclic");
    map_c = mapped(template, before, after, &elements);
    c = malloc(elements * sizeof *c + 1);
    must(reblock_template_create(procs, 2, lower, upper, &template), "template");
    must(deal(&dealing, 2, shape, template), "deal");
    map_d = mapped(template, none, none, &elements);
    d = malloc(elements * sizeof *d + 1);
    reblock_procs_free(&procs);
  }
  must(reblock_job_add_matrix(job, desc_a, sizeof *a, (void **)&a), "matrix");
  must(reblock_job_add_matrix(job, desc_b, sizeof *b, (void **)&b), "matrix");
  must(reblock_job_add_array(job, map_c, sizeof *c, (void **)&c), "array");
  must(reblock_job_add_array(job, map_d, sizeof *d, (void **)&d), "array");
  must(reblock_job_set_formats(job, 3, deal, &dealing), "formats");
  must(reblock_job_add_value(job, &value, sizeof value), "value");
  if (map_c) reblock_map_free(&map_c), reblock_map_free(&map_d);
  if (!joined) blocks = 4, everything(0);
}

int working(void) {
  MPI_Comm comm;
  int ranks;
  must(reblock_job_get_comm(job, &comm), "comm");
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

int all_good(void) {
  MPI_Comm comm;
  int bad = wrong, any;
  must(reblock_job_get_comm(job, &comm), "comm");
  MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, comm);
  return !any;
}
