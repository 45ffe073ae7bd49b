/* The shadow of an array of the program's own: filled, and on the way back combined with the elements that it shows. */
#ifndef CORPUS_HALO_H
#define CORPUS_HALO_H
#include "laid.h"

/* Tests the shadow of an array, unless the array is in boxes. Collective over the case's communicator. */
void halo(const struct one_case *c, struct laid *l);
#endif
