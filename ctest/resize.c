/* Jobs that grow and shrink at random, with everything compared after each change: resize ROUNDS SEED MOST UNIT.
 * resize mistakes, resize refused, resize dies: what goes wrong. */
#include "reblock.h"
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void blacs_gridinfo_(const int *, int *, int *, int *, int *);

enum { M = 61, N = 47, ROWS = 33, COLS = 29 };

static struct { int64_t round, seed; char text[37]; } value;
static reblock_job *job;
static int desc_a[9], desc_b[9], wrong;
static double *a;
static int32_t *b;
static int64_t *c;

static void fail(const char *what, int64_t n) {
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  fprintf(stderr, "resize: rank %d of its world, round %d: %s (%d): %s\n", me, (int)value.round, what, (int)n,
          reblock_message());
  wrong = 1;
}

static void must(int32_t code, const char *what) {
  if (!code) return;
  fail(what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int64_t of(int64_t i, int64_t j, int64_t which) {
  uint64_t x = (uint64_t)(i * 1000003 + j * 7919 + which * 104729 + value.round * 15485863 + value.seed);
  x ^= x >> 29, x *= 0xbf58476d1ce4e5b9u, x ^= x >> 32;
  return (int64_t)(x >> 12);
}

/* Global index of local index l: blocks of nb dealt out to np processes from process src on. */
static int global(int l, int nb, int at, int src, int np) { return (l / nb * np + (at - src + np) % np) * nb + l % nb; }

/* Compares a matrix of doubles or integers with what it should have (check), or writes that. */
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

static void array(int check) {
  reblock_map *map = NULL;
  int64_t extents[2], strides[2], before[2], after[2], at[2], index[2];
  int32_t own;
  must(reblock_job_map(job, 2, &map), "map");
  must(reblock_map_local(map, extents, NULL, before, after, strides, NULL), "local");
  for (int k = 0; k < 2; k++) extents[k] = extents[k] ? before[k] + extents[k] + after[k] : 0;
  for (at[1] = 0; at[1] < extents[1]; at[1]++)
    for (at[0] = 0; at[0] < extents[0]; at[0]++) {
      must(reblock_map_global_index(map, at, index, &own), "global index");
      int64_t *place = &c[at[0] * strides[0] + at[1] * strides[1]];
      if (!own) continue;
      if (!check) *place = of(index[0], index[1], 2);
      else if (*place != of(index[0], index[1], 2)) {
        fail("the array has a wrong element", index[0]);
        at[1] = extents[1];
        break;
      }
    }
  reblock_map_free(&map);
}

static void everything(int check) {
  if (check && strcmp(value.text, "what all ranks have alike")) fail("the value is wrong", 0);
  matrix(desc_a, a, 0, check);
  matrix(desc_b, b, 1, check);
  array(check);
}

static int64_t any_size(void *most, int64_t ranks, double seconds) {
  (void)seconds;
  int64_t wanted = 1 + of(value.round, ranks, 9) % *(int64_t *)most;
  if (getenv("RESIZE_TRACE")) fprintf(stderr, "resize: round %d: %d -> %d\n", (int)value.round, (int)ranks, (int)wanted);
  return wanted;
}

static void descriptor(int *d, int m, int n, int mb, int nb, int rsrc, int csrc, int context, int *elements) {
  int rows, cols, row, col, local = 0, wide = 0;
  blacs_gridinfo_(&context, &rows, &cols, &row, &col);
  rsrc %= rows, csrc %= cols;
  while (global(local, mb, row, rsrc, rows) < m) local++;
  while (global(wide, nb, col, csrc, cols) < n) wide++;
  int entries[9] = {1, context, m, n, mb, nb, rsrc, csrc, local + 3};
  memcpy(d, entries, sizeof entries);
  *elements = (local + 3) * (wide + 1);
}

/* Registers everything; in a process that has joined, all of it is there then. */
static void begin(int unit, int park) {
  reblock_job_options options;
  int context, count, ranks;
  int32_t joined;
  reblock_map *map = NULL;
  must(reblock_job_options_init(&options), "options");
  options.unit = unit, options.park = park;
  must(reblock_job_init(MPI_COMM_WORLD, &options, &job), "init");
  must(reblock_job_joined(job, &joined), "joined");
  must(reblock_job_blacs(job, 0, 0, &context), "blacs");
  if (!joined) {
    MPI_Comm comm;
    must(reblock_job_comm(job, &comm), "comm");
    MPI_Comm_size(comm, &ranks);
    strcpy(value.text, "what all ranks have alike");
    descriptor(desc_a, M, N, 4, 3, 0, 0, context, &count);
    a = malloc(count * sizeof *a);
    descriptor(desc_b, N, M, 5, 7, 0, 1, context, &count);
    b = malloc(count * sizeof *b);
    int64_t lower[2] = {1, -3}, upper[2] = {ROWS, COLS}, shape[2] = {1, ranks}, before[2] = {1, 0}, after[2] = {0, 2};
    reblock_procs *procs;
    reblock_template *template;
    reblock_map *plain;
    must(reblock_procs_create(comm, 2, shape, NULL, &procs), "procs");
    must(reblock_template_create(procs, 2, lower, upper, &template), "template");
    must(reblock_dist_block(template, 0, 0, 0), "block");
    must(reblock_dist_cyclic(template, 1, 1, 3), "cyclic");
    must(reblock_template_commit(template), "commit");
    must(reblock_map_whole(template, &plain), "map");
    must(reblock_map_shadow(plain, before, after, &map), "shadow");
    int64_t elements;
    must(reblock_map_elements(map, &elements), "elements");
    c = malloc(elements * sizeof *c + 1);
    reblock_map_free(&plain), reblock_template_free(&template), reblock_procs_free(&procs);
  }
  must(reblock_job_matrix(job, desc_a, sizeof *a, (void **)&a), "matrix");
  must(reblock_job_matrix(job, desc_b, sizeof *b, (void **)&b), "matrix");
  must(reblock_job_array(job, map, sizeof *c, (void **)&c), "array");
  must(reblock_job_value(job, &value, sizeof value), "value");
  if (map) reblock_map_free(&map);
  if (!joined) everything(0);
}

/* Whether nothing is wrong on any rank that works. */
static int all_good(void) {
  MPI_Comm comm;
  int bad = wrong, any;
  must(reblock_job_comm(job, &comm), "comm");
  MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, comm);
  return !any;
}

/* Open files, and KiB of memory that is resident. */
static void held(int *files, long *memory) {
  char line[200];
  *files = 0, *memory = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) ++*files;
  if (folder) closedir(folder);
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status)) sscanf(line, "VmRSS: %ld", memory);
  if (status) fclose(status);
}

