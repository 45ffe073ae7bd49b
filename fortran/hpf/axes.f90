! Axes of arrangements, templates and maps: their number, bounds and distribution. The first arguments of these
! procedures are the functions of the C interface for one kind of object.
module reblock_hpf_axes
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf_calls, only: c_format_init
  use reblock_hpf_signatures, only: counts_axes, gets_bounds, gets_format
  use reblock_hpf_object
  implicit none
  private
  public :: axes_of, bounds_of, format_of

  ! Values of reblock_format%kind.
  integer, parameter, public :: reblock_format_collapsed = 0, reblock_format_block = 1, reblock_format_cyclic = 2, &
    reblock_format_gen_block = 3, reblock_format_indirect = 4

  ! The distribution of an axis of an array. template_axis and procs_axis are 0 if there is none; coordinate is -1 on a
  ! process outside the arrangement.
  type, public :: reblock_format
    integer(int64) :: kind, block, template_axis, procs_axis, procs, stride, offset, coordinate
  end type reblock_format

  interface bounds_of
    procedure :: bounds_of_int64, bounds_of_int32
  end interface bounds_of

contains

  subroutine axes_of(counts, object, axes, stat, errmsg)
    procedure(counts_axes) :: counts
    class(reblock_object), intent(in) :: object
    integer, intent(out) :: axes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int64_t) :: found
    integer(c_int32_t) :: code
    found = 0
    handle = handle_of(object)
    code = counts(handle, found)
    axes = int(found)
    call report(code, stat, errmsg)
  end subroutine axes_of

  subroutine bounds_of_int64(counts, bounds, object, lower, upper, stat, errmsg)
    procedure(counts_axes) :: counts
    procedure(gets_bounds) :: bounds
    class(reblock_object), intent(in) :: object
    integer(int64), intent(inout) :: lower(:), upper(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int64_t) :: axes, first(max_axes), last(max_axes)
    integer(c_int32_t) :: code
    axes = 0
    handle = handle_of(object)
    code = counts(handle, axes)
    if (.not. has_room('lower', size(lower), axes, stat, errmsg)) return
    if (.not. has_room('upper', size(upper), axes, stat, errmsg)) return
    if (code == reblock_ok) code = bounds(handle, first, last)
    if (code == reblock_ok) then
      lower(:axes) = first(:axes)
      upper(:axes) = last(:axes)
    end if
    call report(code, stat, errmsg)
  end subroutine bounds_of_int64

  subroutine bounds_of_int32(counts, bounds, object, lower, upper, stat, errmsg)
    procedure(counts_axes) :: counts
    procedure(gets_bounds) :: bounds
    class(reblock_object), intent(in) :: object
    integer(int32), intent(inout) :: lower(:), upper(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: first(size(lower)), last(size(upper))
    first = lower
    last = upper
    call bounds_of_int64(counts, bounds, object, first, last, stat, errmsg)
    call narrow(first, lower, stat, errmsg)
    call narrow(last, upper, stat, errmsg)
  end subroutine bounds_of_int32

  ! Gets the distribution of axis `axis`.
  subroutine format_of(get_format, object, axis, format, stat, errmsg)
    procedure(gets_format) :: get_format
    class(reblock_object), intent(in) :: object
    integer, intent(in) :: axis
    type(reblock_format), intent(out) :: format
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    ! The first two numbers are the size and the version of C's structure.
    integer(c_int64_t) :: numbers(10)
    numbers = 0
    handle = handle_of(object)
    code = c_format_init(numbers)
    if (code == reblock_ok) code = get_format(handle, int(axis, c_int64_t) - 1, numbers)
    call report(code, stat, errmsg)
    format = reblock_format(numbers(3), numbers(4), numbers(5) + 1, numbers(6) + 1, numbers(7), numbers(8), numbers(9), &
                            numbers(10))
  end subroutine format_of
end module reblock_hpf_axes
