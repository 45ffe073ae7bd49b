/* A library to preload that refuses every thread for reblock, as at a limit of threads (RLIMIT_NPROC, or a control
 * group's). Threads of MPI and of the program start. Writes a line for the first refused thread, so that a test sees
 * that one was requested. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  static const char line[] = "threadless: no thread for reblock\n";
  static int said;
  Dl_info caller;
  if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "libreblock")) {
    if (!said++ && write(2, line, sizeof line - 1) < 0) return EAGAIN;
    return EAGAIN;
  }
  return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, body, argument);
}
