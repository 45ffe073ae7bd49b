/* Preloaded into tests under MPICH where ranks share cores: its blocking calls spin on UCX without ever giving the core
 * to the rank they wait for. Here a poll that found nothing does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

/* UCX as MPICH has it: linked, or loaded with an MPI that nobody else sees, as Python does. */
static void *ucx(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  void *library = found ? NULL : dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  return library ? dlsym(library, name) : found;
}

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*real)(void *);
  if (!real) real = (unsigned (*)(void *))ucx("ucp_worker_progress");
  unsigned events = real(worker);
  if (!events) sched_yield();
  return events;
}
