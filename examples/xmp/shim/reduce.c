/* reduce_shadow of Omni XcalableMP: adds the values in shadows to the elements that they show. Like Omni's own
 * function, it uses the shadow along one axis at a time, which has no corners. */
#include <string.h>

#include "shim.h"

static struct widths widths;

void _XMP_set_reduce_shadow__(_XMP_array_t *array, int axis, int before, int after, int periodic) {
  (void)array;
  widths.given = true;
  widths.before[axis] = before;
  widths.after[axis] = after;
  widths.periodic[axis] = periodic;
}

/* Sets the factors to 1 in the type of the array; returns false if reblock cannot add this type. Signed and unsigned
 * integers are the same here, because sums wrap around. */
static bool one_of(const _XMP_array_t *array, reblock_update *update) {
  static const int32_t narrow = 1;
  static const int64_t wide = 1;
  static const float floats[2] = {1, 0};
  static const double doubles[2] = {1, 0};
  switch (array->type) {
    case _XMP_N_TYPE_INT:
    case _XMP_N_TYPE_UNSIGNED_INT:
    case _XMP_N_TYPE_LONG:
    case _XMP_N_TYPE_UNSIGNED_LONG:
    case _XMP_N_TYPE_LONGLONG:
    case _XMP_N_TYPE_UNSIGNED_LONGLONG:
      update->type = array->type_size == sizeof narrow ? REBLOCK_INT32 : REBLOCK_INT64;
      update->beta = array->type_size == sizeof narrow ? (const void *)&narrow : &wide;
      return true;
    case _XMP_N_TYPE_FLOAT:
    case _XMP_N_TYPE_FLOAT_COMPLEX:
      update->type = array->type == _XMP_N_TYPE_FLOAT ? REBLOCK_FLOAT : REBLOCK_COMPLEX;
      update->beta = floats;
      return true;
    case _XMP_N_TYPE_DOUBLE:
    case _XMP_N_TYPE_DOUBLE_COMPLEX:
      update->type = array->type == _XMP_N_TYPE_DOUBLE ? REBLOCK_DOUBLE : REBLOCK_DOUBLE_COMPLEX;
      update->beta = doubles;
      return true;
    default: return false;
  }
}

static enum reason added(_XMP_array_t *array) {
  struct wish wish;
  reblock_update update;
  enum reason why = shadow_wish(&wish, array, &widths, ADD);
  if (why != MOVED) return why;
  return reblock_update_init(&update) == REBLOCK_OK && one_of(array, &update) ? move_shadows(array, &wish, &update) : NUMBERS;
}

void _XMP_reduce_shadow__(_XMP_array_t *array) {
  enum reason why = added(array);
  count_call(xmp_is_async() ? "reduce_shadow async" : "reduce_shadow", why);
  if (why != MOVED) {
    void (*set)(_XMP_array_t *, int, int, int, int) = omni_own("_XMP_set_reduce_shadow__");
    for (int i = 0; i < array->dim && widths.given; i++) set(array, i, widths.before[i], widths.after[i], widths.periodic[i]);
    ((void (*)(_XMP_array_t *))omni_own(__func__))(array);
  }
  memset(&widths, 0, sizeof widths);
}
