/* Tests programs that change pages of their own large blocks (protection, inheritance, locks, other files in their
 * place) and then free them or fork. The next block must have none of the changes, and parent and child must have
 * the contents that ordinary memory would have. Runs with any allocator.
 *
 *   LD_PRELOAD=libreblock_arrays.so REBLOCK_ARRAYS=node pages [closed|locked]
 *
 * closed: the program closes all descriptors first. locked: it locks all its memory. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 4 << 20, PART = 1 << 20, FORKS = 80 };
static bool closed, locked, placed; /* placed: libreblock_arrays.so is loaded */
static const char *now = "", *program;

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "pages: %s: line %d: %s\n", now, __LINE__, #condition); \
      _exit(1); \
    } \
  } while (0)

/* Properties of the mapping at an address, as the kernel reports them. */
struct pages {
  bool mapped, shared, ours, without_fork, without_dump, locked;
  char access[4];
};
static struct pages pages_at(const void *p) {
  struct pages out = {0};
  char line[512], access[5];
  unsigned long from, to;
  bool here = false;
  FILE *maps = fopen("/proc/self/smaps", "r");
  CHECK(maps);
  while (fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%lx-%lx %4s", &from, &to, access) == 3) {
      here = from <= (unsigned long)p && (unsigned long)p < to;
      if (!here) continue;
      out.mapped = true;
      out.shared = access[3] == 's';
      out.ours = strstr(line, "memfd:reblock");
      memcpy(out.access, access, 3);
    } else if (here && !strncmp(line, "VmFlags:", 8)) {
      out.without_fork = strstr(line, " dc");
      out.without_dump = strstr(line, " dd");
      out.locked = strstr(line, " lo");
    }
  }
  fclose(maps);
  return out;
}

static unsigned char *block(void) {
  unsigned char *p = aligned_alloc(PART, BYTES);
  CHECK(p);
  return p;
}
static void fill(unsigned char *p, size_t from, size_t to, int value) { memset(p + from, value, to - from); }
static bool is(const unsigned char *p, size_t from, size_t to, int value) {
  for (size_t k = from; k < to; k++)
    if (p[k] != value) return false;
  return true;
}

/* Returns a file without a name, in the program's folder, with PART bytes of 9. */
static int file(void) {
  static const unsigned char nine[4096] = {[0 ... 4095] = 9};
  char name[4096];
  CHECK(snprintf(name, sizeof name, "%s-XXXXXX", program) < (int)sizeof name);
  int fd = mkstemp(name);
  CHECK(fd >= 0 && !unlink(name));
  for (int k = 0; k < PART / 4096; k++) CHECK(write(fd, nine, 4096) == 4096);
  return fd;
}
static int mapped_file = -1;
static unsigned char *moved; /* PART bytes that were moved out of the block, or room to move them to */

/* Changes that a program makes to the second PART of a block. Each has an expected value; -1 if the part is not
 * readable. */
