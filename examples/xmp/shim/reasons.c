/* Counts the calls that went through reblock, and the reasons why others went to Omni's own functions.
 * XMP_REBLOCK_REPORT=1 prints them at the end of the job, for the first process; XMP_REBLOCK=off sends every call to
 * Omni. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "shim.h"

static const char *const words[REASONS] = {
    [MOVED] = "through reblock",
    [OFF] = "switched off",
    [ONE_SIDED] = "in or out: one-sided",
    [ONE_ELEMENT] = "one element",
    [NOTHING] = "no shadow",
    [NUMBERS] = "numbers of a type that reblock does not add",
    [NODES] = "nodes that are not each as often among those that take part",
    [SHADOW] = "a shadow along an axis that is not in blocks",
    [STORAGE] = "storage that is not as the map says",
    [REFUSED] = "refused by reblock",
};

enum { KINDS = 6 };
static struct {
  const char *what;
  long calls[REASONS];
} counts[KINDS];

static bool set_to(const char *name, const char *value) {
  const char *text = getenv(name);
  return text != NULL && strcmp(text, value) == 0;
}

static enum { UNKNOWN, ON, SWITCHED_OFF } state;

bool shim_is_off(void) {
  if (state == UNKNOWN) state = set_to("XMP_REBLOCK", "off") ? SWITCHED_OFF : ON;
  return state == SWITCHED_OFF;
}

/* Switches reblock on or off, for programs that compare. All nodes must make the same switch. */
void xmp_reblock_switch(int on) { state = on ? ON : SWITCHED_OFF; }

static bool first_process(void) { return &_XMP_world_rank != NULL && _XMP_world_rank == 0; }

bool shim_explains(void) { return set_to("XMP_REBLOCK_REPORT", "2") && first_process(); }

void count_call(const char *what, enum reason why) {
  int kind = 0;
  while (kind + 1 < KINDS && counts[kind].what != NULL && strcmp(counts[kind].what, what) != 0) kind++;
  counts[kind].what = what;
  counts[kind].calls[why]++;
}

void *omni_own(const char *name) {
  void *own = dlsym(RTLD_NEXT, name);
  if (own == NULL) _XMP_fatal("Omni's library is not behind this one");
  return own;
}

__attribute__((destructor)) static void report(void) {
  if (getenv("XMP_REBLOCK_REPORT") == NULL || !first_process()) return;
  for (int kind = 0; kind < KINDS && counts[kind].what != NULL; kind++)
    for (int why = 0; why < REASONS; why++)
      if (counts[kind].calls[why] > 0) fprintf(stderr, "xmp: %s: %ld %s\n", counts[kind].what, counts[kind].calls[why], words[why]);
}
