! Alternating directions by Peaceman and Rachford (1955): each step solves tridiagonal systems along the first axis,
! then along the second. In HPF, with U(N,M):
!
!   !HPF$ DISTRIBUTE U(*,BLOCK)        each process has whole columns: systems along the first axis
!   !HPF$ REDISTRIBUTE U(BLOCK,*)      each process has whole rows: systems along the second axis
!
! The initial values are a sum of eigenvectors. A step multiplies each by a known factor, so the result can be checked.
program adi
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use mpi
  use reblock_hpf
  implicit none
  integer, parameter :: n = 300, m = 421, steps = 20, waves(2, 2) = reshape([2, 3, 5, 7], [2, 2])
  real(dp), parameter :: r = 0.4_dp, pi = acos(-1._dp), tolerance = 1e-12_dp
  type(reblock_procs) :: procs
  type(reblock_map) :: by_columns, by_rows
  type(reblock_plan) :: to_columns, to_rows
  real(dp), allocatable :: columns(:, :), rows(:, :)
  real(dp) :: start, moving, all, error
  integer :: ierr, me, ranks, step, first(2)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call reblock_procs_create(MPI_COMM_WORLD, [ranks], procs)
  by_columns = distributed(2)
  by_rows = distributed(1)
  call reblock_plan_create(MPI_COMM_WORLD, by_columns, by_rows, storage_size(r) / 8, to_rows)
  call reblock_plan_create(MPI_COMM_WORLD, by_rows, by_columns, storage_size(r) / 8, to_columns)

  call local_array(by_columns, columns, first)
  call local_array(by_rows, rows, first)
  call set(rows, first)
  moving = 0
  all = -MPI_Wtime()
  do step = 1, steps
    call explicit_along_rows(rows)
    start = MPI_Wtime()
    call reblock_plan_execute(to_columns, rows, columns)
    moving = moving + MPI_Wtime() - start
    call solve_along_columns(columns)
    call explicit_along_columns(columns)
    start = MPI_Wtime()
    call reblock_plan_execute(to_rows, columns, rows)
    moving = moving + MPI_Wtime() - start
    call solve_along_rows(rows)
  end do
  all = all + MPI_Wtime()

  error = distance(rows, first)
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (me == 0) then
    print '(i0, a, i0, a, i0, a, f0.2, a, f0.2, a)', steps, ' steps on ', n, ' x ', m, ' points: ', all * 1e3_dp, ' ms, ', &
      moving * 1e3_dp, ' of them to redistribute'
    print '(3a, es8.1)', 'adi: ', trim(merge('correct', 'WRONG  ', error < tolerance)), &
      ': the largest difference from the known multiples is ', error
  end if
  call reblock_plan_free(to_columns)
  call reblock_plan_free(to_rows)
  call reblock_map_free(by_columns)
  call reblock_map_free(by_rows)
  call reblock_procs_free(procs)
  call MPI_Finalize(ierr)
  if (.not. error < tolerance) error stop

