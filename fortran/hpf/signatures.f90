! WHICH arguments do several functions of the C interface have alike?
!
! Only functions without arguments by value are declared by these: to others gfortran 12 passes the result of a function, as
! handle_of, by its address.
module reblock_hpf_signatures
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_ptr
  implicit none
  public
  abstract interface
    ! Frees an object, whose handle is null afterwards.
    integer(c_int32_t) function frees(object) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: object
    end function frees
    ! Makes a handle of another object that belongs to one.
    integer(c_int32_t) function yields(object, other) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: object
      type(c_ptr), intent(inout) :: other
    end function yields
  end interface
end module reblock_hpf_signatures
