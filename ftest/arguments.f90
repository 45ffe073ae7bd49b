! Checks the local arrays that Fortran programs pass: any lower bounds, types of all sizes, sections, and arrays that
! are not allocated. An array that does not fit must give an error with the right text.
program arguments
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use matrix
  implicit none

  ! Types of 24 bytes, some of which are padding, and of 3 bytes.
  type :: particle
    real(real64) :: at(2)
    integer(int32) :: kind
  end type particle
  type :: colour
    character :: channels(3)
  end type colour

  call begin('arguments', 1)
  call lay_out()
  call doubles_with_bounds()
  call other_types()
  call sections_of_arrays()
  call one_kind_differs()
  call orders()
  call absent_arrays()
  call finish('arguments')

contains

  subroutine doubles_with_bounds()
    real(real64), allocatable :: a(:, :), b(:, :)
    type(reblock_plan) :: plan
    allocate (a(first:first + rows_here - 1, cols), b(0:rows - 1, -3:cols_here - 4))
    a(:, :) = given_rows()
    b = -1
    call plan_of(storage_size(a), plan)
    call reblock_plan_execute(plan, a, b)
    call must('real64', all(b == columns()))
    ! Pointers and assumed-size arrays are accepted, too.
    b = -1
    call by_assumed_size(plan, a, b)
    call must('assumed size', all(b == columns()))
    call reblock_plan_free(plan)
  end subroutine doubles_with_bounds

  subroutine by_assumed_size(plan, a, b)
    type(reblock_plan), intent(in) :: plan
    real(real64), intent(inout) :: a(rows_here, *)
    real(real64), intent(inout), target :: b(rows, cols_here)
    real(real64), pointer :: p(:, :)
    p => b
    call reblock_plan_execute(plan, a, p)
  end subroutine by_assumed_size

  ! Tests several arrays in one call, and several requests at the same time.
  subroutine other_types()
    character(5), allocatable, target, asynchronous :: names(:, :), names_moved(:, :)
    type(particle), allocatable, target, asynchronous :: p(:, :), p_moved(:, :)
    type(colour), allocatable, target, asynchronous :: c(:, :), c_moved(:, :)
    complex(real32), allocatable, target, asynchronous :: z(:, :), z_moved(:, :)
    logical, allocatable, target, asynchronous :: l(:, :), l_moved(:, :)
    type(reblock_plan) :: plans(5)
    type(reblock_request) :: requests(3)
    integer :: i, j, g, round
    logical :: done
    allocate (names(rows_here, cols), p(rows_here, cols), c(rows_here, cols), z(rows_here, cols), l(rows_here, cols))
    do j = 1, cols
      do i = 1, rows_here
        g = i + first - 1
        write (names(i, j), '(i5)') 100 * g + j
        p(i, j) = particle([real(g, real64), real(j, real64)], g * j)
        c(i, j) = colour([char(g), char(j), char(g + j)])
        z(i, j) = cmplx(g, j)
        l(i, j) = modulo(g * j, 3) == 0
      end do
    end do
    allocate (names_moved(rows, cols_here), p_moved(rows, cols_here), c_moved(rows, cols_here), &
              z_moved(rows, cols_here), l_moved(rows, cols_here))
    call plan_of(storage_size(names), plans(1))
    call plan_of(storage_size(p), plans(2))
    call plan_of(storage_size(c), plans(3))
    call plan_of(storage_size(z), plans(4))
    call plan_of(storage_size(l), plans(5))
    do round = 1, 2
      names_moved = '-'
      p_moved = particle([0, 0], 0)
      c_moved = colour(['-', '-', '-'])
      z_moved = -1
      l_moved = .false.
      if (round == 1) then
        call reblock_plan_execute_many(plans, [reblock_buffer(names), reblock_buffer(p), reblock_buffer(c), reblock_buffer(z), &
          reblock_buffer(l)], [reblock_buffer(names_moved), reblock_buffer(p_moved), reblock_buffer(c_moved), &
          reblock_buffer(z_moved), reblock_buffer(l_moved)])
      else
        call reblock_plan_start(plans(1), names, names_moved, requests(1))
        call reblock_plan_start(plans(2), p, p_moved, requests(2))
        call reblock_plan_start_many(plans(3:5), [reblock_buffer(c), reblock_buffer(z), reblock_buffer(l)], &
                                [reblock_buffer(c_moved), reblock_buffer(z_moved), reblock_buffer(l_moved)], requests(3))
        done = .false.
        do while (.not. done)
          call reblock_request_test(requests(3), done)
        end do
        call reblock_request_free(requests(2))
        call reblock_request_wait(requests(1))
      end if
      do j = 1, cols_here
        do i = 1, rows
          g = column(j)
          call must('particle', all(p_moved(i, j)%at == [i, g]) .and. p_moved(i, j)%kind == i * g)
          call must('colour', all(c_moved(i, j)%channels == [char(i), char(g), char(i + g)]))
          call must('complex', z_moved(i, j) == cmplx(i, g))
          call must('logical', l_moved(i, j) .eqv. modulo(i * g, 3) == 0)
          call must('character', names_moved(i, j) == text_of(100 * i + g))
        end do
      end do
    end do
    do i = 1, 5
      call reblock_plan_free(plans(i))
    end do
  end subroutine other_types

  character(5) function text_of(number)
    integer, intent(in) :: number
    write (text_of, '(i5)') number
  end function text_of

  ! Tests every other row of an array: an error with the plain map, right with a map that has these strides.
  subroutine sections_of_arrays()
    integer(int64), allocatable :: a(:, :), b(:, :)
    type(reblock_map) :: strided
    type(reblock_plan) :: plain, plan
    character(200) :: text
    integer :: stat
    allocate (a(2 * rows_here + 1, 3 * cols), b(rows, cols_here))
    a = -1
    a(2::2, 3::3) = given_rows()
    b = -1
    text = ''
    call plan_of(storage_size(a), plain)
    call reblock_plan_execute(plain, a(2::2, 3::3), b, stat, text)
    call must('a section is refused', stat == reblock_err_argument)
    if (rows_here > 0) call must('what it says: '//text, index(text, 'source is not contiguous: pass a contiguous array') > 0)
    call must('nothing is written', all(b == -1))
    call reblock_map_strides(by_rows, [2, 3 * size(a, 1)], strided)
    call reblock_plan_create(MPI_COMM_WORLD, strided, by_cols, 8_int64, plan)
    call reblock_plan_execute(plan, a(2::2, 3::3), b)
    call must('section', all(b == columns()))
    call reblock_plan_free(plan)
    call reblock_plan_free(plain)
    call reblock_map_free(strided)
  end subroutine sections_of_arrays

  ! Tests an array of another kind on one process: all processes must get the reason.
  subroutine one_kind_differs()
    integer(int64), asynchronous, target :: a(rows_here, cols), b(rows, cols_here)
    integer(int32), asynchronous, target :: narrow(rows_here, cols)
    type(reblock_plan) :: plan
    type(reblock_request) :: request
    character(200) :: text, reason
    integer :: stat
    a = given_rows()
    narrow = int(a, int32)
    b = -1
    reason = 'source has elements of 4 bytes, expected 8'
    if (me /= 0) reason = 'rank 0: '//trim(reason)
    call plan_of(storage_size(a), plan)
    if (me == 0) then
      call reblock_plan_execute(plan, narrow, b, stat, text)
    else
      call reblock_plan_execute(plan, a, b, stat, text)
    end if
    call must('one kind differs', stat == reblock_err_argument .and. text == reason)
    if (me == 0) then
      call reblock_plan_start(plan, narrow, b, request, stat, text)
    else
      call reblock_plan_start(plan, a, b, request, stat, text)
    end if
    if (stat == reblock_ok) call reblock_request_wait(request, stat, text)
    call must('one kind differs, started', stat == reblock_err_argument .and. text == reason)
    call must('nothing is written', all(b == -1))
    call reblock_plan_execute(plan, a, b)
    call must('afterwards', all(b == columns()))
    call reblock_plan_free(plan)
  end subroutine one_kind_differs

  ! Tests row-major local arrays, whose axes are in reverse order in Fortran.
  subroutine orders()
    integer(int32) :: b(rows, cols_here), turned(cols_here, rows)
    type(reblock_map) :: row_major, ordered
    type(reblock_plan) :: plan
    b = columns()
    call reblock_map_row_major(by_cols, row_major)
    call reblock_plan_create(MPI_COMM_WORLD, by_cols, row_major, 4, plan)
    turned = -1
    call reblock_plan_execute(plan, b, turned)
    call must('row-major', all(turned == transpose(b)))
    call reblock_plan_free(plan)
    call reblock_map_order(row_major, [1, 2], ordered)
    call reblock_plan_create(MPI_COMM_WORLD, row_major, ordered, 4, plan)
    b = -1
    call reblock_plan_execute(plan, turned, b)
    call must('order', all(turned == transpose(b)))
    call reblock_plan_free(plan)
    call reblock_map_free(row_major)
    call reblock_map_free(ordered)
  end subroutine orders

  ! Moves from all processes to one process. The others have neither the target array nor its map.
  subroutine absent_arrays()
    integer(int8), allocatable :: a(:, :), b(:, :)
    integer(int8), pointer :: none(:, :)
    type(reblock_procs) :: single
    type(reblock_template) :: template
    type(reblock_map) :: map, unknown
    type(reblock_plan) :: plan
    integer :: i, j
    call reblock_procs_create(MPI_COMM_WORLD, [1], single, ranks=[ranks - 1])
    call reblock_template_create(single, [1, 1], [rows, cols], template)
    call reblock_template_dist_block(template, 1, 1)
    call reblock_template_commit(template)
    call reblock_map_whole(template, map)
    allocate (a(rows_here, cols))
    do j = 1, cols
      a(:, j) = [(int(10 * (i + first - 1) + j, int8), i=1, rows_here)]
    end do
    if (me == ranks - 1) then
      allocate (b(rows, cols), source=-1_int8)
      call reblock_plan_create(MPI_COMM_WORLD, by_rows, map, 1, plan)
    else
      call reblock_plan_create(MPI_COMM_WORLD, by_rows, unknown, 1, plan)
    end if
    call reblock_plan_execute(plan, a, b)
    if (me == ranks - 1) call must('to one', all([((b(i, j) == 10 * i + j, i=1, rows), j=1, cols)]))
    nullify (none)
    if (me == ranks - 1) b = 0
    if (me == ranks - 1) then
      call reblock_plan_execute(plan, a, b)
      call must('to one again', all([((b(i, j) == 10 * i + j, i=1, rows), j=1, cols)]))
    else
      call reblock_plan_execute(plan, a, none)
    end if
    call reblock_plan_free(plan)
    call reblock_map_free(map)
    call reblock_template_free(template)
    call reblock_procs_free(single)
  end subroutine absent_arrays
end program arguments
