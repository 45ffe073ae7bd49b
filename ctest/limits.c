/* Tests scarce memory. tests/limits runs each case under a limit, which reblock must detect before it takes memory.
 *
 *   mpirun -n 2 limits alloc MIB     more than MIB must be refused on all ranks, although only one rank asks for it, and
 *                                    must take no memory; 1 MiB must be available
 *   mpirun -n 2 limits addresses     the same for 300 MiB, with 256 MiB of addresses left
 *   mpirun -n 2 limits slots         answers are right, by slots
 *   mpirun -n 2 limits file          the same by MPI, if no file may exceed 50 KiB
 *   mpirun -n 2 limits full          the same by MPI, if the file system (of at most 64 MiB) is full
 *   mpirun -n 2 limits reserve       memory that is being reserved has no name
 *   mpirun -n 2 limits killed R N    rank R is killed before its call number N of the system or MPI while slots are
 *                                    made; if the rank makes fewer calls, no rank is killed
 *   mpirun -n 2 limits refused R CALL  slots are made even if rank R may not `make` or `open` unnamed memory
 *   mpirun -n 2 limits threads       a process has no more threads than cores
 *   mpirun -n 2 limits unheard       answers are right if standard error takes no line; the first and last calls print */
#define _GNU_SOURCE
#include "reblock.h"
#include "reblock_scalapack.h"
#include "scalapack.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int me, ranks, wrong, reserved, named, refused;
static int kill_at, at, calls; /* kill this rank before call kill_at; at: kill_at while slots are made, else 0 */
static const char *refusal = "";
static void expect(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s\n", me, what);
  wrong++;
}

static int is_private(void) { /* whether /dev/shm is private, as tests/limits makes it; otherwise other jobs use it, too */
  struct statvfs s;
  return !statvfs("/dev/shm", &s) && (uint64_t)s.f_blocks * s.f_frsize == 64 << 20;
}
static int names(void) { /* names of reblock's objects in /dev/shm */
  int count = 0;
  DIR *objects = opendir("/dev/shm");
  for (struct dirent *entry; objects && (entry = readdir(objects));) count += !strncmp(entry->d_name, "reblock-", 8);
  if (objects) closedir(objects);
  return count;
}
static uint64_t free_bytes(void) {
  struct statvfs s;
  return statvfs("/dev/shm", &s) ? 0 : (uint64_t)s.f_bavail * s.f_frsize;
}
static unsigned long status(const char *name) { /* a value of this process from /proc: a number, or KiB */
  char line[128];
  unsigned long found = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, name, strlen(name))) found = strtoul(line + strlen(name), NULL, 10);
  if (f) fclose(f);
  return found;
}
static void restrain(int resource, rlim_t most) {
  struct rlimit limit;
  getrlimit(resource, &limit);
  limit.rlim_cur = most;
  expect(!setrlimit(resource, &limit), "cannot set a limit");
}
/* Wraps functions of the C library and of MPI that reblock calls. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
static void step(void) {
  if (at && ++calls == at) kill(getpid(), SIGKILL);
}
int posix_fallocate(int fd, off_t offset, off_t len) {
  step(), reserved++;
  expect(!is_private() || !names(), "memory is reserved under a name");
  return REAL(posix_fallocate)(fd, offset, len);
}
int ftruncate64(int fd, off64_t len) { return step(), REAL(ftruncate64)(fd, len); }
int ftruncate(int fd, off_t len) { return step(), REAL(ftruncate)(fd, len); }
int shm_open(const char *name, int flags, mode_t mode) { return step(), named += !strncmp(name, "/reblock-", 9), REAL(shm_open)(name, flags, mode); }
int shm_unlink(const char *name) { return step(), REAL(shm_unlink)(name); }
int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int unnamed = (flags & O_TMPFILE) == O_TMPFILE, mode = flags & O_CREAT || unnamed ? va_arg(more, int) : 0;
  va_end(more);
  int another = !strncmp(path, "/proc/", 6) && strstr(path, "/fd/");
  if (unnamed || another) step();
  if ((!strcmp(refusal, "make") && unnamed) || (!strcmp(refusal, "open") && another))
    return refused++, errno = EACCES, -1;
  return REAL(open64)(path, flags, mode);
}
int MPI_Iallreduce(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *r) {
  return step(), PMPI_Iallreduce(a, b, n, t, o, c, r);
}
int MPI_Iallgather(const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c, MPI_Request *r) {
  return step(), PMPI_Iallgather(a, n, t, b, m, u, c, r);
}

/* Moves an n x n matrix between two layouts within `context`, a column of processes, and checks every element. */
static void move(int context, int n) {
  int one = 1, la = local_count(n, 3, me, 0, ranks), lb = local_count(n, 7, me, 0, ranks);
  int da[9] = {1, context, n, n, 3, 3, 0, 0, la > 0 ? la : 1}, db[9] = {1, context, n, n, 7, 7, 0, 0, lb > 0 ? lb : 1};
  double *a = malloc(sizeof(double) * ((size_t)la * (size_t)n + 1)), *b = calloc((size_t)lb * (size_t)n + 1, sizeof(double));
  int bad = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < la; i++) a[(size_t)j * la + i] = global_index(i, 3, me, ranks) + 1e5 * j;
  pdgemr2d_(&n, &n, a, &one, &one, da, b, &one, &one, db, &context);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < lb; i++) bad += b[(size_t)j * lb + i] != global_index(i, 7, me, ranks) + 1e5 * j;
  expect(!bad, "wrong elements");
  free(a), free(b);
}
/* Repeats the call until slots are made, and returns whether there are slots then. */
static int has_slots(int context) {
  for (int call = 0; call < 64; call++) move(context, 60);
  at = kill_at, move(context, 60), at = 0;
  return reblock_buffer_bytes() > 400 << 10;
}

