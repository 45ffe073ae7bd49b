! Figure 2 of Sudarsan and Ribbens (2007): a program that repeatedly solves linear systems by ScaLAPACK's LU
! factorization, and changes its number of processes meanwhile: 1 x 2 -> 2 x 2 -> 2 x 3 -> 2 x 2 -> 1 x 2.
! docs/resize.md explains it line by line. Each solution becomes the next right-hand side. The program first runs
! without resizing; that solution moves along, and is compared with the last one. Start it on 2 processes.
program resize_lu
  use, intrinsic :: iso_c_binding, only: c_loc
  use, intrinsic :: iso_fortran_env, only: dp => real64, error_unit
  use mpi
  use reblock_hpf
  implicit none
  integer, parameter :: n = 300, nb = 16, solves = 9
  type(reblock_job), target :: job
  type(reblock_job_times) :: times
  real(dp), pointer :: a(:, :), x(:, :), plain(:, :)
  integer, target :: iteration = 0
  integer :: desc_a(9), desc_x(9), desc_plain(9), context, comm, rows, cols, row, col, me, state, stat, ierr
  character(400) :: text
  real(dp) :: error(2), start
  external :: blacs_gridinfo, pdgetrf, pdgetrs
  integer, external :: numroc

  call MPI_Init(ierr)
  call reblock_job_init(MPI_COMM_WORLD, job)
  call reblock_job_get_blacs(job, context)
  if (.not. reblock_job_joined(job)) then
    call describe(desc_a, n)
    call describe(desc_x, 1)
    call describe(desc_plain, 1)
  end if
  call reblock_job_add_matrix(job, desc_a, storage_size(start) / 8)
  call reblock_job_add_matrix(job, desc_x, storage_size(start) / 8)
  call reblock_job_add_matrix(job, desc_plain, storage_size(start) / 8)
  call reblock_job_add_value(job, c_loc(iteration), storage_size(iteration) / 8)
  call pointers()
  if (.not. reblock_job_joined(job)) then
    call fill()
    do iteration = 1, solves
      call solve(x, desc_x)
    end do
    if (associated(plain)) plain = x
    call fill()
    iteration = 0
  end if
  call reblock_job_set_policy_text(job, '4,6,4,2')

  do while (iteration < solves)
    start = MPI_Wtime()
    call solve(x, desc_x)
    iteration = iteration + 1
    call reblock_job_set_seconds(job, MPI_Wtime() - start)
    call reblock_job_step(job, state, stat, text)
    ! A refused resize changes nothing: the job continues at its old size.
    if (stat /= reblock_ok .and. me == 0) write (error_unit, '(2a)') 'resize_lu: not resized: ', trim(text)
    if (state == reblock_job_left) exit
    if (state == reblock_job_same) cycle
    call pointers()
    call reblock_job_get_times(job, times)
    if (me == 0 .and. times%after > 0) write (*, '(a, i0, a, i0, a, i0, a, i0, a, f0.1, a, f0.3, a)') 'resize_lu: ', &
      times%before, ' -> ', times%after, ' processes, ', rows, ' x ', cols, ': ', 1e3 * times%total, ' ms, of which ', &
      1e3 * times%transfer, ' ms to move the data'
  end do

  if (state == reblock_job_left) then
    call reblock_job_leave(job)
  else
    error = 0
    if (associated(x)) error = [sum((x - plain)**2), sum(plain**2)]
    call MPI_Allreduce(MPI_IN_PLACE, error, 2, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
    error(1) = sqrt(error(1) / error(2))
    if (me == 0) write (*, '(a, i0, a, es8.1, a)') 'resize_lu: ', solves, ' solves: relative difference to the same run without &
      &resizing ', error(1), merge(': correct', ': WRONG  ', error(1) < 1e-10_dp)
    call reblock_job_finalize(job)
    if (.not. error(1) < 1e-10_dp) error stop 1
  end if
  call MPI_Finalize(ierr)

contains

  ! Describes a matrix of n rows and `width` columns on the grid.
  subroutine describe(desc, width)
    integer, intent(out) :: desc(9)
    integer, intent(in) :: width
    call blacs_gridinfo(context, rows, cols, row, col)
    desc = [1, context, n, width, nb, nb, 0, 0, max(1, numroc(n, nb, row, 0, rows))]
  end subroutine describe

  ! Updates everything that a resize changes: the communicator, the grid, and the addresses of the matrices.
  subroutine pointers()
    call reblock_job_get_comm(job, comm)
    call MPI_Comm_rank(comm, me, ierr)
    call reblock_job_get_blacs(job, context)
    call blacs_gridinfo(context, rows, cols, row, col)
    call reblock_job_pointer(job, 1, a)
    call reblock_job_pointer(job, 2, x)
    call reblock_job_pointer(job, 3, plain)
  end subroutine pointers

  ! Makes a matrix that is far from singular, and the first right-hand side.
  subroutine fill()
    integer :: i, j, li, lj
    do lj = 1, numroc(n, nb, col, 0, cols)
      j = (lj - 1) / nb * nb * cols + col * nb + mod(lj - 1, nb) + 1
      do li = 1, numroc(n, nb, row, 0, rows)
        i = (li - 1) / nb * nb * rows + row * nb + mod(li - 1, nb) + 1
        a(li, lj) = merge(2._dp, 0._dp, i == j) + sin(real(7 * i + 3 * j + i * j, dp)) / n
        if (j == 1) x(li, 1) = 1 + cos(real(i, dp))
      end do
    end do
  end subroutine fill

  ! Solves A y = x; y replaces x. The factors have a matrix of their own, for this solve only.
  subroutine solve(right, desc)
    real(dp), intent(inout) :: right(:, :)
    integer, intent(in) :: desc(9)
    real(dp), allocatable :: lu(:, :)
    integer, allocatable :: pivots(:)
    integer :: info
    allocate (lu, source=a)
    allocate (pivots(size(a, 1) + nb))
    call pdgetrf(n, n, lu, 1, 1, desc_a, pivots, info)
    if (info == 0) call pdgetrs('N', n, 1, lu, 1, 1, desc_a, pivots, right, 1, 1, desc, info)
    if (info /= 0) then
      write (error_unit, '(a, i0)') 'resize_lu: ScaLAPACK says ', info
      call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end if
  end subroutine solve
end program resize_lu
