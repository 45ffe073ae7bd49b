! Pointers, of five types, to the storage of arrays that move with a job.
module reblock_hpf_job_pointer
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_double_complex, c_f_pointer, c_float, c_float_complex, &
    c_int32_t, c_int64_t, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_job
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_job_pointer

  ! Associates a pointer with the storage of the registered item `number`; its extents are the leading dimension and the
  ! number of local columns, shadow included.
  interface reblock_job_pointer
    procedure :: pointer_int32, pointer_real32, pointer_real64, pointer_complex32, pointer_complex64
  end interface reblock_job_pointer

contains

  ! Gets the address of the storage, its leading dimension and its number of columns.
  subroutine extents_of(job, number, data, shape, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    type(c_ptr), intent(out) :: data
    integer(int64), intent(out) :: shape(2)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: map
    integer(c_int64_t), dimension(max_axes) :: extents, lower, before, after, strides
    integer(c_int32_t) :: code, freed, has_part
    integer(c_int64_t) :: axes
    data = reblock_job_storage(job, number)
    map = c_null_ptr
    extents = 0
    before = 0
    after = 0
    strides = 0
    axes = 0
    shape = 0
    code = c_job_get_map(handle_of(job), int(number - 1, c_int64_t), map)
    if (code == reblock_ok) code = c_map_axes(map, axes)
    if (code == reblock_ok) code = c_map_local(map, extents, lower, before, after, strides, has_part)
    freed = c_map_free(map)
    if (code == reblock_ok) then
      shape = [extents(1) + before(1) + after(1), 1_int64]
      if (axes > 1) shape = [max(strides(2), 1_int64), product(extents(2:axes) + before(2:axes) + after(2:axes))]
    end if
    call report(code, stat, errmsg)
  end subroutine extents_of

  subroutine pointer_int32(job, number, a, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    integer(c_int32_t), pointer, intent(out) :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: shape(2)
    nullify (a)
    call extents_of(job, number, data, shape, stat, errmsg)
    if (c_associated(data)) call c_f_pointer(data, a, shape)
  end subroutine pointer_int32

  subroutine pointer_real32(job, number, a, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    real(c_float), pointer, intent(out) :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: shape(2)
    nullify (a)
    call extents_of(job, number, data, shape, stat, errmsg)
    if (c_associated(data)) call c_f_pointer(data, a, shape)
  end subroutine pointer_real32

  subroutine pointer_real64(job, number, a, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    real(c_double), pointer, intent(out) :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: shape(2)
    nullify (a)
    call extents_of(job, number, data, shape, stat, errmsg)
    if (c_associated(data)) call c_f_pointer(data, a, shape)
  end subroutine pointer_real64

  subroutine pointer_complex32(job, number, a, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    complex(c_float_complex), pointer, intent(out) :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: shape(2)
    nullify (a)
    call extents_of(job, number, data, shape, stat, errmsg)
    if (c_associated(data)) call c_f_pointer(data, a, shape)
  end subroutine pointer_complex32

  subroutine pointer_complex64(job, number, a, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    complex(c_double_complex), pointer, intent(out) :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: shape(2)
    nullify (a)
    call extents_of(job, number, data, shape, stat, errmsg)
    if (c_associated(data)) call c_f_pointer(data, a, shape)
  end subroutine pointer_complex64
end module reblock_hpf_job_pointer
