/* Lists of indices: their elements are gathered into local arrays, and scattered from them. */
#ifndef CORPUS_LISTS_H
#define CORPUS_LISTS_H
#include "laid.h"

/* Tests both arrays of a move; collective over the case's communicator. Skips arrays in boxes. */
void lists(const struct one_case *c, struct laid *from, struct laid *to);
#endif
