! Fortran arrays for allocated.cpp.
subroutine fortran_allocates() bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine allocated_by_fortran() bind(c)
    end subroutine
  end interface
  real(c_double), allocatable :: a(:, :), b(:)
  real(c_double), pointer :: p(:)
  allocate(a(1000, 500))
  call allocated_by_fortran()
  a = 3
  b = reshape(a, [500000])
  call allocated_by_fortran()
  if (any(b /= 3)) stop 2
  b = [b, b]
  call allocated_by_fortran()
  allocate(p(400000), source=b(1:400000))
  call allocated_by_fortran()
  if (any(p /= 3) .or. size(b) /= 1000000) stop 2
  deallocate(p)
end subroutine
