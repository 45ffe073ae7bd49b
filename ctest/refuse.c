/* Library that makes system calls fail; to preload before libreblock_arrays.so. REFUSE is the name of one function
 * below, or of one kind of its calls. The first AFTER of these calls succeed; all later calls fail. "remove" is madvise
 * with MADV_REMOVE, "mmap private" is a private mmap at a fixed address, and "mmap shared" is a shared mmap; "madvise"
 * and "mmap" are the other calls of these functions. "fcntl" is only fcntl with F_DUPFD_CLOEXEC. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_refused(const char *name, int *calls) {
  const char *list = getenv("REFUSE"), *after = getenv("AFTER");
  if (!list || strcmp(list, name) || (*calls)++ < (after ? atoi(after) : 0)) return 0;
  errno = ENOMEM;
  return 1;
}
#define REFUSED(name) static int calls; if (is_refused(name, &calls))
#define NEXT(result, name, types) static result (*next) types; if (!next) { void *found = dlsym(RTLD_NEXT, name); memcpy(&next, &found, sizeof found); }

int memfd_create(const char *name, unsigned flags) {
  REFUSED("memfd_create") return -1;
  NEXT(int, "memfd_create", (const char *, unsigned))
  return next(name, flags);
}
int ftruncate(int fd, off_t len) {
  REFUSED("ftruncate") return -1;
  NEXT(int, "ftruncate", (int, off_t))
  return next(fd, len);
}
int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (command == F_DUPFD_CLOEXEC) { REFUSED("fcntl") return -1; }
  NEXT(int, "fcntl", (int, int, ...))
  return next(fd, command, argument);
}
int fstat(int fd, struct stat *out) {
  REFUSED("fstat") return -1;
  NEXT(int, "fstat", (int, struct stat *))
  return next(fd, out);
}
int fchmod(int fd, mode_t mode) {
  REFUSED("fchmod") return -1;
  NEXT(int, "fchmod", (int, mode_t))
  return next(fd, mode);
}
int mprotect(void *at, size_t len, int access) {
  REFUSED("mprotect") return -1;
  NEXT(int, "mprotect", (void *, size_t, int))
  return next(at, len, access);
}
int madvise(void *at, size_t len, int advice) {
  if (advice == MADV_REMOVE) { REFUSED("remove") return -1; }
  else { REFUSED("madvise") return -1; }
  NEXT(int, "madvise", (void *, size_t, int))
  return next(at, len, advice);
}
void *mmap(void *at, size_t len, int access, int flags, int fd, off_t offset) {
  if (flags & MAP_FIXED && flags & MAP_PRIVATE) { REFUSED("mmap private") return MAP_FAILED; }
  else if (flags & MAP_SHARED) { REFUSED("mmap shared") return MAP_FAILED; }
  else { REFUSED("mmap") return MAP_FAILED; }
  NEXT(void *, "mmap", (void *, size_t, int, int, int, off_t))
  return next(at, len, access, flags, fd, offset);
}
