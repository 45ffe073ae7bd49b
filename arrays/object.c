/* WHICH memory can other processes of the node map? One object without a name. It is never named in a file system and closed by
 * exec, so it goes with the last process that maps it. Only processes of this user find it, by its descriptor in /proc, and they
 * can open it for reading only. */
#define _GNU_SOURCE
#include "arrays.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* Addresses of an object at most: 192 ranks that map each other's take a fifth of what there are. */
static const size_t MOST_ADDRESSES = (size_t)128 << 30;
static const size_t HUGE_PAGE = (size_t)2 << 20;

/* Whether memory is promised only as far as there is some: then a page that is missing would show by a signal. */
static bool is_strict(void) {
  char mode = 0;
  int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool strict = read(fd, &mode, 1) == 1 && mode == '2';
  close(fd);
  return strict;
}

size_t machine_memory(void) {
  struct sysinfo info;
  return sysinfo(&info) ? 0 : (size_t)info.totalram * info.mem_unit;
}

static bool is_limited(int resource) {
  struct rlimit limit;
  return getrlimit(resource, &limit) || limit.rlim_cur != RLIM_INFINITY;
}

/* Bytes of addresses that an object may have. A process whose addresses are limited needs them itself, and one whose data are
 * limited is not to have more of them here. */
static size_t addresses(void) {
  struct rlimit file;
  if (is_strict() || is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA) || getrlimit(RLIMIT_FSIZE, &file)) return 0;
  size_t span = machine_memory() < MOST_ADDRESSES / 2 ? machine_memory() * 2 : MOST_ADDRESSES;
  /* An object that were larger would end the process by a signal. */
  if (file.rlim_cur < span) span = file.rlim_cur;
  return span / HUGE_PAGE * HUGE_PAGE;
}

bool object_is_there(const struct object *object) {
  struct stat now;
  return !fstat(object->fd, &now) && now.st_dev == object->file.st_dev && now.st_ino == object->file.st_ino;
}

void object_close(struct object *object) {
  /* Programs close descriptors that they do not know; the number may be another file's by now. */
  if (object_is_there(object)) close(object->fd);
  object->fd = -1;
}

/* Its descriptor is none of the first ones: a program may have closed these to use the numbers. */
static int made(size_t span) {
  int low = memfd_create("reblock", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
  /* Systems before Linux 6.3 do not know the flag; some after it want it. */
  if (low < 0) low = memfd_create("reblock", MFD_CLOEXEC);
  if (low < 0) return -1;
  int fd = fcntl(low, F_DUPFD_CLOEXEC, 64);
  if (fd < 0) fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
  close(low);
  if (fd >= 0 && (ftruncate(fd, (off_t)span) || fchmod(fd, S_IRUSR))) {
    close(fd);
    fd = -1;
  }
  return fd;
}

bool object_open(struct object *object) {
  size_t span = addresses();
  if (!span || (object->fd = made(span)) < 0) return false;
  /* Some more, of which a part begins where a huge page does. */
  char *mapped = MAP_FAILED;
  if (!fstat(object->fd, &object->file))
    mapped = mmap(NULL, span + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped != MAP_FAILED) {
    char *base = mapped + (HUGE_PAGE - (uintptr_t)mapped % HUGE_PAGE) % HUGE_PAGE;
    /* What can be neither read nor written takes no memory, also where a program locks all that it has. */
    void *here = mmap(base, span, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, object->fd, 0);
    if (base != mapped) munmap(mapped, (size_t)(base - mapped));
    munmap(base + span, HUGE_PAGE - (size_t)(base - mapped));
    if (here != MAP_FAILED && !madvise(base, span, MADV_DONTDUMP)) {
      madvise(base, span, MADV_HUGEPAGE); /* as far as the system gives them for such memory */
      bool elsewhere;
      object->base = (uintptr_t)base;
      /* Without /proc nobody else can map it, and nobody can say what a program does to its pages. */
      if (object_mappings(object, object->base, span, &elsewhere) == 1) {
        object->span = span;
        return true;
      }
    }
    munmap(base, span);
  }
  close(object->fd);
  return false;
}

bool object_use(uintptr_t at, size_t len) {
  if (mprotect((void *)at, len, PROT_READ | PROT_WRITE)) return false;
  madvise((void *)at, len, MADV_DODUMP);
  return true;
}

bool object_discard(uintptr_t at, size_t len) {
  if (madvise((void *)at, len, MADV_REMOVE)) return false;
  /* If the process has no mapping left to cut, what is empty can be read. */
  if (!madvise((void *)at, len, MADV_DONTDUMP)) mprotect((void *)at, len, PROT_NONE);
  return true;
}

bool object_is_of(const struct object *object, const struct mapping *mapping) {
  return mapping->shared && mapping->inode == object->file.st_ino && mapping->device == object->file.st_dev;
}

bool object_is_mapping(uintptr_t from, uintptr_t to) {
  static const char name[] = "/memfd:reblock";
  char path[64], file[sizeof name];
  snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", (unsigned long)from, (unsigned long)to);
  return readlink(path, file, sizeof name - 1) == sizeof name - 1 && !memcmp(file, name, sizeof name - 1);
}

int object_mappings(const struct object *object, uintptr_t at, size_t len, bool *elsewhere) {
  struct maps maps;
  struct mapping mapping;
  uintptr_t next = at, end = at + len;
  int found = 0;
  *elsewhere = false;
  if (!maps_open(&maps, false)) {
    *elsewhere = true; /* for all we know */
    return 0;
  }
  while (maps_next(&maps, &mapping)) {
    if (!object_is_of(object, &mapping)) continue;
    uintptr_t home = object->base + (uintptr_t)mapping.offset;
    if (mapping.from != home) {
      if (home < end && at < home + (mapping.to - mapping.from)) *elsewhere = true;
    } else if (next < end && mapping.from <= next && next < mapping.to) {
      next = mapping.to;
      found++;
    }
  }
  maps_close(&maps);
  return next >= end ? found : 0;
}

bool object_renew(const struct object *object, uintptr_t at, size_t len) {
  off_t offset = (off_t)(at - object->base);
  if (!object_is_there(object)) return false;
  int kind = MAP_SHARED | MAP_NORESERVE | MAP_FIXED;
  if (mmap((void *)at, len, PROT_NONE, kind, object->fd, offset) == MAP_FAILED) return false;
  if (fallocate(object->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, (off_t)len)) return false;
  madvise((void *)at, len, MADV_DONTDUMP);
  madvise((void *)at, len, MADV_HUGEPAGE);
  return true;
}

void object_hold(uintptr_t at, size_t len) {
  mmap((void *)at, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}
