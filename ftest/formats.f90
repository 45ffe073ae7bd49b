! Redistributions between random arrays of 1 to 4 axes, in all formats, with alignments, shadows and sections: is every
! element of every copy where dealing one by one says, and nothing else written?
program formats
  use, intrinsic :: iso_fortran_env, only: int64
  use dealing
  implicit none
  integer :: number, cases
  character(20) :: argument
  call begin('formats', 7)
  call get_command_argument(1, argument)
  read (argument, *) cases
  do number = 1, cases
    call check(modulo(number, 4) + 1)
  end do
  call finish('formats')

contains

  subroutine check(rank)
    integer, intent(in) :: rank
    integer, parameter :: extents_most(4) = [40, 12, 6, 4]
    integer :: k, already
    integer, allocatable :: extents(:)
    integer(int64), allocatable :: source(:), target(:), want(:)
    type(mapped_array) :: from, to
    type(reblock_plan) :: plan
    type(reblock_request) :: request
    character(:), allocatable :: text
    logical :: done
    already = wrong_here
    extents = [(any_of(1, extents_most(rank)), k=1, rank)]
    from = random_array(extents)
    to = random_array(extents)
    call fill(from, extents, -7_int64, source)
    call fill(to, extents, -1_int64, want, from)
    allocate (target(size(want)), source=-1_int64)
    call reblock_plan_create(MPI_COMM_WORLD, from%map, to%map, storage_size(source) / 8, plan, section(from, extents), &
                             section(to, extents))
    if (any_of(0, 1) == 0) then
      call reblock_execute(plan, source, target)
    else
      call reblock_start(plan, source, target, request)
      done = .false.
      if (any_of(0, 1) == 0) call reblock_test(request, done)
      if (.not. done) call reblock_wait(request)
    end if
    call must('elements', all(target == want))
    if (wrong_here > already) then
      call reblock_map_text(from%map, text)
      print '(a, i0, 2a)', 'case ', number, ', from ', text
      call reblock_map_text(to%map, text)
      print '(2a)', 'to ', text
    end if
    call reblock_plan_free(plan)
    call reblock_map_free(from%map)
    call reblock_map_free(to%map)
  end subroutine check

  function section(a, extents)
    type(mapped_array), intent(in) :: a
    integer, intent(in) :: extents(:)
    type(reblock_range) :: section(size(extents))
    integer :: k
    section = [(reblock_range(a%axes(k)%start, a%axes(k)%start + (extents(k) - 1) * a%axes(k)%step, a%axes(k)%step), &
                k=1, size(extents))]
  end function section

  ! Local storage of `a`: `elsewhere`, but in own elements the numbers that the source's have there: all of them where `a`
  ! is the source, those of the section where it is the target.
  subroutine fill(a, extents, elsewhere, storage, from)
    type(mapped_array), intent(in) :: a
    integer, intent(in) :: extents(:)
    integer(int64), intent(in) :: elsewhere
    integer(int64), allocatable, intent(out) :: storage(:)
    type(mapped_array), intent(in), optional :: from
    integer, dimension(size(extents)) :: own, lower, before, after, strides, at, index, position
    integer :: elements, k, count, offset
    logical :: has, here
    call reblock_map_local(a%map, own, lower, before, after, strides, has)
    call reblock_map_elements(a%map, elements)
    call must('has a part', has .eqv. a%has)
    allocate (storage(elements), source=elsewhere)
    if (.not. a%has) return
    call must('own elements', all(own == [(size(a%axes(k)%own), k=1, size(own))]))
    at = 1
    do count = 1, product(own)
      index = [(a%axes(k)%own(at(k)), k=1, size(own))]
      call reblock_map_local_index(a%map, index, position, here)
      call must('position', here .and. all(position == before + at))
      offset = dot_product(position - 1, strides)
      if (present(from)) index = origin(a, from, extents, index)
      if (index(1) /= -huge(0)) storage(offset + 1) = value(index)
      do k = 1, size(own)
        at(k) = at(k) + 1
        if (at(k) <= own(k)) exit
        at(k) = 1
      end do
    end do
  end subroutine fill

  ! Which element of the source comes to `index` of the target; all axes -huge if none does.
  function origin(to, from, extents, index)
    type(mapped_array), intent(in) :: to, from
    integer, intent(in) :: extents(:), index(:)
    integer :: origin(size(index)), place(size(index))
    origin = -huge(0)
    place = index - to%axes%start
    if (any(modulo(place, to%axes%step) /= 0)) return
    place = place / to%axes%step
    if (all(place >= 0 .and. place < extents)) origin = from%axes%start + place * from%axes%step
  end function origin

  ! A number that tells elements apart.
  integer(int64) function value(index)
    integer, intent(in) :: index(:)
    integer :: k
    value = 0
    do k = 1, size(index)
      value = 1000 * value + index(k) + 500
    end do
  end function value
end program formats