static int rounds(int64_t count, int64_t most, int print) {
  int32_t state = REBLOCK_JOB_SAME;
  int files[2] = {0, 0};
  long memory[2] = {0, 0};
  must(reblock_job_policy(job, any_size, &most), "policy");
  while (state != REBLOCK_JOB_LEAVE) {
    everything(1);
    if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
    if (value.round == count / 3) held(&files[0], &memory[0]);
    if (value.round == count) {
      held(&files[1], &memory[1]);
      if (print) printf("resize: rank 0 has %d open files (%d after a third of the rounds), %ld KiB (%ld)\n", files[1], files[0],
                        memory[1], memory[0]);
      if (print) printf("resize: %d rounds of growing and shrinking: everything as it should be\n", (int)count);
      return 1;
    }
    value.round++;
    everything(0);
    must(reblock_job_step(job, &state), "step");
  }
  return 0;
}

/* All ranks have the code that is expected, and nothing has changed. */
static void expect(int32_t code, int32_t want, const char *what) {
  if (code != want) fail(what, code);
  everything(1);
  if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
  value.round++;
  everything(0);
}

static void mistakes(int me, int ranks) {
  int32_t state = 7;
  char name[64], policy[80];
  int kept = desc_a[2];
  if (me == ranks - 1) desc_a[2] -= 1;
  expect((desc_a[2] = kept, reblock_job_step(job, &state)), 0, "a good descriptor");
  int32_t code;
  if (ranks > 1) {
    if (me == ranks - 1) desc_a[2] = kept - 1;
    code = reblock_job_expand(job, ranks + 1, &state);
    desc_a[2] = kept;
    expect(code, REBLOCK_ERR_DIFFERS, "a descriptor that is wrong on one rank");
  }
  if (me == 0) desc_b[8] = 0;
  code = reblock_job_step(job, &state);
  if (me == 0) desc_b[8] = desc_b[8] ? desc_b[8] : 1000;
  if (me == 0) {
    int count;
    descriptor(desc_b, N, M, 5, 7, 0, 1, desc_b[1], &count);
  }
  expect(code, REBLOCK_ERR_ARGUMENT, "LLD_ of 0 on one rank");
  expect(reblock_job_shrink(job, 0, &state), REBLOCK_ERR_ARGUMENT, "shrink to 0 ranks");
  if (ranks > 1) {
    expect(reblock_job_shrink(job, 1, &state), REBLOCK_ERR_STATE, "shrink below the first world");
    code = me == 0 ? reblock_job_step(job, &state) : reblock_job_shrink(job, 1, &state);
    expect(code, REBLOCK_ERR_DIFFERS, "a step that the others do not make");
    code = reblock_job_expand(job, me == 0 ? ranks + 1 : ranks + 2, &state);
    expect(code, REBLOCK_ERR_DIFFERS, "another size on one rank");
    reblock_job *none = NULL;
    code = reblock_job_step(me == 0 ? none : job, &state);
    expect(code, REBLOCK_ERR_HANDLE, "no job on one rank");
  }
  expect(reblock_job_expand(job, ranks, &state), REBLOCK_ERR_ARGUMENT, "expand to the size that there is");
  if (reblock_job_policy_text(job, "often") != REBLOCK_ERR_ARGUMENT) fail("a policy that is none", 0);
  snprintf(name, sizeof name, "/tmp/reblock-resize-%d", (int)getpid());
  snprintf(policy, sizeof policy, "file:%s", name);
  must(reblock_job_policy_text(job, policy), "policy");
  expect(reblock_job_step(job, &state), 0, "a policy file that is not there");
  FILE *file = fopen(name, "w");
  fputs("as many as there are\n", file);
  fclose(file);
  expect(reblock_job_step(job, &state), 0, "rubbish in the policy file");
  if (state != REBLOCK_JOB_SAME) fail("rubbish changes the size", state);
  unlink(name);
  reblock_job_times times;
  reblock_job_price price;
  must(reblock_job_times_of(job, &times), "times");
  must(reblock_job_price_of(job, 2 * ranks, &price), "price");
  if (price.bytes <= 0 || price.messages <= 0 || !isfinite(price.seconds)) fail("a price that cannot be", price.bytes);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int me, ranks, parent;
  MPI_Comm up;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_get_parent(&up);
  parent = up != MPI_COMM_NULL;
  const char *mode = argc > 1 ? argv[1] : "6";
  if (parent && !strcmp(mode, "dies")) _exit(3);
  begin(argc > 4 ? atoi(argv[4]) : 0, atoi(mode) > 0);
  int stays = 1;
  if (atoi(mode) > 0) {
    int32_t joined;
    must(reblock_job_joined(job, &joined), "joined");
    if (!joined) value.seed = argc > 2 ? atoll(argv[2]) : 1, everything(0);
    stays = rounds(atoi(mode), argc > 3 ? atoi(argv[3]) : 6, me == 0 && !parent);
  } else if (!strcmp(mode, "mistakes")) {
    mistakes(me, ranks);
  } else {
    int32_t state, code = reblock_job_expand(job, ranks + 60, &state);
    if (!code) MPI_Abort(MPI_COMM_WORLD, 1);
    if (me == ranks - 1) printf("resize: refused: %s\n", reblock_message());
    expect(code, REBLOCK_ERR_MPI, "processes that cannot be started");
  }
  if (stays) must(reblock_job_finalize(&job), "finalize");
  else must(reblock_job_leave(&job), "leave");
  free(a), free(b), free(c);
  if (!parent && me == 0 && !wrong) printf("resize: %s: as it should be\n", mode), fflush(stdout);
#ifdef OPEN_MPI
  /* After a start that was refused, MPI_Finalize of Open MPI 4 waits for ever. */
  if (!strcmp(mode, "refused")) {
    int any;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 3 + any);
  }
#endif
  MPI_Finalize();
  return wrong;
}
