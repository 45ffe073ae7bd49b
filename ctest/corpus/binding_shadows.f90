! Plans of shadows and their reverses by the module reblock_hpf_f08, with communicators of either of MPI's modules.
module corpus_shadows
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use reblock_hpf_f08
  use corpus_declaring
  use corpus_options
  implicit none
  private

contains

  integer(c_int32_t) function plan_shadow(comm, handle, before, after, periodic, corners, element, options, made) &
    bind(c, name='fortran_plan_shadow') result(code)
    integer(c_int), value :: comm
    type(c_ptr), value :: handle
    integer(c_int64_t), intent(in), optional :: before(*), after(*)
    integer(c_int32_t), intent(in), optional :: periodic(*)
    integer(c_int32_t), value :: corners
    integer(c_int64_t), value :: element
    type(c_plan_options), intent(in), optional :: options
    type(c_ptr), intent(inout) :: made
    type(reblock_plan), pointer :: plan
    type(reblock_plan_options), allocatable :: chosen
    integer(c_int64_t), allocatable :: low(:), high(:)
    integer, allocatable :: small_low(:), small_high(:)
    logical, allocatable :: rings(:)
    integer :: n, stat
    allocate (plan)
    if (present(options)) allocate (chosen, source=options_of(options))
    ! A process without the map has no widths either.
    if (c_associated(handle)) then
      call reblock_map_axes(map_of(handle), n)
      if (present(before)) low = before(:n)
      if (present(after)) high = after(:n)
      if (present(periodic)) rings = periodic(:n) /= 0
    end if
    ! Unallocated arguments are absent.
    if (narrow_now()) then
      if (allocated(low)) small_low = int(low)
      if (allocated(high)) small_high = int(high)
      call reblock_plan_shadow(MPI_Comm(comm), map_of(handle), int(element), plan, small_low, small_high, rings, corners /= 0, &
                               chosen, stat, said)
    else
      call reblock_plan_shadow(int(comm), map_of(handle), element, plan, low, high, rings, corners /= 0, chosen, stat, said)
    end if
    if (stat == reblock_ok) made = c_loc(plan)
    code = stat
  end function plan_shadow

  integer(c_int32_t) function plan_reverse(handle, made) bind(c, name='fortran_plan_reverse') result(code)
    type(c_ptr), value :: handle
    type(c_ptr), intent(inout) :: made
    type(reblock_plan), pointer :: reverse
    integer :: stat
    allocate (reverse)
    call reblock_plan_reverse(plan_of(handle), reverse, stat, said)
    if (stat == reblock_ok) made = c_loc(reverse)
    code = stat
  end function plan_reverse
end module corpus_shadows
