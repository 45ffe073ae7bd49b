! WHAT is shifted, as by CSHIFT and EOSHIFT? Plans, which are carried out as others are. Collective over `enclosing`.
!
! `shifts` has one distance for each axis of the source: index i of the target's section becomes what index i + shift of the
! source's is. Everything else is as for reblock_plan_create (plan.f90); options may have axes, but not relabel or spread.
module reblock_hpf_shift
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf_map
  use reblock_hpf_plan
  implicit none
  private
  public :: reblock_plan_cshift, reblock_plan_eoshift, reblock_plan_shift_lines

  ! Modulo the number of indices. At most 6 shifts are not 0.
  interface reblock_plan_cshift
    procedure :: plan_cshift, plan_cshift_int32
  end interface reblock_plan_cshift

  ! Where the source has no such index, the target becomes boundary, which is of the arrays' type, or stays as it is.
  interface reblock_plan_eoshift
    procedure :: plan_eoshift, plan_eoshift_int32
  end interface reblock_plan_eoshift

  ! CSHIFT (circular) and EOSHIFT with an array of shifts, along `axis` of the source: one for each line that this process has of
  ! the target's section, in the order of a local array without that axis. Where the source has no such index, the target becomes
  ! the line's element of boundary, an array of the same type with one for each line, or stays as it is.
  interface reblock_plan_shift_lines
    procedure :: plan_shift_lines, plan_shift_lines_int32
  end interface reblock_plan_shift_lines

contains

  subroutine plan_cshift(enclosing, from, to, element, shifts, plan, from_section, to_section, options, stat, errmsg)
    integer, intent(in) :: enclosing
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element, shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call make_plan(enclosing, from, to, element, plan, from_section, to_section, options, shifts, .true., stat=stat, errmsg=errmsg)
  end subroutine plan_cshift

  subroutine plan_cshift_int32(enclosing, from, to, element, shifts, plan, from_section, to_section, options, stat, errmsg)
    integer, intent(in) :: enclosing
    type(reblock_map), intent(in) :: from, to
    integer(int32), intent(in) :: element, shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call plan_cshift(enclosing, from, to, int(element, int64), int(shifts, int64), plan, from_section, to_section, options, stat, &
                     errmsg)
  end subroutine plan_cshift_int32

  subroutine plan_eoshift(enclosing, from, to, element, shifts, plan, boundary, from_section, to_section, options, stat, errmsg)
    integer, intent(in) :: enclosing
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element, shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(*), intent(in), optional :: boundary
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call make_plan(enclosing, from, to, element, plan, from_section, to_section, options, shifts, boundary=boundary, stat=stat, &
                   errmsg=errmsg)
  end subroutine plan_eoshift

  subroutine plan_eoshift_int32(enclosing, from, to, element, shifts, plan, boundary, from_section, to_section, options, stat, &
                                errmsg)
    integer, intent(in) :: enclosing
    type(reblock_map), intent(in) :: from, to
    integer(int32), intent(in) :: element, shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(*), intent(in), optional :: boundary
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call plan_eoshift(enclosing, from, to, int(element, int64), int(shifts, int64), plan, boundary, from_section, to_section, &
                      options, stat, errmsg)
  end subroutine plan_eoshift_int32

  subroutine plan_shift_lines(enclosing, from, to, element, axis, circular, shifts, plan, boundary, from_section, to_section, &
                              options, stat, errmsg)
    integer, intent(in) :: enclosing, axis
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element, shifts(:)
    logical, intent(in) :: circular
    type(reblock_plan), intent(out) :: plan
    type(*), dimension(..), optional, asynchronous, target :: boundary
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call make_plan(enclosing, from, to, element, plan, from_section, to_section, options, shifts, circular, axis=axis, &
                   boundaries=boundary, stat=stat, errmsg=errmsg)
  end subroutine plan_shift_lines

  subroutine plan_shift_lines_int32(enclosing, from, to, element, axis, circular, shifts, plan, boundary, from_section, &
                                    to_section, options, stat, errmsg)
    integer, intent(in) :: enclosing, axis
    type(reblock_map), intent(in) :: from, to
    integer(int32), intent(in) :: element, shifts(:)
    logical, intent(in) :: circular
    type(reblock_plan), intent(out) :: plan
    type(*), dimension(..), optional, asynchronous, target :: boundary
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call plan_shift_lines(enclosing, from, to, int(element, int64), axis, circular, int(shifts, int64), plan, boundary, &
                          from_section, to_section, options, stat, errmsg)
  end subroutine plan_shift_lines_int32
end module reblock_hpf_shift
