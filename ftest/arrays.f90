! Arrays whose storage the library allocates: pointers to them, REDISTRIBUTE and REALIGN.
program arrays
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi_f08, only: f08_world => MPI_COMM_WORLD
  use random
  use reblock_hpf_f08
  implicit none
  type(reblock_procs) :: line
  call begin('arrays', 1)
  call reblock_procs_create(f08_world, [ranks], line)
  call pointers_of_all_ranks()
  call pointers_that_do_not_fit()
  call redistribute()
  call realign()
  call shadows_filled()
  call finish('arrays')

contains

  ! Makes a template of `axes` axes. The last axis is in blocks; if `cyclic` is present, the first axis is
  ! CYCLIC(cyclic) instead.
  function template_of(axes, cyclic) result(template)
    integer, intent(in) :: axes
    integer, intent(in), optional :: cyclic
    type(reblock_template) :: template
    integer :: k
    call reblock_template_create(line, [(-k, k=1, axes)], [(1, k=1, axes - 1), 6], template)
    if (present(cyclic)) then
      call reblock_template_dist_cyclic(template, 1, 1, cyclic)
    else
      call reblock_template_dist_block(template, axes, 1)
    end if
    call reblock_template_commit(template)
  end function template_of

  ! Tests pointers, which must have the map's bounds and begin with zeros. A second pointer must see values written
  ! through the first.
  subroutine pointers_of_all_ranks()
    type(reblock_array) :: array
    type(reblock_map) :: map
    integer(int32), pointer :: i1(:), again(:)
    integer(int64), pointer :: i2(:, :)
    real(real32), pointer :: r3(:, :, :)
    real(real64), pointer :: r4(:, :, :, :)
    complex(real32), pointer :: c5(:, :, :, :, :)
    complex(real64), pointer :: c6(:, :, :, :, :, :)
    logical, pointer :: l7(:, :, :, :, :, :, :)
    call of_axes(1, storage_size(0), array, map)
    call reblock_array_pointer(array, i1)
    call bounds(map, lbound(i1), ubound(i1))
    call must('zeros', all(i1 == 0))
    i1 = 5
    call reblock_array_pointer(array, again)
    call must('the same', all(again == 5))
    call reblock_array_free(array)
    call of_axes(2, storage_size(0_int64), array, map)
    call reblock_array_pointer(array, i2)
    call bounds(map, lbound(i2), ubound(i2))
    i2 = 1
    call reblock_array_free(array)
    call of_axes(3, storage_size(0._real32), array, map)
    call reblock_array_pointer(array, r3)
    call bounds(map, lbound(r3), ubound(r3))
    r3 = 1
    call reblock_array_free(array)
    call of_axes(4, storage_size(0._real64), array, map)
    call reblock_array_pointer(array, r4)
    call bounds(map, lbound(r4), ubound(r4))
    r4 = 1
    call reblock_array_free(array)
    call of_axes(5, storage_size((0._real32, 0)), array, map)
    call reblock_array_pointer(array, c5)
    call bounds(map, lbound(c5), ubound(c5))
    c5 = 1
    call reblock_array_free(array)
    call of_axes(6, storage_size((0._real64, 0)), array, map)
    call reblock_array_pointer(array, c6)
    call bounds(map, lbound(c6), ubound(c6))
    c6 = 1
    call reblock_array_free(array)
    call of_axes(7, storage_size(.true.), array, map)
    call reblock_array_pointer(array, l7)
    call bounds(map, lbound(l7), ubound(l7))
    l7 = .true.
    call reblock_array_free(array)
  end subroutine pointers_of_all_ranks

  subroutine of_axes(axes, bits, array, map)
    integer, intent(in) :: axes, bits
    type(reblock_array), intent(out) :: array
    type(reblock_map), intent(out) :: map
    type(reblock_map) :: plain
    integer :: k
    call reblock_map_whole(template_of(axes), plain)
    call reblock_map_shadow(plain, [(0, k=1, axes - 1), 1], [(0, k=1, axes - 1), 2], map)
    call reblock_array_create(map, bits / 8, array)
  end subroutine of_axes

  subroutine bounds(map, first, last)
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: first(:), last(:)
    integer, dimension(size(first)) :: own, lower, before, after
    logical :: has
    call reblock_map_local(map, own, lower, before, after, has=has)
    call must('a part', has)
    if (all(own > 0)) then
      call must('lower bounds', all(first == lower))
      call must('upper bounds', all(last == lower + before + own + after - 1))
    end if
  end subroutine bounds

  subroutine pointers_that_do_not_fit()
    type(reblock_array) :: array
    type(reblock_map) :: map
    real(real64), pointer :: flat(:), long(:, :)
    real(real32), pointer :: short(:, :)
    integer :: stat
    character(200) :: text
    call of_axes(2, storage_size(0._real64), array, map)
    call reblock_array_pointer(array, flat, stat, text)
    call must('a rank: '//text, stat == reblock_err_argument .and. text == 'a pointer of rank 1 to an array of 2 axes')
    call reblock_array_pointer(array, short, stat, text)
    call must('a size: '//text, stat == reblock_err_argument .and. &
              text == 'a pointer to elements of 4 bytes, the array has elements of 8 bytes')
    text = ''
    call reblock_array_pointer(array, long, stat, text)
    call must('a pointer that fits', stat == reblock_ok .and. text == '')
    call reblock_array_free(array)
  end subroutine pointers_that_do_not_fit

  ! Tests a template with three arrays, one of which is dead, and a transposed array.
  subroutine redistribute()
    type(reblock_template) :: template, like
    type(reblock_map) :: map, turned, now
    type(reblock_array) :: a, b, dead
    real(real64), pointer :: of_a(:, :)
    integer(int32), pointer :: of_b(:, :), of_dead(:, :)
    template = template_of(2)
    like = template_of(2, cyclic=2)
    call reblock_map_whole(template, map)
    call reblock_map_create(template, [0, 1], [7, 3], turned, aligns=[reblock_align(2, 1, -1), reblock_align(1, 1, -2)])
    call reblock_array_create(map, 8, a)
    call reblock_array_create(turned, 4_int64, b)
    call reblock_array_create(map, 4, dead)
    call reblock_array_pointer(a, of_a)
    call reblock_array_pointer(b, of_b)
    call reblock_array_pointer(dead, of_dead)
    of_a = reshape(real(values(map), real64), shape(of_a))
    of_b = reshape(values(turned), shape(of_b))
    of_dead = 1
    call reblock_template_redistribute(template, like, dead=[dead])
    call reblock_array_map(a, now)
    call reblock_array_pointer(a, of_a)
    call must('real64 moved', all(of_a == reshape(values(now), shape(of_a))))
    call reblock_array_map(b, now)
    call reblock_array_pointer(b, of_b)
    call must('transposed moved', all(of_b == reshape(values(now), shape(of_b))))
    call reblock_array_pointer(dead, of_dead)
    call must('dead has storage', all(shape(of_dead) == shape(of_a)))
    call reblock_array_free(a)
    call reblock_array_free(b)
    call reblock_array_free(dead)
  end subroutine redistribute

  ! Returns 100 i + j for each index (i, j), in the order of this process's storage. The indices come from inquiries.
  function values(map)
    type(reblock_map), intent(in) :: map
    integer, allocatable :: values(:)
    integer :: own(2), i, j, index(2)
    logical :: is_own
    call reblock_map_local(map, own)
    allocate (values(0))
    do j = 1, own(2)
      do i = 1, own(1)
        call reblock_map_global_index(map, [i, j], index, is_own)
        call must('own element', is_own)
        values = [values, 100 * index(1) + index(2)]
      end do
    end do
  end function values

  subroutine realign()
    type(reblock_map) :: map, other, now
    type(reblock_array) :: a
    integer(int64), pointer :: of_a(:, :)
    call reblock_map_whole(template_of(2), map)
    call reblock_map_whole(template_of(2, cyclic=1), other)
    call reblock_array_create(map, 8, a)
    call reblock_array_pointer(a, of_a)
    of_a = reshape(values(map), shape(of_a))
    call reblock_array_realign(a, other)
    call reblock_array_pointer(a, of_a)
    call must('realigned', all(of_a == reshape(values(other), shape(of_a))))
    call reblock_array_realign(a, map, dead=.true.)
    call reblock_array_map(a, now)
    call reblock_array_pointer(a, of_a)
    call must('dead', size(of_a) == size(values(map)) .and. size(values(now)) == size(values(map)))
    call reblock_array_free(a)
  end subroutine realign

  ! Tests a plane whose columns are in blocks, with a shadow of one column on each side.
  subroutine shadows_filled()
    type(reblock_template) :: rows, columns, like
    type(reblock_map) :: map, shadowed
    type(reblock_array) :: a
    real(real64), pointer :: of_a(:, :)
    integer :: i, j, n, stat
    character(200) :: text
    n = 3 * ranks
    call reblock_template_create(line, [1, 1], [4, n], rows)
    call reblock_template_dist_text(rows, '(BLOCK,*)')
    call reblock_template_commit(rows)
    call reblock_template_create(line, [1, 1], [4, n], columns)
    call reblock_template_dist_text(columns, '(*,BLOCK)')
    call reblock_template_commit(columns)
    call reblock_map_whole(rows, map)
    call reblock_map_shadow(map, [0, 1], [0, 1], shadowed)
    call reblock_array_create(shadowed, 8, a)
    call reblock_array_pointer(a, of_a)
    do j = 1, n
      do i = lbound(of_a, 1), ubound(of_a, 1)
        of_a(i, j) = 100 * i + j
      end do
    end do
    call reblock_array_fill_shadows(a, periodic=[.false., .true.], corners=.false.)
    call reblock_template_redistribute(rows, columns)
    call reblock_array_pointer(a, of_a)
    do j = lbound(of_a, 2), ubound(of_a, 2)
      do i = 1, 4
        call must('a shadow that is filled', nint(of_a(i, j)) == 100 * i + modulo(j - 1, n) + 1)
      end do
    end do
    call reblock_array_fill_shadows(a, periodic=[.true.], stat=stat, errmsg=text)
    call must('periodic axes', stat == reblock_err_argument .and. index(text, 'periodic has 1 entries for 2 axes') > 0)
    ! A CYCLIC axis has no neighbours, so nothing moves.
    call reblock_template_create(line, [1, 1], [4, n], like)
    call reblock_template_dist_cyclic(like, 2, 1)
    call reblock_template_commit(like)
    if (ranks > 1) then
      call reblock_template_redistribute(rows, like, stat=stat, errmsg=text)
      call must('a shadow that cannot be filled: '//trim(text), stat == reblock_err_argument)
    end if
    call reblock_array_fill_shadows(a, filled=.false.)
    call reblock_template_redistribute(rows, like)
    call reblock_array_free(a)
    call reblock_array_fill_shadows(a, periodic=[.true.], stat=stat, errmsg=text)
    call must('a freed array', stat == reblock_err_handle .and. index(text, 'periodic has') == 0)
  end subroutine shadows_filled
end program arrays
