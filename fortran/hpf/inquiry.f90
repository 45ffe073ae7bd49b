! Inquiries about maps: bounds, local arrays, owners and positions. All calls are local. Axes and positions within local
! arrays count from 1, ranks and coordinates of processes from 0; indices are the array's.
module reblock_hpf_inquiry
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf_object
  use reblock_hpf_axes
  use reblock_hpf_map
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_map_axes, reblock_map_bounds, reblock_map_local, reblock_map_elements, reblock_map_owners
  public :: reblock_map_local_index, reblock_map_global_index, reblock_map_format, reblock_map_text

  interface reblock_map_bounds
    procedure :: map_bounds, map_bounds_int32
  end interface reblock_map_bounds

  ! Gets the layout of this process's local array: its own elements along each axis; the index of the first element of
  ! its storage, shadow included; the widths of the shadow; the strides in elements; and whether the process has a part
  ! of the array.
  interface reblock_map_local
    procedure :: map_local, map_local_int32
  end interface reblock_map_local

  ! Gets the number of elements of this process's storage, including shadow and gaps.
  interface reblock_map_elements
    procedure :: map_elements, map_elements_int32
  end interface reblock_map_elements

  ! Gets the ranks that have a copy of an element.
  interface reblock_map_owners
    procedure :: map_owners
  end interface reblock_map_owners

  ! Gets the position of an element in this process's storage. If the process does not own it, here is .false.
  interface reblock_map_local_index
    procedure :: map_local_index, map_local_index_int32
  end interface reblock_map_local_index

  ! Gets the index of the element at a position of this process's storage. In the shadow, own is .false. and index is
  ! not changed.
  interface reblock_map_global_index
    procedure :: map_global_index, map_global_index_int32
  end interface reblock_map_global_index