contains

  ! Returns a map with one axis in BLOCK and the other one whole.
  function distributed(axis) result(map)
    integer, intent(in) :: axis
    type(reblock_map) :: map
    type(reblock_template) :: template
    call reblock_template_create(procs, [1, 1], [n, m], template)
    call reblock_template_dist_block(template, axis, 1)
    call reblock_template_commit(template)
    call reblock_map_whole(template, map)
    call reblock_template_free(template)
  end function distributed

  ! Allocates this process's part, with indices from 1; sets the index of its first element.
  subroutine local_array(map, array, first)
    type(reblock_map), intent(in) :: map
    real(dp), allocatable, intent(out) :: array(:, :)
    integer, intent(out) :: first(2)
    integer :: extents(2)
    call reblock_map_local(map, extents, first)
    allocate (array(extents(1), extents(2)))
  end subroutine local_array

  ! Returns eigenvector k of the second differences at one point.
  pure real(dp) function wave(k, i, j)
    integer, intent(in) :: k, i, j
    wave = sin(waves(1, k) * pi * i / (n + 1)) * sin(waves(2, k) * pi * j / (m + 1))
  end function wave

  ! Returns the factor by which a step multiplies eigenvector k.
  pure real(dp) function growth(k)
    integer, intent(in) :: k
    real(dp) :: a, b
    a = r * (2 - 2 * cos(waves(1, k) * pi / (n + 1)))
    b = r * (2 - 2 * cos(waves(2, k) * pi / (m + 1)))
    growth = (1 - a) / (1 + a) * (1 - b) / (1 + b)
  end function growth

  subroutine set(u, first)
    real(dp), intent(out) :: u(:, :)
    integer, intent(in) :: first(2)
    integer :: i, j
    do j = 1, size(u, 2)
      do i = 1, size(u, 1)
        u(i, j) = wave(1, first(1) + i - 1, first(2) + j - 1) + wave(2, first(1) + i - 1, first(2) + j - 1)
      end do
    end do
  end subroutine set

  real(dp) function distance(u, first)
    real(dp), intent(in) :: u(:, :)
    integer, intent(in) :: first(2)
    real(dp) :: want
    integer :: i, j, k
    distance = 0
    do j = 1, size(u, 2)
      do i = 1, size(u, 1)
        want = 0
        do k = 1, 2
          want = want + growth(k)**steps * wave(k, first(1) + i - 1, first(2) + j - 1)
        end do
        distance = max(distance, abs(u(i, j) - want))
      end do
    end do
  end function distance

  ! Replaces u by u + r times its second differences along the first axis. Values beyond the ends are 0.
  subroutine explicit_along_columns(u)
    real(dp), intent(inout) :: u(:, :)
    integer :: j
    do j = 1, size(u, 2)
      u(:, j) = (1 - 2 * r) * u(:, j) + r * (eoshift(u(:, j), 1) + eoshift(u(:, j), -1))
    end do
  end subroutine explicit_along_columns

  subroutine explicit_along_rows(u)
    real(dp), intent(inout) :: u(:, :)
    real(dp) :: before(size(u, 1)), here(size(u, 1))
    integer :: j
    before = 0
    do j = 1, m
      here = u(:, j)
      u(:, j) = (1 - 2 * r) * here + r * before
      if (j < m) u(:, j) = u(:, j) + r * u(:, j + 1)
      before = here
    end do
  end subroutine explicit_along_rows

  ! Solves (1 - r times second differences) v = u along the first axis, by elimination; v replaces u.
  subroutine solve_along_columns(u)
    real(dp), intent(inout) :: u(:, :)
    real(dp) :: c(n)
    integer :: i, j
    c = pivots(n)
    do j = 1, size(u, 2)
      u(1, j) = u(1, j) * c(1)
      do i = 2, n
        u(i, j) = (u(i, j) + r * u(i - 1, j)) * c(i)
      end do
      do i = n - 1, 1, -1
        u(i, j) = u(i, j) + r * c(i) * u(i + 1, j)
      end do
    end do
  end subroutine solve_along_columns

  subroutine solve_along_rows(u)
    real(dp), intent(inout) :: u(:, :)
    real(dp) :: c(m)
    integer :: j
    c = pivots(m)
    u(:, 1) = u(:, 1) * c(1)
    do j = 2, m
      u(:, j) = (u(:, j) + r * u(:, j - 1)) * c(j)
    end do
    do j = m - 1, 1, -1
      u(:, j) = u(:, j) + r * c(j) * u(:, j + 1)
    end do
  end subroutine solve_along_rows

  ! Returns the reciprocals of the elimination's pivots.
  pure function pivots(length) result(c)
    integer, intent(in) :: length
    real(dp) :: c(length)
    integer :: i
    c(1) = 1 / (1 + 2 * r)
    do i = 2, length
      c(i) = 1 / (1 + 2 * r - r * r * c(i - 1))
    end do
  end function pivots
end program adi
