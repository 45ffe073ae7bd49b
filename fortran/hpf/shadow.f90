! Plans that fill the shadows of an array from the owners of the elements. They are executed like any other plan: source
! and target are the same local array, which has the attribute TARGET.
module reblock_hpf_shadow
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_plan
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_plan_shadow

  ! Makes a plan for elements of `element` bytes. Collective over `comm`. A process that has no part of the array
  ! may pass a map that was not made. before, after: elements to fill before and behind a process's own, for each axis,
  ! at most the map's widths; both absent: the map's widths. periodic: axes whose last index comes before the first one;
  ! absent: none. corners: fills elements outside a process's own along several axes, too; absent: .false.
  ! reblock_plan_reverse makes the plan that combines each element with its copies in shadows, by an update whose beta
  ! is 1.
  interface reblock_plan_shadow
    procedure :: plan_shadow
  end interface reblock_plan_shadow

contains

  subroutine plan_shadow(comm, map, element, plan, before, after, periodic, corners, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    integer(int64), intent(in), optional :: before(:), after(:)
    logical, intent(in), optional :: periodic(:), corners
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(given_options), target :: given
    integer(c_int64_t), allocatable :: low(:), high(:)
    integer(c_int32_t), allocatable :: rings(:)
    integer(c_int64_t) :: bytes
    integer(c_int32_t) :: code, all
    type(c_ptr) :: handle, c_options
    character(80) :: text
    text = ''
    if (present(before)) low = before
    if (present(after)) high = after
    if (present(periodic)) rings = merge(1_c_int32_t, 0_c_int32_t, periodic)
    all = 0
    if (present(corners)) all = merge(1_c_int32_t, 0_c_int32_t, corners)
    if (present(before)) call compare_axes(map, 'before', size(before), 'entries', text)
    if (present(after)) call compare_axes(map, 'after', size(after), 'entries', text)
    if (present(periodic)) call compare_axes(map, 'periodic', size(periodic), 'entries', text)
    if (text /= '') then
      call set_reason(text)
      ! C gets no lists, because it would read past the end of one that is too short.
      if (allocated(low)) deallocate (low)
      if (allocated(high)) deallocate (high)
      if (allocated(rings)) deallocate (rings)
    end if
    ! If an argument is invalid on this process, the call must fail on all processes: C refuses an element of -1 bytes.
    bytes = merge(element, -1_int64, text == '')
    call give_options(options, given, c_options, code)
    handle = handle_of(plan)
    if (code == reblock_ok) then
      code = c_plan_shadow(int(comm, c_int), handle_of(map), low, high, rings, all, bytes, c_options, handle)
    end if
    call give_handle(plan, handle)
    if (code == reblock_ok) call remember_storage(plan, map, map, element, code)
    call report(code, stat, errmsg, text)
  end subroutine plan_shadow
end module reblock_hpf_shadow
