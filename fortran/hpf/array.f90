! Arrays whose storage the library owns: it gives the program pointers to the storage, and moves the arrays. The map of
! an array distributes its elements over a processor arrangement: a grid of ranks of a communicator.
module reblock_hpf_array
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_procs
  use reblock_hpf_map
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_array_create, reblock_array_map, reblock_array_data, reblock_array_free
  public :: reblock_template_redistribute, reblock_array_realign, reblock_array_fill_shadows, element_of

  type, extends(reblock_object), public :: reblock_array
  end type reblock_array

  ! Makes an array of zeros with elements of `element` bytes: storage_size(x) / 8. Collective over the communicator of
  ! the map's arrangement.
  interface reblock_array_create
    procedure :: array_create
  end interface reblock_array_create

contains

  subroutine array_create(map, element, array, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: element
    type(reblock_array), intent(out) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(array)
    code = c_array_create(handle_of(map), element, handle)
    call give_handle(array, handle)
    call report(code, stat, errmsg)
  end subroutine array_create

  ! Gets the array's current map.
  subroutine reblock_array_map(array, map, stat, errmsg)
    type(reblock_array), intent(in) :: array
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_object(c_array_map, array, map, stat, errmsg)
  end subroutine reblock_array_map

  ! Gets this process's storage, shadow included: its address, its number of axes, their extents, the index of the first
  ! element, and the strides in elements.
  subroutine reblock_array_data(array, data, axes, extents, lower, strides, stat, errmsg)
    type(reblock_array), intent(in) :: array
    type(c_ptr), intent(out) :: data
    integer, intent(out) :: axes
    integer(int64), intent(out), dimension(max_axes) :: extents, lower, strides
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: map
    type(c_ptr), target :: address
    integer(c_int64_t) :: found
    integer(c_int32_t) :: code, freed
    address = c_null_ptr
    map = c_null_ptr
    found = 0
    extents = 0
    lower = 1
    strides = 1
    code = c_array_map(handle_of(array), map)
    if (code == reblock_ok) code = c_map_axes(map, found)
    if (code == reblock_ok) code = c_array_data(handle_of(array), c_loc(address), extents, lower, strides)
    data = address
    if (code == reblock_ok) freed = c_map_free(map)
    axes = int(found)
    call report(code, stat, errmsg)
  end subroutine reblock_array_data

  ! Frees the array with its storage. Collective over the communicator of its arrangement.
  subroutine reblock_array_free(array, stat, errmsg)
    type(reblock_array), intent(inout) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call free_object(c_array_free, array, stat, errmsg)
  end subroutine reblock_array_free

  ! HPF's REDISTRIBUTE: changes the distribution of the template to the distribution of `like`, and moves all arrays
  ! aligned with it in one set of messages. Pointers to them become invalid. Arrays in `dead` get new storage without
  ! values.
  subroutine reblock_template_redistribute(template, like, dead, stat, errmsg)
    type(reblock_template), intent(in) :: template, like
    type(reblock_array), intent(in), optional :: dead(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), allocatable :: handles(:)
    integer :: k
    allocate (handles(0))
    if (present(dead)) then
      deallocate (handles)
      allocate (handles(size(dead)))
      do k = 1, size(dead)
        handles(k) = handle_of(dead(k))
      end do
    end if
    call report(c_template_redistribute(handle_of(template), handle_of(like), size(handles, kind=c_int64_t), handles), stat, errmsg)
  end subroutine reblock_template_redistribute

  ! HPF's REALIGN: changes the map of the array. Its elements move to new storage, unless dead is .true.
  subroutine reblock_array_realign(array, map, dead, stat, errmsg)
    type(reblock_array), intent(in) :: array
    type(reblock_map), intent(in) :: map
    logical, intent(in), optional :: dead
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: forget
    forget = 0
    if (present(dead)) forget = merge(1, 0, dead)
    call report(c_array_realign(handle_of(array), handle_of(map), forget), stat, errmsg)
  end subroutine reblock_array_realign

  ! Sets whether reblock_template_redistribute and reblock_array_realign fill all shadows of the array from now on, with
  ! `periodic` and `corners` as in reblock_plan_shadow. All processes must make the same setting.
  subroutine reblock_array_fill_shadows(array, periodic, corners, filled, stat, errmsg)
    type(reblock_array), intent(in) :: array
    logical, intent(in), optional :: periodic(:), corners, filled
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t), allocatable :: rings(:)
    integer(c_int32_t) :: fill, all
    integer(c_int64_t) :: axes
    type(reblock_map) :: map
    integer :: seen
    character(80) :: text
    fill = 1
    if (present(filled)) fill = merge(1_c_int32_t, 0_c_int32_t, filled)
    all = 0
    if (present(corners)) all = merge(1_c_int32_t, 0_c_int32_t, corners)
    if (present(periodic)) then
      rings = merge(1_c_int32_t, 0_c_int32_t, periodic)
      call reblock_array_map(array, map, seen)
      ! Without a map, the call below fails and says why.
      axes = size(rings)
      if (seen == reblock_ok) then
        seen = c_map_axes(handle_of(map), axes)
        call reblock_map_free(map)
      end if
      if (size(rings) /= axes) then
        write (text, '(a, i0, a, i0, a)') 'periodic has ', size(rings), ' entries for ', axes, ' axes'
        call report_invalid(text, stat, errmsg)
        return
      end if
    end if
    call report(c_array_fill_shadows(handle_of(array), fill, rings, all), stat, errmsg)
  end subroutine reblock_array_fill_shadows

  ! Returns the bytes of an element; 0 if the handle is invalid.
  integer(int64) function element_of(array)
    type(reblock_array), intent(in) :: array
    element_of = 0
    if (c_array_element(handle_of(array), element_of) /= reblock_ok) element_of = 0
  end function element_of
end module reblock_hpf_array
