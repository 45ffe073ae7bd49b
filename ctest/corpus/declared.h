/* Compares what the library says of templates and of other ranks' parts with what was declared and dealt out. */
#ifndef CORPUS_DECLARED_H
#define CORPUS_DECLARED_H
#include "laid.h"
void check_declared(const struct laid *l);
#endif
