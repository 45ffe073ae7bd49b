! The stream of a program that uses GPUs (docs/gpu.md). Local: no other process is asked.
module reblock_hpf_device
  use, intrinsic :: iso_c_binding, only: c_null_ptr, c_ptr
  use reblock_hpf_object
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_device_stream

contains

  ! Sets the CUDA stream on which the program works on arrays in the memory of a GPU; absent: the legacy default stream.
  ! Later calls of this thread read and write such arrays after all work that the program has started on the stream before
  ! the call. CUDA Fortran's streams are integers: transfer(stream, c_null_ptr).
  subroutine reblock_device_stream(stream, stat, errmsg)
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(stream)) handle = stream
    call settle(c_device_stream(handle), stat, errmsg)
  end subroutine reblock_device_stream
end module reblock_hpf_device
