/* Tests jobs that grow and shrink at random, with all data compared after each change: resize ROUNDS SEED MOST UNIT
 * SKEW.
 *
 *   resize options | skewed | command | policies FOLDER   the effects of options and policies
 *   resize informed                      the info that MPI receives
 *   resize priced                        prices
 *   resize meanwhile ROUNDS MOST UNIT SKEW SEED [threads] | refused-meanwhile
 *                                        constant arrays, which move while the program continues
 *   resize leaving FOLDER | parting      named ranks leave or are parked
 *   resize managed SIZES FILE [HOST]     a policy of the environment, until the file exists; HOST is the host of new
 *                                        processes
 *   resize saves FOLDER | loads FOLDER   registered data in files
 *   resize mistakes | settings | refused | late            errors
 *   resize dies | dies-moving | stalls | stalls-late       new processes end after MPI_Init or after they have received
 *                                        the registered data; or stop before MPI_Init or after it
 *   resize late-meanwhile | dies-meanwhile | dies-switching | dies-working   new processes have no storage for constant
 *                                        arrays for a while, end without storage, or end when all arrays have arrived; or
 *                                        a working rank ends */
#include "data.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int64_t any_size(void *most, int64_t ranks, double seconds) {
  (void)seconds;
  int64_t wanted = 1 + of(value.round, ranks, 9) % *(int64_t *)most;
  if (getenv("RESIZE_TRACE")) fprintf(stderr, "resize: round %d: %d -> %d\n", (int)value.round, (int)ranks, (int)wanted);
  return wanted;
}

/* Allowed growth between a third of the rounds and the end: open files, in addition to one for each additional rank,
 * and KiB of memory, for MPI's buffers. */
enum { MORE_FILES = 4, MORE_MEMORY = 8192 };

/* Returns the number of open files, and the KiB of resident memory. */
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
  int files[2] = {0, 0}, ranks, largest = 0, then = 0;
  MPI_Comm comm;
  long memory[2] = {0, 0};
  if (!getenv("REBLOCK_RESIZE")) must(reblock_job_set_policy(job, any_size, &most), "policy");
  while (state != REBLOCK_JOB_LEAVE) {
    everything(1);
    if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
    must(reblock_job_get_comm(job, &comm), "comm");
    MPI_Comm_size(comm, &ranks);
    if (ranks > largest) largest = ranks;
    if (value.round == count / 3) held(&files[0], &memory[0]), then = largest;
    if (value.round == count) {
      held(&files[1], &memory[1]);
      /* Processes that started later have no earlier values to compare. */
      int more_files = files[0] ? files[1] - files[0] : 0;
      long more_memory = files[0] ? memory[1] - memory[0] : 0;
      if (more_files > largest - then + MORE_FILES) fail("open files more than after a third of the rounds", more_files);
      if (more_memory > MORE_MEMORY) fail("KiB more than after a third of the rounds", more_memory);
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

static void *takes(int64_t bytes, void *context) {
  if (context != &blocks) fail("another context in allocate", bytes);
  blocks++;
  return malloc(bytes);
}

/* Allocates like `takes`, after it has failed `refusals` times. */
static void *refuses(int64_t bytes, void *context) { return refusals-- > 0 ? NULL : takes(bytes, context); }

/* Tests new processes that run this program under another name, without arguments. */
static void commanded(int came) {
  int32_t state = REBLOCK_JOB_RESIZED;
  int sum, mine = came;
  MPI_Comm comm;
  if (!came) must(reblock_job_expand(job, working() + 2, &state), "expand");
  must(reblock_job_get_comm(job, &comm), "comm");
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (sum != 2) fail("processes that run the option command", sum);
  everything(1);
}

/* Tests that new processes start in the folder that rank 0 has requested. */
static void informed(int came) {
  char here[400] = "", *folder = came ? getcwd(here, sizeof here) : "/";
  int32_t state = REBLOCK_JOB_RESIZED;
  if (!came) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "wdir", "/");
    must(reblock_job_set_spawn_info(job, info), "an info");
    MPI_Info_free(&info);
    must(reblock_job_expand(job, working() + 1, &state), "expand");
  }
  if (!folder || strcmp(folder, "/")) fail("a process does not start where it was to", 0);
  if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
  everything(1);
  /* From now on, MPI gets no info for new processes. */
  if (!came) must(reblock_job_set_spawn_info(job, MPI_INFO_NULL), "no info");
  if (reblock_job_set_spawn_info(NULL, MPI_INFO_NULL) != REBLOCK_ERR_HANDLE) fail("an info for no job", 0);
}

