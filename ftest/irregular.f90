! Tests mistakes in lists of indices. The corpus (ctest/corpus) tests valid lists.
program irregular
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
  call mistakes()
  call reblock_map_free(map)
  call reblock_template_free(template)
  call reblock_procs_free(line)
  call finish('irregular')

contains

  subroutine mistakes()
    type(reblock_plan) :: plan
    integer :: stat
    character(200) :: text
    real(8) :: short(3)
    text = ''
    call reblock_plan_gather(MPI_COMM_WORLD, map, 1, [1, n + merge(1, 0, me == ranks - 1)], 8, plan, stat=stat, errmsg=text)
    call must('out of bounds: '//trim(text), stat == reblock_err_argument .and. index(text, 'index 38 of axis 0') > 0)
    call reblock_plan_gather(MPI_COMM_WORLD, map, 1, [1, 0], 8, plan, stat=stat, errmsg=text)
    call must('0 of 1 to n: '//trim(text), stat == reblock_err_argument .and. index(text, 'the option skip') > 0)
    call reblock_plan_gather(MPI_COMM_WORLD, map, 0, [1], 8, plan, stat=stat, errmsg=text)
    call must('axis 0: '//trim(text), stat == reblock_err_argument)
    ! The last rank alone makes the mistake, and all ranks read it.
    if (me == ranks - 1) then
      call reblock_plan_scatter(MPI_COMM_WORLD, map, reshape([1, 0, 0], [3, 1]), 8, plan, stat=stat, errmsg=text)
    else
      call reblock_plan_scatter(MPI_COMM_WORLD, map, reshape([1, 1], [2, 1]), 8, plan, stat=stat, errmsg=text)
    end if
    call must('three indices: '//trim(text), stat == reblock_err_argument .and. index(text, 'indices has 3 rows for 2 axes') > 0)
    call reblock_plan_gather(MPI_COMM_WORLD, map, 1, [2], 8, plan)
    call reblock_plan_execute(plan, a, short, stat=stat, errmsg=text)
    call must('a short array: '//trim(text), stat == reblock_err_argument)
    call reblock_plan_free(plan)
  end subroutine mistakes
end program irregular
