! Saves arrays in NumPy's files and loads them. Local arrays of any type, kind and rank are passed directly. A process
! without a part may pass an array that is not allocated or absent.
module reblock_hpf_file
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_null_char, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_calls
  use reblock_hpf_object
  use reblock_hpf_buffer
  use reblock_hpf_map
  use reblock_hpf_array, only: reblock_array
  implicit none
  private
  public :: reblock_save, reblock_load, reblock_array_save, reblock_array_load

  ! Saves an array with elements of `element` bytes, storage_size(a) / 8, in a file, or loads it. `dtype` is the element
  ! type in NumPy's notation: '<f8'. Without it, the file describes elements as bytes without a type. Collective over
  ! `comm`.
  interface reblock_save
    procedure :: save_array
  end interface reblock_save
  interface reblock_load
    procedure :: load_array
  end interface reblock_load

contains

  subroutine save_array(comm, path, map, element, array, dtype, stat, errmsg)
    integer, intent(in) :: comm
    character(*), intent(in) :: path
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: array
    character(*), intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(160) :: text
    character(kind=c_char), allocatable :: type_of(:)
    type(c_ptr) :: data
    integer(c_int64_t) :: bytes
    call prepare(map, element, reblock_buffer(array), dtype, data, bytes, type_of, text)
    call report(c_save(int(comm, c_int), c_string(path), handle_of(map), data, bytes, type_of), stat, errmsg, text)
  end subroutine save_array

  subroutine load_array(comm, path, map, element, array, dtype, stat, errmsg)
    integer, intent(in) :: comm
    character(*), intent(in) :: path
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: array
    character(*), intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(160) :: text
    character(kind=c_char), allocatable :: type_of(:)
    type(c_ptr) :: data
    integer(c_int64_t) :: bytes
    call prepare(map, element, reblock_buffer(array), dtype, data, bytes, type_of, text)
    call report(c_load(int(comm, c_int), c_string(path), handle_of(map), data, bytes, type_of), stat, errmsg, text)
  end subroutine load_array

  ! Saves or loads an array of the library. Collective over the communicator of its arrangement.
  subroutine reblock_array_save(array, path, dtype, stat, errmsg)
    type(reblock_array), intent(in) :: array
    character(*), intent(in) :: path
    character(*), intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable :: type_of(:)
    if (present(dtype)) type_of = string(dtype)
    call report(c_array_save(handle_of(array), c_string(path), type_of), stat, errmsg)
  end subroutine reblock_array_save

  subroutine reblock_array_load(array, path, dtype, stat, errmsg)
    type(reblock_array), intent(in) :: array
    character(*), intent(in) :: path
    character(*), intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable :: type_of(:)
    if (present(dtype)) type_of = string(dtype)
    call report(c_array_load(handle_of(array), c_string(path), type_of), stat, errmsg)
  end subroutine reblock_array_load

  ! Prepares the arguments of C; after an invalid argument on this process the call must still fail on all of them.
  subroutine prepare(map, element, buffer, dtype, data, bytes, type_of, text)
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: element
    type(reblock_buffer), intent(in) :: buffer
    character(*), intent(in), optional :: dtype
    type(c_ptr), intent(out) :: data
    integer(c_int64_t), intent(out) :: bytes
    character(kind=c_char), allocatable, intent(out) :: type_of(:)
    character(*), intent(out) :: text
    type(local_storage) :: storage
    integer(c_int32_t) :: code
    text = ''
    data = c_null_ptr
    call storage_of(handle_of(map), storage, code)
    ! The library reports an invalid map.
    if (code == reblock_ok) data = place(buffer, element, storage, 'array', text)
    bytes = merge(element, -1_int64, text == '')
    if (present(dtype)) type_of = string(dtype)
  end subroutine prepare

  function string(text)
    character(*), intent(in) :: text
    character(kind=c_char) :: string(len_trim(text) + 1)
    integer :: k
    string = [(text(k:k), k=1, len_trim(text)), c_null_char]
  end function string
end module reblock_hpf_file