contains

  ! Gets the number of axes of the array.
  subroutine reblock_map_axes(map, axes, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer, intent(out) :: axes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call axes_of(c_map_axes, map, axes, stat, errmsg)
  end subroutine reblock_map_axes

  subroutine map_bounds(map, lower, upper, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(inout) :: lower(:), upper(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call bounds_of(c_map_axes, c_map_bounds, map, lower, upper, stat, errmsg)
  end subroutine map_bounds

  subroutine map_bounds_int32(map, lower, upper, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int32), intent(inout) :: lower(:), upper(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call bounds_of(c_map_axes, c_map_bounds, map, lower, upper, stat, errmsg)
  end subroutine map_bounds_int32

  subroutine map_local(map, extents, lower, before, after, strides, has, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(inout) :: extents(:)
    integer(int64), intent(inout), optional :: lower(:), before(:), after(:), strides(:)
    logical, intent(out), optional :: has
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: axes, numbers(max_axes, 5)
    integer(c_int32_t) :: code, part
    axes = 0
    part = 0
    code = c_map_axes(handle_of(map), axes)
    if (.not. has_room('extents', size(extents), axes, stat, errmsg)) return
    if (.not. has_room_if_present('lower', axes, lower, stat, errmsg)) return
    if (.not. has_room_if_present('before', axes, before, stat, errmsg)) return
    if (.not. has_room_if_present('after', axes, after, stat, errmsg)) return
    if (.not. has_room_if_present('strides', axes, strides, stat, errmsg)) return
    if (code == reblock_ok) code = c_map_local(handle_of(map), numbers(:, 1), numbers(:, 2), numbers(:, 3), &
                                               numbers(:, 4), numbers(:, 5), part)
    if (code == reblock_ok) then
      extents(:axes) = numbers(:axes, 1)
      if (present(lower)) lower(:axes) = numbers(:axes, 2)
      if (present(before)) before(:axes) = numbers(:axes, 3)
      if (present(after)) after(:axes) = numbers(:axes, 4)
      if (present(strides)) strides(:axes) = numbers(:axes, 5)
    end if
    if (present(has)) has = part /= 0
    call report(code, stat, errmsg)
  end subroutine map_local

  subroutine map_local_int32(map, extents, lower, before, after, strides, has, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int32), intent(inout) :: extents(:)
    integer(int32), intent(inout), optional :: lower(:), before(:), after(:), strides(:)
    logical, intent(out), optional :: has
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: wide(:, :)
    integer :: axes
    call reblock_map_axes(map, axes, stat, errmsg)
    allocate (wide(axes, 5), source=0_int64)
    call map_local(map, wide(:, 1), wide(:, 2), wide(:, 3), wide(:, 4), wide(:, 5), has, stat, errmsg)
    call narrow(wide(:, 1), extents, stat, errmsg)
    if (present(lower)) call narrow(wide(:, 2), lower, stat, errmsg)
    if (present(before)) call narrow(wide(:, 3), before, stat, errmsg)
    if (present(after)) call narrow(wide(:, 4), after, stat, errmsg)
    if (present(strides)) call narrow(wide(:, 5), strides, stat, errmsg)
  end subroutine map_local_int32

  subroutine map_elements(map, elements, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(out) :: elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    elements = 0
    call report(c_map_elements(handle_of(map), elements), stat, errmsg)
  end subroutine map_elements

  subroutine map_elements_int32(map, elements, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int32), intent(out) :: elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: wide
    integer(int32) :: thin(1)
    thin = 0
    call map_elements(map, wide, stat, errmsg)
    call narrow([wide], thin, stat, errmsg)
    elements = thin(1)
  end subroutine map_elements_int32

  subroutine map_owners(map, index, ranks, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: index(:)
    integer, allocatable, intent(out) :: ranks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: list(:)
    integer(c_int64_t) :: count
    integer(c_int32_t) :: code
    allocate (ranks(0))
    if (.not. one_an_axis(map, 'index', size(index), stat, errmsg)) return
    count = 0
    allocate (list(0))
    code = c_map_owners(handle_of(map), index, 0_c_int64_t, list, count)
    if (code == reblock_ok) then
      deallocate (list)
      allocate (list(count))
      code = c_map_owners(handle_of(map), index, count, list, count)
    end if
    if (code == reblock_ok) ranks = int(list)
    call report(code, stat, errmsg)
  end subroutine map_owners

  subroutine map_local_index(map, index, local, here, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: index(:)
    integer(int64), intent(inout) :: local(:)
    logical, intent(out) :: here
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: at(max_axes)
    integer(c_int32_t) :: code, found
    here = .false.
    found = 0
    if (.not. one_an_axis(map, 'index', size(index), stat, errmsg)) return
    if (.not. one_an_axis(map, 'local', size(local), stat, errmsg)) return
    code = c_map_local_index(handle_of(map), index, at, found)
    here = code == reblock_ok .and. found /= 0
    if (here) local(:size(index)) = at(:size(index)) + 1
    call report(code, stat, errmsg)
  end subroutine map_local_index

  subroutine map_local_index_int32(map, index, local, here, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: index(:)
    integer(int32), intent(inout) :: local(:)
    logical, intent(out) :: here
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: wide(size(local))
    wide = local
    call map_local_index(map, int(index, int64), wide, here, stat, errmsg)
    if (here) call narrow(wide, local, stat, errmsg)
  end subroutine map_local_index_int32

  subroutine map_global_index(map, local, index, own, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: local(:)
    integer(int64), intent(inout) :: index(:)
    logical, intent(out), optional :: own
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: at(max_axes)
    integer(c_int32_t) :: code, mine
    if (present(own)) own = .false.
    mine = 0
    if (.not. one_an_axis(map, 'local', size(local), stat, errmsg)) return
    if (.not. one_an_axis(map, 'index', size(index), stat, errmsg)) return
    code = c_map_global_index(handle_of(map), local - 1, at, mine)
    if (code == reblock_ok .and. mine /= 0) then
      index(:size(local)) = at(:size(local))
      if (present(own)) own = .true.
    end if
    call report(code, stat, errmsg)
  end subroutine map_global_index

  subroutine map_global_index_int32(map, local, index, own, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: local(:)
    integer(int32), intent(inout) :: index(:)
    logical, intent(out), optional :: own
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: wide(size(index))
    logical :: is_own
    wide = index
    call map_global_index(map, int(local, int64), wide, is_own, stat, errmsg)
    if (is_own) call narrow(wide, index, stat, errmsg)
    if (present(own)) own = is_own
  end subroutine map_global_index_int32

  ! Gets the distribution of axis `axis` of the array.
  subroutine reblock_map_format(map, axis, format, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: axis
    type(reblock_format), intent(out) :: format
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call format_of(c_map_format, map, axis, format, stat, errmsg)
  end subroutine reblock_map_format

  ! Writes the map in HPF's notation.
  subroutine reblock_map_text(map, text, stat, errmsg)
    type(reblock_map), intent(in) :: map
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_text(c_map_text, map, text, stat, errmsg)
  end subroutine reblock_map_text
end module reblock_hpf_inquiry
