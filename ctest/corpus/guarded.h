/* Memory with a page behind its last byte, or before its first, that nobody may touch. What it is filled with shows
 * each byte that is written by mistake. */
#ifndef CORPUS_GUARDED_H
#define CORPUS_GUARDED_H
#include <stddef.h>
#include <stdint.h>

struct guarded {
  char *mapping;
  size_t mapped;
  char *open; /* the pages that may be touched */
  size_t opened;
  char *data; /* among them */
  size_t bytes;
};

struct guarded guarded_make(size_t bytes, int guard_behind);
void guarded_free(struct guarded *g);
/* Byte `at` of the pattern of a salt. */
char pattern(size_t at, uint64_t salt);
void guarded_fill(struct guarded *g, uint64_t salt);
#endif
