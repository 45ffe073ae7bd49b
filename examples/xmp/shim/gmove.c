/* gmove of Omni XcalableMP, by reblock. The loader finds this library before Omni's, so its functions replace Omni's.
 * Calls that reblock cannot serve go on to Omni's functions. */
#include "shim.h"

typedef void gmove_function(_XMP_gmv_desc_t *left, _XMP_gmv_desc_t *right, int mode);

static bool one_element(const _XMP_gmv_desc_t *desc) {
  for (int i = 0; i < desc->ndims; i++)
    if (desc->st[i] != 0) return false;
  return true;
}

/* Returns the reason, if all executing nodes see one without a description of the arrays; otherwise MOVED. A single
 * element is not worth a plan. */
static enum reason not_taken(const _XMP_gmv_desc_t *left, const _XMP_gmv_desc_t *right, int mode) {
  if (shim_is_off()) return OFF;
  if (mode != _XMP_N_GMOVE_NORMAL) return ONE_SIDED;
  return one_element(left) && one_element(right) ? ONE_ELEMENT : MOVED;
}

static enum reason moved(const _XMP_gmv_desc_t *left, const _XMP_gmv_desc_t *right, int mode) {
  static struct side from, to;
  enum reason why = not_taken(left, right, mode), other;
  if (why != MOVED) return why;
  _XMP_nodes_t *executing = _XMP_get_execution_nodes();
  const _XMP_array_t *array = left->is_global ? left->a_desc : right->a_desc;
  struct wish wish = {.purpose = ASSIGN, .element = (int64_t)array->type_size, .spread = one_element(right),
                      .overlap = left->is_global && right->is_global && left->a_desc == right->a_desc};
  const struct plan *plan;
  why = describe_side(&from, right, executing, array->order);
  other = describe_side(&to, left, executing, array->order);
  if (why == MOVED) why = other;
  if (why == MOVED) why = plan_for(*(MPI_Comm *)executing->comm, &wish, &from, &to, &plan);
  return why == MOVED ? execute(plan, &from, &to, NULL) : why;
}

static void gmove(_XMP_gmv_desc_t *left, _XMP_gmv_desc_t *right, int mode, const char *name) {
  enum reason why = moved(left, right, mode);
  count_call(xmp_is_async() ? "gmove async" : "gmove", why);
  if (why != MOVED) ((gmove_function *)omni_own(name))(left, right, mode);
}

void _XMP_gmove_garray_garray(_XMP_gmv_desc_t *left, _XMP_gmv_desc_t *right, int mode) { gmove(left, right, mode, __func__); }
void _XMP_gmove_garray_larray(_XMP_gmv_desc_t *left, _XMP_gmv_desc_t *right, int mode) { gmove(left, right, mode, __func__); }
void _XMP_gmove_larray_garray(_XMP_gmv_desc_t *left, _XMP_gmv_desc_t *right, int mode) { gmove(left, right, mode, __func__); }
