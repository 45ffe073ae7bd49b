/* Library to preload in tests under MPICH if ranks share cores. MPICH's blocking calls spin in UCX and never yield the
 * core to the rank for which they wait. With this library, a poll without result yields. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

/* Finds the UCX of MPICH: linked, or loaded with an MPI in a local scope, as in Python. */
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
