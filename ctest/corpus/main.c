/* Compares every redistribution, shift, shadow and list of indices of the HPF interface with a naive program that
 * deals elements out one by one. Cases are random. Whole local arrays are compared, with their shadows, gaps and the
 * surrounding memory.
 *
 *   mpirun -n RANKS corpus SEED COUNT [by-LANGUAGE] [no-FEATURE...]
 *
 * Makes the cases of the seeds SEED, SEED + 1, ...; SEED 0 stands for the time. A case that fails prints the command
 * that runs it alone. by-LANGUAGE: all cases use the interface of that language; otherwise the interface depends on the
 * seed. no-FEATURE omits features from the cases, which are otherwise unchanged: see feature_names. */
#include "arrays.h"
#include "binding.h"
#include "draw.h"
#include "laid.h"
#include "transfer.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_OF_A_CASE = 100, MAX_FAILURES = 5 };
static int me, ranks;
int bad;
const struct binding *binding;
#ifdef STANDIN
static struct binding on_devices;
static const struct binding *const bindings[] = {&on_devices};
#else
static const struct binding *const bindings[] = {&c_binding, &fortran_binding, &rust_binding};
#endif
enum { BINDINGS = sizeof bindings / sizeof *bindings };
static const struct binding *only;
static char arguments[256], rerun[512];

void complain(const char *format, ...) {
  char line[1024];
  va_list list;
  if (bad++ > 3) return;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  fprintf(stderr, "rank %d: %s\n", me, line);
}

int refused(int32_t code, const char *call) {
  if (code != REBLOCK_OK) complain("%s says %s: %s", call, reblock_code_name(code), binding->message());
  return code != REBLOCK_OK;
}

/* If a signal ends the case, print the case. */
static void on_signal(int number) {
  const char *what = number == SIGALRM ? "a case does not end; " : "memory is touched that is not the library's; ";
  if (write(2, what, strlen(what)) < 0 || write(2, rerun, strlen(rerun)) < 0) _exit(4);
  signal(number, SIG_DFL);
  raise(number == SIGALRM ? SIGKILL : number);
}

int all_fine(MPI_Comm comm) {
  int worst = 0;
  MPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, comm);
  return worst == 0;
}

static int run_case(uint64_t seed) {
  static struct one_case c;
  snprintf(rerun, sizeof rerun, "run alone: mpirun -n %d corpus %llu 1%s\n", ranks, (unsigned long long)seed,
           arguments);
  alarm(SECONDS_OF_A_CASE);
  bad = 0;
  binding = only ? only : bindings[seed % BINDINGS];
  draw_case(&c, seed);
  if (c.arrays.count) arrays_move(&c.arrays);
  else if (c.enclosing->comm != MPI_COMM_NULL) transfer(&c);
  int failed = !all_fine(MPI_COMM_WORLD);
  if (failed && !me) {
    fputs(rerun, stderr);
    fprintf(stderr, "  by the interface of %s\n", binding->name);
    case_print(&c);
  }
  case_free(&c);
  return failed;
}

static void choose(int argc, char **argv) {
  for (int i = 3; i < argc; i++) {
    int known = 0;
    for (int f = 0; f < FEATURES; f++)
      if (!strncmp(argv[i], "no-", 3) && !strcmp(argv[i] + 3, feature_names[f])) known = left_out[f] = 1;
    for (int d = 0; d < BINDINGS; d++)
      if (!strncmp(argv[i], "by-", 3) && !strcmp(argv[i] + 3, bindings[d]->name)) only = bindings[d], known = 1;
    if (!known) {
      fprintf(stderr, "corpus: %s is no feature and no interface\n", argv[i]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    strcat(strcat(arguments, " "), argv[i]);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3 || ranks > MAX_RANKS) {
    const char *usage = "mpirun -n RANKS %s SEED COUNT [by-LANGUAGE] [no-FEATURE...], at most %d ranks\n";
    if (!me) fprintf(stderr, usage, argv[0], MAX_RANKS);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
#ifdef STANDIN
  on_devices = device_binding();
#endif
  choose(argc, argv);
  uint64_t seed = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), done = 0;
  if (!seed) seed = (uint64_t)time(NULL) * 100000;
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (!me) printf("corpus: %d ranks, seed %llu\n", ranks, (unsigned long long)seed), fflush(stdout);
  signal(SIGSEGV, on_signal), signal(SIGBUS, on_signal), signal(SIGALRM, on_signal);
  groups_make(ranks);
  int failures = 0;
  for (; done < count && failures < MAX_FAILURES; done++) failures += run_case(seed + done);
  alarm(0);
  groups_free();
  if (!me) printf("corpus: %llu cases, %d failed\n", (unsigned long long)done, failures);
  MPI_Finalize();
  return failures != 0;
}
