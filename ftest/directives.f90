! Objects that HPF's directives make.
program directives
  use random
  use reblock_hpf
  implicit none
  type(reblock_scope) :: scope
  type(reblock_map) :: a, b
  character(20) :: line
  call begin('directives', 1)
  call reblock_scope_create(MPI_COMM_WORLD, scope)
  write (line, '(a, i0, a)') 'PROCESSORS P(', ranks, ')'
  call reblock_directive(scope, line)
  call reblock_directive(scope, '!HPF$ TEMPLATE T(0:19, 6)')
  call reblock_directive(scope, 'DISTRIBUTE T(BLOCK, *) ONTO P')
  call reblock_directive(scope, '!HPF$ DIMENSION A(10, 6), B(0:19)')
  call reblock_directive(scope, 'ALIGN A(i, j) WITH T(2*i-1, j)')
  call reblock_directive(scope, 'ALIGN B(i) WITH T(i, *)')
  call reblock_scope_map(scope, 'A', a)
  call reblock_scope_map(scope, 'b', b)
  call maps()
  call names()
  call reblock_scope_free(scope)
  call finish('directives')

contains

  ! What directives say is what calls would have said.
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

  subroutine names()
    type(reblock_procs) :: procs
    type(reblock_template) :: template
    integer :: rank, shape(1), coords(1), stat
    logical :: inside
    character(:), allocatable :: dealt
    character(200) :: text
    call reblock_scope_procs(scope, 'P', procs)
    call reblock_procs_rank(procs, rank)
    call reblock_procs_shape(procs, shape)
    call reblock_procs_coords(procs, me, coords, inside)
    call must('processors', rank == 1 .and. shape(1) == ranks .and. inside .and. coords(1) == me)
    call reblock_scope_template(scope, 'T', template)
    call reblock_template_text(template, dealt)
    call must('template '//dealt, index(dealt, 'BLOCK') > 0)
    text = ''
    call reblock_scope_map(scope, 'NONE', a, stat, text)
    call must('no such name', stat /= reblock_ok .and. text /= '')
    call reblock_directive(scope, 'DISTRIBUTE T(BLOK, *) ONTO P', stat, text)
    call must('a mistake: '//text, stat == reblock_err_text)
    call reblock_scope_map(scope, 'A', a)
    call reblock_template_free(template)
    call reblock_template_create(procs, [1], [10], template)
    call reblock_dist_text(template, '(BLOK)', stat, text)
    call must('a mistake in formats: '//text, stat == reblock_err_text)
    call reblock_dist_text(template, '(CYCLIC(3))')
    call reblock_template_commit(template)
    call reblock_template_text(template, dealt)
    call must('formats '//dealt, index(dealt, '(CYCLIC(3))') == 1)
    call reblock_template_free(template)
    call reblock_procs_free(procs)
  end subroutine names
end program directives
