! Gathers and scatters of elements that are named by lists of indices, along an axis and one by one, in both kinds of integers.
program irregular
  use, intrinsic :: iso_fortran_env, only: int64
  use random
  use reblock_hpf
  implicit none
  integer, parameter :: n = 37, m = 5
  type(reblock_procs) :: line
  type(reblock_template) :: template
  type(reblock_map) :: map
  integer :: own(2)
  real(8), allocatable :: a(:, :)
  call begin('irregular', 3)
  call reblock_procs_create(MPI_COMM_WORLD, [ranks], line)
  call reblock_template_create(line, [1, 0], [n, m - 1], template)
  call reblock_template_dist_cyclic(template, 1, 1, 3)
  call reblock_template_commit(template)
  call reblock_map_whole(template, map)
  call reblock_map_local(map, own)
  allocate (a(own(1), own(2)))
  call along_axis()
  call elements()
  call combined()
  call mistakes()
  call reblock_map_free(map)
  call reblock_template_free(template)
  call reblock_procs_free(line)
  call finish('irregular')

contains

  ! The value of an element.
  pure real(8) function at(i, j)
    integer, intent(in) :: i, j
    at = 100 * i + j
  end function at

  ! Every rank has the values of its own elements.
  subroutine fill()
    integer :: i, j, position(2)
    logical :: here
    do j = 0, m - 1
      do i = 1, n
        call reblock_map_local_index(map, [i, j], position, here)
        if (here) a(position(1), position(2)) = at(i, j)
      end do
    end do
  end subroutine fill

  subroutine along_axis()
    type(reblock_plan) :: plan
    integer :: k, j, list(11)
    real(8) :: rows(11, 0:m - 1)
    call fill()
    list = [(1 + modulo(7 * k + me, n), k=1, 11)]
    call reblock_plan_gather(MPI_COMM_WORLD, map, 1, list, 8, plan)
    rows = -1
    call reblock_plan_execute(plan, a, rows)
    do j = 0, m - 1
      do k = 1, size(list)
        call must('rows', abs(rows(k, j) - at(list(k), j)) < 1e-9)
      end do
    end do
    call reblock_plan_free(plan)
  end subroutine along_axis

  subroutine elements()
    type(reblock_plan) :: plan
    integer :: k
    integer(int64) :: list(2, 20)
    real(8) :: values(20)
    call fill()
    do k = 1, 20
      list(:, k) = [any_of(1, n), any_of(0, m - 1)]
    end do
    call reblock_plan_gather(MPI_COMM_WORLD, map, list, 8_int64, plan)
    call reblock_plan_execute(plan, a, values)
    do k = 1, 20
      call must('elements', abs(values(k) - at(int(list(1, k)), int(list(2, k)))) < 1e-9)
    end do
    call reblock_plan_free(plan)
  end subroutine elements

  ! Each rank adds 1 to the same rows, twice to one of them.
  subroutine combined()
    type(reblock_plan) :: plan
    integer, parameter :: list(4) = [3, n, 3, 8]
    integer :: i, j, position(2)
    real(8) :: ones(4, m), want
    logical :: here
    call fill()
    ones = 1
    call reblock_plan_scatter(MPI_COMM_WORLD, map, 1, list, 8, plan)
    call reblock_plan_update(plan, ones, a, reblock_update(1d0, 1d0))
    do j = 0, m - 1
      do i = 1, n
        call reblock_map_local_index(map, [i, j], position, here)
        want = at(i, j) + count(list == i) * ranks
        if (here) call must('sums', abs(a(position(1), position(2)) - want) < 1e-9)
      end do
    end do
    call reblock_plan_free(plan)
  end subroutine combined

  subroutine mistakes()
    type(reblock_plan) :: plan
    integer :: stat
    character(200) :: text
    real(8) :: short(3)
    text = ''
    call reblock_plan_gather(MPI_COMM_WORLD, map, 1, [1, n + merge(1, 0, me == ranks - 1)], 8, plan, stat=stat, errmsg=text)
    call must('out of bounds: '//trim(text), stat == reblock_err_argument .and. index(text, 'index 38 of axis 0') > 0)
    call reblock_plan_gather(MPI_COMM_WORLD, map, 0, [1], 8, plan, stat=stat, errmsg=text)
    call must('axis 0: '//trim(text), stat == reblock_err_argument)
    call reblock_plan_scatter(MPI_COMM_WORLD, map, reshape([1, 0, 0], [3, 1]), 8, plan, stat=stat, errmsg=text)
    call must('three indices: '//trim(text), stat == reblock_err_argument)
    call reblock_plan_gather(MPI_COMM_WORLD, map, 1, [2], 8, plan)
    call reblock_plan_execute(plan, a, short, stat=stat, errmsg=text)
    call must('a short array: '//trim(text), stat == reblock_err_argument)
    call reblock_plan_free(plan)
  end subroutine mistakes
end program irregular
