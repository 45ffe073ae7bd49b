! Equality and hashes of maps. All calls are local.
module reblock_hpf_same
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_map_equal, reblock_map_key

contains

  ! Tests whether two maps give each element the same index, and the same place in the storage of the same processes.
  subroutine reblock_map_equal(map, other, equal, stat, errmsg)
    type(reblock_map), intent(in) :: map, other
    logical, intent(out) :: equal
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: said
    said = 0
    call report(c_map_equal(handle_of(map), handle_of(other), said), stat, errmsg)
    equal = said /= 0
  end subroutine reblock_map_equal

  ! Gets a hash of the map, which all processes and all equal maps share; strides do not count.
  subroutine reblock_map_key(map, key, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(out) :: key
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    key = 0
    call report(c_map_key(handle_of(map), key), stat, errmsg)
  end subroutine reblock_map_key
end module reblock_hpf_same
