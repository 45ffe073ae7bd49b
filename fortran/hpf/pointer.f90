! Pointers, of seven types and any rank, to the storage of the library's arrays.
module reblock_hpf_pointer
  use, intrinsic :: iso_c_binding, only: c_double, c_double_complex, c_float, c_float_complex, c_int32_t, c_int64_t, &
    c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_array
  implicit none
  private
  public :: reblock_array_pointer

  ! Associates p with this process's storage, shadow included; lower bounds are the array's own (reblock_array_data). If
  ! the process has no part, p has no elements. Valid until the array moves or is freed.
  interface reblock_array_pointer
    procedure :: pointer_int32, pointer_int64, pointer_real32, pointer_real64, &
      pointer_complex32, pointer_complex64, pointer_logical
  end interface reblock_array_pointer

  ! One C function serves all types.
  interface associate_pointer
    subroutine associate_int32(pointer, data, extents, lower, strides) bind(c, name='reblock_fortran_associate')
      import
      integer(c_int32_t), pointer, intent(inout) :: pointer(..)
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in) :: extents(*), lower(*), strides(*)
    end subroutine associate_int32
    subroutine associate_int64(pointer, data, extents, lower, strides) bind(c, name='reblock_fortran_associate')
      import
      integer(c_int64_t), pointer, intent(inout) :: pointer(..)
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in) :: extents(*), lower(*), strides(*)
    end subroutine associate_int64
    subroutine associate_real32(pointer, data, extents, lower, strides) bind(c, name='reblock_fortran_associate')
      import
      real(c_float), pointer, intent(inout) :: pointer(..)
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in) :: extents(*), lower(*), strides(*)
    end subroutine associate_real32
    subroutine associate_real64(pointer, data, extents, lower, strides) bind(c, name='reblock_fortran_associate')
      import
      real(c_double), pointer, intent(inout) :: pointer(..)
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in) :: extents(*), lower(*), strides(*)
    end subroutine associate_real64
    subroutine associate_complex32(pointer, data, extents, lower, strides) bind(c, name='reblock_fortran_associate')
      import
      complex(c_float_complex), pointer, intent(inout) :: pointer(..)
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in) :: extents(*), lower(*), strides(*)
    end subroutine associate_complex32
    subroutine associate_complex64(pointer, data, extents, lower, strides) bind(c, name='reblock_fortran_associate')
      import
      complex(c_double_complex), pointer, intent(inout) :: pointer(..)
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in) :: extents(*), lower(*), strides(*)
    end subroutine associate_complex64
    subroutine associate_logical(pointer, data, extents, lower, strides) bind(c, name='reblock_fortran_associate')
      import
      logical, pointer, intent(inout) :: pointer(..)
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in) :: extents(*), lower(*), strides(*)
    end subroutine associate_logical
  end interface associate_pointer

contains

  ! Gets the address, extents, lower bounds and strides for a pointer to the array. Returns .false., and reports an
  ! error, if the pointer has another rank, or its elements another size.
  logical function fits_pointer(array, bits, rank, data, numbers, stat, errmsg)
    type(reblock_array), intent(in) :: array
    integer, intent(in) :: bits, rank
    type(c_ptr), intent(out) :: data
    integer(int64), intent(out) :: numbers(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(120) :: text
    integer :: axes
    text = ''
    fits_pointer = .false.
    call reblock_array_data(array, data, axes, numbers(:, 1), numbers(:, 2), numbers(:, 3), stat, errmsg)
    if (present(stat)) then
      if (stat /= reblock_ok) return
    end if
    if (rank /= axes) then
      write (text, '(a, i0, a, i0, a)') 'a pointer of rank ', rank, ' to an array of ', axes, ' axes'
    else if (bits /= 8 * element_of(array)) then
      write (text, '(a, i0, a, i0, a)') 'a pointer to elements of ', bits / 8, ' bytes, the array has elements of ', &
        element_of(array), ' bytes'
    end if
    fits_pointer = text == ''
    if (.not. fits_pointer) call report_invalid(text, stat, errmsg)
  end function fits_pointer

  subroutine pointer_int32(array, p, stat, errmsg)
    type(reblock_array), intent(in) :: array
    integer(c_int32_t), pointer, intent(inout) :: p(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: numbers(max_axes, 3)
    if (fits_pointer(array, storage_size(p), rank(p), data, numbers, stat, errmsg)) &
      call associate_pointer(p, data, numbers(:, 1), numbers(:, 2), numbers(:, 3))
  end subroutine pointer_int32

  subroutine pointer_int64(array, p, stat, errmsg)
    type(reblock_array), intent(in) :: array
    integer(c_int64_t), pointer, intent(inout) :: p(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: numbers(max_axes, 3)
    if (fits_pointer(array, storage_size(p), rank(p), data, numbers, stat, errmsg)) &
      call associate_pointer(p, data, numbers(:, 1), numbers(:, 2), numbers(:, 3))
  end subroutine pointer_int64

  subroutine pointer_real32(array, p, stat, errmsg)
    type(reblock_array), intent(in) :: array
    real(c_float), pointer, intent(inout) :: p(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: numbers(max_axes, 3)
    if (fits_pointer(array, storage_size(p), rank(p), data, numbers, stat, errmsg)) &
      call associate_pointer(p, data, numbers(:, 1), numbers(:, 2), numbers(:, 3))
  end subroutine pointer_real32

  subroutine pointer_real64(array, p, stat, errmsg)
    type(reblock_array), intent(in) :: array
    real(c_double), pointer, intent(inout) :: p(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: numbers(max_axes, 3)
    if (fits_pointer(array, storage_size(p), rank(p), data, numbers, stat, errmsg)) &
      call associate_pointer(p, data, numbers(:, 1), numbers(:, 2), numbers(:, 3))
  end subroutine pointer_real64

  subroutine pointer_complex32(array, p, stat, errmsg)
    type(reblock_array), intent(in) :: array
    complex(c_float_complex), pointer, intent(inout) :: p(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: numbers(max_axes, 3)
    if (fits_pointer(array, storage_size(p), rank(p), data, numbers, stat, errmsg)) &
      call associate_pointer(p, data, numbers(:, 1), numbers(:, 2), numbers(:, 3))
  end subroutine pointer_complex32

  subroutine pointer_complex64(array, p, stat, errmsg)
    type(reblock_array), intent(in) :: array
    complex(c_double_complex), pointer, intent(inout) :: p(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: numbers(max_axes, 3)
    if (fits_pointer(array, storage_size(p), rank(p), data, numbers, stat, errmsg)) &
      call associate_pointer(p, data, numbers(:, 1), numbers(:, 2), numbers(:, 3))
  end subroutine pointer_complex64

  subroutine pointer_logical(array, p, stat, errmsg)
    type(reblock_array), intent(in) :: array
    logical, pointer, intent(inout) :: p(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: numbers(max_axes, 3)
    if (fits_pointer(array, storage_size(p), rank(p), data, numbers, stat, errmsg)) &
      call associate_pointer(p, data, numbers(:, 1), numbers(:, 2), numbers(:, 3))
  end subroutine pointer_logical
end module reblock_hpf_pointer
