! A Fortran program built against the installed module: moves the upper trapezoid of a matrix, and leaves the rest
! unchanged.
program installed
  use mpi
  use reblock, only: pztrmr2d
  implicit none
  integer, parameter :: n = 6
  integer :: context, rows, cols, row, col, i, j, desca(9), descb(9), wrong, ierr
  complex(kind(1d0)) :: a(n, n), b(n, n), want
  call mpi_init(ierr)
  call blacs_get(0, 0, context)
  call blacs_gridinit(context, 'R', 2, 1)
  call blacs_gridinfo(context, rows, cols, row, col)
  ! From blocks of 1 row to blocks of 3 rows, on 2 x 1 processes: the upper triangle with the diagonal.
  desca = [1, context, n, n, 1, n, 0, 0, n]
  descb = [1, context, n, n, 3, n, 0, 0, n]
  b = (-1d0, 0d0)
  do j = 1, n
    do i = 1, 3
      a(i, j) = cmplx(2*i - 1 + row, j, kind(1d0))
    end do
  end do
  call pztrmr2d('U', 'N', n, n, a, 1, 1, desca, b, 1, 1, descb, context)
  wrong = 0
  do j = 1, n
    do i = 1, n
      want = (-1d0, 0d0)
      if (i <= 3 .and. 3*row + i <= j) want = cmplx(3*row + i, j, kind(1d0))
      if (b(i, j) /= want) wrong = wrong + 1
    end do
  end do
  call mpi_allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (row == 0) print '(a, i0, a)', 'reblock from Fortran: ', wrong, ' wrong'
  call blacs_exit(1)
  call mpi_finalize(ierr)
  if (wrong /= 0) stop 1
end program installed
