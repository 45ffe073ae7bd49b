! WHICH arguments do several functions of the C interface have alike?
!
! Where a function declared by these has an argument by value, that is a variable: gfortran 12 passes the result of a function, as
! handle_of, by its address.
module reblock_hpf_signatures
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t, c_ptr
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
    ! How many axes an object has.
    integer(c_int32_t) function counts_axes(object, axes) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: object
      integer(c_int64_t), intent(inout) :: axes
    end function counts_axes
    ! The bounds of its axes.
    integer(c_int32_t) function tells_bounds(object, lower, upper) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: object
      integer(c_int64_t), intent(out) :: lower(*), upper(*)
    end function tells_bounds
    ! How one of them, counted from 0, is distributed.
    integer(c_int32_t) function tells_format(object, axis, format) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: object
      integer(c_int64_t), value :: axis
      integer(c_int64_t), intent(inout) :: format(*)
    end function tells_format
  end interface
end module reblock_hpf_signatures
