! Random mapped arrays, and who has which element by dealing indices out one at a time, as HPF's text says.
module dealing
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf
  use random
  implicit none

  integer, parameter :: collapsed = 0, block = 1, cyclic = 2, gen_block = 3, indirect = 4, indirect_local = 5
  integer, parameter :: most = 200

  ! An axis of a template: format and owner of each index.
  type :: template_axis
    integer :: kind = collapsed, lower = 0, upper = -1, procs_axis = 0, size = 0
    integer, allocatable :: owner(:), sizes(:)
  end type template_axis

  ! An axis of an array, with the section's lower index and stride.
  type :: array_axis
    integer :: lower, upper, with, stride, offset, start, step, before, after
    ! This process's own indices.
    integer, allocatable :: own(:)
  end type array_axis

  type :: mapped_array
    type(template_axis), allocatable :: template(:)
    type(array_axis), allocatable :: axes(:)
    integer, allocatable :: shape(:), ranks(:), coords(:), rest(:)
    logical :: has = .false.
    type(reblock_map) :: map
  end type mapped_array

contains

  ! An array with a section of the given extents.
  function random_array(extents) result(a)
    integer, intent(in) :: extents(:)
    type(mapped_array) :: a
    integer :: k, t, spread
    integer, allocatable :: with(:)
    t = size(extents) + any_of(0, 1)
    with = shuffled(t)
    allocate (a%template(t), a%axes(size(extents)), a%rest(t))
    do k = 1, size(extents)
      associate (axis => a%axes(k))
        axis%step = any_of(1, 3)
        axis%lower = any_of(-4, 4)
        axis%start = axis%lower + any_of(0, 2)
        axis%upper = axis%start + (extents(k) - 1) * axis%step + any_of(0, 2)
        axis%before = any_of(0, 1)
        axis%after = any_of(0, 2)
        axis%stride = merge(1, any_of(-2, 3), any_of(0, 1) == 0)
        axis%with = merge(0, with(k), axis%stride == 0)
        if (axis%stride == 0) axis%stride = 1
        axis%offset = any_of(-3, 3)
        ! An axis that is not aligned leaves its template axis with a single index.
        spread = merge(0, axis%upper - axis%lower, axis%with == 0)
        associate (of => a%template(with(k)))
          of%lower = min(axis%stride * axis%lower, axis%stride * (axis%lower + spread)) + axis%offset - any_of(0, 1)
          of%upper = max(axis%stride * axis%lower, axis%stride * (axis%lower + spread)) + axis%offset + any_of(0, 1)
        end associate
      end associate
    end do
    do k = size(extents) + 1, t
      a%template(with(k))%lower = 3
      a%template(with(k))%upper = 9
    end do
    call random_procs(a)
    do k = 1, t
      call random_format(a%template(k), a%shape)
      a%rest(k) = merge(any_of(a%template(k)%lower, a%template(k)%upper), -1000, any_of(0, 1) == 0)
    end do
    call deal(a)
    call make(a)
  end function random_array

  ! Axes of the template onto axes of an arrangement of some ranks.
  subroutine random_procs(a)
    type(mapped_array), intent(inout) :: a
    integer :: k, m, procs_axes, order(size(a%template))
    integer, allocatable :: onto(:), list(:)
    procs_axes = any_of(1, min(3, size(a%template)))
    order = shuffled(size(a%template))
    onto = shuffled(procs_axes)
    do k = 1, procs_axes
      a%template(order(k))%procs_axis = onto(k)
      a%template(order(k))%kind = any_of(block, indirect_local)
    end do
    allocate (a%shape(procs_axes), source=1)
    do k = 1, procs_axes
      a%shape(k) = any_of(1, max(1, ranks / product(a%shape)))
    end do
    list = shuffled(ranks) - 1
    a%ranks = list(:product(a%shape))
    allocate (a%coords(procs_axes), source=-1)
    do k = 1, size(a%ranks)
      if (a%ranks(k) /= me) cycle
      ! Row-major: the last axis varies fastest.
      m = k - 1
      do procs_axes = size(a%shape), 1, -1
        a%coords(procs_axes) = modulo(m, a%shape(procs_axes))
        m = m / a%shape(procs_axes)
      end do
    end do
  end subroutine random_procs

  subroutine random_format(axis, shape)
    type(template_axis), intent(inout) :: axis
    integer, intent(in) :: shape(:)
    integer :: n, procs, k, p
    n = axis%upper - axis%lower + 1
    allocate (axis%owner(axis%lower:axis%upper), source=0)
    if (axis%kind == collapsed) return
    procs = shape(axis%procs_axis)
    select case (axis%kind)
    case (block, cyclic)
      axis%size = (n + procs - 1) / procs + any_of(0, 1)
      if (axis%kind == cyclic) axis%size = any_of(1, 4)
      p = 0
      do k = 0, n - 1
        if (k > 0 .and. modulo(k, axis%size) == 0) p = modulo(p + 1, procs)
        axis%owner(axis%lower + k) = p
      end do
    case (gen_block)
      allocate (axis%sizes(procs), source=0)
      do k = 1, n
        p = any_of(1, procs)
        axis%sizes(p) = axis%sizes(p) + 1
      end do
      axis%owner = [(spread(p - 1, 1, axis%sizes(p)), p=1, procs)]
    case default
      axis%owner = [(any_of(0, procs - 1), k=1, n)]
    end select
  end subroutine random_format

  ! Which indices of each axis this process has, and whether it has a part at all.
  subroutine deal(a)
    type(mapped_array), intent(inout) :: a
    integer :: k, i
    logical :: aligned
    a%has = any(a%ranks == me)
    do k = 1, size(a%template)
      aligned = any(a%axes%with == k)
      if (aligned .or. a%rest(k) == -1000 .or. .not. a%has .or. a%template(k)%kind == collapsed) cycle
      a%has = a%template(k)%owner(a%rest(k)) == a%coords(a%template(k)%procs_axis)
    end do
    do k = 1, size(a%axes)
      associate (axis => a%axes(k))
        allocate (axis%own(0))
        do i = axis%lower, axis%upper
          if (mine(a, k, i)) axis%own = [axis%own, i]
        end do
      end associate
    end do
  end subroutine deal

  ! Whether index i of axis k is on this process's coordinates.
  logical function mine(a, k, i)
    type(mapped_array), intent(in) :: a
    integer, intent(in) :: k, i
    mine = a%has
    if (a%axes(k)%with == 0 .or. .not. a%has) return
    associate (of => a%template(a%axes(k)%with))
      if (of%kind /= collapsed) &
        mine = of%owner(a%axes(k)%stride * i + a%axes(k)%offset) == a%coords(of%procs_axis)
    end associate
  end function mine

  ! The library's map of the same array. Half of the calls have 64-bit integers.
  subroutine make(a)
    type(mapped_array), intent(inout) :: a
    type(reblock_procs) :: procs
    type(reblock_template) :: template
    type(reblock_map) :: plain
    integer(int64) :: rest(size(a%rest))
    integer :: k
    call reblock_procs_create(MPI_COMM_WORLD, a%shape, procs, ranks=a%ranks)
    if (any_of(0, 1) == 0) then
      call reblock_template_create(procs, a%template%lower, a%template%upper, template)
    else
      call reblock_template_create(procs, int(a%template%lower, int64), int(a%template%upper, int64), template)
    end if
    do k = 1, size(a%template)
      call tell_format(template, k, a%template(k))
    end do
    call reblock_template_commit(template)
    rest = a%rest
    where (a%rest == -1000) rest = reblock_replicated
    call reblock_map_create(template, a%axes%lower, a%axes%upper, plain, rest=rest, &
                            aligns=[(reblock_align(a%axes(k)%with, a%axes(k)%stride, a%axes(k)%offset), k=1, size(a%axes))])
    call reblock_map_shadow(plain, a%axes%before, a%axes%after, a%map)
    ! What is still used lives on.
    call reblock_map_free(plain)
    call reblock_template_free(template)
    call reblock_procs_free(procs)
  end subroutine make

  subroutine tell_format(template, k, axis)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: k
    type(template_axis), intent(in) :: axis
    integer :: n, first, last
    n = axis%upper - axis%lower + 1
    select case (axis%kind)
    case (collapsed)
      if (any_of(0, 1) == 0) call reblock_dist_collapsed(template, k)
    case (block)
      call reblock_dist_block(template, k, axis%procs_axis, axis%size)
    case (cyclic)
      call reblock_dist_cyclic(template, k, axis%procs_axis, int(axis%size, int64))
    case (gen_block)
      call reblock_dist_gen_block(template, k, axis%procs_axis, axis%sizes)
    case (indirect)
      call reblock_dist_indirect(template, k, axis%procs_axis, axis%owner)
    case (indirect_local)
      first = axis%lower + me * n / ranks
      last = axis%lower + (me + 1) * n / ranks - 1
      call reblock_dist_indirect_local(template, k, axis%procs_axis, int(first, int64), int(axis%owner(first:last), int64))
    end select
  end subroutine tell_format
end module dealing
