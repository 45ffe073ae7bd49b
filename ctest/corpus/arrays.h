/* Arrays of the library: REDISTRIBUTE and REALIGN. */
#ifndef CORPUS_ARRAYS_H
#define CORPUS_ARRAYS_H
#include "case.h"

/* Tests the arrays of a case. Collective over the communicator of the arrays' arrangement. */
void arrays_move(const struct arrays *a);
#endif
