! Maps of arrays in boxes: tiles with one owner each, or one box a process. Indices count from 0, as in the other maps
! that are made in one call. Collective over `comm`.
module reblock_hpf_boxes
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_axes
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_map_from_boxes, reblock_map_boxes, reblock_map_offset

  ! Makes the map of an array in boxes; each process passes its own. starts(:, b) has the first index of box b along
  ! each axis, sizes(:, b) its extents. The first element of box b is offsets(b) elements from the start of the
  ! process's storage; if `offsets` is absent, boxes lie one after the other. strides(:, b) are in elements. If
  ! `strides` is absent, boxes have no gaps, and are column-major unless `row_major` is .true.
  interface reblock_map_from_boxes
    procedure :: map_from_boxes
  end interface reblock_map_from_boxes

contains

  subroutine map_from_boxes(comm, extents, starts, sizes, map, row_major, offsets, strides, stat, errmsg)
    integer, intent(in) :: comm
    integer(int64), intent(in) :: extents(:), starts(:, :), sizes(:, :)
    type(reblock_map), intent(out) :: map
    logical, intent(in), optional :: row_major
    integer(int64), intent(in), optional :: offsets(:), strides(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int64_t) :: axes, boxes
    integer(c_int32_t) :: code, rows
    character(80) :: text
    axes = size(extents)
    boxes = size(starts, 2)
    text = ''
    call compare_shape('starts', shape(starts), axes, boxes, text)
    call compare_shape('sizes', shape(sizes), axes, boxes, text)
    if (present(strides)) call compare_shape('strides', shape(strides), axes, boxes, text)
    if (present(offsets)) then
      if (size(offsets) /= boxes .and. text == '') &
        write (text, '(a, i0, a, i0, a)') 'offsets has ', size(offsets), ' elements for ', boxes, ' boxes'
    end if
    ! After an invalid argument on this process the call must still fail on all of them.
    if (text /= '') then
      axes = -1
      call set_reason(text)
    end if
    rows = 0
    if (present(row_major)) rows = merge(1, 0, row_major)
    handle = handle_of(map)
    code = c_map_from_boxes(int(comm, c_int), axes, extents, boxes, starts, sizes, rows, offsets, strides, handle)
    call give_handle(map, handle)
    call report(code, stat, errmsg, text)
  end subroutine map_from_boxes

  ! Gets the number of boxes of this process that have elements; -1 if the array does not lie in boxes.
  subroutine reblock_map_boxes(map, boxes, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(out) :: boxes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    boxes = -1
    code = c_map_boxes(handle_of(map), boxes)
    call report(code, stat, errmsg)
  end subroutine reblock_map_boxes

  ! Gets the distance of an element from the start of this process's storage, in elements. If the process does not own
  ! it, here is .false.
  subroutine reblock_map_offset(map, index, offset, here, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: index(:)
    integer(int64), intent(inout) :: offset
    logical, intent(out) :: here
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: at
    integer(c_int32_t) :: code, found
    here = .false.
    found = 0
    if (.not. one_an_axis(map, 'index', size(index), stat, errmsg)) return
    code = c_map_offset(handle_of(map), index, at, found)
    here = code == reblock_ok .and. found /= 0
    if (here) offset = at
    call report(code, stat, errmsg)
  end subroutine reblock_map_offset

  ! Writes an error to `text` if an argument does not have one number for each axis of each box.
  subroutine compare_shape(name, has, axes, boxes, text)
    character(*), intent(in) :: name
    integer, intent(in) :: has(2)
    integer(c_int64_t), intent(in) :: axes, boxes
    character(*), intent(inout) :: text
    if ((has(1) /= axes .or. has(2) /= boxes) .and. text == '') &
      write (text, '(a, a, i0, a, i0, a, i0, a, i0)') name, ' is ', has(1), ' x ', has(2), ', expected ', axes, ' x ', boxes
  end subroutine compare_shape
end module reblock_hpf_boxes
