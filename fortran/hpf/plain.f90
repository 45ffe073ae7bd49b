! Maps in one call, without an arrangement and a template, for arrays that are distributed axis by axis over the first
! ranks of a communicator. Collective over `comm`; all processes pass the same arguments. Indices count from 0, as in C:
! axis k has 0 to extents(k) - 1.
module reblock_hpf_plain
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_map_block_cyclic, reblock_map_from_darray, reblock_map_from_text

  ! Makes a block-cyclic map: axis k is CYCLIC(blocks(k)) over shape(k) processes. If blocks(k) is 0 or `blocks` is
  ! absent, axis k is BLOCK, or not distributed if shape(k) is 1. Ranks are in row-major order of the coordinates.
  interface reblock_map_block_cyclic
    procedure :: map_block_cyclic
  end interface reblock_map_block_cyclic

  ! Makes the map that the arguments of MPI_TYPE_CREATE_DARRAY describe. `order` is the order of local arrays.
  interface reblock_map_from_darray
    procedure :: map_from_darray
  end interface reblock_map_from_darray

  ! Makes a map from a distribution in HPF's notation: '(BLOCK, CYCLIC(8)) ONTO P(2,3)'. Without ONTO, P has one axis
  ! with all ranks.
  interface reblock_map_from_text
    procedure :: map_from_text
  end interface reblock_map_from_text

contains

  subroutine map_block_cyclic(comm, extents, shape, map, blocks, stat, errmsg)
    integer, intent(in) :: comm, shape(:)
    integer(int64), intent(in) :: extents(:)
    type(reblock_map), intent(out) :: map
    integer(int64), intent(in), optional :: blocks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int64_t) :: axes
    integer(c_int32_t) :: code
    character(80) :: text
    axes = size(extents)
    text = ''
    call compare_length('shape', size(shape), axes, text)
    if (present(blocks)) call compare_length('blocks', size(blocks), axes, text)
    ! After an invalid argument on this process the call must still fail on all of them.
    if (text /= '') then
      axes = -1
      call set_reason(text)
    end if
    handle = handle_of(map)
    code = c_map_block_cyclic(int(comm, c_int), axes, extents, int(shape, c_int64_t), blocks, handle)
    call give_handle(map, handle)
    call report(code, stat, errmsg, text)
  end subroutine map_block_cyclic

  subroutine map_from_darray(comm, gsizes, distribs, dargs, psizes, order, map, stat, errmsg)
    integer, intent(in) :: comm, gsizes(:), distribs(:), dargs(:), psizes(:), order
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int64_t) :: axes
    integer(c_int32_t) :: code
    character(80) :: text
    axes = size(gsizes)
    text = ''
    call compare_length('distribs', size(distribs), axes, text)
    call compare_length('dargs', size(dargs), axes, text)
    call compare_length('psizes', size(psizes), axes, text)
    ! For default integers of 64 bits.
    if (any(int([gsizes, dargs, psizes], c_int) /= [gsizes, dargs, psizes])) text = 'a number does not fit into 32 bits'
    if (text /= '') then
      axes = -1
      call set_reason(text)
    end if
    handle = handle_of(map)
    code = c_map_from_darray(int(comm, c_int), int(axes, c_int), int(gsizes, c_int), int(distribs, c_int), &
                                     int(dargs, c_int), int(psizes, c_int), int(order, c_int), handle)
    call give_handle(map, handle)
    call report(code, stat, errmsg, text)
  end subroutine map_from_darray

  subroutine map_from_text(comm, extents, text, map, stat, errmsg)
    integer, intent(in) :: comm
    integer(int64), intent(in) :: extents(:)
    character(*), intent(in) :: text
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(map)
    code = c_map_from_text(int(comm, c_int), size(extents, kind=c_int64_t), extents, c_string(text), handle)
    call give_handle(map, handle)
    call report(code, stat, errmsg)
  end subroutine map_from_text

  ! Writes an error to `text` if an argument does not have one number for each axis.
  subroutine compare_length(name, has, axes, text)
    character(*), intent(in) :: name
    integer, intent(in) :: has
    integer(c_int64_t), intent(in) :: axes
    character(*), intent(inout) :: text
    if (has /= axes .and. text == '') text = count_mistake(name, has, 'elements', axes)
  end subroutine compare_length
end module reblock_hpf_plain
