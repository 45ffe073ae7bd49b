/* Loads several copies of one library into a process. */
#ifndef NET_LIBRARY_H
#define NET_LIBRARY_H
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Loads a copy of the file, and returns null on failure. The loader treats a copy in memory as another library with its
 * own variables. Needs _GNU_SOURCE. */
static inline void *load_copy(const char *path) {
  struct stat info;
  char name[64];
  int file = open(path, O_RDONLY | O_CLOEXEC), copy = memfd_create("reblock", MFD_CLOEXEC);
  if (file < 0 || copy < 0 || fstat(file, &info)) return NULL;
  for (off_t at = 0; at < info.st_size;)
    if (sendfile(copy, file, &at, (size_t)(info.st_size - at)) <= 0) return NULL;
  close(file);
  snprintf(name, sizeof name, "/proc/self/fd/%d", copy);
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
#endif
