! Plans of lists of indices by the module reblock_hpf_f08: with communicators of either of MPI's modules, and integers
! of both sizes.
module corpus_lists
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use reblock_hpf_f08
  use corpus_declaring
  use corpus_options
  implicit none
  private

contains

  integer(c_int32_t) function plan_gather(comm, handle, axis, count, indices, element, options, made) &
    bind(c, name='fortran_plan_gather') result(code)
    integer(c_int), value :: comm
    type(c_ptr), value :: handle
    integer(c_int64_t), value :: axis, count, element
    integer(c_int64_t), intent(in) :: indices(*)
    type(c_plan_options), intent(in), optional :: options
    type(c_ptr), intent(inout) :: made
    code = plan_of_list(.true., comm, handle, axis, count, indices, element, options, made)
  end function plan_gather

  integer(c_int32_t) function plan_scatter(comm, handle, axis, count, indices, element, options, made) &
    bind(c, name='fortran_plan_scatter') result(code)
    integer(c_int), value :: comm
    type(c_ptr), value :: handle
    integer(c_int64_t), value :: axis, count, element
    integer(c_int64_t), intent(in) :: indices(*)
    type(c_plan_options), intent(in), optional :: options
    type(c_ptr), intent(inout) :: made
    code = plan_of_list(.false., comm, handle, axis, count, indices, element, options, made)
  end function plan_scatter

  integer(c_int32_t) function plan_of_list(gathers, comm, handle, axis, count, indices, element, options, made) result(code)
    logical, intent(in) :: gathers
    integer(c_int), intent(in) :: comm
    type(c_ptr), intent(in) :: handle
    integer(c_int64_t), intent(in) :: axis, count, indices(*), element
    type(c_plan_options), intent(in), optional :: options
    type(c_ptr), intent(inout) :: made
    type(reblock_plan), pointer :: plan
    type(reblock_plan_options), allocatable :: chosen
    integer :: stat
    allocate (plan)
    if (present(options)) allocate (chosen, source=options_of(options))
    ! Unallocated arguments are absent.
    if (axis >= 0) then
      stat = along(gathers, comm, map_of(handle), int(axis) + 1, indices(:count), element, plan, chosen)
    else
      stat = each(gathers, comm, handle, count, indices, element, plan, chosen)
    end if
    if (stat == reblock_ok) made = c_loc(plan)
    code = stat
  end function plan_of_list

  integer function along(gathers, comm, map, axis, indices, element, plan, chosen) result(stat)
    logical, intent(in) :: gathers
    integer(c_int), intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: axis
    integer(c_int64_t), intent(in) :: indices(:), element
    type(reblock_plan), intent(inout) :: plan
    type(reblock_plan_options), intent(in), optional :: chosen
    logical :: narrow
    narrow = narrow_now()
    if (gathers .and. narrow) then
      call reblock_plan_gather(MPI_Comm(comm), map, axis, int(indices), int(element), plan, chosen, stat, said)
    else if (gathers) then
      call reblock_plan_gather(int(comm), map, axis, indices, element, plan, chosen, stat, said)
    else if (narrow) then
      call reblock_plan_scatter(int(comm), map, axis, int(indices), int(element), plan, chosen, stat, said)
    else
      call reblock_plan_scatter(MPI_Comm(comm), map, axis, indices, element, plan, chosen, stat, said)
    end if
  end function along

  ! Makes plans of elements that are named by all their indices. A process without the map names no element.
  integer function each(gathers, comm, handle, count, indices, element, plan, chosen) result(stat)
    logical, intent(in) :: gathers
    integer(c_int), intent(in) :: comm
    type(c_ptr), intent(in) :: handle
    integer(c_int64_t), intent(in) :: count, indices(*), element
    type(reblock_plan), intent(inout) :: plan
    type(reblock_plan_options), intent(in), optional :: chosen
    integer(c_int64_t), allocatable :: columns(:, :)
    integer :: axes
    logical :: narrow
    axes = 1
    if (c_associated(handle)) call reblock_map_axes(map_of(handle), axes)
    columns = reshape(indices(:axes * count), [axes, int(count)])
    narrow = narrow_now()
    if (gathers .and. narrow) then
      call reblock_plan_gather(int(comm), map_of(handle), int(columns), int(element), plan, chosen, stat, said)
    else if (gathers) then
      call reblock_plan_gather(MPI_Comm(comm), map_of(handle), columns, element, plan, chosen, stat, said)
    else if (narrow) then
      call reblock_plan_scatter(MPI_Comm(comm), map_of(handle), int(columns), int(element), plan, chosen, stat, said)
    else
      call reblock_plan_scatter(int(comm), map_of(handle), columns, element, plan, chosen, stat, said)
    end if
  end function each
end module corpus_lists
