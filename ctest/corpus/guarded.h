/* Memory with an inaccessible page after its last byte or before its first byte. The memory is filled with a pattern,
 * which shows each byte that is written by mistake. */
#ifndef CORPUS_GUARDED_H
#define CORPUS_GUARDED_H
#include <stddef.h>
#include <stdint.h>

struct guarded {
  char *mapping;
  size_t mapped;
  char *open; /* the accessible pages */
  size_t opened;
  char *data; /* the memory, within these pages */
  size_t bytes;
};

struct guarded guarded_make(size_t bytes, int guard_behind);
void guarded_free(struct guarded *g);
/* Returns byte `at` of the pattern for a salt. */
char pattern(size_t at, uint64_t salt);
void guarded_fill(struct guarded *g, uint64_t salt);
#endif
