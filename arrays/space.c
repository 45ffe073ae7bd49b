/* WHICH memory can other processes of the node map? One object without a name, in which arrays lie side by side. It is never
 * named in a file system and closed by exec, so it goes with the last process that maps it.
 *
 * fork: a child must see its memory as it was, whatever the parent does afterwards. So before a fork in which arrays live, the
 * parent's own mapping becomes a private one: from then on nobody writes the object, and both processes get copies of pages
 * that they write, as with other memory. Arrays of such a space are no longer read by others; new ones get a new space. vfork and
 * posix_spawn call nothing here: what they start sees the parent's memory until it runs another program. */
#define _GNU_SOURCE
#include "arrays.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* Bytes of pages that are kept for the next arrays: as much as the usual allocator keeps at most. */
static const size_t KEPT_BYTES = (size_t)64 << 20;
/* Addresses of a space at most: 192 ranks that map each other's take a fifth of what there are. */
static const size_t MOST_ADDRESSES = (size_t)128 << 30;
/* Arrays from this size on begin where a huge page could. */
static const size_t HUGE_PAGE = (size_t)2 << 20;
/* Spaces at a time: each fork in which arrays live ends one. */
enum { SPACES = 64 };

struct space {
  uintptr_t base;
  size_t span; /* 0: there is none */
  int fd;
  struct stat file;
  uint64_t number;
  struct blocks blocks;
};

static struct space spaces[SPACES];
static struct space *current; /* the one that others can map */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool refused; /* the system has no such memory for this process */
static uint64_t numbers, taken, declined;
static bool torn; /* a fork got no memory for its copies */

/* Whether memory is promised only as far as there is some: then a page that is missing would show by a signal. */
static bool is_strict(void) {
  char mode = 0;
  int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool strict = read(fd, &mode, 1) == 1 && mode == '2';
  close(fd);
  return strict;
}

static size_t memory(void) {
  struct sysinfo info;
  return sysinfo(&info) ? 0 : (size_t)info.totalram * info.mem_unit;
}

/* Bytes of addresses that a space may have. A process whose addresses are limited needs them itself. */
static size_t addresses(void) {
  struct rlimit all, file;
  if (is_strict() || getrlimit(RLIMIT_AS, &all) || getrlimit(RLIMIT_FSIZE, &file) || all.rlim_cur != RLIM_INFINITY) return 0;
  size_t span = memory() < MOST_ADDRESSES / 2 ? memory() * 2 : MOST_ADDRESSES;
  /* An object that were larger would end the process by a signal. */
  if (file.rlim_cur < span) span = file.rlim_cur;
  return span / HUGE_PAGE * HUGE_PAGE;
}

static void close_object(struct space *space) {
  struct stat now;
  /* Programs close descriptors that they do not know; the number may be another file's by now. */
  if (!fstat(space->fd, &now) && now.st_dev == space->file.st_dev && now.st_ino == space->file.st_ino) close(space->fd);
  space->fd = -1;
}

static bool has_object(const struct space *space) {
  struct stat now;
  return !fstat(space->fd, &now) && now.st_dev == space->file.st_dev && now.st_ino == space->file.st_ino;
}

/* An object whose descriptor is none of the first ones: a program may have closed these to use the numbers. */
static int object(size_t span) {
  int low = memfd_create("reblock", MFD_CLOEXEC);
  if (low < 0) return -1;
  int fd = fcntl(low, F_DUPFD_CLOEXEC, 64);
  if (fd < 0) fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
  close(low);
  if (fd >= 0 && ftruncate(fd, (off_t)span)) {
    close(fd);
    fd = -1;
  }
  return fd;
}

