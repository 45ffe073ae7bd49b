! Compares array assignments with Fortran's own: CSHIFT, EOSHIFT, SPREAD, sections in either direction, a scalar, and
! overlapping sections of one array. Also checks the comparison of maps, and their keys.
program assignments
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use random
  use reblock_hpf_f08
  use mpi_f08, only: f08_world => MPI_COMM_WORLD
  implicit none
  integer, parameter :: cases = 50, bytes = storage_size(1) / 8
  integer :: number

  call begin('assignments', 1)
  do number = 1, cases
    call shifts(any_of(1, 12), any_of(1, 9))
    call sections(any_of(2, 12), any_of(2, 9))
    call spreads(any_of(1, 12), any_of(1, 9))
    call lines(any_of(1, 12), any_of(1, 9), any_of(1, 2))
  end do
  call keys()
  call mistakes()
  call finish('assignments')

contains

  ! Makes a map of n x m elements with indices from 0, in a random format.
  subroutine make_map(n, m, map)
    integer, intent(in) :: n, m
    type(reblock_map), intent(out) :: map
    character(*), parameter :: formats(4) = [character(16) :: '(BLOCK,*)', '(*,CYCLIC(2))', '(CYCLIC(3),*)', '(*,BLOCK)']
    call reblock_map_from_text(MPI_COMM_WORLD, [n, m], trim(formats(any_of(1, 4))), map)
  end subroutine make_map

  ! Draws all elements of an array, equal on all processes.
  function elements(n, m) result(all_of_it)
    integer, intent(in) :: n, m
    integer :: all_of_it(n, m), i, j
    all_of_it = reshape([((any_of(-1000, 1000), i=1, n), j=1, m)], [n, m])
  end function elements

  ! Copies this process's part of the whole array to its local array.
  subroutine give(map, whole, part)
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: whole(:, :)
    integer, allocatable, intent(out) :: part(:, :)
    integer :: extents(2), index(2), i, j
    logical :: own
    call reblock_map_local(map, extents)
    allocate (part(extents(1), extents(2)))
    do j = 1, extents(2)
      do i = 1, extents(1)
        call reblock_map_global_index(map, [i, j], index, own)
        part(i, j) = whole(index(1) + 1, index(2) + 1)
      end do
    end do
  end subroutine give

  subroutine check(what, map, whole, part)
    character(*), intent(in) :: what
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: whole(:, :), part(:, :)
    integer, allocatable :: wanted(:, :)
    call give(map, whole, wanted)
    call must(what, all(wanted == part))
  end subroutine check

  subroutine shifts(n, m)
    integer, intent(in) :: n, m
    type(reblock_map) :: from, to
    type(reblock_plan) :: plan, back
    type(reblock_plan_options) :: options
    integer :: a(n, m), b(n, m), by(2), boundary, gone
    integer, allocatable :: source(:, :), target(:, :), kept(:, :)
    call make_map(n, m, from)
    call make_map(n, m, to)
    a = elements(n, m)
    by = [any_of(-15, 15), any_of(-15, 15)]
    call give(from, a, source)
    kept = source
    call give(to, elements(n, m), target)
    if (mod(number, 2) == 0) then
      call reblock_plan_cshift(MPI_COMM_WORLD, from, to, bytes, by, plan)
    else
      call reblock_plan_cshift(f08_world, from, to, int(bytes, int64), int(by, int64), plan)
    end if
    call reblock_plan_execute(plan, source, target)
    call check('CSHIFT', to, cshift(cshift(a, by(1), 1), by(2), 2), target)
    call reblock_plan_reverse(plan, back)
    source = 0
    call reblock_plan_execute(back, target, source)
    call must('the way back of CSHIFT', all(source == kept))
    call reblock_plan_free(plan)
    call reblock_plan_free(back)

    boundary = any_of(-99, 99)
    if (mod(number, 2) == 0) then
      call reblock_plan_eoshift(MPI_COMM_WORLD, from, to, bytes, by, plan, boundary)
    else
      call reblock_plan_eoshift(f08_world, from, to, int(bytes, int64), int(by, int64), plan, boundary)
    end if
    gone = boundary
    boundary = 12345 ! the plan has its own copy
    call reblock_plan_execute(plan, source, target)
    call check('EOSHIFT', to, eoshift(eoshift(a, by(1), gone, 1), by(2), gone, 2), target)
    call reblock_plan_free(plan)

    ! Without a boundary value the target keeps its other elements.
    b = elements(n, m)
    call give(to, b, target)
    call reblock_plan_eoshift(MPI_COMM_WORLD, from, to, bytes, [by(1), 0], plan)
    call reblock_plan_execute(plan, source, target)
    b = merge(eoshift(a, by(1)), b, eoshift(reshape([(1, gone=1, n * m)], [n, m]), by(1)) == 1)
    call check('EOSHIFT without a boundary', to, b, target)
    call reblock_plan_free(plan)

    ! In place: source and target are one array.
    options%overlap = .true.
    call reblock_plan_cshift(MPI_COMM_WORLD, from, from, bytes, by, plan, options=options)
    call reblock_plan_execute(plan, source, source)
    call check('CSHIFT in place', from, cshift(cshift(a, by(1), 1), by(2), 2), source)
    call reblock_plan_free(plan)
    call reblock_map_free(from)
    call reblock_map_free(to)
  end subroutine shifts

  subroutine sections(n, m)
    integer, intent(in) :: n, m
    type(reblock_map) :: from, to
    type(reblock_plan) :: plan
    type(reblock_plan_options) :: options
    integer :: a(n, m), b(n, m)
    integer, allocatable :: source(:, :), target(:, :)
    call make_map(n, m, from)
    call make_map(n, m, to)
    a = elements(n, m)
    b = elements(n, m)
    call give(from, a, source)
    call give(to, b, target)
    call reblock_plan_create(MPI_COMM_WORLD, from, to, bytes, plan, &
                             from_section=[reblock_range(0, n - 1), reblock_range(m - 1, 0, -2)], &
                             to_section=[reblock_range(n - 1, 0, -1), reblock_range(m - 1, 0, -2)])
    call reblock_plan_execute(plan, source, target)
    b(n:1:-1, m:1:-2) = a(:, m:1:-2)
    call check('descending sections', to, b, target)
    call reblock_plan_free(plan)

    options%overlap = .true.
    call reblock_plan_create(MPI_COMM_WORLD, from, from, bytes, plan, options=options, &
                             from_section=[reblock_range(0, n - 2), reblock_range(0, m - 1)], &
                             to_section=[reblock_range(1, n - 1), reblock_range(m - 1, 0, -1)])
    call reblock_plan_execute(plan, source, source)
    a(2:n, m:1:-1) = a(1:n - 1, :)
    call check('sections that overlap', from, a, source)
    call reblock_plan_free(plan)
    call reblock_map_free(from)
    call reblock_map_free(to)
  end subroutine sections

  subroutine spreads(n, m)
    integer, intent(in) :: n, m
    type(reblock_map) :: from, to
    type(reblock_plan) :: plan
    type(reblock_plan_options) :: options
    integer :: a(n, m), i, j
    integer, allocatable :: source(:, :), target(:, :)
    call make_map(n, m, from)
    call make_map(n, m, to)
    a = elements(n, m)
    i = any_of(1, n)
    j = any_of(1, m)
    call give(from, a, source)
    call give(to, elements(n, m), target)
    options%spread = [2]
    call reblock_plan_create(MPI_COMM_WORLD, from, to, bytes, plan, options=options, &
                             from_section=[reblock_range(0, n - 1), reblock_range(j - 1, j - 1)])
    call reblock_plan_execute(plan, source, target)
    call check('SPREAD', to, spread(a(:, j), 2, m), target)
    call reblock_plan_free(plan)
    options%spread = [1, 2]
    call reblock_plan_create(MPI_COMM_WORLD, from, to, bytes, plan, options=options, &
                             from_section=[reblock_range(i - 1, i - 1), reblock_range(j - 1, j - 1)])
    call reblock_plan_execute(plan, source, target)
    call check('a scalar', to, spread(spread(a(i, j), 1, n), 2, m), target)
    call reblock_plan_free(plan)
    call reblock_map_free(from)
    call reblock_map_free(to)
  end subroutine spreads

  ! Shifts along axis dim, with a distance and a boundary value for each line.
  subroutine lines(n, m, dim)
    integer, intent(in) :: n, m, dim
    type(reblock_map) :: from, to
    type(reblock_plan) :: plan
    integer :: a(n, m), b(n, m), other, extents(2), index(2), place(2), k
    integer, allocatable :: source(:, :), target(:, :), s(:), mine(:), v(:), comes_in(:)
    logical :: own
    other = 3 - dim
    call make_map(n, m, from)
    call make_map(n, m, to)
    a = elements(n, m)
    call give(from, a, source)
    s = [(any_of(-15, 15), k=1, size(a, other))]
    v = [(any_of(-99, 99), k=1, size(a, other))]
    ! The distances of this process's lines.
    call reblock_map_local(to, extents)
    allocate (mine(merge(extents(other), 0, extents(dim) > 0)))
    allocate (comes_in(size(mine)))
    do k = 1, size(mine)
      place = 1
      place(other) = k
      call reblock_map_global_index(to, place, index, own)
      mine(k) = s(index(other) + 1)
      comes_in(k) = v(index(other) + 1)
    end do
    if (mod(number, 2) == 0) then
      call reblock_plan_shift_lines(MPI_COMM_WORLD, from, to, bytes, dim, .true., mine, plan)
    else
      call reblock_plan_shift_lines(f08_world, from, to, int(bytes, int64), dim, .true., int(mine, int64), plan)
    end if
    b = elements(n, m)
    call give(to, b, target)
    call reblock_plan_execute(plan, source, target)
    call check('CSHIFT with an array', to, cshift(a, s, dim), target)
    call reblock_plan_free(plan)
    if (mod(number, 2) == 0) then
      call reblock_plan_shift_lines(f08_world, from, to, bytes, dim, .false., mine, plan, comes_in)
    else
      call reblock_plan_shift_lines(MPI_COMM_WORLD, from, to, int(bytes, int64), dim, .false., int(mine, int64), plan, comes_in)
    end if
    call give(to, b, target)
    call reblock_plan_execute(plan, source, target)
    call check('EOSHIFT with two arrays', to, eoshift(a, s, v, dim), target)
    call reblock_plan_free(plan)
    call reblock_map_free(from)
    call reblock_map_free(to)
  end subroutine lines

  subroutine keys()
    type(reblock_map) :: a, b, c
    integer(int64) :: key(3), first
    integer :: ierr
    logical :: equal
    call reblock_map_from_text(MPI_COMM_WORLD, [30], '(BLOCK)', a)
    call reblock_map_from_text(MPI_COMM_WORLD, [30], '(BLOCK)', b)
    call reblock_map_from_text(MPI_COMM_WORLD, [31], '(BLOCK)', c)
    call reblock_device_stream()
    call reblock_map_key(a, key(1))
    call reblock_map_key(b, key(2))
    call reblock_map_key(c, key(3))
    call reblock_map_equal(a, b, equal)
    call must('equal maps', equal .and. key(1) == key(2))
    call reblock_map_equal(a, c, equal)
    call must('other maps', .not. equal .and. key(1) /= key(3))
    first = key(1)
    call mpi_bcast(first, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierr)
    call must('the key on all ranks', first == key(1))
    call reblock_map_free(a)
    call reblock_map_free(b)
    call reblock_map_free(c)
  end subroutine keys

  subroutine mistakes()
    type(reblock_map) :: map
    type(reblock_plan) :: plan
    type(reblock_plan_options) :: options
    integer :: stat
    character(200) :: said
    call reblock_map_from_text(MPI_COMM_WORLD, [20], '(CYCLIC(1))', map)
    call reblock_plan_cshift(MPI_COMM_WORLD, map, map, bytes, [1, 2], plan, stat=stat, errmsg=said)
    call must('too many shifts', stat == reblock_err_argument .and. index(said, '2 shifts, expected 1') > 0)
    options%spread = [2]
    call reblock_plan_create(MPI_COMM_WORLD, map, map, bytes, plan, options=options, stat=stat, errmsg=said)
    call must('no such axis', stat == reblock_err_argument .and. index(said, 'along axis 1 of the target, which has 1') > 0)
    call reblock_plan_shift_lines(MPI_COMM_WORLD, map, map, bytes, 1, .true., [1, 2, 3], plan, stat=stat, errmsg=said)
    call must('too many distances', stat == reblock_err_argument .and. index(said, '3 distances, expected') > 0)
    call reblock_plan_shift_lines(MPI_COMM_WORLD, map, map, bytes, 0, .true., [1], plan, stat=stat, errmsg=said)
    call must('axis 0', stat == reblock_err_argument)
    call reblock_plan_shift_lines(MPI_COMM_WORLD, map, map, bytes, 1, .false., [1], plan, [1.0_real64], stat=stat, errmsg=said)
    call must('boundaries of another type', stat == reblock_err_argument .and. index(said, 'boundary has elements of 8 bytes') > 0)
    call reblock_map_equal(map, reblock_map(), options%overlap, stat, said)
    call must('no map', stat == reblock_err_handle)
    call reblock_map_free(map)
  end subroutine mistakes
end program assignments
