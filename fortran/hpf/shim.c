/* Access to Fortran's array descriptors: the address and layout of an actual argument, and the association of a pointer
 * of any rank with memory of the library. Needs ISO_Fortran_binding.h of the Fortran compiler (Fortran 2018, TS
 * 29113). */
#include <ISO_Fortran_binding.h>
#include <stdint.h>

enum { MAX_AXES = 15 };

/* An actual argument: `reblock_buffer` in buffer.f90. Distances are bytes from an element to the next along an axis. */
struct buffer {
  void *base;
  int64_t element, rank, contiguous, extents[MAX_AXES], distances[MAX_AXES];
};

/* `array` is NULL for an argument that is absent, or not allocated. */
void reblock_fortran_describe(const CFI_cdesc_t *array, struct buffer *buffer) {
  *buffer = (struct buffer){0};
  if (!array || !array->base_addr) return;
  buffer->base = array->base_addr;
  buffer->element = (int64_t)array->elem_len;
  buffer->rank = array->rank;
  buffer->contiguous = array->rank == 0 || CFI_is_contiguous(array);
  for (int k = 0; k < array->rank; k++) {
    buffer->extents[k] = array->dim[k].extent;
    buffer->distances[k] = array->dim[k].sm;
  }
}

/* Associates `pointer` with the elements from `data` on; strides are in elements. Without data its size is 0. */
void reblock_fortran_associate(CFI_cdesc_t *pointer, void *data, const int64_t *extents, const int64_t *lower,
                               const int64_t *strides) {
  static double nothing[2];
  pointer->base_addr = data ? data : nothing;
  for (int k = 0; k < pointer->rank; k++) {
    pointer->dim[k].lower_bound = data ? (CFI_index_t)lower[k] : 1;
    pointer->dim[k].extent = data ? (CFI_index_t)extents[k] : 0;
    pointer->dim[k].sm = (CFI_index_t)(data ? strides[k] : 1) * (CFI_index_t)pointer->elem_len;
  }
}
