! Sets the CUDA stream of a program whose arrays are in the memory of a GPU (docs/gpu.md).
module reblock_hpf_device
  use, intrinsic :: iso_c_binding, only: c_null_ptr, c_ptr
  use reblock_hpf_object
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_device_stream

contains

  ! Sets the CUDA stream that the program uses for arrays in the memory of a GPU; absent: the legacy default stream.
  ! Later calls of this thread read and write such arrays after all work that the program put on the stream before the
  ! call. Local, without communication. CUDA Fortran has integers for streams: pass transfer(stream, c_null_ptr).
  subroutine reblock_device_stream(stream, stat, errmsg)
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(stream)) handle = stream
    call report(c_device_stream(handle), stat, errmsg)
  end subroutine reblock_device_stream
end module reblock_hpf_device
