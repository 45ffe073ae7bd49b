/* Jobs that grow and shrink at random, with everything compared after each change: resize ROUNDS SEED MOST UNIT SKEW.
 * resize mistakes, resize settings, resize refused, resize late, resize dies: what goes wrong. */
#include "data.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t any_size(void *most, int64_t ranks, double seconds) {
  (void)seconds;
  int64_t wanted = 1 + of(value.round, ranks, 9) % *(int64_t *)most;
  if (getenv("RESIZE_TRACE")) fprintf(stderr, "resize: round %d: %d -> %d\n", (int)value.round, (int)ranks, (int)wanted);
  return wanted;
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
  if (!strcmp(mode, "settings")) {
    int bad = settings(me, ranks);
    MPI_Finalize();
    return bad;
  }
  begin(argc > 4 ? atoi(argv[4]) : 0, atoi(mode) > 0, argc > 5 ? atoi(argv[5]) : 0);
  int stays = 1;
  if (atoi(mode) > 0) {
    int32_t joined;
    must(reblock_job_joined(job, &joined), "joined");
    if (!joined) value.seed = argc > 2 ? atoll(argv[2]) : 1, everything(0);
    stays = rounds(atoi(mode), argc > 3 ? atoi(argv[3]) : 6, me == 0 && !parent);
  } else if (!strcmp(mode, "mistakes")) {
    mistakes(me, ranks);
  } else if (!strcmp(mode, "late")) {
    int32_t state;
    if (me == ranks - 1) sleep(12);
    must(reblock_job_step(job, &state), "a step to which the last rank comes late");
  } else {
    int32_t state, code = reblock_job_expand(job, ranks + 60, &state);
    if (!code) MPI_Abort(MPI_COMM_WORLD, 1);
    if (me == ranks - 1) printf("resize: refused: %s\n", reblock_message());
    expect(code, REBLOCK_ERR_MPI, "processes that cannot be started");
  }
  if (stays) must(reblock_job_finalize(&job), "finalize");
  else must(reblock_job_leave(&job), "leave");
  free(a), free(b), free(c), free(d);
  if (!parent && me == 0 && !wrong) printf("resize: %s: as it should be\n", mode), fflush(stdout);
  MPI_Finalize();
  return wrong;
}
