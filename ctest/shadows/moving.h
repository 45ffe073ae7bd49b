/* Checks that the shadows of a library array are filled when it moves, and only on request. Draws one array; returns
 * the text of an error, or NULL. */
#ifndef SHADOWS_MOVING_H
#define SHADOWS_MOVING_H
#include "array.h"
const char *moving(void);
#endif
