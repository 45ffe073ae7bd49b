/* Library to preload under MPICH 4.0.2 with UCX, which can hang in MPI_Finalize: a rank that has disconnected waits in
 * the process manager's barrier, in read(), and no longer calls UCX's progress function, while a peer still waits for
 * this rank (fixed in MPICH by #6596). With this library, a read() inside MPI_Finalize calls the progress function
 * while it waits. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum { MAX_WORKERS = 8 };
static void *workers[MAX_WORKERS];
static int count;
static __thread int finalizing;

int PMPI_Finalize(void);
int MPI_Finalize(void) {
  finalizing = 1;
  return PMPI_Finalize();
}
int ucp_worker_create(void *context, const void *parameters, void **worker) {
  int (*real)(void *, const void *, void **) =
      (int (*)(void *, const void *, void **))dlsym(RTLD_NEXT, "ucp_worker_create");
  int status = real(context, parameters, worker);
  if (status == 0 && count < MAX_WORKERS) workers[count++] = *worker;
  return status;
}
void ucp_worker_destroy(void *worker) {
  void (*real)(void *) = (void (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_destroy");
  for (int i = 0; i < count; i++)
    if (workers[i] == worker) workers[i] = NULL;
  real(worker);
}

static void progress_until_readable(int file) {
  /* The system's poll, since the poll of idlepoll.c, which is loaded before, may sleep for long. */
  int (*wait)(struct pollfd *, nfds_t, int) = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
  unsigned (*progress)(void *) = (unsigned (*)(void *))dlsym(RTLD_DEFAULT, "ucp_worker_progress");
  struct pollfd one = {file, POLLIN, 0};
  while (progress && wait(&one, 1, 1) == 0)
    for (int i = 0; i < count; i++)
      if (workers[i]) progress(workers[i]);
}
ssize_t read(int file, void *data, size_t bytes) {
  static ssize_t (*real)(int, void *, size_t);
  static __thread int serving;
  if (!real) real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  if (finalizing && !serving && count && !(fcntl(file, F_GETFL) & O_NONBLOCK)) {
    serving = 1;
    progress_until_readable(file);
    serving = 0;
  }
  return real(file, data, bytes);
}
