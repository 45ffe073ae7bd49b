/* gmove of Omni XcalableMP, by reblock. This library comes before Omni's own one when a program is started, so its functions take the
 * place of Omni's; what it does not take goes on to Omni's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#include "shim.h"

typedef void gmove_function(_XMP_gmv_desc_t *left, _XMP_gmv_desc_t *right, int mode);

static bool one_element(const _XMP_gmv_desc_t *desc) {
  for (int i = 0; i < desc->ndims; i++)
    if (desc->st[i] != 0) return false;
  return true;
}

/* What all executing nodes see alike without any description of the arrays. */
static enum reason not_taken(const _XMP_gmv_desc_t *left, const _XMP_gmv_desc_t *right, int mode) {
  if (shim_is_off()) return OFF;
  if (mode != _XMP_N_GMOVE_NORMAL) return ONE_SIDED;
  if (xmp_is_async()) return ASYNCHRONOUS;
  if (one_element(right)) return one_element(left) ? ONE_ELEMENT : SPREAD;
  return MOVED;
}

static enum reason moved(const _XMP_gmv_desc_t *left, const _XMP_gmv_desc_t *right, int mode) {
  enum reason why = not_taken(left, right, mode), other;
  if (why != MOVED) return why;
  _XMP_nodes_t *executing = _XMP_get_execution_nodes();
  MPI_Comm comm = *(MPI_Comm *)executing->comm;
  const _XMP_array_t *array = left->is_global ? left->a_desc : right->a_desc;
  struct side from, to;
  reblock_plan *plan;
  why = describe_side(&from, right, executing, array->order);
  other = describe_side(&to, left, executing, array->order);
  if (why == MOVED) why = other;
  if (why == MOVED) why = plan_for(comm, &from, &to, (int64_t)array->type_size, &plan);
  if (why == MOVED) {
    int32_t code = reblock_plan_execute(plan, from.address, to.address);
    if (code != REBLOCK_OK && shim_explains()) fprintf(stderr, "xmp: not moved: %s\n", reblock_message());
    if (code == REBLOCK_ERR_MPI) _XMP_fatal("reblock: MPI failed while data was moving");
    if (code != REBLOCK_OK) why = code == REBLOCK_ERR_OVERLAP ? OVERLAP : REFUSED;
  }
  free(from.lists);
  free(to.lists);
  return why;
}

static void gmove(_XMP_gmv_desc_t *left, _XMP_gmv_desc_t *right, int mode, const char *omni) {
  enum reason why = moved(left, right, mode);
  count_call("gmove", why);
  if (why == MOVED) return;
  gmove_function *own = (gmove_function *)dlsym(RTLD_NEXT, omni);
  if (own == NULL) _XMP_fatal("Omni's own gmove is not in a library behind this one");
  own(left, right, mode);
}

void _XMP_gmove_garray_garray(_XMP_gmv_desc_t *left, _XMP_gmv_desc_t *right, int mode) { gmove(left, right, mode, __func__); }
void _XMP_gmove_garray_larray(_XMP_gmv_desc_t *left, _XMP_gmv_desc_t *right, int mode) { gmove(left, right, mode, __func__); }
void _XMP_gmove_larray_garray(_XMP_gmv_desc_t *left, _XMP_gmv_desc_t *right, int mode) { gmove(left, right, mode, __func__); }