static bool open_space(struct space *space) {
  size_t span = addresses();
  if (!span || (space->fd = object(span)) < 0) return false;
  /* Some more, of which a part begins where a huge page does. */
  char *mapped = MAP_FAILED;
  if (!fstat(space->fd, &space->file))
    mapped = mmap(NULL, span + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped != MAP_FAILED) {
    char *base = mapped + (HUGE_PAGE - (uintptr_t)mapped % HUGE_PAGE) % HUGE_PAGE;
    void *here = mmap(base, span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, space->fd, 0);
    if (base != mapped) munmap(mapped, (size_t)(base - mapped));
    munmap(base + span, HUGE_PAGE - (size_t)(base - mapped));
    if (here != MAP_FAILED && blocks_begin(&space->blocks, (uintptr_t)base, span)) {
      madvise(base, span, MADV_HUGEPAGE); /* as far as the system gives them for such memory */
      space->base = (uintptr_t)base;
      space->span = span;
      space->number = ++numbers;
      return true;
    }
    munmap(base, span);
  }
  close(space->fd);
  return false;
}

/* The space for new arrays. */
static struct space *opened(void) {
  if (current || refused) return current;
  for (struct space *space = spaces; space < spaces + SPACES; space++) {
    if (space->span) continue;
    if (open_space(space)) return current = space;
    break;
  }
  refused = true;
  return NULL;
}

/* The array at `at`, and its space. */
static struct block *find(uintptr_t at, struct space **of) {
  for (struct space *space = spaces; space < spaces + SPACES; space++)
    if (space->span && at - space->base < space->span) {
      struct block *block = blocks_used(&space->blocks, at);
      if (block) {
        *of = space;
        return block;
      }
    }
  return NULL;
}

/* Gives the pages of a kept block back. They stay kept if the system does not take them. */
static bool discard(struct space *space, struct block *block) {
  if (madvise((void *)block->at, block->len, MADV_REMOVE)) return false;
  blocks_empty(&space->blocks, block);
  return true;
}

static void trim(struct space *space, size_t most) {
  struct block *oldest;
  while (space->blocks.kept > most && (oldest = blocks_oldest_kept(&space->blocks)))
    if (!discard(space, oldest)) break;
}

void *space_take(size_t bytes, size_t align, bool zero) {
  int saved = errno;
  bool clean = true;
  uintptr_t at = 0;
  if (align < PAGE) align = PAGE;
  if (bytes >= HUGE_PAGE && align < HUGE_PAGE) align = HUGE_PAGE;
  pthread_mutex_lock(&mutex);
  /* The usual allocator refuses what the machine can never hold. */
  struct space *space = bytes <= memory() ? opened() : NULL;
  size_t len = (bytes + PAGE - 1) / PAGE * PAGE;
  if (space) at = blocks_take(&space->blocks, len ? len : PAGE, align, &clean);
  if (at) taken++;
  else declined++;
  pthread_mutex_unlock(&mutex);
  if (at && zero && !clean) memset((void *)at, 0, bytes);
  errno = saved;
  return (void *)at;
}

size_t space_size(void *array) {
  struct space *space;
  if ((uintptr_t)array % PAGE || !array) return 0;
  pthread_mutex_lock(&mutex);
  struct block *block = find((uintptr_t)array, &space);
  size_t len = block ? block->len : 0;
  pthread_mutex_unlock(&mutex);
  return len;
}

/* A space whose object nobody writes any more: what was freed goes at once, and the last array takes the space with it. */
static void give_private(struct space *space, struct block *block) {
  munmap((void *)block->at, block->len);
  blocks_empty(&space->blocks, block);
  if (space->blocks.count == 1) {
    blocks_end(&space->blocks);
    space->span = 0;
  }
}

bool space_give(void *array) {
  struct space *space;
  if ((uintptr_t)array % PAGE || !array) return false;
  int saved = errno;
  pthread_mutex_lock(&mutex);
  struct block *block = find((uintptr_t)array, &space);
  if (block && space == current) {
    blocks_keep(&space->blocks, block);
    trim(space, KEPT_BYTES);
  } else if (block) {
    give_private(space, block);
  }
  pthread_mutex_unlock(&mutex);
  errno = saved;
  return block;
}

