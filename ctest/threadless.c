/* A library to preload: no thread can be started for reblock, as where a process has as many as it may have (RLIMIT_NPROC, a limit of
 * its group). MPI's threads and the program's are started. Writes a line for the first thread that is refused, so that a test sees that
 * one was asked for. */
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
