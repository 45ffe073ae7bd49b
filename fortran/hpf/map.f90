! Maps: HPF's ALIGN of an array with a template, with shadows and the layout of local arrays. Maps never change. All
! calls are local. Axes count from 1.
module reblock_hpf_map
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf_object
  use reblock_hpf_procs
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_map_create, reblock_map_whole, reblock_map_shadow, reblock_map_row_major, reblock_map_order
  public :: reblock_map_strides, reblock_map_from_blacs, reblock_map_free, one_an_axis, compare_axes

  ! Value of reblock_align%axis: the array's axis is aligned with no axis of the template.
  integer, parameter, public :: reblock_collapsed = 0
  ! Value of an entry of rest: the array has a copy at each index of that axis of the template.
  integer(int64), parameter, public :: reblock_replicated = -huge(0_int64) - 1

  type, extends(reblock_object), public :: reblock_map
  end type reblock_map

  ! The alignment of an axis of an array: index i is aligned with index stride * i + offset of the template's axis
  ! `axis`.
  type, public :: reblock_align
    integer(int64) :: axis = reblock_collapsed, stride = 1, offset = 0
  end type reblock_align

  ! Makes the map of an array with indices lower to upper. aligns: one for each axis of the array; if absent, axis k is
  ! aligned with axis k. rest: for each axis of the template without an aligned axis, the array's index along it, or
  ! reblock_replicated; if absent, all are replicated.
  interface reblock_map_create
    procedure :: map_create, map_create_int32
  end interface reblock_map_create

  ! Makes a copy of the map with a shadow: `before` and `after` elements along each axis.
  interface reblock_map_shadow
    procedure :: map_shadow
  end interface reblock_map_shadow

  ! Makes a copy of the map with the given strides, in elements, of this process's local array.
  interface reblock_map_strides
    procedure :: map_strides
  end interface reblock_map_strides

contains

  subroutine map_create(template, lower, upper, map, aligns, rest, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer(int64), intent(in) :: lower(:), upper(:)
    type(reblock_map), intent(out) :: map
    type(reblock_align), intent(in), optional :: aligns(:)
    integer(int64), intent(in), optional :: rest(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: with(:), others(:)
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    integer :: k
    if (.not. has_room('upper', size(upper), size(lower, kind=int64), stat, errmsg)) return
    if (present(aligns)) then
      if (.not. has_room('aligns', size(aligns), size(lower, kind=int64), stat, errmsg)) return
      with = [(aligns(k)%axis - 1, aligns(k)%stride, aligns(k)%offset, k=1, size(aligns))]
    end if
    if (present(rest)) then
      ! C reads one entry for each axis of the template, and this call does not get their number.
      others = [rest, (reblock_replicated, k=size(rest) + 1, max_axes)]
    end if
    handle = handle_of(map)
    code = c_map_create(handle_of(template), size(lower, kind=int64), lower, upper, with, others, handle)
    call give_handle(map, handle)
    call report(code, stat, errmsg)
  end subroutine map_create

  subroutine map_create_int32(template, lower, upper, map, aligns, rest, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer(int32), intent(in) :: lower(:), upper(:)
    type(reblock_map), intent(out) :: map
    type(reblock_align), intent(in), optional :: aligns(:)
    integer(int64), intent(in), optional :: rest(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call map_create(template, int(lower, int64), int(upper, int64), map, aligns, rest, stat, errmsg)
  end subroutine map_create_int32

  ! Makes the map of an array whose axes are aligned with all axes of the template, index by index.
  subroutine reblock_map_whole(template, map, stat, errmsg)
    type(reblock_template), intent(in) :: template
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_object(c_map_whole, template, map, stat, errmsg)
  end subroutine reblock_map_whole

  subroutine map_shadow(map, before, after, made, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: before(:), after(:)
    type(reblock_map), intent(out) :: made
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    if (.not. one_an_axis(map, 'before', size(before), stat, errmsg)) return
    if (.not. one_an_axis(map, 'after', size(after), stat, errmsg)) return
    handle = handle_of(made)
    code = c_map_shadow(handle_of(map), before, after, handle)
    call give_handle(made, handle)
    call report(code, stat, errmsg)
  end subroutine map_shadow

  ! Makes a copy of the map with local arrays in row-major order; the default is Fortran's, column-major.
  subroutine reblock_map_row_major(map, made, stat, errmsg)
    type(reblock_map), intent(in) :: map
    type(reblock_map), intent(out) :: made
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_object(c_map_row_major, map, made, stat, errmsg)
  end subroutine reblock_map_row_major

  ! Makes a copy of the map with local arrays whose axes vary in the given order, the fastest first.
  subroutine reblock_map_order(map, order, made, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: order(:)
    type(reblock_map), intent(out) :: made
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    if (.not. one_an_axis(map, 'order', size(order), stat, errmsg)) return
    handle = handle_of(made)
    code = c_map_order(handle_of(map), int(order, c_int64_t) - 1, handle)
    call give_handle(made, handle)
    call report(code, stat, errmsg)
  end subroutine reblock_map_order

  subroutine map_strides(map, strides, made, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: strides(:)
    type(reblock_map), intent(out) :: made
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    if (.not. one_an_axis(map, 'strides', size(strides), stat, errmsg)) return
    handle = handle_of(made)
    code = c_map_strides(handle_of(map), strides, handle)
    call give_handle(made, handle)
    call report(code, stat, errmsg)
  end subroutine map_strides

  ! Makes the map of a ScaLAPACK matrix, with bounds from 1, on the processes of its grid.
  subroutine reblock_map_from_blacs(desc, map, stat, errmsg)
    integer, intent(in) :: desc(9)
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(map)
    code = c_map_from_blacs(desc, handle)
    call give_handle(map, handle)
    call report(code, stat, errmsg)
  end subroutine reblock_map_from_blacs

  subroutine reblock_map_free(map, stat, errmsg)
    type(reblock_map), intent(inout) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call free_object(c_map_free, map, stat, errmsg)
  end subroutine reblock_map_free

  ! Checks that an argument has one number for each axis of the map; otherwise reports an error.
  logical function one_an_axis(map, name, has, stat, errmsg)
    type(reblock_map), intent(in) :: map
    character(*), intent(in) :: name
    integer, intent(in) :: has
    integer, intent(inout), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: axes
    integer(c_int32_t) :: code
    axes = 0
    code = c_map_axes(handle_of(map), axes)
    one_an_axis = code == reblock_ok .and. has == axes
    if (code /= reblock_ok) then
      call report(code, stat, errmsg)
    else if (has /= axes) then
      call report_invalid(trim(count_mistake(name, has, 'elements', axes)), stat, errmsg)
    end if
  end function one_an_axis

  ! Checks that `name` has `count` things (`what`) for each axis of the map. Otherwise writes the mistake to `text`.
  subroutine compare_axes(map, name, count, what, text)
    type(reblock_map), intent(in) :: map
    character(*), intent(in) :: name, what
    integer, intent(in) :: count
    character(*), intent(inout) :: text
    integer(c_int64_t) :: axes
    axes = 0
    if (c_map_axes(handle_of(map), axes) /= reblock_ok) return
    if (count == axes) return
    text = count_mistake(name, count, what, axes)
  end subroutine compare_axes
end module reblock_hpf_map
