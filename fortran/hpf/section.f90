! Moves sections in one call. The library makes the plan at the first call with equal maps and sections, keeps the 32
! most recently used plans of a communicator, and frees them with it. Collective over `comm`.
!
! Local arrays are as in move.f90. Sections: one range for each axis; if absent, the whole array. `element`: bytes,
! storage_size(a) / 8. A process that has no part of an array may pass a map that was not made.
module reblock_hpf_section
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_buffer
  use reblock_hpf_plan
  use reblock_hpf_update
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_move, reblock_move_update

  interface reblock_move
    procedure :: move_section
  end interface reblock_move

  interface reblock_move_update
    procedure :: move_update
  end interface reblock_move_update

contains

  subroutine move_section(comm, from, to, element, source, target, from_section, to_section, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: source, target
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move_elements(comm, from, to, element, reblock_buffer(source), reblock_buffer(target), c_null_ptr, .true., from_section, &
                   to_section, stat, errmsg)
  end subroutine move_section

  ! Updates the elements of the target with those of the source, whose type is the type of the update's factors.
  subroutine move_update(comm, from, to, source, target, update, from_section, to_section, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from, to
    type(*), dimension(..), optional, asynchronous, target :: source, target
    type(reblock_update), intent(in), target :: update
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_update), target :: given
    integer(c_int32_t) :: code
    code = c_update_init(c_loc(given))
    call give_update(update, given)
    if (code == reblock_ok) then
      call move_elements(comm, from, to, bytes_of(update), reblock_buffer(source), reblock_buffer(target), c_loc(given), &
                     reads_source(update), from_section, to_section, stat, errmsg)
    else
      call report(code, stat, errmsg)
    end if
  end subroutine move_update

  ! `update` is C's update, or null for a copy; `reads` is .true. if it reads the source.
  subroutine move_elements(comm, from, to, element, source, target, update, reads, from_section, to_section, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element
    type(reblock_buffer), intent(in) :: source, target
    type(c_ptr), intent(in) :: update
    logical, intent(in) :: reads
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: from_ranges(:), to_ranges(:)
    type(local_storage) :: storage
    type(c_ptr) :: source_at, target_at, from_handle, to_handle
    integer(c_int64_t) :: bytes
    integer(c_int32_t) :: code
    character(160) :: text
    text = ''
    call give_ranges(from, 'from_section', from_section, from_ranges, text)
    call give_ranges(to, 'to_section', to_section, to_ranges, text)
    ! After an invalid argument on this process the call must still fail on all of them.
    bytes = merge(element, -1_int64, text == '')
    from_handle = handle_of(from)
    to_handle = handle_of(to)
    ! The library reports an invalid map.
    call storage_of(from_handle, storage, code)
    source_at = c_null_ptr
    if (reads) source_at = place(source, element, storage, 'source', text)
    call storage_of(to_handle, storage, code)
    target_at = place(target, element, storage, 'target', text)
    code = c_move_update(int(comm, c_int), from_handle, from_ranges, to_handle, to_ranges, bytes, source_at, target_at, &
                                 update)
    call report(code, stat, errmsg, text)
  end subroutine move_elements

end module reblock_hpf_section
