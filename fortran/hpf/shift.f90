! Plans that shift, as CSHIFT and EOSHIFT. They are executed like any other plan. Collective over `comm`.
!
! `shifts` has one distance for each axis of the source: index i of the target's section gets the element at index i +
! shift of the source's section. Everything else is as for reblock_plan_create (plan.f90); options may have axes, but
! not relabel or spread, and in reblock_plan_shift_lines not copies either.
module reblock_hpf_shift
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_map
  use reblock_hpf_plan
  implicit none
  private
  public :: reblock_plan_cshift, reblock_plan_eoshift, reblock_plan_shift_lines

  ! Makes a plan of a circular shift, modulo the number of indices. At most 6 shifts are not 0.
  interface reblock_plan_cshift
    procedure :: plan_cshift
  end interface reblock_plan_cshift

  ! Makes a plan of an end-off shift. If the source's section has no index i + shift, the target gets boundary, of the
  ! arrays' type, or stays unchanged.
  interface reblock_plan_eoshift
    procedure :: plan_eoshift
  end interface reblock_plan_eoshift

  ! Makes a plan of CSHIFT (circular) or EOSHIFT with an array of shifts, along `axis` of the source: one for each line
  ! of the target's section on this process, in the order of a local array without that axis. If the source's section
  ! has no index i + shift, the target gets the line's element of boundary, or stays unchanged. boundary is an array of
  ! the arrays' type with one element for each line.
  interface reblock_plan_shift_lines
    procedure :: plan_shift_lines
  end interface reblock_plan_shift_lines

contains

  subroutine plan_cshift(comm, from, to, element, shifts, plan, from_section, to_section, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element, shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call make_plan(comm, from, to, element, plan, from_section, to_section, options, shifts, .true., stat=stat, errmsg=errmsg)
  end subroutine plan_cshift

  subroutine plan_eoshift(comm, from, to, element, shifts, plan, boundary, from_section, to_section, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element, shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(*), intent(in), optional :: boundary
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call make_plan(comm, from, to, element, plan, from_section, to_section, options, shifts, boundary=boundary, stat=stat, &
                   errmsg=errmsg)
  end subroutine plan_eoshift

  subroutine plan_shift_lines(comm, from, to, element, axis, circular, shifts, plan, boundary, from_section, to_section, &
                              options, stat, errmsg)
    integer, intent(in) :: comm, axis
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element, shifts(:)
    logical, intent(in) :: circular
    type(reblock_plan), intent(out) :: plan
    type(*), dimension(..), optional, asynchronous, target :: boundary
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call make_plan(comm, from, to, element, plan, from_section, to_section, options, shifts, circular, axis=axis, &
                   boundaries=boundary, stat=stat, errmsg=errmsg)
  end subroutine plan_shift_lines

end module reblock_hpf_shift
