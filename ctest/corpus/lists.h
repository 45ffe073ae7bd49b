/* Elements of an array that lists of indices name: gathered into local arrays, and scattered from them. */
#ifndef CORPUS_LISTS_H
#define CORPUS_LISTS_H
#include "laid.h"

/* With the two arrays of a move; collective over the case's communicator. Nothing is done with arrays in boxes. */
void lists(const struct one_case *c, struct laid *from, struct laid *to);
#endif
