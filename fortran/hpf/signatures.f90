! Abstract interfaces of C functions that share their arguments.
!
! An argument by value must be a variable when a function is called by one of these interfaces: gfortran 12 passes the
! result of a function, such as handle_of, by its address.
module reblock_hpf_signatures
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t, c_ptr
  implicit none
  public
  abstract interface
    ! Frees an object; its handle is null afterwards.
    integer(c_int32_t) function frees_object(object) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: object
    end function frees_object
    ! Makes `other`, a handle of an object that belongs to `object` or is made from it.
    integer(c_int32_t) function makes_object(object, other) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: object
      type(c_ptr), intent(inout) :: other
    end function makes_object
    ! Gets the number of axes of an object.
    integer(c_int32_t) function counts_axes(object, axes) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: object
      integer(c_int64_t), intent(inout) :: axes
    end function counts_axes
    ! Gets the bounds of an object's axes.
    integer(c_int32_t) function gets_bounds(object, lower, upper) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: object
      integer(c_int64_t), intent(inout) :: lower(*), upper(*)
    end function gets_bounds
    ! Gets the distribution of an axis, counted from 0.
    integer(c_int32_t) function gets_format(object, axis, format) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: object
      integer(c_int64_t), value :: axis
      integer(c_int64_t), intent(inout) :: format(*)
    end function gets_format
  end interface
end module reblock_hpf_signatures
