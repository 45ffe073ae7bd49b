/* reflect of Omni XcalableMP, by plans that fill shadows. Omni is told the widths axis by axis, before the call that fills: they are kept
 * here, and handed on only if the call goes to Omni's own function. Like Omni's, the corners are filled, too. */
#include <string.h>

#include "shim.h"

static struct {
  bool given;
  int before[AXES], after[AXES], periodic[AXES];
} widths;

void _XMP_set_reflect__(_XMP_array_t *array, int axis, int before, int after, int periodic) {
  (void)array;
  widths.given = true;
  widths.before[axis] = before;
  widths.after[axis] = after;
  widths.periodic[axis] = periodic;
}

/* The widths of this call; without any, the shadow's own. A call for some of several axes goes to Omni's own function, as that also hands
 * on what is in the shadows of the other axes: programs fill corners by one call for each axis. */
static enum reason fill_wish(struct wish *wish, const _XMP_array_t *array) {
  int filled = 0, left = 0;
  *wish = (struct wish){.purpose = FILL_SHADOWS, .element = (int64_t)array->type_size};
  for (int i = 0; i < array->dim; i++) {
    const _XMP_array_info_t *axis = &array->info[i];
    if (axis->shadow_type == _XMP_N_SHADOW_NONE) continue;
    if (axis->shadow_type == _XMP_N_SHADOW_FULL) return FULL_SHADOW;
    wish->before[i] = widths.given ? widths.before[i] : axis->shadow_size_lo;
    wish->after[i] = widths.given ? widths.after[i] : axis->shadow_size_hi;
    wish->periodic[i] = widths.given && widths.periodic[i] != 0;
    if (wish->before[i] > 0 || wish->after[i] > 0) filled++;
    else left++;
  }
  return filled == 0 ? NOTHING : left == 0 ? MOVED : ONE_SHADOW;
}

static enum reason filled(_XMP_array_t *array) {
  struct wish wish;
  enum reason why = shim_is_off() ? OFF : fill_wish(&wish, array);
  if (why != MOVED) return why;
  _XMP_nodes_t *executing = _XMP_get_execution_nodes();
  struct side side, none;
  reblock_plan *plan;
  memset(&none, 0, sizeof none);
  why = describe_array(&side, array, executing);
  if (why == MOVED) why = plan_for(*(MPI_Comm *)executing->comm, &wish, &side, &none, &plan);
  if (why == MOVED) why = execute(plan, &side, &side);
  free(side.lists);
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

void _XMP_reflect_async__(_XMP_array_t *array, int id) {
  count_call("reflect", ASYNCHRONOUS);
  hand_on(array);
  ((void (*)(_XMP_array_t *, int))omni_own(__func__))(array, id);
  memset(&widths, 0, sizeof widths);
}