static void no_access(unsigned char *p) { CHECK(!mprotect(p, PART, PROT_NONE)); }
static void read_only(unsigned char *p) { CHECK(!mprotect(p, PART, PROT_READ)); }
static void all_read_only(unsigned char *p) { CHECK(!mprotect(p - PART, BYTES, PROT_READ)); }
static void no_fork(unsigned char *p) { CHECK(!madvise(p, PART, MADV_DONTFORK)); }
static void all_no_fork(unsigned char *p) { CHECK(!madvise(p - PART, BYTES, MADV_DONTFORK)); }
static void no_dump(unsigned char *p) { CHECK(!madvise(p, PART, MADV_DONTDUMP)); }
static void huge(unsigned char *p) { madvise(p, PART, MADV_HUGEPAGE); }
static void not_huge(unsigned char *p) { madvise(p, PART, MADV_NOHUGEPAGE); }
static void in_random_order(unsigned char *p) { CHECK(!madvise(p, PART, MADV_RANDOM)); }
static void lock(unsigned char *p) { CHECK(!mlock(p, PART)); }
static void other_file(unsigned char *p) {
  if (mapped_file < 0) mapped_file = file();
  CHECK(mmap(p, PART, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, mapped_file, 0) == p);
}
/* The file keeps its contents. */
static void empty_other_file(unsigned char *p) {
  other_file(p);
  if (!locked) CHECK(!madvise(p, PART, MADV_DONTNEED));
}
static void other_memory(unsigned char *p) {
  CHECK(mmap(p, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p);
  memset(p, 9, PART);
}
static void unmap(unsigned char *p) { CHECK(!munmap(p, PART)); }
static void move(unsigned char *p) { CHECK((moved = mremap(p, PART, PART, MREMAP_MAYMOVE | MREMAP_FIXED, moved)) != MAP_FAILED); }
static void enlarge(unsigned char *p) {
  munmap(moved, PART);
  moved = mremap(p, PART, 2 * PART, MREMAP_MAYMOVE);
  CHECK(moved != MAP_FAILED && is(moved, 0, PART, 5) && is(moved, PART, 2 * PART, 0));
  fill(moved, PART, 2 * PART, 4);
  moved = mremap(moved, 2 * PART, 3 * PART, MREMAP_MAYMOVE);
  CHECK(moved != MAP_FAILED && is(moved, 0, PART, 5) && is(moved, PART, 2 * PART, 4) && is(moved, 2 * PART, 3 * PART, 0));
}
static void enlarge_read_only(unsigned char *p) {
  CHECK(!mprotect(p, PART, PROT_READ));
  munmap(moved, PART);
  moved = mremap(p, PART, 2 * PART, MREMAP_MAYMOVE);
  CHECK(moved != MAP_FAILED && !memcmp(pages_at(moved).access, "r--", 3) && !memcmp(pages_at(moved + PART).access, "r--", 3));
  CHECK(is(moved, 0, PART, 5) && is(moved, PART, 2 * PART, 0) && !mprotect(moved, PART, PROT_READ | PROT_WRITE));
}
static void do_not_need(unsigned char *p) {
  bool emptied = !madvise(p, PART, MADV_DONTNEED);
  CHECK(emptied != locked); /* locked pages stay */
  if (locked) fill(p, 0, PART, 0);
  CHECK(is(p, 0, PART, 0));
}
static void move_and_fill(unsigned char *p) {
  move(p);
  other_memory(p);
}

static const struct change {
  const char *name;
  void (*make)(unsigned char *);
  int value; /* expected value of the bytes; -1: they cannot be read */
  const char *access; /* NULL: nothing is mapped */
  bool without_fork, writable;
} changes[] = {
  {"mprotect PROT_NONE", no_access, -1, "---", false, false},
  {"mprotect PROT_READ", read_only, 5, "r--", false, false},
  {"mprotect PROT_READ of all", all_read_only, 5, "r--", false, false},
  {"MADV_DONTFORK", no_fork, 5, "rw-", true, true},
  {"MADV_DONTFORK of all", all_no_fork, 5, "rw-", true, true},
  {"MADV_DONTDUMP", no_dump, 5, "rw-", false, true},
  {"MADV_HUGEPAGE", huge, 5, "rw-", false, true},
  {"MADV_NOHUGEPAGE", not_huge, 5, "rw-", false, true},
  {"MADV_RANDOM", in_random_order, 5, "rw-", false, true},
  {"mlock", lock, 5, "rw-", false, true},
  {"mmap of a file", other_file, 9, "rw-", false, true},
  {"mmap of a file and MADV_DONTNEED", empty_other_file, 9, "rw-", false, true},
  {"mmap of memory", other_memory, 9, "rw-", false, true},
  {"munmap", unmap, -1, NULL, false, false},
  {"mremap", move, -1, NULL, false, false},
  {"mremap and mmap", move_and_fill, 9, "rw-", false, true},
  {"mremap to more", enlarge, -1, NULL, false, false},
  {"mremap to more of PROT_READ", enlarge_read_only, -1, NULL, false, false},
  {"MADV_DONTNEED", do_not_need, 0, "rw-", false, true},
};

static unsigned char *changed(const struct change *change) {
  unsigned char *p = block();
  fill(p, 0, BYTES, 5);
  moved = mmap(NULL, PART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(moved != MAP_FAILED);
  change->make(p + PART);
  return p;
}
static bool moves(const struct change *change) { return change->make == move || change->make == move_and_fill || change->make == enlarge || change->make == enlarge_read_only; }

/* Frees the block that `changed` made. New blocks must then have none of the changes. */
static void freed(const struct change *change, unsigned char *p) {
  free(p);
  for (int round = 0; round < 3; round++) {
    unsigned char *q = round ? calloc(1, BYTES) : block(), *middle = q + BYTES / 2;
    CHECK(q && (!round || is(q, 0, BYTES, 0)));
    fill(q, 0, BYTES, 6);
    struct pages there = pages_at(middle), same = pages_at(q + PART + PART / 2);
    CHECK(!memcmp(there.access, "rw-", 3) && !memcmp(same.access, "rw-", 3));
    CHECK(!same.without_fork && !same.without_dump && (locked || !same.locked) && same.ours == there.ours);
    CHECK(!placed || (same.ours && same.shared));
    CHECK(!moves(change) || is(moved, 0, PART, 5));
    free(q);
  }
  if (mapped_file >= 0) {
    unsigned char nine[4096];
    CHECK(pread(mapped_file, nine, sizeof nine, 4096) == sizeof nine && is(nine, 0, sizeof nine, 9));
    CHECK(lseek(mapped_file, 0, SEEK_END) == PART);
    close(mapped_file);
    mapped_file = -1;
  }
  munmap(moved, PART);
}

static void await(pid_t child) {
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Checks the contents of a block that `changed` made, with `value` in its changed part in place of 5. */
static void look(const struct change *change, const unsigned char *p, bool child, int value) {
  bool all = change->make == all_no_fork || change->make == all_read_only;
  struct pages there = pages_at(p + PART);
  if (!change->access || (child && change->without_fork)) {
    CHECK(!there.mapped);
  } else {
    CHECK(there.mapped && !memcmp(there.access, change->access, 3));
    CHECK(there.without_dump == (change->make == no_dump) && there.without_fork == change->without_fork);
    CHECK(child || locked || there.locked == (change->make == lock));
    if (change->value >= 0) CHECK(is(p, PART, 2 * PART, change->value == 5 && change->writable ? value : change->value));
  }
  if (!all) CHECK(is(p, 0, PART, value) && is(p, 2 * PART, BYTES, value));
  if (moves(change)) CHECK(is(moved, 0, PART, value));
}

/* Writes all writable bytes of a block that `changed` made: those of the child, and those that it shares on purpose. */
static void write_all(const struct change *change, unsigned char *p, bool child, int value) {
  bool all = change->make == all_no_fork || change->make == all_read_only;
  if (!all) fill(p, 0, PART, value), fill(p, 2 * PART, BYTES, value);
  if (change->value == 5 && change->writable && !(child && change->without_fork)) fill(p, PART, 2 * PART, value);
  if (all && !child && change->writable) fill(p, 0, BYTES, value);
  if (moves(change)) fill(moved, 0, PART, value);
}

static void forked(const struct change *change) {
  unsigned char *p = changed(change);
  struct pages before = pages_at(p + PART);
  int gate[2];
  char go = 0;
  CHECK(!pipe(gate));
  pid_t child = fork();
  if (!child) {
    close(gate[1]);
    CHECK(read(gate[0], &go, 1) == 1); /* by now the parent has written */
    look(change, p, true, 5);
    write_all(change, p, true, 7);
    look(change, p, true, 7);
    if (moves(change)) fill(moved, 0, PART, 5);
    if (!change->without_fork) freed(change, p);
    _exit(0);
  }
  look(change, p, false, 5);
  write_all(change, p, false, 8);
  CHECK(write(gate[1], "g", 1) == 1);
  await(child);
  look(change, p, false, 8);
  /* The pages must be unchanged: a device may have their physical addresses. */
  struct pages after = pages_at(p + PART);
  CHECK(!change->without_fork || (after.shared == before.shared && after.ours == before.ours));
  close(gate[0]);
  close(gate[1]);
  if (moves(change)) fill(moved, 0, PART, 5);
  /* Also tested in an array that existed at a fork. */
  if (change->make == do_not_need) {
    fill(p, PART, 2 * PART, 3);
    do_not_need(p + PART);
    CHECK(is(p, 0, PART, 8) && is(p, 2 * PART, BYTES, 8));
  }
  freed(change, p);
}

/* Keeps arrays from before each of many forks, and allocates as many afterwards. */
static void many_forks(void) {
  static unsigned char *kept[FORKS];
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < FORKS; k++) {
      kept[k] = block();
      kept[k][PART] = (unsigned char)k;
      pid_t child = fork();
      if (!child) _exit(kept[0][PART] != 0 || kept[k][PART] != k);
      await(child);
    }
    for (int k = 0; k < FORKS; k++) {
      CHECK(kept[k][PART] == k);
      free(kept[k]);
    }
    unsigned char *p = block();
    p[0] = 1;
    CHECK(!placed || pages_at(p).ours);
    free(p);
  }
}

int main(int argc, char **argv) {
  program = argv[0];
  closed = argc > 1 && !strcmp(argv[1], "closed");
  locked = argc > 1 && !strcmp(argv[1], "locked");
  mallopt(M_MMAP_THRESHOLD, 1 << 20); /* makes the C library's allocator map each block */
  if (locked) CHECK(!mlockall(MCL_CURRENT | MCL_FUTURE));
  unsigned char *first = block();
  first[0] = 1;
  placed = pages_at(first).ours;
  if (closed)
    for (int fd = 3; fd < 1024; fd++) close(fd);
  free(first);
  for (const struct change *change = changes; change < changes + sizeof changes / sizeof *changes; change++) {
    now = change->name;
    freed(change, changed(change));
    forked(change);
  }
  now = "many forks";
  many_forks();
  printf("pages: %s%s%s\n", placed ? "placed" : "not placed", closed ? ", closed" : "", locked ? ", locked" : "");
  return 0;
}
