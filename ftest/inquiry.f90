! Checks inquiries about maps, templates and plans.
program inquiry
  use, intrinsic :: iso_fortran_env, only: int64
  use random
  use reblock_hpf
  implicit none
  type(reblock_procs) :: line
  type(reblock_template) :: template
  type(reblock_map) :: a, b
  call begin('inquiry', 1)
  call reblock_procs_create(MPI_COMM_WORLD, [ranks], line)
  call reblock_template_create(line, [0, 1], [19, 6], template)
  call reblock_template_dist_block(template, 1, 1)
  call reblock_template_commit(template)
  call reblock_map_create(template, [1, 1], [10, 6], a, aligns=[reblock_align(1, 2, -1), reblock_align(2)])
  call reblock_map_create(template, [0], [19], b, aligns=[reblock_align(1)])
  call inquire_procs()
  call inquire_all()
  call inquire_declared()
  call reblock_template_free(template)
  call move()
  call relabel()
  call finish('inquiry')

contains

  subroutine inquire_procs()
    integer :: axes, shape(1), coords(1)
    logical :: inside
    character(:), allocatable :: text
    call reblock_procs_axes(line, axes)
    call reblock_procs_shape(line, shape)
    call reblock_procs_coords(line, me, coords, inside)
    call must('processors', axes == 1 .and. shape(1) == ranks .and. inside .and. coords(1) == me)
    call reblock_template_text(template, text)
    call must('template '//text, index(text, '(BLOCK,*) ONTO P(') == 1)
  end subroutine inquire_procs

  subroutine inquire_all()
    type(reblock_format) :: format
    type(reblock_map) :: made
    integer :: axes, lower(2), upper(2), i, first(1), last(1), position(1), index(1)
    integer(int64) :: low(2), high(2), strides(2), own(2)
    integer, allocatable :: owners(:)
    character(:), allocatable :: text
    logical :: here
    call reblock_map_axes(a, axes)
    call must('axes', axes == 2)
    call reblock_map_bounds(a, lower, upper)
    call must('bounds', all(lower == [1, 1]) .and. all(upper == [10, 6]))
    call reblock_map_bounds(a, low, high)
    call must('bounds in 64 bits', all(low == [1, 1]) .and. all(high == [10, 6]))
    call reblock_map_bounds(b, first, last)
    call must('lower bounds', first(1) == 0 .and. last(1) == 19)
    call reblock_map_local(a, own, strides=strides)
    call must('strides', strides(1) == 1 .and. (strides(2) == own(1) .or. own(1) == 0))
    ! With one element, processes after its owner have empty parts, which begin after the element.
    call reblock_map_create(template, [5], [5], made, aligns=[reblock_align(1)])
    call reblock_map_local(made, first, last)
    call must('where a part begins', last(1) == merge(6, 5, me > 5/((20 + ranks - 1)/ranks)))
    call reblock_map_free(made)
    call reblock_map_format(a, 1, format)
    call must('format', format%kind == reblock_format_block .and. format%template_axis == 1 .and. format%procs_axis == 1)
    call must('alignment', format%stride == 2 .and. format%offset == -1 .and. format%procs == ranks)
    call must('coordinate', format%coordinate == me)
    call reblock_map_format(a, 2, format)
    call must('collapsed', format%kind == reblock_format_collapsed .and. format%procs_axis == 0)
    do i = 0, 19
      call reblock_map_owners(b, [i], owners)
      call must('owner', size(owners) == 1)
      call must('owner by blocks', all(owners == i / ((20 + ranks - 1) / ranks)))
      call reblock_map_local_index(b, [i], position, here)
      call must('here', here .eqv. any(owners == me))
      if (.not. here) cycle
      call reblock_map_global_index(b, position, index, here)
      call must('there and back', here .and. index(1) == i)
      index = -1
      call reblock_map_global_index(b, position, index)
      call must('there and back, without own', index(1) == i)
    end do
    call inquire_anywhere()
    call reblock_map_text(a, text)
    call must('text '//text, scan(text, 'BLOCK') > 0 .and. len(text) > 10)
    call reblock_map_row_major(a, made)
    call reblock_map_local(made, own, strides=strides)
    call must('row-major', strides(2) == 1 .and. (strides(1) == 6))
    call reblock_map_free(made)
    call inquire_least()
  end subroutine inquire_all

  ! Inquiries about an array's template, and about the parts of other processes.
  subroutine inquire_declared()
    type(reblock_format) :: format
    type(reblock_procs) :: onto
    type(reblock_template) :: runs
    type(reblock_map) :: made
    integer :: axes, rank, lower(2), upper(2), there, own(1), first(1), last(1), behind, stat
    integer(int64) :: wide(1), low(2), high(2)
    integer(int64), allocatable :: from(:), to(:), rest(:)
    integer, allocatable :: aligned(:)
    logical :: has
    call reblock_template_axes(template, axes)
    call reblock_template_bounds(template, lower, upper)
    call must('bounds of a template', axes == 2 .and. all(lower == [0, 1]) .and. all(upper == [19, 6]))
    call reblock_template_bounds(template, low, high)
    call must('bounds of a template in 64 bits', all(low == lower) .and. all(high == upper))
    call reblock_template_format(template, 1, format)
    call must('format of a template', format%kind == reblock_format_block .and. format%procs_axis == 1 .and. &
              format%template_axis == 1 .and. format%stride == 1 .and. format%coordinate == me)
    call reblock_template_format(template, 2, format)
    call must('an axis that is collapsed', format%kind == reblock_format_collapsed .and. format%procs_axis == 0)
    call reblock_map_template(b, from, to, aligned, rest)
    call must('the template of an array', all(from == [0, 1]) .and. all(to == [19, 6]))
    call must('what is aligned', all(aligned == [1, 0]) .and. rest(2) == reblock_replicated)
    call reblock_map_create(template, [1], [6], made, aligns=[reblock_align(2)], rest=[7_int64, reblock_replicated])
    call reblock_map_template(made, from, to, rest=rest)
    call must('at one index', rest(1) == 7)
    call reblock_map_free(made)
    do there = 0, ranks - 1
      call reblock_map_part(b, there, own, first=first, last=last, has=has)
      behind = min(20, (there + 1) * ((20 + ranks - 1) / ranks))
      call must('a part', has .and. first(1) == there * ((20 + ranks - 1) / ranks) .and. last(1) == behind - 1)
      call reblock_map_part(b, there, wide, has=has)
      call must('a part in 64 bits', has .and. wide(1) == own(1) .and. own(1) == behind - first(1))
      call reblock_procs_rank_at(line, [there], rank)
      call must('a rank', rank == there)
    end do
    call reblock_map_part(b, ranks, own, has=has)
    call must('no part', .not. has)
    call reblock_procs_rank_at(line, [ranks], rank, stat)
    call must('no such place', stat == reblock_err_argument)
    call reblock_map_procs(b, onto)
    call reblock_procs_rank_at(onto, [0], rank)
    call must('the first place', rank == 0)
    call reblock_procs_free(onto)
    call reblock_template_procs(template, onto)
    call reblock_procs_axes(onto, axes)
    call must('an arrangement of one axis', axes == 1)
    call reblock_template_create(line, [1], [30], runs)
    call reblock_template_dist_indirect_runs(runs, 1, 1, [ranks - 1, 0, ranks - 1], [4, 25, 1])
    call reblock_template_commit(runs)
    call reblock_map_whole(runs, made)
    call reblock_map_part(made, 0, own, first=first, last=last)
    call must('INDIRECT by runs', (own(1) == 25 .and. first(1) == 5 .and. last(1) == 29) .or. (ranks == 1 .and. own(1) == 30))
    call reblock_map_free(made)
    call reblock_template_free(runs)
    call reblock_template_create(line, [1], [30], runs)
    call reblock_template_dist_indirect_runs(runs, 1, 1, [0, ranks], [25, 5], stat)
    call must('an owner outside', stat == reblock_err_argument)
    call reblock_template_dist_indirect_runs(runs, 1, 1, [0, 0], [30], stat)
    call must('owners without lengths', stat == reblock_err_argument)
    call reblock_template_free(runs)
    call reblock_procs_free(onto)
  end subroutine inquire_declared

  ! Tests that the least 32-bit integer is an ordinary value: `index` keeps this value at a place of the shadow, and a
  ! bound may have it.
  subroutine inquire_least()
    integer, parameter :: least = -huge(0) - 1
    type(reblock_template) :: template
    type(reblock_map) :: made
    integer :: first(1), last(1), index(1)
    logical :: is_own
    call reblock_map_shadow(b, [1], [1], made)
    index = least
    call reblock_map_global_index(made, [1], index, is_own)
    call must('a place of the shadow', .not. is_own .and. index(1) == least)
    call reblock_map_free(made)
    call reblock_template_create(line, [least], [least + 3], template)
    call reblock_template_commit(template)
    call reblock_map_whole(template, made)
    call reblock_map_bounds(made, first, last)
    call must('the least bound', first(1) == least .and. last(1) == least + 3)
    call reblock_map_free(made)
    call reblock_template_free(template)
  end subroutine inquire_least

  ! Looks up elements of any process. Each process looks up other elements, and one process none.
  subroutine inquire_anywhere()
    integer, allocatable :: owners(:), positions(:, :)
    integer(int64), allocatable :: wide(:, :)
    integer :: i, n, stat
    character(200) :: text
    n = merge(0, me + 2, me == 1)
    allocate (owners(n), positions(1, n), source=-1)
    allocate (wide(1, n), source=-1_int64)
    call reblock_map_dereference(b, reshape([(3 * i, i=1, n)], [1, n]), owners, positions)
    call must('owners anywhere', all(owners == [(3 * i / ((20 + ranks - 1) / ranks), i=1, n)]))
    call must('positions anywhere', all(positions(1, :) == [(mod(3 * i, (20 + ranks - 1) / ranks) + 1, i=1, n)]))
    call reblock_map_dereference(b, reshape([(int(3 * i, int64), i=1, n)], [1, n]), owners, wide)
    call must('positions in 64 bits', all(wide == positions))
    call reblock_map_dereference(b, reshape([(20 * me + i, i=1, n)], [1, n]), owners, positions, stat)
    call must('an index outside', (stat == 0) .eqv. (ranks <= 2))
    ! Rank 0 alone makes the mistake, and all ranks read it.
    text = ''
    if (me == 0) then
      call reblock_map_dereference(b, reshape([(i, i=1, n)], [n, 1]), owners, positions, stat, text)
    else
      call reblock_map_dereference(b, reshape([(3 * i, i=1, n)], [1, n]), owners, positions, stat, text)
    end if
    call must('indices the wrong way round: '//text, &
              stat == reblock_err_argument .and. index(text, 'indices has 2 rows for 1 axes') > 0)
  end subroutine inquire_anywhere

  ! Tests that maps outlive their template. Also checks inquiries about a plan with options.
  subroutine move()
    integer(int64), allocatable :: source(:), target(:)
    type(reblock_template) :: template
    type(reblock_map) :: dealt, of_target
    type(reblock_plan) :: plan
    type(reblock_plan_info) :: info
    character(:), allocatable :: json
    logical :: moved
    integer :: own(1), first(1), k, all_sent, ierr
    call reblock_template_create(line, [0], [19], template)
    call reblock_template_dist_cyclic(template, 1, 1)
    call reblock_template_commit(template)
    call reblock_map_whole(template, dealt)
    call reblock_map_local(b, own, first)
    source = [(k, k=first(1), first(1) + own(1) - 1)]
    call reblock_map_local(dealt, own)
    allocate (target(own(1)), source=-1_int64)
    call reblock_plan_create(MPI_COMM_WORLD, b, dealt, 8, plan, options=reblock_plan_options(transport='mpi', window=2))
    call reblock_plan_execute(plan, source, target)
    call must('cyclic', all(target == [(me + k * ranks, k=0, own(1) - 1)]))
    call reblock_plan_inquire(plan, info)
    call must('received and kept', info%received + info%kept == 8 * own(1))
    call mpi_allreduce(int(info%sent - info%received), all_sent, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call must('what is sent is received', all_sent == 0)
    call reblock_plan_explain(plan, json)
    call must('json', json(1:1) == '{' .and. json(len(json):) == '}')
    call reblock_plan_target(plan, of_target, moved)
    call must('the target stays', .not. moved)
    call reblock_plan_free(plan)
    call reblock_map_free(dealt)
  end subroutine move

  ! Tests relabelling from blocks in the order of ranks to blocks in the opposite order: nothing has to be sent. The
  ! elements must have the places of the plan's own map of the target.
  subroutine relabel()
    integer(int64), allocatable :: source(:), target(:)
    type(reblock_procs) :: opposite
    type(reblock_template) :: turned
    type(reblock_map) :: to, places
    type(reblock_plan) :: plan
    type(reblock_plan_info) :: info
    integer :: k, own(1), first(1)
    logical :: moved
    call reblock_procs_create(MPI_COMM_WORLD, [ranks], opposite, ranks=[(ranks - k, k=1, ranks)])
    call reblock_template_create(opposite, [0], [19], turned)
    call reblock_template_dist_block(turned, 1, 1)
    call reblock_template_commit(turned)
    call reblock_map_whole(turned, to)
    call reblock_map_local(b, own, first)
    source = [(k, k=first(1), first(1) + own(1) - 1)]
    call reblock_plan_create(MPI_COMM_WORLD, b, to, 8, plan, options=reblock_plan_options(relabel=.true.))
    call reblock_plan_target(plan, places, moved)
    if (.not. moved) places = to
    call reblock_map_local(places, own, first)
    allocate (target(own(1)), source=-1_int64)
    call reblock_plan_execute(plan, source, target)
    call must('places', all(target == [(k, k=first(1), first(1) + own(1) - 1)]))
    call reblock_plan_inquire(plan, info)
    if (moved) call must('nothing is sent', info%sent == 0 .and. info%kept == 8 * own(1))
    call reblock_plan_free(plan)
  end subroutine relabel
end program inquiry