static int allocates(int context) {
  void *array;
  return reblock_blacs_alloc(context, 1 << 20, &array) == REBLOCK_OK;
}

static void alloc(int context, int64_t mib) {
  const int64_t large[] = {INT64_C(1) << 62, INT64_C(1) << 46, -1, mib << 20};
  has_slots(context);
  MPI_Barrier(MPI_COMM_WORLD);
  uint64_t before = free_bytes();
  for (int k = 0; k < 4; k++) {
    int last = me == ranks - 1, due = last && large[k] < 0 ? REBLOCK_ERR_ARGUMENT : REBLOCK_ERR_MEMORY;
    void *none = &before;
    int code = reblock_blacs_alloc(context, last ? large[k] : 8, &none);
    expect(code == due && !none, "there is more memory than there is");
    MPI_Barrier(MPI_COMM_WORLD);
    expect(!is_private() || free_bytes() >= before - (1 << 20), "memory was taken all the same");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void *little;
  expect(!reblock_blacs_alloc(context, 1 << 20, &little), "there is no memory");
  if (little) memset(little, 1, 1 << 20);
  MPI_Barrier(MPI_COMM_WORLD);
  expect(little && !reblock_blacs_free(context, &little), "it cannot be freed");
}
static void full(int context) {
  int fd = -1;
  if (!me && is_private()) {
    fd = open("/dev/shm/filler", O_CREAT | O_RDWR, 0600);
    unlink("/dev/shm/filler");
    expect(fd >= 0 && !posix_fallocate(fd, 0, (off_t)(free_bytes() - (256 << 10))), "cannot fill it");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect(free_bytes() <= 256 << 10, "the file system has room");
  expect(!has_slots(context), "there are slots, but no room for them");
  MPI_Barrier(MPI_COMM_WORLD);
  if (fd >= 0) close(fd);
}
static void threads(int context) {
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  unsigned long before = status("Threads:");
  move(context, 1500), move(context, 1500);
  expect(before && status("Threads:") - before < (unsigned long)CPU_COUNT(&cores), "there are more threads than cores");
}
/* Makes a call with standard error going to `fd`, or closed if `fd` is negative. */
static void said_to(int fd, int context) {
  int heard = dup(2);
  if (fd < 0) close(2);
  else expect(dup2(fd, 2) == 2, "cannot turn standard error elsewhere");
  move(context, 60);
  dup2(heard, 2), close(heard);
}
static void unheard(int context) {
  static char filler[50 << 10];
  int ends[2] = {-1, -1}, full = open("/dev/full", O_WRONLY);
  FILE *largest = tmpfile();
  signal(SIGPIPE, SIG_IGN); /* otherwise a write to a pipe without a reader would end the program */
  expect(full >= 0 && largest && fwrite(filler, sizeof filler, 1, largest) == 1 && !fflush(largest) && !pipe(ends), "cannot open");
  close(ends[0]);
  move(context, 60);
  said_to(-1, context), said_to(full, context), said_to(ends[1], context);
  restrain(RLIMIT_FSIZE, sizeof filler), said_to(fileno(largest), context);
  move(context, 60);
  close(full), close(ends[1]), fclose(largest);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "", *more = argc > 2 ? argv[2] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int context = new_grid("R", ranks, 1);
  if (!strcmp(what, "alloc")) alloc(context, atol(more));
  else if (!strcmp(what, "addresses")) restrain(RLIMIT_AS, status("VmSize:") * 1024 + (256 << 20)), alloc(context, 300);
  else if (!strcmp(what, "slots")) expect(has_slots(context), "there are no slots");
  else if (!strcmp(what, "file")) restrain(RLIMIT_FSIZE, 50 << 10), expect(!has_slots(context), "there are slots");
  else if (!strcmp(what, "full")) full(context);
  else if (!strcmp(what, "reserve"))
    expect(has_slots(context) && allocates(context) && reserved && !named, "nothing is reserved, or by a name");
  else if (!strcmp(what, "killed")) {
    kill_at = me == atol(more) && argc > 3 ? atoi(argv[3]) : 0;
    expect(has_slots(context) && allocates(context), "there are no slots");
  } else if (!strcmp(what, "refused")) {
    refusal = me == atol(more) && argc > 3 ? argv[3] : "";
    expect(has_slots(context) && allocates(context) && reserved && named, "memory is not shared by name");
    expect(!*refusal || refused, "nothing was refused");
  } else if (!strcmp(what, "threads")) threads(context);
  else if (!strcmp(what, "unheard")) unheard(context);
  else expect(0, "no such case");
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("limits: %s %s: %s\n", what, more, wrong ? "FAILED" : "as intended");
  MPI_Finalize();
  return wrong != 0;
}
