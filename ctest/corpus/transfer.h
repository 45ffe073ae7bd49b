/* Sections of the program's own arrays, moved by plans in every possible way. */
#ifndef CORPUS_TRANSFER_H
#define CORPUS_TRANSFER_H
#include "case.h"

/* Tests all moves of a case. Collective over the case's communicator. */
void transfer(const struct one_case *c);
#endif
