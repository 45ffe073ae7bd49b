! Checks that an actual argument, of any type, kind and rank, is the local array that a map describes. Nothing is
! copied.
module reblock_hpf_buffer
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t, c_null_ptr, c_ptr, c_associated
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_calls
  implicit none
  private
  public :: place, storage_of, list_storage

  ! The address and layout of a local array: reblock_buffer(a), for reblock_plan_execute_many and
  ! reblock_plan_start_many. Valid as long as `a`, which needs the attribute TARGET, stays at its address. Distances are
  ! bytes from one element to the next along an axis.
  type, bind(c), public :: reblock_buffer
    private
    type(c_ptr) :: base = c_null_ptr
    integer(c_int64_t) :: element = 0, rank = 0, contiguous = 0, extents(max_axes) = 0, distances(max_axes) = 0
  end type reblock_buffer

  ! The required layout of a process's local array. Strides are in elements; 0 elements: no array is required.
  ! may_be_absent: this process cannot know whether the array must have elements, so it may be absent or empty.
  type, public :: local_storage
    private
    logical :: may_be_absent = .false.
    integer(int64) :: axes = 0, elements = 0, extents(max_axes) = 0, strides(max_axes) = 0
  end type local_storage

  interface
    subroutine c_describe(array, buffer) bind(c, name='reblock_fortran_describe')
      import :: reblock_buffer
      type(*), dimension(..), optional, asynchronous, target :: array
      type(reblock_buffer), intent(out) :: buffer
    end subroutine c_describe
  end interface

  interface reblock_buffer
    procedure :: buffer_of
  end interface reblock_buffer

contains

  ! Describes an array, which may be absent or not allocated if the process has no part.
  type(reblock_buffer) function buffer_of(array)
    type(*), dimension(..), optional, asynchronous, target :: array
    call c_describe(array, buffer_of)
  end function buffer_of

  ! Returns the layout of `elements` elements without gaps, in an array of any rank.
  pure type(local_storage) function list_storage(elements, may_be_absent)
    integer(int64), intent(in) :: elements
    logical, intent(in), optional :: may_be_absent
    if (present(may_be_absent)) list_storage%may_be_absent = may_be_absent
    list_storage%axes = 1
    list_storage%elements = elements
    list_storage%extents(1) = elements
    list_storage%strides(1) = 1
  end function list_storage

  subroutine storage_of(map, storage, code)
    type(c_ptr), intent(in) :: map
    type(local_storage), intent(out) :: storage
    integer(c_int32_t), intent(out) :: code
    integer(c_int64_t) :: lower(max_axes), before(max_axes), after(max_axes), boxes
    integer(c_int32_t) :: has
    code = reblock_ok
    if (.not. c_associated(map)) return
    before = 0
    after = 0
    has = 0
    code = c_map_axes(map, storage%axes)
    if (code == reblock_ok) code = c_map_boxes(map, boxes)
    if (code == reblock_ok .and. boxes > 0) then
      ! Boxes lie in one array of any rank.
      storage%axes = 1
      storage%strides(1) = 1
      code = c_map_elements(map, storage%elements)
      storage%extents(1) = storage%elements
      return
    end if
    if (code == reblock_ok) code = c_map_local(map, storage%extents, lower, before, after, storage%strides, has)
    if (code == reblock_ok .and. has /= 0) code = c_map_elements(map, storage%elements)
    storage%extents = storage%extents + before + after
  end subroutine storage_of

  ! Returns the address for C; NULL if the argument does not fit, with the reason in `text`.
  type(c_ptr) function place(buffer, element, storage, name, text)
    type(reblock_buffer), intent(in) :: buffer
    integer(int64), intent(in) :: element
    type(local_storage), intent(in) :: storage
    character(*), intent(in) :: name
    character(*), intent(inout) :: text
    character(120) :: why
    integer :: axes(max_axes)
    place = c_null_ptr
    why = ''
    if (storage%elements == 0) return
    if (storage%may_be_absent .and. (.not. c_associated(buffer%base) .or. room(buffer) == 0)) return
    axes = order_of_axes(buffer, storage)
    if (.not. c_associated(buffer%base)) then
      write (why, '(a, i0, a)') 'is absent, but this process has a part of ', storage%elements, ' elements'
    else if (buffer%element /= element) then
      write (why, '(a, i0, a, i0)') 'has elements of ', buffer%element, ' bytes, expected ', element
    else if (axes(1) > 0) then
      why = shortage(buffer, storage, axes)
    else if (buffer%contiguous == 0) then
      why = 'is not contiguous: pass a contiguous array, or, if it has a map, give its strides to the map (reblock_map_strides)'
    else if (buffer%rank == storage%axes) then
      why = 'has elements at other distances than the local array of its map: give it the same extents'
    else if (room(buffer) < storage%elements) then
      write (why, '(a, i0, a, i0)') 'has ', room(buffer), ' elements, expected at least ', storage%elements
    end if
    if (why == '') place = buffer%base
    if (why == '' .or. text /= '') return
    text = name//' '//why
    call set_reason(text)
  end function place

  ! Finds, for each axis of an array, the axis of the map's local array with the same stride: the axis with the same
  ! number, or the axis at the same position in memory order (a row-major array has its axes the other way round in
  ! Fortran). 0 if the strides fit neither way, or if the ranks differ.
  pure function order_of_axes(buffer, storage) result(axes)
    type(reblock_buffer), intent(in) :: buffer
    type(local_storage), intent(in) :: storage
    integer :: axes(max_axes), k, m
    axes = 0
    if (buffer%rank /= storage%axes) return
    axes = [(k, k=1, max_axes)]
    if (same_strides(buffer, storage, axes)) return
    do k = 2, int(storage%axes)
      do m = k, 2, -1
        if (storage%strides(axes(m - 1)) <= storage%strides(axes(m))) exit
        axes(m - 1:m) = axes([m, m - 1])
      end do
    end do
    if (.not. same_strides(buffer, storage, axes)) axes = 0
  end function order_of_axes

  ! Whether axis k of the array has the stride of axis axes(k) of the map's local array. An axis with a single index has
  ! no stride.
  pure logical function same_strides(buffer, storage, axes)
    type(reblock_buffer), intent(in) :: buffer
    type(local_storage), intent(in) :: storage
    integer, intent(in) :: axes(:)
    integer :: k
    same_strides = .true.
    do k = 1, int(storage%axes)
      if (storage%extents(axes(k)) > 1) same_strides = same_strides .and. &
        buffer%distances(k) == storage%strides(axes(k)) * buffer%element
    end do
  end function same_strides

  ! Returns the text for an axis that is too short; the last axis of an array with assumed size has no extent.
  function shortage(buffer, storage, axes) result(why)
    type(reblock_buffer), intent(in) :: buffer
    type(local_storage), intent(in) :: storage
    integer, intent(in) :: axes(:)
    character(120) :: why
    integer :: k
    why = ''
    do k = 1, int(storage%axes)
      if (buffer%extents(k) >= storage%extents(axes(k)) .or. buffer%extents(k) < 0) cycle
      write (why, '(a, i0, a, i0, a, i0)') 'has ', buffer%extents(k), ' elements along axis ', k, &
        ', expected at least ', storage%extents(axes(k))
      return
    end do
  end function shortage

  ! Returns the number of elements of a contiguous array; the largest integer for assumed size, whose number is unknown.
  pure integer(int64) function room(buffer)
    type(reblock_buffer), intent(in) :: buffer
    room = product(buffer%extents(:buffer%rank))
    if (room < 0) room = huge(room)
  end function room
end module reblock_hpf_buffer
