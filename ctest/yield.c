/* Preloaded into tests under MPICH where ranks share cores: its blocking calls spin on UCX without ever giving the core
 * to the rank they wait for. Here a poll that found nothing does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*real)(void *);
  if (!real) real = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
  unsigned events = real(worker);
  if (!events) sched_yield();
  return events;
}
