/* Tests unusual mistakes of one rank or of all ranks: MPI_COMM_NULL on some ranks, a path that is wrong on one rank,
 * names with line breaks, lists that end in unreadable memory, owners outside of an axis, files beyond the process's
 * limit. Each must return a code and a text of one line on all ranks, and the next call must work.
 *
 *   mpirun -n RANKS hpf_mistaken FOLDER */
#include "hpf.h"
#include <dirent.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { N = 4000 };
static reblock_procs *procs;
static reblock_map *from, *to;
static reblock_plan *plan;
static double source[N], target[N];
static char folder[200], path[300];

/* Checks the code on this rank, one line of text that contains `part`, and a right move after it. */
static void due(int code, int wanted, const char *part) {
  const char *text = reblock_message();
  expect(code == wanted, reblock_code_name(wanted));
  if (code) expect(strstr(text, part) && !strchr(text, '\n') && !strchr(text, '\r'), part);
  memset(target, 0, sizeof target);
  MUST(reblock_plan_execute(plan, source, target));
  int64_t count, index;
  MUST(reblock_map_elements(to, &count));
  for (int64_t i = 0; i < count; i++) {
    MUST(reblock_map_global_index(to, &i, &index, NULL));
    if (target[i] != (double)index) { expect(0, "right afterwards"); break; }
  }
}

static void no_communicator(void) {
  reblock_procs *made = NULL;
  reblock_plan *other = NULL;
  reblock_scope *scope = NULL;
  int64_t shape = ranks;
  for (int who = 0; who < 3; who++) {
    int mine = who == 2 || me == (who ? ranks - 1 : 0);
    MPI_Comm comm = mine ? MPI_COMM_NULL : MPI_COMM_WORLD;
    snprintf(scene, sizeof scene, "no communicator, %d", who);
    due(reblock_procs_create(comm, 1, &shape, NULL, &made), REBLOCK_ERR_ARGUMENT, "MPI_COMM_NULL");
    due(reblock_plan_create(comm, from, NULL, to, NULL, 8, NULL, &other), REBLOCK_ERR_ARGUMENT, "MPI_COMM_NULL");
    due(reblock_scope_create(comm, &scope), REBLOCK_ERR_ARGUMENT, "MPI_COMM_NULL");
    due(reblock_save(comm, path, from, source, 8, NULL), REBLOCK_ERR_ARGUMENT, "MPI_COMM_NULL");
    due(reblock_load(comm, path, from, source, 8, NULL), REBLOCK_ERR_ARGUMENT, "MPI_COMM_NULL");
    expect(!made && !other && !scope, "without a handle");
  }
  /* A mistake of one rank right after mistakes of all ranks, which each rank detects by itself after some seconds. */
  for (int calls = 1; calls < 3; calls++)
    for (int rank = 0; rank < ranks; rank += ranks > 1 ? ranks - 1 : 1) {
      snprintf(scene, sizeof scene, "no communicator on rank %d after %d calls without one", rank, calls);
      for (int i = 0; i < calls; i++)
        expect(reblock_procs_create(MPI_COMM_NULL, 1, &shape, NULL, &made) == REBLOCK_ERR_ARGUMENT, "an error on all ranks");
      MPI_Comm comm = me == rank ? MPI_COMM_NULL : MPI_COMM_WORLD;
      due(reblock_plan_create(comm, from, NULL, to, NULL, 8, NULL, &other), REBLOCK_ERR_ARGUMENT, "MPI_COMM_NULL");
    }
}

static void paths(void) {
  char nowhere[300], text[40];
  snprintf(nowhere, sizeof nowhere, "%s/no\nwhere\r/file", folder);
  MUST(reblock_save(MPI_COMM_WORLD, path, from, source, 8, NULL));
  for (int who = 0; who < 2; who++) {
    int rank = who ? ranks - 1 : 0;
    const char *given = me == rank ? nowhere : path;
    snprintf(scene, sizeof scene, "a path that rank %d has wrong", rank);
    if (me == rank) snprintf(text, sizeof text, "/no\\nwhere\\r/file");
    else snprintf(text, sizeof text, "rank %d: cannot", rank);
    due(reblock_load(MPI_COMM_WORLD, given, from, source, 8, NULL), REBLOCK_ERR_FILE, text);
    due(reblock_save(MPI_COMM_WORLD, given, from, source, 8, NULL), REBLOCK_ERR_FILE, text);
  }
  snprintf(scene, sizeof scene, "a scheduler with a line break");
  reblock_plan_options options;
  reblock_plan *other = NULL;
  MUST(reblock_plan_options_init(&options));
  options.scheduler = "edge\ncolouring";
  due(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, &options, &other), REBLOCK_ERR_SETTINGS, "edge\\ncolouring");
  options.scheduler = NULL, options.transport = "by\nfoot";
  due(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, &options, &other), REBLOCK_ERR_SETTINGS, "by\\nfoot");
}

