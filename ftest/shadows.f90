! Tests shadows of a plane whose columns are in blocks around a ring. Shadows are filled, blocking and by a request, and
! added to the columns that they show. Uses communicators of both mpi and mpi_f08.
program shadows
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use random
  use reblock_hpf_f08
  use mpi_f08, only: f08_world => MPI_COMM_WORLD
  implicit none
  integer, parameter :: cases = 15
  integer :: number

  call begin('shadows', 1)
  do number = 1, cases
    call fill(any_of(1, 9), any_of(ranks, 3 * ranks), any_of(0, 3), any_of(0, 3), any_of(0, 1) == 0)
  end do
  call mistakes()
  call finish('shadows')

contains

  ! Tests a plane of n x m elements with its columns in blocks, and a shadow of some columns before and after.
  subroutine fill(n, m, before, behind, ring)
    integer, intent(in) :: n, m, before, behind
    logical, intent(in) :: ring
    type(reblock_map) :: plane, map
    type(reblock_plan) :: plan, reverse
    type(reblock_request) :: request
    integer(int64) :: own(2), lower(2)
    real(real64), allocatable, target, asynchronous :: a(:, :)
    real(real64), allocatable :: want(:, :)
    logical, allocatable :: shown(:)
    integer :: low, high, first, last, j, seen(0:m - 1), seen_by_all(0:m - 1), ierr
    low = min(before, m)
    high = min(behind, m)
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [n, m], [1, ranks], plane)
    call reblock_map_shadow(plane, [0, low], [1, high], map)
    call reblock_map_local(map, own, lower=lower)
    first = int(lower(2)) + low
    last = first + int(own(2)) - 1
    allocate (a(0:n, first - low:last + high), want(0:n, first - low:last + high), shown(first - low:last + high))
    a = -1
    do j = first, last
      a(:n - 1, j) = column(j)
    end do
    shown = [(own(2) > 0 .and. (ring .or. (j >= 0 .and. j < m)), j=first - low, last + high)]
    want = a
    do j = first - low, last + high
      if (shown(j)) want(:n - 1, j) = column(modulo(j, m))
    end do
    if (any_of(0, 1) == 0) then
      call reblock_plan_shadow(MPI_COMM_WORLD, map, storage_size(a) / 8, plan, periodic=[.false., ring])
    else
      call reblock_plan_shadow(f08_world, map, storage_size(a) / 8, plan, [0, low], [0, high], [.false., ring], .true.)
    end if
    call reblock_plan_execute(plan, a, a)
    call must('filled', all(a == want))
    do j = first - low, last + high
      if (j < first .or. j > last) a(:, j) = -1
    end do
    call reblock_plan_start(plan, a, a, request)
    call reblock_request_wait(request)
    call must('filled meanwhile', all(a == want))

    ! Count the shadows that show each column.
    seen = 0
    do j = first - low, last + high
      if (shown(j) .and. (j < first .or. j > last)) seen(modulo(j, m)) = seen(modulo(j, m)) + 1
    end do
    call mpi_allreduce(seen, seen_by_all, m, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    a(:n - 1, :) = 1
    call reblock_plan_reverse(plan, reverse)
    call reblock_plan_update(reverse, a, a, reblock_update(1._real64, 1._real64))
    do j = first, last
      call must('added', all(a(:n - 1, j) == 1 + seen_by_all(j)))
    end do
    call reblock_plan_free(plan)
    call reblock_plan_free(reverse)
    call reblock_map_free(plane)
    call reblock_map_free(map)
  end subroutine fill

  pure function column(j) result(values)
    integer, intent(in) :: j
    integer :: values
    values = 7 * j + 3
  end function column

  subroutine mistakes()
    type(reblock_map) :: plane, map
    type(reblock_plan) :: plan
    integer :: stat
    character(200) :: said
    said = ''
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [4, ranks], [1, ranks], plane)
    call reblock_map_shadow(plane, [0, 1], [0, 1], map)
    call reblock_plan_shadow(MPI_COMM_WORLD, map, 8, plan, [0, merge(2, 1, me == 0)], [0, 1], stat=stat, errmsg=said)
    call must('too wide', stat == reblock_err_argument)
    if (me == 0) call must('text of too wide', index(said, 'axis 1: the width is 2 before and 1 behind') == 1)
    if (me == 0) then
      call reblock_plan_shadow(MPI_COMM_WORLD, map, 8, plan, [1], [0, 1], stat=stat, errmsg=said)
      call must('text of one width', said == 'before has 1 entries for 2 axes')
    else
      call reblock_plan_shadow(MPI_COMM_WORLD, map, 8, plan, [0, 1], [0, 1], stat=stat, errmsg=said)
    end if
    call must('one width', stat == reblock_err_argument)
    call reblock_map_free(plane)
    call reblock_map_free(map)
  end subroutine mistakes
end program shadows
