! HOW is a section moved without a plan of the program's own? The library makes the plan at the first call with equal maps and
! sections, keeps the 32 of a communicator that were used last, and frees them with it. Collective over `comm`.
!
! Local arrays are as in move.f90. Sections: one range for each axis; if absent, the whole array. `element`: bytes,
! storage_size(a) / 8. A process that has no part of an array may pass a map that was not made.
module reblock_hpf_section
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_buffer
  use reblock_hpf_plan
  use reblock_hpf_calls_plain
  implicit none
  private
  public :: reblock_move

  interface reblock_move
    procedure :: move_section, move_section_int32
  end interface reblock_move

contains

  subroutine move_section(comm, from, to, element, source, target, from_section, to_section, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: source, target
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
    ! After a mistake of this process the call must still fail on all of them.
    bytes = merge(element, -1_int64, text == '')
    from_handle = handle_of(from)
    to_handle = handle_of(to)
    ! What is wrong with a map is told by the library.
    call storage_of(from_handle, storage, code)
    source_at = place(reblock_buffer(source), element, storage, 'source', text)
    call storage_of(to_handle, storage, code)
    target_at = place(reblock_buffer(target), element, storage, 'target', text)
    code = c_move_fortran(int(comm, c_int), from_handle, from_ranges, to_handle, to_ranges, bytes, source_at, target_at)
    call settle(code, stat, errmsg, text)
  end subroutine move_section

  subroutine move_section_int32(comm, from, to, element, source, target, from_section, to_section, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from, to
    integer(int32), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: source, target
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move_section(comm, from, to, int(element, int64), source, target, from_section, to_section, stat, errmsg)
  end subroutine move_section_int32
end module reblock_hpf_section
