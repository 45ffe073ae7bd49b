! Tests objects that are made by HPF directives.
program directives
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: f08_world => MPI_COMM_WORLD
  use random
  use reblock_hpf_f08
  implicit none
  type(reblock_scope) :: scope
  type(reblock_map) :: a, b
  character(20) :: line
  call begin('directives', 1)
  call reblock_scope_create(f08_world, scope)
  write (line, '(a, i0, a)') 'PROCESSORS P(', ranks, ')'
  call reblock_scope_directive(scope, line)
  call reblock_scope_directive(scope, '!HPF$ TEMPLATE T(0:19, 6)')
  call reblock_scope_directive(scope, 'DISTRIBUTE T(BLOCK, *) ONTO P')
  call reblock_scope_directive(scope, '!HPF$ DIMENSION A(10, 6), B(0:19)')
  call reblock_scope_directive(scope, 'ALIGN A(i, j) WITH T(2*i-1, j)')
  call reblock_scope_directive(scope, 'ALIGN B(i) WITH T(i, *)')
  call reblock_scope_map(scope, 'A', a)
  call reblock_scope_map(scope, 'b', b)
  call maps()
  call attributes()
  call names()
  call arrays()
  call reblock_scope_free(scope)
  call finish('directives')

contains

  ! Compares directives with the calls that they stand for.
  subroutine maps()
    type(reblock_format) :: format
    integer :: lower(2), upper(2), first(1), last(1), i
    integer, allocatable :: owners(:)
    call reblock_map_bounds(a, lower, upper)
    call must('bounds', all(lower == [1, 1]) .and. all(upper == [10, 6]))
    call reblock_map_bounds(b, first, last)
    call must('lower bounds', first(1) == 0 .and. last(1) == 19)
    call reblock_map_format(a, 1, format)
    call must('format', format%kind == reblock_format_block .and. format%template_axis == 1 .and. format%procs_axis == 1)
    call must('alignment', format%stride == 2 .and. format%offset == -1 .and. format%procs == ranks)
    do i = 0, 19
      call reblock_map_owners(b, [i], owners)
      call must('owner', size(owners) == 1 .and. all(owners == i / ((20 + ranks - 1) / ranks)))
    end do
  end subroutine maps

  ! Tests lines with '::' and several attributes, and a distribution whose sizes are an array constructor.
  subroutine attributes()
    type(reblock_map) :: c, d, e
    character(200) :: sizes
    integer :: stat, i
    logical :: same
    call reblock_scope_directive(scope, 'DIMENSION(20), DYNAMIC, DISTRIBUTE (BLOCK) ONTO P :: C, D')
    call reblock_scope_map(scope, 'C', c)
    call reblock_scope_map(scope, 'D', d)
    call reblock_map_equal(c, d, same)
    call must('two arrays of one line', same)
    write (sizes, '(*(i0, :, ","))') [(merge(20, 0, i == ranks), i = 1, ranks)]
    call reblock_scope_directive(scope, 'REDISTRIBUTE (GEN_BLOCK((/'//trim(sizes)//'/))) ONTO P :: D')
    call reblock_scope_directive(scope, 'DIMENSION, DISTRIBUTE (BLOCK) :: E(20)', stat)
    call must('DIMENSION without bounds', stat == reblock_err_text)
    call reblock_scope_directive(scope, 'DIMENSION(20), DISTRIBUTE(GEN_BLOCK(['//trim(sizes)//'])) ONTO P :: E')
    call reblock_map_free(d)
    call reblock_scope_map(scope, 'D', d)
    call reblock_scope_map(scope, 'E', e)
    call reblock_map_equal(d, e, same)
    call must('sizes in either kind of brackets', same)
    call reblock_map_free(c)
    call reblock_map_free(d)
    call reblock_map_free(e)
  end subroutine attributes

  subroutine names()
    type(reblock_procs) :: procs
    type(reblock_template) :: template
    integer :: axes, shape(1), coords(1), stat
    logical :: inside
    character(:), allocatable :: dealt
    character(200) :: text
    call reblock_scope_procs(scope, 'P', procs)
    call reblock_procs_axes(procs, axes)
    call reblock_procs_shape(procs, shape)
    call reblock_procs_coords(procs, me, coords, inside)
    call must('processors', axes == 1 .and. shape(1) == ranks .and. inside .and. coords(1) == me)
    call reblock_scope_template(scope, 'T', template)
    call reblock_template_text(template, dealt)
    call must('template '//dealt, index(dealt, 'BLOCK') > 0)
    text = ''
    call reblock_scope_map(scope, 'NONE', a, stat, text)
    call must('no such name', stat /= reblock_ok .and. text /= '')
    call reblock_scope_directive(scope, 'DISTRIBUTE T(BLOK, *) ONTO P', stat, text)
    call must('a mistake: '//text, stat == reblock_err_text)
    call reblock_scope_map(scope, 'A', a)
    call reblock_template_free(template)
    call reblock_template_create(procs, [1], [10], template)
    call reblock_template_dist_text(template, '(BLOK)', stat, text)
    call must('a mistake in formats: '//text, stat == reblock_err_text)
    call reblock_template_dist_text(template, '(CYCLIC(3))')
    call reblock_template_commit(template)
    call reblock_template_text(template, dealt)
    call must('formats '//dealt, index(dealt, '(CYCLIC(3))') == 1)
    call reblock_template_free(template)
    call reblock_procs_free(procs)
  end subroutine names

  ! Tests that an array with a name keeps its values when its template is redistributed.
  subroutine arrays()
    type(reblock_array) :: array, again
    real(real64), pointer :: p(:, :)
    integer :: stat
    call reblock_scope_array(scope, 'a', storage_size(0._real64) / 8, array)
    call reblock_array_pointer(array, p)
    p = me
    call values(array, p, .true.)
    call reblock_scope_directive(scope, 'REDISTRIBUTE T(CYCLIC(3), *) ONTO P')
    call reblock_array_pointer(array, p)
    call values(array, p, .false.)
    call reblock_scope_array(scope, 'A', 8_int64, again)
    call reblock_array_pointer(again, p)
    call values(again, p, .false.)
    call reblock_scope_array(scope, 'A', 4, again, stat)
    call must('an array of other elements', stat == reblock_err_state)
    call reblock_array_free(array)
  end subroutine arrays

  ! Writes 100 i + j to each element (i, j) of this process's part of an array, or checks it.
  subroutine values(array, p, fill)
    type(reblock_array), intent(in) :: array
    real(real64), pointer, intent(in) :: p(:, :)
    logical, intent(in) :: fill
    type(reblock_map) :: map
    integer :: i, j, index(2)
    logical :: own
    call reblock_array_map(array, map)
    do j = 1, size(p, 2)
      do i = 1, size(p, 1)
        call reblock_map_global_index(map, [i, j], index, own)
        if (fill) p(lbound(p, 1) + i - 1, lbound(p, 2) + j - 1) = 100 * index(1) + index(2)
        call must('a value', own .and. p(lbound(p, 1) + i - 1, lbound(p, 2) + j - 1) == 100 * index(1) + index(2))
      end do
    end do
    call reblock_map_free(map)
  end subroutine values
end program directives
