! Plans of shifts by the module reblock_hpf_f08: with communicators of either of MPI's modules, and integers of both
! sizes.
module corpus_shifts
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use reblock_hpf_f08
  use corpus_declaring
  use corpus_options
  implicit none
  private

contains

  ! Converts the sections, options and plan of a shift. Unallocated results are absent arguments.
  subroutine prepare(from, from_section, to, to_section, options, a, b, chosen, plan)
    type(c_ptr), intent(in) :: from, to
    integer(c_int64_t), intent(in), optional :: from_section(3, *), to_section(3, *)
    type(c_plan_options), intent(in), optional :: options
    type(reblock_range), allocatable, intent(out) :: a(:), b(:)
    type(reblock_plan_options), allocatable, intent(out) :: chosen
    type(reblock_plan), pointer, intent(out) :: plan
    allocate (plan)
    if (present(from_section)) allocate (a, source=ranges_of(from, from_section))
    if (present(to_section)) allocate (b, source=ranges_of(to, to_section))
    if (present(options)) allocate (chosen, source=options_of(options))
  end subroutine prepare

  ! Returns whether to pass default integers, which the values must fit in.
  logical function is_narrow(shifts)
    integer(c_int64_t), intent(in) :: shifts(:)
    is_narrow = narrow_now()
    is_narrow = is_narrow .and. all(abs(shifts) <= huge(0))
  end function is_narrow

  subroutine finish(plan, stat, made, code)
    type(reblock_plan), pointer, intent(in) :: plan
    integer, intent(in) :: stat
    type(c_ptr), intent(inout) :: made
    integer(c_int32_t), intent(out) :: code
    if (stat == reblock_ok) made = c_loc(plan)
    code = stat
  end subroutine finish

  integer(c_int32_t) function plan_cshift(comm, from, from_section, to, to_section, element, axes, shifts, options, made) &
    bind(c, name='fortran_plan_cshift') result(code)
    integer(c_int), value :: comm
    type(c_ptr), value :: from, to
    integer(c_int64_t), intent(in), optional :: from_section(3, *), to_section(3, *)
    integer(c_int64_t), value :: element, axes
    integer(c_int64_t), intent(in) :: shifts(axes)
    type(c_plan_options), intent(in), optional :: options
    type(c_ptr), intent(inout) :: made
    type(reblock_plan), pointer :: plan
    type(reblock_plan_options), allocatable :: chosen
    type(reblock_range), allocatable :: a(:), b(:)
    integer :: stat
    call prepare(from, from_section, to, to_section, options, a, b, chosen, plan)
    if (is_narrow(shifts)) then
      call reblock_plan_cshift(MPI_Comm(comm), map_of(from), map_of(to), int(element), int(shifts), plan, a, b, chosen, stat, said)
    else
      call reblock_plan_cshift(int(comm), map_of(from), map_of(to), element, shifts, plan, a, b, chosen, stat, said)
    end if
    call finish(plan, stat, made, code)
  end function plan_cshift

  integer(c_int32_t) function plan_eoshift(comm, from, from_section, to, to_section, element, axes, shifts, boundary, options, &
                                           made) bind(c, name='fortran_plan_eoshift') result(code)
    integer(c_int), value :: comm
    type(c_ptr), value :: from, to
    integer(c_int64_t), intent(in), optional :: from_section(3, *), to_section(3, *)
    integer(c_int64_t), value :: element, axes
    integer(c_int64_t), intent(in) :: shifts(axes)
    type(*), intent(in), optional :: boundary
    type(c_plan_options), intent(in), optional :: options
    type(c_ptr), intent(inout) :: made
    type(reblock_plan), pointer :: plan
    type(reblock_plan_options), allocatable :: chosen
    type(reblock_range), allocatable :: a(:), b(:)
    integer :: stat
    call prepare(from, from_section, to, to_section, options, a, b, chosen, plan)
    if (is_narrow(shifts)) then
      call reblock_plan_eoshift(MPI_Comm(comm), map_of(from), map_of(to), int(element), int(shifts), plan, boundary, a, b, chosen, &
                                stat, said)
    else
      call reblock_plan_eoshift(int(comm), map_of(from), map_of(to), element, shifts, plan, boundary, a, b, chosen, stat, said)
    end if
    call finish(plan, stat, made, code)
  end function plan_eoshift

  integer(c_int32_t) function plan_shift_lines(comm, from, from_section, to, to_section, element, axis, circular, count, shifts, &
                                               boundary, options, made) bind(c, name='fortran_plan_shift_lines') result(code)
    integer(c_int), value :: comm
    type(c_ptr), value :: from, to
    integer(c_int64_t), intent(in), optional :: from_section(3, *), to_section(3, *)
    integer(c_int64_t), value :: element, axis, count
    integer(c_int32_t), value :: circular
    integer(c_int64_t), intent(in) :: shifts(count)
    type(*), dimension(..), optional, asynchronous, target, intent(in) :: boundary
    type(c_plan_options), intent(in), optional :: options
    type(c_ptr), intent(inout) :: made
    type(reblock_plan), pointer :: plan
    type(reblock_plan_options), allocatable :: chosen
    type(reblock_range), allocatable :: a(:), b(:)
    integer :: stat
    call prepare(from, from_section, to, to_section, options, a, b, chosen, plan)
    if (is_narrow(shifts)) then
      call reblock_plan_shift_lines(MPI_Comm(comm), map_of(from), map_of(to), int(element), int(axis) + 1, circular /= 0, &
                                    int(shifts), plan, boundary, a, b, chosen, stat, said)
    else
      call reblock_plan_shift_lines(int(comm), map_of(from), map_of(to), element, int(axis) + 1, circular /= 0, shifts, plan, &
                                    boundary, a, b, chosen, stat, said)
    end if
    call finish(plan, stat, made, code)
  end function plan_shift_lines
end module corpus_shifts
