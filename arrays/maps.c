/* Reads the kernel's list of this process's mappings. No function allocates. */
#define _GNU_SOURCE
#include "arrays.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Bytes read of a line: the file name at its end is not needed. */
enum { LINE = 256 };

bool maps_open(struct maps *maps, bool flags) {
  maps->flags = flags;
  maps->at = maps->end = 0;
  maps->fd = open(flags ? "/proc/self/smaps" : "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  return maps->fd >= 0;
}

void maps_close(struct maps *maps) { close(maps->fd); }

/* Reads the next line, truncated to LINE bytes. */
static bool read_line(struct maps *maps, char line[LINE]) {
  size_t len = 0;
  for (;;) {
    if (maps->at == maps->end) {
      ssize_t got = read(maps->fd, maps->text, sizeof maps->text);
      if (got <= 0) return false;
      maps->at = 0;
      maps->end = (size_t)got;
    }
    char c = maps->text[maps->at++];
    if (c == '\n') break;
    if (len < LINE - 1) line[len++] = c;
  }
  line[len] = 0;
  return true;
}

static uint64_t number(const char **text, unsigned base) {
  uint64_t n = 0;
  for (;; ++*text) {
    unsigned digit = (unsigned)(**text >= 'a' ? **text - 'a' + 10 : **text <= '9' ? **text - '0' : -1);
    if (digit >= base) return n;
    n = n * base + digit;
  }
}

/* Parses a line such as `7f0000000000-7f0000100000 rw-s 00010000 00:01 1234 /memfd:reblock (deleted)`. */
static void parse(const char *text, struct mapping *out) {
  memset(out, 0, sizeof *out);
  out->from = number(&text, 16), text++;
  out->to = number(&text, 16), text++;
  if (*text++ == 'r') out->access |= PROT_READ;
  if (*text++ == 'w') out->access |= PROT_WRITE;
  if (*text++ == 'x') out->access |= PROT_EXEC;
  out->shared = *text++ == 's', text++;
  out->offset = number(&text, 16), text++;
  unsigned major = (unsigned)number(&text, 16);
  text++;
  out->device = makedev(major, (unsigned)number(&text, 16)), text++;
  out->inode = number(&text, 10);
}

/* Parses a line such as `VmFlags: rd wr sh mr mw me ms dc`. */
static void parse_flags(const char *text, struct mapping *out) {
  static const struct {
    char name[3];
    int advice;
  } advices[] = {{"dd", MADV_DONTDUMP}, {"hg", MADV_HUGEPAGE}, {"nh", MADV_NOHUGEPAGE}, {"sr", MADV_SEQUENTIAL}, {"rr", MADV_RANDOM}};
  for (text = strchr(text, ' '); text && text[1] && text[2]; text = strchr(text + 1, ' ')) {
    if (!strncmp(text + 1, "dc", 2)) out->without_fork = true;
    if (!strncmp(text + 1, "lo", 2)) out->locked = true;
    for (size_t k = 0; k < sizeof advices / sizeof *advices; k++)
      if (!strncmp(text + 1, advices[k].name, 2)) out->advice[out->advices++] = advices[k].advice;
  }
}

bool maps_next(struct maps *maps, struct mapping *out) {
  char line[LINE];
  if (!read_line(maps, line)) return false;
  parse(line, out);
  if (!maps->flags) return true;
  /* The flags are the last line of a mapping's entry. */
  while (read_line(maps, line))
    if (!strncmp(line, "VmFlags:", 8)) {
      parse_flags(line, out);
      return true;
    }
  return false;
}
