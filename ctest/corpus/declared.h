/* Compares the library's reports on templates and other ranks' parts with the declarations. */
#ifndef CORPUS_DECLARED_H
#define CORPUS_DECLARED_H
#include "laid.h"
void check_declared(const struct laid *l);
#endif
