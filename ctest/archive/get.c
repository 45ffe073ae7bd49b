#include "blacs.h"

void Cblacs_get(int context, int what, int *value) { *value = what == 10 ? 40 + context : 0; }
