! Tests calls that must fail: each must fail on all processes, write nothing, and leave the library usable. Checks the
! error texts.
program mistakes
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use matrix
  implicit none
  integer :: stat
  character(300) :: text
  logical :: last
  call begin('mistakes', 1)
  call lay_out()
  last = me == ranks - 1
  call wrong_arrays()
  call wrong_lists()
  call wrong_templates()
  call wrong_handles()
  call must('name of a code', reblock_code_name(reblock_err_argument) == 'REBLOCK_ERR_ARGUMENT')
  call finish('mistakes')

contains

  ! Checks that a call failed on all processes, and that its text contains `why` on processes with `here`.
  subroutine refused(code, why, here)
    integer, intent(in) :: code
    character(*), intent(in) :: why
    logical, intent(in) :: here
    call must('code of "'//why//'"', stat == code)
    call must('a text for "'//why//'"', text /= '')
    if (here) call must('"'//trim(text)//'", expected "'//why//'"', index(text, why) > 0)
    stat = -1
    text = ''
  end subroutine refused

  ! Makes mistakes on the last process only.
  subroutine wrong_arrays()
    integer(int32), allocatable :: a(:, :), b(:, :), tall(:, :), flat(:), whole(:), none(:, :)
    integer(int64), allocatable :: wide(:, :)
    type(reblock_plan) :: plan
    type(reblock_request) :: request
    allocate (a(rows_here, cols), b(rows, cols_here), tall(rows + 1, cols_here), flat(rows * cols_here), wide(rows, cols_here), &
              whole(rows * cols))
    a(:, :) = given_rows()
    b = -1
    call plan_of(storage_size(a), plan)
    if (last) then
      call reblock_plan_execute(plan, a, b(:rows - 1, :), stat, text)
    else
      call reblock_plan_execute(plan, a, b, stat, text)
    end if
    call refused(reblock_err_argument, 'target has 6 elements along axis 1, expected at least 7', last)
    if (last) then
      call reblock_plan_start(plan, a, tall, request, stat, text)
    else
      call reblock_plan_start(plan, a, b, request, stat, text)
    end if
    ! If the start succeeded here, the wait reports the other process's mistake.
    if (stat == reblock_ok) call reblock_request_wait(request, stat, text)
    call refused(reblock_err_argument, 'target has elements at other distances than the local array of its map', last)
    if (last) then
      call reblock_plan_execute(plan, a, wide, stat, text)
    else
      call reblock_plan_execute(plan, a, b, stat, text)
    end if
    call refused(reblock_err_argument, 'target has elements of 8 bytes, expected 4', last)
    if (last) then
      call reblock_plan_execute(plan, none, b, stat, text)
    else
      call reblock_plan_execute(plan, a, b, stat, text)
    end if
    call refused(reblock_err_argument, 'source is absent, but this process has a part of 10 elements', last .and. ranks == 4)
    if (last) then
      call reblock_plan_execute(plan, a, flat(2:), stat, text)
    else
      call reblock_plan_execute(plan, a, flat, stat, text)
    end if
    call refused(reblock_err_argument, 'target has 13 elements, expected at least 14', last .and. ranks == 4)
    call must('nothing is written', all(b == -1))
    call reblock_plan_execute(plan, whole(1:rows_here * cols), whole, stat, text)
    ! On a single process each element stays where it is, so source and target may overlap.
    if (ranks > 1) call refused(reblock_err_overlap, 'target', .true.)
    call reblock_plan_execute(plan, a, flat, stat, text)
    call must('a flat array', stat == reblock_ok .and. text == '' .and. all(flat == reshape(columns(), shape(flat))))
    call reblock_plan_free(plan)
  end subroutine wrong_arrays

  subroutine wrong_lists()
    integer(int32), target :: a(rows_here, cols), b(rows, cols_here)
    integer :: few(1)
    type(reblock_procs) :: procs
    type(reblock_plan) :: plan
    type(reblock_buffer) :: nothing(0)
    call plan_of(storage_size(a), plan)
    if (last) then
      call reblock_plan_execute_many([plan], nothing, [reblock_buffer(b)], stat, text)
    else
      call reblock_plan_execute_many([plan], [reblock_buffer(a)], [reblock_buffer(b)], stat, text)
    end if
    call refused(reblock_err_argument, '1 plans, 0 sources and 1 targets', last)
    call reblock_plan_free(plan)
    if (last) then
      call reblock_plan_create(MPI_COMM_WORLD, by_rows, by_cols, 4, plan, from_section=[reblock_range(1, 2)], stat=stat, &
                               errmsg=text)
    else
      call plan_of_4(plan)
    end if
    call refused(reblock_err_argument, 'from_section has 1 ranges for 2 axes', last)
    if (last) then
      call reblock_procs_create(MPI_COMM_WORLD, [1], procs, ranks=[0, 1, 2], stat=stat, errmsg=text)
    else
      call reblock_procs_create(MPI_COMM_WORLD, [1], procs, stat=stat, errmsg=text)
    end if
    call refused(reblock_err_argument, '3 ranks for ', last)
    call reblock_plan_create(MPI_COMM_WORLD, by_rows, by_cols, merge(8, 4, last), plan, stat=stat, errmsg=text)
    if (ranks > 1) call refused(reblock_err_differs, 'element', .true.)
    call reblock_map_bounds(by_rows, few, few, stat, text)
    call refused(reblock_err_argument, 'has 1 elements, expected at least 2', .true.)
    call reblock_map_strides(by_rows, [1, 2, 3], by_cols, stat, text)
    call refused(reblock_err_argument, 'strides has 3 elements for 2 axes', .true.)
  end subroutine wrong_lists

  subroutine plan_of_4(plan)
    type(reblock_plan), intent(out) :: plan
    call reblock_plan_create(MPI_COMM_WORLD, by_rows, by_cols, 4, plan, stat=stat, errmsg=text)
  end subroutine plan_of_4

  subroutine wrong_templates()
    type(reblock_template) :: template
    type(reblock_map) :: map
    integer :: lower(1), upper(1)
    call reblock_template_create(line, [1, 2], [3], template, stat, text)
    call refused(reblock_err_argument, 'upper has 1 elements, expected at least 2', .true.)
    call reblock_template_create(line, [1], [100], template)
    call reblock_template_dist_block(template, 1, 1, 0, stat, text)
    call refused(reblock_err_argument, 'BLOCK(0)', .true.)
    call reblock_map_whole(template, map, stat, text)
    call refused(reblock_err_state, 'commit', .true.)
    call reblock_template_commit(template)
    call reblock_template_commit(template, stat, text)
    call refused(reblock_err_state, 'commit', .true.)
    call reblock_template_free(template)
    ! The bounds do not fit in 32 bits.
    call reblock_template_create(line, [2_int64**40], [2_int64**40 + 99], template)
    call reblock_template_commit(template)
    call reblock_map_whole(template, map)
    call reblock_map_bounds(map, lower, upper, stat, text)
    call refused(reblock_err_argument, '1099511627776 does not fit into an integer of 32 bits', .true.)
    call reblock_template_free(template)
    call reblock_map_free(map)
  end subroutine wrong_templates

  ! Passes objects that were never made, or have been freed.
  subroutine wrong_handles()
    type(reblock_procs) :: procs
    type(reblock_template) :: template
    type(reblock_map) :: map, copy
    type(reblock_plan) :: plan
    integer :: a(1), axes, ierr
    call mpi_barrier(MPI_COMM_WORLD, ierr)
    call reblock_plan_execute(plan, a, a, stat, text)
    call refused(reblock_err_handle, 'plan', .true.)
    call reblock_procs_axes(procs, axes, stat, text)
    call refused(reblock_err_handle, 'procs', .true.)
    call reblock_template_commit(template, stat, text)
    call refused(reblock_err_handle, 'template', .true.)
    ! A process with an invalid handle looks for waiting processes for a while, and would make the next call fail, so
    ! wait for all.
    call mpi_barrier(MPI_COMM_WORLD, ierr)
    map = mapped(1)
    copy = map
    call reblock_map_free(map)
    call reblock_map_free(map)
    call reblock_map_axes(copy, axes, stat, text)
    call refused(reblock_err_handle, 'map', .true.)
  end subroutine wrong_handles
end program mistakes
