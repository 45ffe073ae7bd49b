! Tests maps made in one call, moves without a plan of the program's own, and reverse moves. The expected owners come
! from counting indices one by one, for random extents, processes and blocks. Uses communicators of both mpi and
! mpi_f08.
program plain
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use mpi
  use random
  use reblock_hpf_f08
  use mpi_f08, only: f08_world => MPI_COMM_WORLD
  implicit none
  integer, parameter :: cases = 40
  integer :: number

  call begin('plain', 1)
  do number = 1, cases
    call move_columns(any_of(1, 12), any_of(1, 9), any_of(0, 3), any_of(0, 3))
  end do
  do number = 1, cases
    call update_columns(any_of(1, 12), any_of(1, 9), any_of(0, 3), any_of(0, 3))
  end do
  call combined_copies()
  call darrays()
  call mistakes()
  call finish('plain')

contains

  ! Returns the value of the element at (i, j), from 0.
  elemental integer(int64) function value(i, j)
    integer, intent(in) :: i, j
    value = 100 * i + j
  end function value

  ! Returns the indices below n of a rank, in blocks of `block`, or in one block each.
  function own(n, block, rank) result(indices)
    integer, intent(in) :: n, block, rank
    integer, allocatable :: indices(:)
    integer :: i, of
    of = block
    if (block == 0) of = (n + ranks - 1) / ranks
    indices = pack([(i, i=0, n - 1)], [(mod(i / of, ranks) == rank, i=0, n - 1)])
  end function own

  ! Moves an array of n x m elements from rows to columns, then all but its first row back, one row further up.
  subroutine move_columns(n, m, row_block, column_block)
    integer, intent(in) :: n, m, row_block, column_block
    type(reblock_map) :: rows, columns
    type(reblock_plan) :: plan, reverse
    integer(int64), allocatable :: a(:, :), b(:, :), c(:, :)
    integer, allocatable :: of_rows(:), of_columns(:)
    character(40) :: text
    integer :: element
    integer :: i, j
    of_rows = own(n, row_block, me)
    of_columns = own(m, column_block, me)
    a = reshape([((value(of_rows(i), j), i=1, size(of_rows)), j=0, m - 1)], [size(of_rows), m])
    allocate (b(n, size(of_columns)), c(size(of_rows), m))
    element = storage_size(a) / 8
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [n, m], [ranks, 1], rows, [row_block, 0])
    if (column_block == 0) then
      text = '(*, BLOCK)'
    else
      write (text, '(a, i0, a, i0, a)') '(*, CYCLIC(', column_block, ')) ONTO P(', ranks, ')'
    end if
    call reblock_map_from_text(f08_world, int([n, m], int64), text, columns)
    b = -1
    call reblock_move(f08_world, rows, columns, element, a, b)
    call must('rows to columns', all(b == reshape([((value(i, of_columns(j)), i=0, n - 1), j=1, size(of_columns))], shape(b))))
    c = -1
    call reblock_move(MPI_COMM_WORLD, columns, rows, int(element, int64), b, c, &
                      from_section=[reblock_range(1, n - 1), reblock_range(0, m - 1)], &
                      to_section=[reblock_range(0, n - 2), reblock_range(0, m - 1)])
    call must('one row up', all(c == reshape([((merge(value(of_rows(i) + 1, j), -1_int64, of_rows(i) < n - 1), &
                                                i=1, size(of_rows)), j=0, m - 1)], shape(c))))
    call reblock_plan_create(MPI_COMM_WORLD, rows, columns, element, plan)
    call reblock_plan_reverse(plan, reverse)
    call reblock_plan_free(plan)
    c = -1
    call reblock_plan_execute(reverse, b, c)
    call must('the way back', all(c == a))
    call reblock_plan_free(reverse)
    call reblock_map_free(rows)
    call reblock_map_free(columns)
  end subroutine move_columns

  ! Computes alpha conjg(a)^T + beta b for two arrays in blocks of rows, by a plan and its reverse; and moves that
  ! update the target, with communicators of both modules.
  subroutine update_columns(n, m, row_block, column_block)
    integer, intent(in) :: n, m, row_block, column_block
    type(reblock_map) :: rows, columns
    type(reblock_plan) :: plan, reverse
    type(reblock_plan_options) :: options
    type(reblock_request) :: request
    complex(real64), allocatable, target, asynchronous :: a(:, :), b(:, :)
    complex(real64), parameter :: alpha = (2, -1), beta = (0, 3)
    integer, allocatable :: of_rows(:), of_columns(:)
    integer(int64), allocatable :: c(:, :), d(:, :)
    integer :: i, j, way
    of_rows = own(n, row_block, me)
    of_columns = own(m, column_block, me)
    a = reshape([((cmplx(of_rows(i), j, real64), i=1, size(of_rows)), j=0, m - 1)], [size(of_rows), m])
    allocate (b(size(of_columns), n))
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [n, m], [ranks, 1], rows, [row_block, 0])
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [m, n], [ranks, 1], columns, [column_block, 0])
    options%axes = [2, 1]
    call reblock_plan_create(MPI_COMM_WORLD, rows, columns, storage_size(a) / 8, plan, options=options)
    do way = 1, 4
      b = (1, 1)
      select case (way)
      case (1)
        call reblock_plan_update(plan, a, b, reblock_update(alpha, beta, conjugate=.true.))
      case (2)
        call reblock_plan_start_update(plan, a, b, reblock_update(alpha, beta, conjugate=.true.), request)
        call reblock_request_wait(request)
      case (3)
        call reblock_plan_update_many([plan], [reblock_buffer(a)], [reblock_buffer(b)], &
                                      [reblock_update(alpha, beta, reblock_add, .true.)])
      case (4)
        call reblock_plan_start_update_many([plan], [reblock_buffer(a)], [reblock_buffer(b)], &
                                            [reblock_update(alpha, beta, reblock_add, .true.)], request)
        call reblock_request_wait(request)
      end select
      call must('a conjugate transpose', all(b == reshape([((alpha * cmplx(i, -of_columns(j), real64) + beta * (1, 1), &
                                                             j=1, size(of_columns)), i=0, n - 1)], shape(b))))
    end do
    b = reshape([((cmplx(i, of_columns(j), real64), j=1, size(of_columns)), i=0, n - 1)], shape(b))
    call reblock_plan_reverse(plan, reverse)
    a = -1
    call reblock_plan_execute(reverse, b, a)
    call must('the way back of a transpose', all(a == reshape([((cmplx(of_rows(i), j, real64), i=1, size(of_rows)), j=0, m - 1)], &
                                                              shape(a))))
    call reblock_plan_update(plan, target=b, update=reblock_update((0d0, 0d0), (2d0, 0d0)))
    call must('no source', all(b == reshape([((2 * cmplx(i, of_columns(j), real64), j=1, size(of_columns)), i=0, n - 1)], &
                                            shape(b))))
    call reblock_plan_free(plan)
    call reblock_plan_free(reverse)
    call reblock_map_free(columns)
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [n, m], [1, ranks], columns, [0, column_block])
    c = reshape([((value(of_rows(i), j), i=1, size(of_rows)), j=0, m - 1)], [size(of_rows), m])
    allocate (d(n, size(of_columns)))
    d = 450
    call reblock_move_update(MPI_COMM_WORLD, rows, columns, c, d, reblock_update(1_int64, 1_int64, reblock_maximum))
    call reblock_move_update(f08_world, rows, columns, c, d, reblock_update(-1_int64, 1_int64))
    call must('moves that update', all(d == reshape([((max(450 - value(i, of_columns(j)), 0_int64), i=0, n - 1), &
                                                      j=1, size(of_columns))], shape(d))))
    call reblock_map_free(rows)
    call reblock_map_free(columns)
  end subroutine update_columns

  ! Tests copies with different values on each process: the target must get their sum.
  subroutine combined_copies()
    type(reblock_procs) :: procs
    type(reblock_template) :: template
    type(reblock_map) :: copies, parts
    type(reblock_plan) :: plan
    type(reblock_plan_options) :: options
    integer(int32), allocatable, target :: a(:), b(:)
    integer :: k, stat
    character(200) :: said
    call reblock_procs_create(MPI_COMM_WORLD, [ranks], procs)
    call reblock_template_create(procs, [1], [3 * ranks], template)
    call reblock_template_commit(template)
    call reblock_map_whole(template, copies)
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [3 * ranks], [ranks], parts)
    options%copies = .true.
    call reblock_plan_create(MPI_COMM_WORLD, copies, parts, 4, plan, options=options)
    a = [((me + 1) * k, k=1, 3 * ranks)]
    b = [7, 7, 7]
    said = ''
    call reblock_plan_execute(plan, a, b, stat, said)
    call must('copies without an update', stat == reblock_err_argument .and. all(b == 7))
    call must('text of no update', index(said, 'combines the copies') > 0)
    call reblock_plan_update(plan, a, b, reblock_update(1_int32, 1_int32))
    call must('a sum of copies', all(b == [(7 + ranks * (ranks + 1) / 2 * (3 * me + k), k=1, 3)]))
    call reblock_plan_update_many([plan], [reblock_buffer(a)], [reblock_buffer(b)], &
                                  [(reblock_update(1_int32), k=1, merge(2, 1, me == 0))], stat, said)
    call must('too many updates', stat == reblock_err_argument)
    if (me == 0) call must('text of too many updates', said == '1 plans and 2 updates')
    call reblock_plan_free(plan)
    call reblock_map_free(copies)
    call reblock_map_free(parts)
    call reblock_template_free(template)
    call reblock_procs_free(procs)
  end subroutine combined_copies

  ! Compares the local array of a darray with the data that MPI packs from the whole array.
  subroutine darrays()
    integer, parameter :: n = 7, m = 5
    integer :: whole(0:n - 1, 0:m - 1), packed(n * m), part(n * m), i, j, dtype, at, ierr
    type(reblock_map) :: map, one
    whole = reshape([((10 * i + j, i=0, n - 1), j=0, m - 1)], [n, m])
    packed = -1
    part = -1
    at = 0
    call mpi_type_create_darray(ranks, me, 2, [n, m], [MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE], &
                                [2, MPI_DISTRIBUTE_DFLT_DARG], [ranks, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, dtype, ierr)
    call mpi_type_commit(dtype, ierr)
    call mpi_pack(whole, 1, dtype, packed, size(packed) * storage_size(packed) / 8, at, MPI_COMM_WORLD, ierr)
    call mpi_type_free(dtype, ierr)
    call reblock_map_from_darray(MPI_COMM_WORLD, [n, m], [MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE], &
                                 [2, MPI_DISTRIBUTE_DFLT_DARG], [ranks, 1], MPI_ORDER_FORTRAN, map)
    call reblock_map_block_cyclic(f08_world, [n, m], [1, 1], one)
    call reblock_move(MPI_COMM_WORLD, one, map, storage_size(whole) / 8, whole, part)
    call must('a darray', all(part == packed))
    call reblock_map_free(map)
    call reblock_map_free(one)
  end subroutine darrays

  ! Makes mistakes on one rank: all ranks must get the error and its text.
  subroutine mistakes()
    type(reblock_map) :: map, good
    type(reblock_plan) :: plan, reverse
    integer, allocatable :: a(:), small(:)
    integer :: k, stat
    character(200) :: said
    said = ''
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [4, 4], [(1, k=1, merge(1, 2, me == 0))], map, stat=stat, errmsg=said)
    call must('too short a shape', stat == reblock_err_argument)
    if (me == 0) call must('text of a short shape', said == 'shape has 1 elements for 2 axes')
    call reblock_map_from_darray(MPI_COMM_WORLD, [4], [MPI_DISTRIBUTE_BLOCK, 0], [1], [1], MPI_ORDER_C, map, stat, said)
    call must('too many distributions', stat == reblock_err_argument .and. said == 'distribs has 2 elements for 1 axes')
    call reblock_map_from_text(MPI_COMM_WORLD, [4], '(BLOCK', map, stat, said)
    call must('half a text', stat == reblock_err_text)
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [4 * ranks], [ranks], good)
    allocate (a(4), small(4))
    a = me
    small = -1
    call reblock_move(MPI_COMM_WORLD, good, good, storage_size(a) / 8, a(1:4 - merge(2, 0, me == 0)), small, stat=stat, errmsg=said)
    call must('a source that is too short', stat == reblock_err_argument .and. all(small == -1))
    if (me == 0) call must('text of a short source', said == 'source has 2 elements along axis 1, expected at least 4')
    call reblock_move(MPI_COMM_WORLD, good, good, storage_size(a) / 8, a, small, &
                      from_section=[reblock_range(0, 1), reblock_range(0, 1)], stat=stat, errmsg=said)
    call must('a section of two axes', stat == reblock_err_argument .and. said == 'from_section has 2 ranges for 1 axes')
    call reblock_plan_reverse(plan, reverse, stat, said)
    call must('the way back of no plan', stat == reblock_err_handle)
    call reblock_map_free(good)
  end subroutine mistakes
end program plain
