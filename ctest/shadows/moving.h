/* Are the shadows of an array of the library filled where it moves, and only where that is asked for? One random array; what is wrong
 * with it, or NULL. */
#ifndef SHADOWS_MOVING_H
#define SHADOWS_MOVING_H
#include "array.h"
const char *moving(void);
#endif
