! Collective search for the owners and positions of elements, over the communicator of the map's arrangement. Indices
! are the array's, positions within local arrays count from 1, ranks from 0.
module reblock_hpf_dereference
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_map_dereference

  ! Finds, for each element (a column of `indices`), the lowest rank that has it, and its position in that rank's
  ! storage, axis by axis. There may be no elements.
  interface reblock_map_dereference
    procedure :: map_dereference, map_dereference_int32
  end interface reblock_map_dereference

contains

  subroutine map_dereference(map, indices, ranks, positions, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: indices(:, :)
    integer, intent(inout) :: ranks(:)
    integer(int64), intent(inout) :: positions(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: elements
    integer(c_int64_t), allocatable :: list(:), places(:, :)
    integer(c_int32_t) :: code
    character(80) :: text
    text = ''
    call compare_axes(map, 'indices', size(indices, 1), 'rows', text)
    elements = size(indices, 2, int64)
    if (size(ranks) /= elements .and. text == '') then
      write (text, '(a, i0, a, i0, a)') 'ranks has ', size(ranks), ' elements for ', elements, ' columns of indices'
    end if
    if (any(shape(positions) /= shape(indices)) .and. text == '') then
      write (text, '(a, i0, a, i0, a, i0, a, i0)') 'positions has ', size(positions, 1), ' x ', size(positions, 2), &
        ' elements, expected ', size(indices, 1), ' x ', size(indices, 2)
    end if
    allocate (list(elements), source=0_c_int64_t)
    allocate (places(size(indices, 1), elements), source=0_c_int64_t)
    ! After an invalid argument on this process the call must still fail on all of them.
    if (text /= '') then
      elements = -1
      call set_reason(text)
    end if
    code = c_map_dereference(handle_of(map), elements, indices, list, places)
    if (code == reblock_ok) then
      ranks = int(list)
      positions = places + 1
    end if
    call report(code, stat, errmsg, text)
  end subroutine map_dereference

  subroutine map_dereference_int32(map, indices, ranks, positions, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: indices(:, :)
    integer, intent(inout) :: ranks(:)
    integer(int32), intent(inout) :: positions(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: wide(:, :)
    integer(int32), allocatable :: thin(:)
    wide = positions
    call map_dereference(map, int(indices, int64), ranks, wide, stat, errmsg)
    thin = reshape(positions, [size(positions)])
    call narrow(reshape(wide, [size(wide)]), thin, stat, errmsg)
    positions = reshape(thin, shape(positions))
  end subroutine map_dereference_int32
end module reblock_hpf_dereference
