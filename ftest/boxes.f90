! Tests arrays in boxes: tiles, each with an owner, move to blocks of columns and back. The expected owners come from
! counting tiles one by one. Uses communicators of both mpi and mpi_f08.
program boxes
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi
  use random
  use reblock_hpf_f08
  use mpi_f08, only: f08_world => MPI_COMM_WORLD
  implicit none
  integer, parameter :: cases = 40
  integer :: number

  call begin('boxes', 1)
  do number = 1, cases
    call move_tiles(any_of(1, 14), any_of(1, 11), any_of(1, 5), any_of(1, 5), any_of(0, 7))
  end do
  call mistakes()
  call finish('boxes')

contains

  ! Moves an array of n x m elements in tiles of p x q. Tile (i, j), from 0, is on rank modulo(i + salt * j, ranks).
  subroutine move_tiles(n, m, p, q, salt)
    integer, intent(in) :: n, m, p, q, salt
    type(reblock_map) :: tiles, columns
    type(reblock_plan) :: plan, reverse
    integer, allocatable :: starts(:, :), sizes(:, :)
    integer(int64), allocatable :: a(:), b(:, :), c(:), offsets(:), wide(:, :), steps(:, :)
    integer(int64) :: has, place
    integer :: i, j, x, y, t, count, first, last
    logical :: here
    starts = reshape([integer ::], [2, 0])
    sizes = starts
    do j = 0, (m - 1) / q
      do i = 0, (n - 1) / p
        if (modulo(i + salt * j, ranks) /= me) cycle
        starts = reshape([starts, i * p, j * q], [2, size(starts, 2) + 1])
        sizes = reshape([sizes, min(p, n - i * p), min(q, m - j * q)], [2, size(starts, 2)])
      end do
    end do
    ! Tiles follow each other in memory, each column by column.
    allocate (a(0), offsets(0))
    do t = 1, size(starts, 2)
      offsets = [offsets, int(size(a), int64)]
      a = [a, [((100_int64 * x + y, x=starts(1, t), starts(1, t) + sizes(1, t) - 1), &
               y=starts(2, t), starts(2, t) + sizes(2, t) - 1)]]
    end do
    if (mod(number, 2) == 0) then
      call reblock_map_from_boxes(MPI_COMM_WORLD, [n, m], starts, sizes, tiles)
    else
      wide = sizes
      steps = reshape([(int([1, sizes(1, t)], int64), t=1, size(sizes, 2))], shape(sizes))
      call reblock_map_from_boxes(f08_world, int([n, m], int64), int(starts, int64), wide, tiles, .false., offsets, steps)
    end if
    call reblock_map_boxes(tiles, has)
    call must('boxes', has == size(starts, 2))
    call reblock_map_elements(tiles, has)
    call must('elements', has == size(a))
    do t = 1, size(starts, 2)
      place = -1
      call reblock_map_offset(tiles, int(starts(:, t), int64), place, here)
      call must('offset', here .and. place == offsets(t))
    end do
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [n, m], [1, ranks], columns)
    call reblock_map_boxes(columns, has)
    call must('no boxes', has == -1)
    count = (m + ranks - 1) / ranks
    first = min(me * count, m)
    last = min(first + count, m) - 1
    allocate (b(n, last - first + 1))
    b = -1
    call reblock_plan_create(MPI_COMM_WORLD, tiles, columns, storage_size(a) / 8, plan)
    call reblock_plan_execute(plan, a, b)
    call must('columns', all(b == reshape([((100_int64 * x + y, x=0, n - 1), y=first, last)], shape(b))))
    call reblock_plan_reverse(plan, reverse)
    c = a
    c = -1
    call reblock_plan_execute(reverse, b, c)
    call must('tiles', all(c == a))
    call reblock_plan_free(plan)
    call reblock_plan_free(reverse)
    call reblock_map_free(tiles)
    call reblock_map_free(columns)
  end subroutine move_tiles

  subroutine mistakes()
    type(reblock_map) :: map, columns
    integer, allocatable :: small(:), b(:)
    integer :: stat
    character(200) :: said
    said = ''
    call reblock_map_from_boxes(MPI_COMM_WORLD, [4, 4], reshape([0, 0, 1], [merge(3, 1, me == 0), 1]), &
                                reshape([integer :: 0, 0], [2, 1]), map, stat=stat, errmsg=said)
    call must('three starts of two axes', stat == reblock_err_argument)
    if (me == 0) call must('text of three starts', said == 'starts is 3 x 1, expected 2 x 1')
    call reblock_map_from_boxes(MPI_COMM_WORLD, [2 * ranks], reshape([2 * me], [1, 1]), reshape([2], [1, 1]), map)
    call reblock_map_block_cyclic(MPI_COMM_WORLD, [2 * ranks], [ranks], columns)
    allocate (small(merge(1, 2, me == 0)), b(2))
    b = [7, 8]
    small = -1
    call reblock_move(MPI_COMM_WORLD, columns, map, storage_size(b) / 8, b, small, stat=stat, errmsg=said)
    call must('a storage that is too short', stat == reblock_err_argument .and. all(small == -1))
    call reblock_map_free(map)
    call reblock_map_free(columns)
  end subroutine mistakes
end program boxes
