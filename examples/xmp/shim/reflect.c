/* reflect of Omni XcalableMP, by plans that fill shadows. Programs pass Omni the widths axis by axis, before the call
 * that fills. The shim stores them, and passes them on only if the call goes to Omni's own function. */
#include <string.h>

#include "shim.h"

static struct widths widths;

void _XMP_set_reflect__(_XMP_array_t *array, int axis, int before, int after, int periodic) {
  (void)array;
  widths.given = true;
  widths.before[axis] = before;
  widths.after[axis] = after;
  widths.periodic[axis] = periodic;
}

/* Fills full shadows first, then the others: after that, a full axis counts as whole on each node. */
static enum reason filled(_XMP_array_t *array) {
  struct wish whole, some;
  enum reason full = shadow_wish(&whole, array, &widths, COMPLETE), part = shadow_wish(&some, array, &widths, FILL);
  enum reason why = full;
  if (full == MOVED) why = move_shadows(array, &whole, NULL);
  if (part == MOVED && (why == MOVED || full == NOTHING)) why = move_shadows(array, &some, NULL);
  return why;
}

static void hand_on(_XMP_array_t *array) {
  void (*set)(_XMP_array_t *, int, int, int, int) = omni_own("_XMP_set_reflect__");
  for (int i = 0; i < array->dim && widths.given; i++) set(array, i, widths.before[i], widths.after[i], widths.periodic[i]);
}

void _XMP_reflect__(_XMP_array_t *array) {
  enum reason why = filled(array);
  count_call("reflect", why);
  if (why != MOVED) {
    hand_on(array);
    ((void (*)(_XMP_array_t *))omni_own(__func__))(array);
  }
  memset(&widths, 0, sizeof widths);
}

void _XMP_reflect_async__(_XMP_array_t *array, int async) {
  enum reason why = filled(array);
  count_call("reflect async", why);
  if (why != MOVED) {
    hand_on(array);
    ((void (*)(_XMP_array_t *, int))omni_own(__func__))(array, async);
  }
  memset(&widths, 0, sizeof widths);
}