bool space_resize(void *array, size_t bytes) {
  struct space *space;
  bool done = false;
  size_t len = (bytes + PAGE - 1) / PAGE * PAGE;
  int saved = errno;
  pthread_mutex_lock(&mutex);
  struct block *block = bytes <= memory() ? find((uintptr_t)array, &space) : NULL;
  if (block && block->len >= len && space != current) done = block->len / 2 <= len;
  else if (block && block->len >= len) done = blocks_shorten(&space->blocks, block, len);
  else if (block && space == current) done = blocks_lengthen(&space->blocks, block, len);
  if (done && space == current) trim(space, KEPT_BYTES);
  pthread_mutex_unlock(&mutex);
  errno = saved;
  return done;
}

/* Makes what is used of a space this process's own; addresses that are not used are given back. */
static void make_private(struct space *space) {
  struct blocks *blocks = &space->blocks;
  bool object = has_object(space);
  for (struct block *block = blocks->all; block < blocks->all + blocks->count; block++) {
    void *at = (void *)block->at;
    if (block->state != USED) {
      munmap(at, block->len);
      continue;
    }
    off_t offset = (off_t)(block->at - space->base);
    int access = PROT_READ | PROT_WRITE;
    if (object && mmap(at, block->len, access, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, space->fd, offset) != MAP_FAILED) continue;
    /* The program has closed the object: nothing but a copy is left to do. */
    void *copy = mmap(NULL, block->len, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy != MAP_FAILED) memcpy(copy, at, block->len);
    if (copy == MAP_FAILED || mremap(copy, block->len, block->len, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED) torn = true;
  }
  if (object) close_object(space);
}

static bool is_used(const struct space *space) {
  const struct blocks *blocks = &space->blocks;
  for (size_t k = 0; k < blocks->count; k++)
    if (blocks->all[k].state == USED) return true;
  return false;
}

static void before_fork(void) {
  int saved = errno;
  pthread_mutex_lock(&mutex);
  if (current) {
    trim(current, 0);
    /* What the system did not take back is free all the same. */
    struct block *kept;
    bool used = is_used(current);
    while (used && (kept = blocks_oldest_kept(&current->blocks))) blocks_empty(&current->blocks, kept);
    if (used) {
      make_private(current);
      current = NULL;
    }
  }
  errno = saved;
}

static void in_parent(void) {
  torn = false;
  pthread_mutex_unlock(&mutex);
}

static void in_child(void) {
  if (torn) {
    static const char why[] = "reblock: no memory for the arrays of a process that fork made\n";
    if (write(STDERR_FILENO, why, sizeof why - 1) < 0) _exit(126);
    _exit(126);
  }
  if (current) {
    /* The parent's, without arrays. */
    munmap((void *)current->base, current->span);
    blocks_end(&current->blocks);
    close_object(current);
    current->span = 0;
    current = NULL;
  }
  pthread_mutex_unlock(&mutex);
}

void space_begin(void) {
  if (pthread_atfork(before_fork, in_parent, in_child)) refused = true;
}

/* What libreblock asks. */
struct reblock_arrays {
  uint64_t number, base, bytes, descriptor, device, inode;
};

/* The memory in which new arrays of this process lie; whether there is any. */
__attribute__((visibility("default"))) int reblock_arrays_space(struct reblock_arrays *out) {
  int saved = errno;
  pthread_mutex_lock(&mutex);
  struct space *space = opened();
  if (space)
    *out = (struct reblock_arrays){space->number, space->base, space->span, (uint64_t)space->fd, space->file.st_dev, space->file.st_ino};
  pthread_mutex_unlock(&mutex);
  errno = saved;
  return space != NULL;
}

/* Arrays that lay in such memory so far, and those for which there was none. */
__attribute__((visibility("default"))) void reblock_arrays_counts(uint64_t out[2]) {
  pthread_mutex_lock(&mutex);
  out[0] = taken;
  out[1] = declined;
  pthread_mutex_unlock(&mutex);
}

/* The number of the memory that others can map now; 0: none. */
__attribute__((visibility("default"))) uint64_t reblock_arrays_number(void) {
  pthread_mutex_lock(&mutex);
  uint64_t number = current ? current->number : 0;
  pthread_mutex_unlock(&mutex);
  return number;
}
