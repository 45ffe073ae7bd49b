! Jacobi's iteration on a plane in blocks. Around its own points each process has a shadow, one point wide, of its
! neighbours' points, which a plan fills. Inner points are computed while the plan is under way. The result is compared
! with a serial program, and the time with messages written by hand.
program jacobi
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use mpi
  use reblock_hpf
  implicit none
  integer, parameter :: n = 500, steps = 200, rows = 2, cols = 2, bytes = storage_size(1._dp) / 8
  type(reblock_map) :: plane, map
  type(reblock_plan) :: shadows
  real(dp), allocatable, target, asynchronous :: u(:, :)
  real(dp), allocatable :: next(:, :)
  real(dp) :: seconds(2)
  integer :: own(2), lower(2), first(2), last(2), neighbours(4), column, row, way, step, me, ranks, ierr, wrong

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (ranks /= rows * cols) error stop 'jacobi_fortran runs on 4 ranks'
  call reblock_map_block_cyclic(MPI_COMM_WORLD, [n, n], [rows, cols], plane)
  call reblock_map_shadow(plane, [1, 1], [1, 1], map)
  call reblock_plan_shadow(MPI_COMM_WORLD, map, bytes, shadows)

  ! Storage with the array's own indices, from 0: this process's points from first to last, and one more on all sides.
  call reblock_map_local(map, own, lower=lower)
  first = lower + 1
  last = first + own - 1
  allocate (u(lower(1):last(1) + 1, lower(2):last(2) + 1), next(lower(1):last(1) + 1, lower(2):last(2) + 1))

  ! Ranks are numbered row by row. The neighbours above, below, left and right, and the types of the messages to them.
  neighbours = MPI_PROC_NULL
  if (me >= cols) neighbours(1) = me - cols
  if (me < (rows - 1) * cols) neighbours(2) = me + cols
  if (mod(me, cols) > 0) neighbours(3) = me - 1
  if (mod(me, cols) < cols - 1) neighbours(4) = me + 1
  call MPI_Type_vector(own(2), 1, own(1) + 2, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_Type_contiguous(own(1), MPI_DOUBLE_PRECISION, column, ierr)
  call MPI_Type_commit(row, ierr)
  call MPI_Type_commit(column, ierr)

  wrong = 0
  do way = 1, 2
    call begin(u, lower)
    next = 0
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    seconds(way) = -MPI_Wtime()
    do step = 1, steps
      if (way == 1) then
        call fill_by_hand()
        call sweep(first, last)
      else
        call step_by_plan()
      end if
      u(first(1):last(1), first(2):last(2)) = next(first(1):last(1), first(2):last(2))
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    seconds(way) = seconds(way) + MPI_Wtime()
    call compare()
  end do
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (me == 0) print '(i0, a, i0, a, i0, a, f0.1, a, f0.1, a, i0, a)', steps, ' steps on ', n, ' x ', n, ' points: ', &
    seconds(1) * 1e3_dp, ' ms with messages by hand, ', seconds(2) * 1e3_dp, ' ms with a plan; ', wrong, ' points differ'
  call MPI_Type_free(row, ierr)
  call MPI_Type_free(column, ierr)
  call reblock_plan_free(shadows)
  call reblock_map_free(map)
  call reblock_map_free(plane)
  call MPI_Finalize(ierr)
  if (wrong /= 0) error stop

contains

  ! Writes the initial points to storage with these lower bounds. Points outside the plane are 0.
  subroutine begin(points, from)
    integer, intent(in) :: from(2)
    real(dp), intent(out) :: points(from(1):, from(2):)
    integer :: i, j
    points = 0
    do j = from(2) + 1, ubound(points, 2) - 1
      do i = from(1) + 1, ubound(points, 1) - 1
        points(i, j) = mod(i * 37 + j * 101, 1000) / 1000._dp
      end do
    end do
  end subroutine begin

  ! Computes the means of these points' neighbours.
  subroutine sweep(low, high)
    integer, intent(in) :: low(2), high(2)
    integer :: i, j
    do j = low(2), high(2)
      do i = low(1), high(1)
        next(i, j) = 0.25_dp * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
  end subroutine sweep

  ! Computes all points while the shadow is filled: the inner points first.
  subroutine step_by_plan()
    type(reblock_request) :: request
    call reblock_plan_start(shadows, u, u, request)
    call sweep(first + 1, last - 1)
    call reblock_request_wait(request)
    call sweep(first, [first(1), last(2)])
    call sweep([last(1), first(2)], last)
    call sweep([first(1) + 1, first(2)], [last(1) - 1, first(2)])
    call sweep([first(1) + 1, last(2)], [last(1) - 1, last(2)])
  end subroutine step_by_plan

  ! Fills the shadow with messages.
  subroutine fill_by_hand()
    integer :: requests(8)
    call MPI_Irecv(u(first(1) - 1, first(2)), 1, row, neighbours(1), 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(u(last(1) + 1, first(2)), 1, row, neighbours(2), 0, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Irecv(u(first(1), first(2) - 1), 1, column, neighbours(3), 3, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Irecv(u(first(1), last(2) + 1), 1, column, neighbours(4), 2, MPI_COMM_WORLD, requests(4), ierr)
    call MPI_Isend(u(first(1), first(2)), 1, row, neighbours(1), 0, MPI_COMM_WORLD, requests(5), ierr)
    call MPI_Isend(u(last(1), first(2)), 1, row, neighbours(2), 1, MPI_COMM_WORLD, requests(6), ierr)
    call MPI_Isend(u(first(1), first(2)), 1, column, neighbours(3), 2, MPI_COMM_WORLD, requests(7), ierr)
    call MPI_Isend(u(first(1), last(2)), 1, column, neighbours(4), 3, MPI_COMM_WORLD, requests(8), ierr)
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, ierr)
  end subroutine fill_by_hand

  ! Counts the points that differ from a serial program's.
  subroutine compare()
    real(dp), allocatable :: a(:, :), b(:, :)
    integer :: i, j, k
    allocate (a(-1:n, -1:n), b(-1:n, -1:n))
    call begin(a, [-1, -1])
    do k = 1, steps
      do j = 0, n - 1
        do i = 0, n - 1
          b(i, j) = 0.25_dp * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
        end do
      end do
      a(0:n - 1, 0:n - 1) = b(0:n - 1, 0:n - 1)
    end do
    wrong = wrong + count(abs(u(first(1):last(1), first(2):last(2)) - a(first(1):last(1), first(2):last(2))) > 0)
  end subroutine compare
end program jacobi
