/* Stand-in for libxpmem.so on machines without XPMEM. Attaches memory that another process has from
 * libreblock_arrays.so, since without the kernel module only that memory can be mapped. The rest of an attached range
 * is inaccessible, so a program whose arrays lie elsewhere ends by a signal. XPMEM_REFUSE names a function that fails.
 *
 * Linked with the sources in arrays/. Since REBLOCK_ARRAYS is xpmem, these sources read STANDIN_ARRAYS instead. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#undef getenv /* Both sources are built to call standin_getenv. */
char *getenv(const char *name);
char *standin_getenv(const char *name) { return getenv(strcmp(name, "REBLOCK_ARRAYS") ? name : "STANDIN_ARRAYS"); }

enum { PERMITS = 1 << 16 };
struct address {
  int64_t permit;
  off_t offset;
};
static int64_t permits[PERMITS];
static struct { void *at; size_t len; } attached[PERMITS];

static bool is_refused(const char *name) {
  const char *refused = getenv("XPMEM_REFUSE");
  if (refused && !strcmp(refused, name)) errno = ENOMEM;
  return refused && !strcmp(refused, name);
}

int64_t xpmem_make(void *at, size_t len, int kind, void *mode) {
  if (is_refused("make") || at || len != SIZE_MAX || kind != 1 || (uintptr_t)mode != 0600) return -1;
  return (int64_t)getpid() << 32 | 7;
}

int64_t xpmem_get(int64_t process, int flags, int kind, void *mode) {
  static int64_t last;
  if (is_refused("get") || (process & 0xffffffff) != 7 || flags != 2 || kind != 1 || mode || last == PERMITS - 1) return -1;
  permits[++last] = process >> 32;
  return last;
}

int xpmem_release(int64_t permit) {
  if (permit <= 0 || permit >= PERMITS || !permits[permit]) abort();
  permits[permit] = 0;
  return 0;
}

/* Opens a file that process number `process` has open; returns the new descriptor, or -1 if there is no such file. */
static int opened(int64_t process, dev_t device, ino_t inode) {
  for (int n = 0; n < 1024; n++) {
    char path[64];
    struct stat found;
    snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%d", process, n);
    if (!stat(path, &found) && found.st_dev == device && found.st_ino == inode) return open(path, O_RDONLY | O_CLOEXEC);
  }
  return -1;
}

void *xpmem_attach(struct address from, size_t len, void *where) {
  int64_t process = permits[from.permit];
  if (is_refused("attach") || !process || where || from.offset % 4096 || len % 4096) return (void *)-1;
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/maps", process);
  char *at = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  FILE *maps = at == MAP_FAILED ? NULL : fopen(path, "r");
  if (!maps) return (void *)-1;
  uintptr_t begin = (uintptr_t)from.offset, end = begin + len;
  while (fgets(line, sizeof line, maps)) {
    uintptr_t start, stop;
    off_t offset;
    unsigned major, minor;
    ino_t inode;
    struct stat self;
    if (!strstr(line, "/memfd:reblock")) continue;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %lx %x:%x %lu", &start, &stop, &offset, &major, &minor, &inode) != 6) abort();
    if (start < begin) offset += (off_t)(begin - start), start = begin;
    if (stop > end) stop = end;
    /* The process has no descriptor for arrays that it has mapped from other processes. */
    int fd = start < stop ? opened(process, (dev_t)(major << 8 | minor), inode) : -1;
    if (fd < 0 || fstat(fd, &self)) continue;
    if (mmap(at + (start - begin), stop - start, PROT_READ, MAP_SHARED | MAP_FIXED, fd, offset) == MAP_FAILED) abort();
    close(fd);
  }
  fclose(maps);
  attached[from.permit].at = at;
  attached[from.permit].len = len;
  return at;
}

int xpmem_detach(void *at) {
  for (int n = 1; n < PERMITS; n++)
    if (attached[n].at == at) {
      attached[n].at = NULL;
      /* The permit is released after the attachment. */
      if (!permits[n]) abort();
      return munmap(at, attached[n].len);
    }
  abort();
}
