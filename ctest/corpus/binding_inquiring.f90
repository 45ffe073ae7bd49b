! Inquiries about maps by the module reblock_hpf, for callers with C's arguments: positions count from 0.
module corpus_inquiring
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf
  use corpus_declaring
  implicit none
  private

contains

  integer(c_int32_t) function map_axes(map, axes) bind(c, name='fortran_map_axes') result(code)
    type(c_ptr), value :: map
    integer(c_int64_t), intent(out) :: axes
    integer :: n, stat
    call reblock_map_axes(map_of(map), n, stat, said)
    axes = n
    code = stat
  end function map_axes

  integer(c_int32_t) function map_bounds(map, lower, upper) bind(c, name='fortran_map_bounds') result(code)
    type(c_ptr), value :: map
    integer(c_int64_t), intent(inout) :: lower(*), upper(*)
    integer, allocatable :: low(:), high(:)
    integer :: n, stat
    call reblock_map_axes(map_of(map), n)
    if (narrow_now()) then
      allocate (low(n), high(n))
      call reblock_map_bounds(map_of(map), low, high, stat, said)
      lower(:n) = low
      upper(:n) = high
    else
      call reblock_map_bounds(map_of(map), lower(:n), upper(:n), stat, said)
    end if
    code = stat
  end function map_bounds

  integer(c_int32_t) function map_local(map, extents, lower, before, after, strides, has) bind(c, name='fortran_map_local') &
    result(code)
    type(c_ptr), value :: map
    integer(c_int64_t), dimension(*), intent(inout) :: extents, lower, before, after, strides
    integer(c_int32_t), intent(out) :: has
    integer, allocatable :: thin(:, :)
    logical :: part
    integer :: n, stat
    call reblock_map_axes(map_of(map), n)
    if (narrow_now()) then
      allocate (thin(n, 5))
      call reblock_map_local(map_of(map), thin(:, 1), thin(:, 2), thin(:, 3), thin(:, 4), thin(:, 5), part, stat, said)
      extents(:n) = thin(:, 1)
      lower(:n) = thin(:, 2)
      before(:n) = thin(:, 3)
      after(:n) = thin(:, 4)
      strides(:n) = thin(:, 5)
    else
      call reblock_map_local(map_of(map), extents(:n), lower(:n), before(:n), after(:n), strides(:n), part, stat, said)
    end if
    has = merge(1, 0, part)
    code = stat
  end function map_local

  integer(c_int32_t) function map_elements(map, elements) bind(c, name='fortran_map_elements') result(code)
    type(c_ptr), value :: map
    integer(c_int64_t), intent(out) :: elements
    integer :: few, stat
    if (narrow_now()) then
      call reblock_map_elements(map_of(map), few, stat, said)
      elements = few
    else
      call reblock_map_elements(map_of(map), elements, stat, said)
    end if
    code = stat
  end function map_elements

  integer(c_int32_t) function map_owners(map, index, most, ranks, owners) bind(c, name='fortran_map_owners') result(code)
    type(c_ptr), value :: map
    integer(c_int64_t), intent(in) :: index(*)
    integer(c_int64_t), value :: most
    integer(c_int64_t), intent(inout) :: ranks(*)
    integer(c_int64_t), intent(out) :: owners
    integer, allocatable :: found(:)
    integer :: n, stat
    call reblock_map_axes(map_of(map), n)
    if (narrow_now()) then
      call reblock_map_owners(map_of(map), int(index(:n)), found, stat, said)
    else
      call reblock_map_owners(map_of(map), index(:n), found, stat, said)
    end if
    owners = size(found)
    n = int(min(most, owners))
    ranks(:n) = found(:n)
    code = stat
  end function map_owners

  integer(c_int32_t) function map_local_index(map, index, local, here) bind(c, name='fortran_map_local_index') result(code)
    type(c_ptr), value :: map
    integer(c_int64_t), intent(in) :: index(*)
    integer(c_int64_t), intent(inout) :: local(*)
    integer(c_int32_t), intent(out) :: here
    integer, allocatable :: at(:)
    logical :: found
    integer :: n, stat
    call reblock_map_axes(map_of(map), n)
    if (narrow_now()) then
      allocate (at(n))
      call reblock_map_local_index(map_of(map), int(index(:n)), at, found, stat, said)
      if (found) local(:n) = at - 1
    else
      call reblock_map_local_index(map_of(map), index(:n), local(:n), found, stat, said)
      if (found) local(:n) = local(:n) - 1
    end if
    here = merge(1, 0, found)
    code = stat
  end function map_local_index

  integer(c_int32_t) function map_global_index(map, local, index, own) bind(c, name='fortran_map_global_index') result(code)
    type(c_ptr), value :: map
    integer(c_int64_t), intent(in) :: local(*)
    integer(c_int64_t), intent(inout) :: index(*)
    integer(c_int32_t), intent(out) :: own
    integer, allocatable :: at(:)
    logical :: is_own
    integer :: n, stat
    call reblock_map_axes(map_of(map), n)
    if (narrow_now()) then
      allocate (at(n))
      call reblock_map_global_index(map_of(map), int(local(:n)) + 1, at, is_own, stat, said)
      if (is_own) index(:n) = at
    else
      call reblock_map_global_index(map_of(map), local(:n) + 1, index(:n), is_own, stat, said)
    end if
    own = merge(1, 0, is_own)
    code = stat
  end function map_global_index

  integer(c_int32_t) function map_text(map, text, room, length) bind(c, name='fortran_map_text') result(code)
    type(c_ptr), value :: map
    integer(c_int64_t), value :: room
    character(1, c_char), intent(inout) :: text(room)
    integer(c_int64_t), intent(out) :: length
    character(:), allocatable :: all
    integer :: k, stat
    call reblock_map_text(map_of(map), all, stat, said)
    length = len(all)
    do k = 1, int(min(length, room - 1))
      text(k) = all(k:k)
    end do
    text(min(length + 1, room)) = c_null_char
    code = stat
  end function map_text
end module corpus_inquiring