/* Returns a list of owners at the end of readable memory: a read of one more entry ends the process. */
static int64_t *at_the_end(int64_t count) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)count * sizeof(int64_t);
  size_t room = (bytes + page - 1) / page * page;
  char *memory = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + room, page, PROT_NONE)) MPI_Abort(MPI_COMM_WORLD, 4);
  return (int64_t *)(memory + room - bytes);
}

static void lists(void) {
  int64_t one = 1, n = 100, *owners = at_the_end(n), *sizes = at_the_end(ranks);
  for (int i = 0; i < n; i++) owners[i] = i % ranks;
  for (int i = 0; i < ranks; i++) sizes[i] = n;
  reblock_template *made;
  snprintf(scene, sizeof scene, "lists that are longer than they can be");
  MUST(reblock_template_create(procs, 1, &one, &n, &made));
  due(reblock_template_dist_indirect(made, 0, 0, n + 1, owners), REBLOCK_ERR_ARGUMENT, "INDIRECT has 101 owners, expected 100");
  due(reblock_template_dist_indirect(made, 0, 0, INT64_MAX, owners), REBLOCK_ERR_ARGUMENT, "expected 100");
  due(reblock_template_dist_indirect(made, 7, 0, n, owners), REBLOCK_ERR_ARGUMENT, "axis 7 of the template, expected 0 to 0");
  due(reblock_template_dist_gen_block(made, 0, 0, ranks + 1, sizes), REBLOCK_ERR_ARGUMENT, "sizes for");
  snprintf(scene, sizeof scene, "ranges of owners outside of the axis");
  due(reblock_template_dist_indirect_local(made, 0, 0, 2, n, owners), REBLOCK_ERR_ARGUMENT, "indices 2 to 101 of axis 0");
  due(reblock_template_dist_indirect_local(made, 0, 0, 0, 1, owners), REBLOCK_ERR_ARGUMENT, "expected indices from 1 to 100");
  due(reblock_template_dist_indirect_local(made, 0, 0, INT64_MAX, 2, owners), REBLOCK_ERR_ARGUMENT, "expected indices from 1 to 100");
  due(reblock_template_dist_indirect_local(made, 0, 0, 1, n + 1, owners), REBLOCK_ERR_ARGUMENT, "expected indices from 1 to 100");
  MUST(reblock_template_dist_indirect_local(made, 0, 0, INT64_MIN, 0, owners));
  MUST(reblock_template_dist_indirect(made, 0, 0, n, owners));
  MUST(reblock_template_commit(made));
  MUST(reblock_template_free(&made));
}

/* Counts the unfinished files beside `path`. */
static int drafts(void) {
  DIR *all = opendir(folder);
  int count = 0;
  for (struct dirent *entry; all && (entry = readdir(all));) count += strstr(entry->d_name, ".part") != NULL;
  if (all) closedir(all);
  return count;
}

/* Limits the size of files, first on all ranks, then on the last rank. */
static void too_long(void) {
  struct rlimit old, tight;
  getrlimit(RLIMIT_FSIZE, &old);
  for (int who = 0; who < 2; who++)
    for (rlim_t bytes = 0; bytes < N * sizeof(double); bytes += 9000) {
      snprintf(scene, sizeof scene, "files of at most %d bytes, %d", (int)bytes, who);
      tight = old, tight.rlim_cur = bytes;
      if (who == 0 || me == ranks - 1) setrlimit(RLIMIT_FSIZE, &tight);
      int code = reblock_save(MPI_COMM_WORLD, path, from, source, 8, NULL);
      setrlimit(RLIMIT_FSIZE, &old);
      due(code, REBLOCK_ERR_FILE, "this process may write at most");
      MPI_Barrier(MPI_COMM_WORLD);
      expect(drafts() == 0, "without a draft");
      MPI_Barrier(MPI_COMM_WORLD);
      MUST(reblock_load(MPI_COMM_WORLD, path, from, source, 8, NULL));
    }
}

int main(int argc, char **argv) {
  start(&argc, &argv, 200);
  snprintf(folder, sizeof folder, "%s", argc > 1 ? argv[1] : ".");
  snprintf(path, sizeof path, "%s/mistaken.npy", folder);
  procs = line(MPI_COMM_WORLD, ranks);
  from = mapped(procs, N, "(BLOCK)"), to = mapped(procs, N, "(CYCLIC)");
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, NULL, &plan));
  int64_t count, index;
  MUST(reblock_map_elements(from, &count));
  for (int64_t i = 0; i < count; i++) { MUST(reblock_map_global_index(from, &i, &index, NULL)); source[i] = (double)index; }
  lists();
  paths();
  if (argc < 3) too_long();
  if (argc < 3 || ranks == 1) no_communicator();
  if (me == 0) unlink(path);
  return finish("mistakes");
}
