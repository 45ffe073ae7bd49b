/* Sections of arrays of the program's own, moved by plans in every way that there is. */
#ifndef CORPUS_TRANSFER_H
#define CORPUS_TRANSFER_H
#include "case.h"

/* Collective over the case's communicator. */
void transfer(const struct one_case *c);
#endif