static void *dies_here(int64_t bytes, void *context) {
  (void)bytes, (void)context;
  _exit(3);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static double processor_time(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* Parks all ranks but the first for 2 s. They must not use the processor during this time. */
static void parked(int me, int ranks) {
  int32_t state;
  double begin = now(), used = processor_time(), waited;
  must(reblock_job_shrink(job, 1, &state), "shrink to one rank");
  if (me == 0) {
    sleep(2);
    must(reblock_job_expand(job, ranks, &state), "all ranks again");
  }
  waited = now() - begin, used = processor_time() - used;
  if (state != REBLOCK_JOB_RESIZED) fail("a rank that has waited does not come back", state);
  if (me > 0 && (waited < 2 || used > waited / 10)) fail("ms of processor time of a rank that waited 2 s", used * 1e3);
  everything(1);
  if (!all_good()) MPI_Abort(MPI_COMM_WORLD, 1);
  if (me == ranks - 1) printf("resize: a rank that has waited for %.1f s has used %.0f ms of a processor\n", waited, used * 1e3);
}

int main(int argc, char **argv) {
  const char *joins = "resize-joins", *name = strrchr(argv[0], '/');
  int came = argc == 1 && !strcmp(name ? name + 1 : argv[0], joins);
  const char *mode = argc > 1 ? argv[1] : came ? "command" : "6";
  char path[400];
  if (!strcmp(mode, "stalls") && getenv("REBLOCK_JOINS")) return sleep(60), 1;
  int me, ranks, parent, level;
  MPI_Init_thread(&argc, &argv, !strcmp(mode, "meanwhile") && argc > 7 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm up;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_get_parent(&up);
  parent = up != MPI_COMM_NULL;
  if (parent && !strcmp(mode, "dies")) _exit(3);
  if (parent && !strcmp(mode, "stalls-late")) return sleep(60), 1;
  if (parent && !strcmp(mode, "dies-moving")) allocate = dies_here;
  int hinders = !strcmp(mode, "late-meanwhile") || (!strncmp(mode, "dies-", 5) && strcmp(mode, "dies-moving"));
  if (hinders) hinder(argv[0], mode, parent);
  if (!strcmp(mode, "settings")) {
    int bad = settings(me, ranks);
    MPI_Finalize();
    return bad;
  }
  if (!strcmp(mode, "policies")) setenv("REBLOCK_RESIZE", "2,4", 1);
  if (!strcmp(mode, "options")) allocate = takes;
  if (!strcmp(mode, "refused-meanwhile")) allocate = refuses;
  if (!strcmp(mode, "command") && !came) snprintf(path, sizeof path, "%.*s/%s", (int)(name - argv[0]), argv[0], joins), command = path;
  if (!strcmp(mode, "leaving") && !name_host(argv[2], parent)) {
    int bad = without_name();
    MPI_Finalize();
    return bad;
  }
  if (!strcmp(mode, "managed") && parent && argc > 4) setenv("REBLOCK_HOST", argv[4], 1);
  int parks = atoi(mode) > 0 || strstr(mode, "meanwhile") || !strcmp(mode, "parting") || !strcmp(mode, "policies") || !strcmp(mode, "priced");
  begin(!strcmp(mode, "options") ? 2 : !strcmp(mode, "leaving") ? 1 : argc > 4 ? atoi(argv[4]) : 0, parks, argc > 5 ? atoi(argv[5]) : 0);
  int stays = 1;
  if (atoi(mode) > 0) {
    int32_t joined;
    must(reblock_job_joined(job, &joined), "joined");
    if (!joined) value.seed = argc > 2 ? atoll(argv[2]) : 1, everything(0);
    /* If no process can be started, all ranks belong to the first world. */
    int most = argc > 3 ? atoi(argv[3]) : 6;
    if (!parent && ranks > 1 && most <= ranks) parked(me, ranks);
    stays = rounds(atoi(mode), most, me == 0 && !parent);
  } else if (!strcmp(mode, "meanwhile")) {
    int32_t joined;
    must(reblock_job_joined(job, &joined), "joined");
    if (!joined) value.seed = argc > 6 ? atoll(argv[6]) : 1, everything(0);
    stays = meanwhile(atoi(argv[2]), atoi(argv[3]), me == 0 && !parent);
  } else if (!strcmp(mode, "refused-meanwhile")) {
    refused_meanwhile(me, ranks);
  } else if (hinders) {
    if (!parent) hindered(mode, me);
    everything(1);
  } else if (!strcmp(mode, "mistakes")) {
    mistakes(me, ranks);
  } else if (!strcmp(mode, "policies")) {
    policies(argv[2]);
  } else if (!strcmp(mode, "priced")) {
    priced(me, ranks);
  } else if (!strcmp(mode, "skewed")) {
    misfits(me, ranks), skewed();
  } else if (!strcmp(mode, "command")) {
    commanded(came);
  } else if (!strcmp(mode, "informed")) {
    informed(parent);
  } else if (!strcmp(mode, "saves") || !strcmp(mode, "loads")) {
    filed(argv[2], !strcmp(mode, "loads"));
  } else if (!strcmp(mode, "leaving")) {
    stays = leaving();
  } else if (!strcmp(mode, "managed")) {
    stays = managed(argv[2], argv[3]);
  } else if (!strcmp(mode, "parting")) {
    parting(ranks);
  } else if (!strcmp(mode, "options")) {
    int32_t state = REBLOCK_JOB_SAME;
    options(&state);
    stays = state != REBLOCK_JOB_LEAVE;
    if (!stays) printf("resize: a process has left\n");
  } else if (!strcmp(mode, "late")) {
    int32_t state;
    if (me == ranks - 1) sleep(12);
    must(reblock_job_step(job, &state), "a step to which the last rank comes late");
  } else {
    int32_t state, code = reblock_job_expand(job, ranks + (strcmp(mode, "refused") ? 2 : 60), &state);
    if (!code) MPI_Abort(MPI_COMM_WORLD, 1);
    if (me == ranks - 1) printf("resize: refused: %s\n", reblock_message());
    if (!strcmp(mode, "refused") && !strstr(reblock_message(), "set the option park")) fail("the text has no way out", code);
    expect(code, REBLOCK_ERR_MPI, "processes that cannot be started");
    if (!strcmp(mode, "refused")) refused_constant(ranks + 60);
  }
  if (stays) must(reblock_job_finalize(&job), "finalize");
  else must(reblock_job_leave(&job), "leave");
  free(a), free(b), free(c), free(d);
  if (!parent && me == 0 && !wrong) printf("resize: %s: as it should be\n", mode), fflush(stdout);
  MPI_Finalize();
  return wrong;
}
