/* The memory object that other processes of the node map. It has no name in any file system and is closed by exec, so
 * it disappears with the last process that maps it. Only processes of the same user find it, by its descriptor in
 * /proc, and they can open it only for reading. */
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

/* Maximum bytes of addresses of an object. 192 ranks that map each other's objects use a fifth of the address space. */
static const size_t MAX_ADDRESSES = (size_t)128 << 30;
static const size_t HUGE_PAGE = (size_t)2 << 20;

/* Checks whether the system limits promised memory to what it has. Then a missing page would raise a signal. */
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

/* Returns the bytes of addresses that an object may have. A process with limited addresses needs them itself; a
 * process with limited data must not exceed the limit through its object. */
static size_t addresses(void) {
  struct rlimit file;
  if (is_strict() || is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA) || getrlimit(RLIMIT_FSIZE, &file)) return 0;
  size_t span = machine_memory() < MAX_ADDRESSES / 2 ? machine_memory() * 2 : MAX_ADDRESSES;
  /* A larger object would end the process by a signal. */
  if (file.rlim_cur < span) span = file.rlim_cur;
  return span / HUGE_PAGE * HUGE_PAGE;
}

bool object_is_there(const struct object *object) {
  struct stat now;
  return !fstat(object->fd, &now) && now.st_dev == object->file.st_dev && now.st_ino == object->file.st_ino;
}

void object_close(struct object *object) {
  /* Programs close descriptors that they did not open; the number may now belong to another file. */
  if (object_is_there(object)) close(object->fd);
  object->fd = -1;
}

/* Makes the object. Its descriptor is not a low number: a program may have closed the low ones in order to reuse
 * them. */
static int made(size_t span) {
  int low = memfd_create("reblock", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
  /* Linux before 6.3 rejects the flag; some later systems require it. */
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
  /* Map more than needed, so that a part of it begins at a huge page. */
  char *mapped = MAP_FAILED;
  if (!fstat(object->fd, &object->file))
    mapped = mmap(NULL, span + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped != MAP_FAILED) {
    char *base = mapped + (HUGE_PAGE - (uintptr_t)mapped % HUGE_PAGE) % HUGE_PAGE;
    /* Inaccessible pages take no memory, even if a program locks all its memory. */
    void *here = mmap(base, span, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, object->fd, 0);
    if (base != mapped) munmap(mapped, (size_t)(base - mapped));
    munmap(base + span, HUGE_PAGE - (size_t)(base - mapped));
    if (here != MAP_FAILED && !madvise(base, span, MADV_DONTDUMP)) {
      madvise(base, span, MADV_HUGEPAGE); /* if the system has huge pages for shared memory */
      bool elsewhere;
      object->base = (uintptr_t)base;
      /* Without /proc no other process can map the object, and changes to its pages cannot be detected. */
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
  /* If the process has no mapping left to cut, unused parts stay readable. */
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
    *elsewhere = true; /* not known, so assume it */
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
