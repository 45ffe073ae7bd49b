! Gather and scatter plans: elements named by lists of indices.
!
! An `indices` of rank 1, behind the argument `axis` (from 1), has indices along that axis; all other axes are whole. An
! `indices` of rank 2 has the indices of one element in each column. The local array has no gaps and any rank. It has
! the axes of the array, with as many indices along `axis` as the list has entries, or it is a list of elements. With
! options%skip, entries with an index below the lower bound are skipped: their elements of the local array are neither
! read nor written.
module reblock_hpf_irregular
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_int32_t, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_calls
  use reblock_hpf_plan
  implicit none
  private
  public :: reblock_plan_gather, reblock_plan_scatter

  ! Makes a plan that gathers elements of the array into local arrays. Collective over `comm`.
  interface reblock_plan_gather
    procedure :: gather_axis, gather_elements
  end interface reblock_plan_gather

  ! Makes a plan that scatters local arrays to elements of the array. Collective over `comm`.
  interface reblock_plan_scatter
    procedure :: scatter_axis, scatter_elements
  end interface reblock_plan_scatter

contains

  ! Makes a plan from `count` indices of the axis, or from `count` columns of `rows` indices; `rows` is -1 for an axis.
  subroutine plan_of(gathers, comm, map, axis, rows, count, indices, element, plan, options, stat, errmsg)
    logical, intent(in) :: gathers
    integer, intent(in) :: comm, rows
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: axis, count, indices(*), element
    type(reblock_plan), intent(inout) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(given_options), target :: given
    type(c_ptr) :: handle, c_options
    integer(c_int32_t) :: code
    integer(c_int64_t) :: number
    character(80) :: text
    text = ''
    if (rows >= 0) call compare_axes(map, 'indices', rows, 'rows', text)
    number = count
    ! After an invalid argument on this process the call must still fail on all of them.
    if (text /= '') then
      number = -1
      call set_reason(text)
    end if
    call give_options(options, given, c_options, code)
    handle = handle_of(plan)
    if (code == reblock_ok .and. gathers) then
      code = c_plan_gather(int(comm, c_int), handle_of(map), axis, number, indices, element, c_options, handle)
    else if (code == reblock_ok) then
      code = c_plan_scatter(int(comm, c_int), handle_of(map), axis, number, indices, element, c_options, handle)
    end if
    call give_handle(plan, handle)
    if (code == reblock_ok) call remember_list(plan, map, listed(map, axis, count), gathers, element, code)
    call report(code, stat, errmsg, text)
  end subroutine plan_of

  ! Returns the number of elements of the local array. Without a map the array's other extents are unknown: returns the
  ! number of indices.
  integer(int64) function listed(map, axis, count)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: axis, count
    integer(c_int64_t) :: lower(max_axes), upper(max_axes), axes
    integer :: k
    listed = count
    axes = 0
    if (axis < 0 .or. .not. c_associated(handle_of(map))) return
    if (c_map_axes(handle_of(map), axes) /= reblock_ok) return
    if (c_map_bounds(handle_of(map), lower, upper) /= reblock_ok) return
    do k = 1, int(axes)
      if (k /= axis + 1) listed = listed * (upper(k) - lower(k) + 1)
    end do
  end function listed

  subroutine gather_axis(comm, map, axis, indices, element, plan, options, stat, errmsg)
    integer, intent(in) :: comm, axis
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: indices(:), element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    ! Axis 0 has no number in C, and must not become REBLOCK_ALL_AXES (-1).
    call plan_of(.true., comm, map, merge(axis - 1_int64, -2_int64, axis > 0), -1, size(indices, kind=int64), indices, &
                 element, plan, options, stat, errmsg)
  end subroutine gather_axis

  subroutine gather_elements(comm, map, indices, element, plan, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: indices(:, :), element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call plan_of(.true., comm, map, -1_int64, size(indices, 1), size(indices, 2, int64), indices, element, plan, options, &
                 stat, errmsg)
  end subroutine gather_elements

  subroutine scatter_axis(comm, map, axis, indices, element, plan, options, stat, errmsg)
    integer, intent(in) :: comm, axis
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: indices(:), element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    ! Axis 0 has no number in C, and must not become REBLOCK_ALL_AXES (-1).
    call plan_of(.false., comm, map, merge(axis - 1_int64, -2_int64, axis > 0), -1, size(indices, kind=int64), indices, &
                 element, plan, options, stat, errmsg)
  end subroutine scatter_axis

  subroutine scatter_elements(comm, map, indices, element, plan, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: indices(:, :), element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call plan_of(.false., comm, map, -1_int64, size(indices, 1), size(indices, 2, int64), indices, element, plan, options, &
                 stat, errmsg)
  end subroutine scatter_elements

end module reblock_hpf_irregular
