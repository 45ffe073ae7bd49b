! Arrangements, templates and maps by the module reblock_hpf, for callers with C's arguments (binding_fortran.c). A
! handle is the address of one of the module's objects.
module corpus_declaring
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf
  implicit none
  private
  public :: procs_of, template_of, map_of, plan_of, narrow_now, keep_map

  type, public :: template_kept
    type(reblock_template) :: template
    integer :: axes
  end type template_kept

  ! The last errmsg, and a copy of it for C.
  character(400), public :: said = ''
  character(401, c_char), target :: said_to_c
  ! Every other call uses integers of 32 bits.
  logical :: is_narrow = .false.

contains

  type(c_ptr) function message() bind(c, name='fortran_message')
    said_to_c = trim(said)//c_null_char
    message = c_loc(said_to_c)
  end function message

  logical function narrow_now()
    is_narrow = .not. is_narrow
    narrow_now = is_narrow
  end function narrow_now

  function procs_of(handle) result(procs)
    type(c_ptr), intent(in) :: handle
    type(reblock_procs), pointer :: procs
    call c_f_pointer(handle, procs)
  end function procs_of

  function template_of(handle) result(template)
    type(c_ptr), intent(in) :: handle
    type(template_kept), pointer :: template
    call c_f_pointer(handle, template)
  end function template_of

  ! NULL stands for a map that does not exist.
  function map_of(handle) result(map)
    type(c_ptr), intent(in) :: handle
    type(reblock_map), pointer :: map
    type(reblock_map), target, save :: none
    map => none
    if (c_associated(handle)) call c_f_pointer(handle, map)
  end function map_of

  function plan_of(handle) result(plan)
    type(c_ptr), intent(in) :: handle
    type(reblock_plan), pointer :: plan
    call c_f_pointer(handle, plan)
  end function plan_of

  integer(c_int32_t) function keep_map(map, stat, handle)
    type(reblock_map), pointer, intent(in) :: map
    integer, intent(in) :: stat
    type(c_ptr), intent(inout) :: handle
    if (stat == reblock_ok) handle = c_loc(map)
    keep_map = stat
  end function keep_map

  integer(c_int32_t) function procs_create(comm, axes, shape, ranks, handle) bind(c, name='fortran_procs_create')
    integer(c_int), value :: comm
    integer(c_int64_t), value :: axes
    integer(c_int64_t), intent(in) :: shape(axes)
    integer(c_int64_t), intent(in), optional :: ranks(*)
    type(c_ptr), intent(inout) :: handle
    type(reblock_procs), pointer :: made
    integer :: stat
    allocate (made)
    if (present(ranks)) then
      call reblock_procs_create(int(comm), int(shape), made, ranks=int(ranks(:product(shape))), stat=stat, errmsg=said)
    else
      call reblock_procs_create(int(comm), int(shape), made, stat=stat, errmsg=said)
    end if
    if (stat == reblock_ok) handle = c_loc(made)
    procs_create = stat
  end function procs_create

  integer(c_int32_t) function procs_free(handle) bind(c, name='fortran_procs_free') result(code)
    type(c_ptr), intent(inout) :: handle
    type(reblock_procs), pointer :: procs
    integer :: stat
    code = reblock_ok
    if (.not. c_associated(handle)) return
    procs => procs_of(handle)
    call reblock_procs_free(procs, stat, said)
    deallocate (procs)
    handle = c_null_ptr
    code = stat
  end function procs_free

  integer(c_int32_t) function template_create(procs, axes, lower, upper, handle) bind(c, name='fortran_template_create')
    type(c_ptr), value :: procs
    integer(c_int64_t), value :: axes
    integer(c_int64_t), intent(in) :: lower(axes), upper(axes)
    type(c_ptr), intent(inout) :: handle
    type(template_kept), pointer :: made
    integer :: stat
    allocate (made)
    made%axes = int(axes)
    if (narrow_now()) then
      call reblock_template_create(procs_of(procs), int(lower), int(upper), made%template, stat, said)
    else
      call reblock_template_create(procs_of(procs), lower, upper, made%template, stat, said)
    end if
    if (stat == reblock_ok) handle = c_loc(made)
    template_create = stat
  end function template_create

  integer(c_int32_t) function template_commit(handle) bind(c, name='fortran_template_commit') result(code)
    type(c_ptr), value :: handle
    type(template_kept), pointer :: kept
    integer :: stat
    kept => template_of(handle)
    call reblock_template_commit(kept%template, stat, said)
    code = stat
  end function template_commit

  integer(c_int32_t) function template_free(handle) bind(c, name='fortran_template_free') result(code)
    type(c_ptr), intent(inout) :: handle
    type(template_kept), pointer :: kept
    integer :: stat
    code = reblock_ok
    if (.not. c_associated(handle)) return
    kept => template_of(handle)
    call reblock_template_free(kept%template, stat, said)
    deallocate (kept)
    handle = c_null_ptr
    code = stat
  end function template_free

  integer(c_int32_t) function map_create(template, axes, lower, upper, aligns, rest, handle) bind(c, name='fortran_map_create')
    type(c_ptr), value :: template
    integer(c_int64_t), value :: axes
    integer(c_int64_t), intent(in) :: lower(axes), upper(axes)
    integer(c_int64_t), intent(in), optional :: aligns(3, *), rest(*)
    type(c_ptr), intent(inout) :: handle
    type(template_kept), pointer :: kept
    type(reblock_map), pointer :: made
    type(reblock_align), allocatable :: with(:)
    integer(int64), allocatable :: at(:)
    integer :: k, stat
    allocate (made)
    kept => template_of(template)
    if (present(rest)) at = rest(:kept%axes)
    if (present(aligns)) with = [(reblock_align(aligns(1, k) + 1, aligns(2, k), aligns(3, k)), k=1, int(axes))]
    ! Unallocated arguments are absent.
    if (narrow_now()) then
      call reblock_map_create(kept%template, int(lower), int(upper), made, with, at, stat, said)
    else
      call reblock_map_create(kept%template, lower, upper, made, with, at, stat, said)
    end if
    map_create = keep_map(made, stat, handle)
  end function map_create

  integer(c_int32_t) function map_whole(template, handle) bind(c, name='fortran_map_whole')
    type(c_ptr), value :: template
    type(c_ptr), intent(inout) :: handle
    type(template_kept), pointer :: kept
    type(reblock_map), pointer :: made
    integer :: stat
    allocate (made)
    kept => template_of(template)
    call reblock_map_whole(kept%template, made, stat, said)
    map_whole = keep_map(made, stat, handle)
  end function map_whole

  integer(c_int32_t) function map_shadow(map, before, after, handle) bind(c, name='fortran_map_shadow')
    type(c_ptr), value :: map
    integer(c_int64_t), intent(in) :: before(*), after(*)
    type(c_ptr), intent(inout) :: handle
    type(reblock_map), pointer :: made
    integer :: n, stat
    allocate (made)
    call reblock_map_axes(map_of(map), n)
    if (narrow_now()) then
      call reblock_map_shadow(map_of(map), int(before(:n)), int(after(:n)), made, stat, said)
    else
      call reblock_map_shadow(map_of(map), before(:n), after(:n), made, stat, said)
    end if
    map_shadow = keep_map(made, stat, handle)
  end function map_shadow

  integer(c_int32_t) function map_row_major(map, handle) bind(c, name='fortran_map_row_major')
    type(c_ptr), value :: map
    type(c_ptr), intent(inout) :: handle
    type(reblock_map), pointer :: made
    integer :: stat
    allocate (made)
    call reblock_map_row_major(map_of(map), made, stat, said)
    map_row_major = keep_map(made, stat, handle)
  end function map_row_major

  integer(c_int32_t) function map_order(map, order, handle) bind(c, name='fortran_map_order')
    type(c_ptr), value :: map
    integer(c_int64_t), intent(in) :: order(*)
    type(c_ptr), intent(inout) :: handle
    type(reblock_map), pointer :: made
    integer :: n, stat
    allocate (made)
    call reblock_map_axes(map_of(map), n)
    call reblock_map_order(map_of(map), int(order(:n)) + 1, made, stat, said)
    map_order = keep_map(made, stat, handle)
  end function map_order

  integer(c_int32_t) function map_strides(map, strides, handle) bind(c, name='fortran_map_strides')
    type(c_ptr), value :: map
    integer(c_int64_t), intent(in) :: strides(*)
    type(c_ptr), intent(inout) :: handle
    type(reblock_map), pointer :: made
    integer :: n, stat
    allocate (made)
    call reblock_map_axes(map_of(map), n)
    if (narrow_now()) then
      call reblock_map_strides(map_of(map), int(strides(:n)), made, stat, said)
    else
      call reblock_map_strides(map_of(map), strides(:n), made, stat, said)
    end if
    map_strides = keep_map(made, stat, handle)
  end function map_strides

  integer(c_int32_t) function map_from_boxes(comm, axes, extents, boxes, starts, sizes, row_major, offsets, strides, handle) &
    bind(c, name='fortran_map_from_boxes')
    integer(c_int), value :: comm
    integer(c_int64_t), value :: axes, boxes
    integer(c_int64_t), intent(in) :: extents(axes), starts(axes, boxes), sizes(axes, boxes)
    integer(c_int32_t), value :: row_major
    integer(c_int64_t), intent(in), optional :: offsets(boxes), strides(axes, boxes)
    type(c_ptr), intent(inout) :: handle
    type(reblock_map), pointer :: made
    integer, allocatable :: places(:), steps(:, :)
    integer :: stat
    allocate (made)
    if (narrow_now()) then
      ! Unallocated arguments are absent.
      if (present(offsets)) places = int(offsets)
      if (present(strides)) steps = int(strides)
      call reblock_map_from_boxes(int(comm), int(extents), int(starts), int(sizes), made, row_major /= 0, places, steps, stat, said)
    else
      call reblock_map_from_boxes(int(comm), extents, starts, sizes, made, row_major /= 0, offsets, strides, stat, said)
    end if
    map_from_boxes = keep_map(made, stat, handle)
  end function map_from_boxes

  integer(c_int32_t) function map_free(handle) bind(c, name='fortran_map_free') result(code)
    type(c_ptr), intent(inout) :: handle
    type(reblock_map), pointer :: map
    integer :: stat
    code = reblock_ok
    if (.not. c_associated(handle)) return
    map => map_of(handle)
    call reblock_map_free(map, stat, said)
    deallocate (map)
    handle = c_null_ptr
    code = stat
  end function map_free
end module corpus_declaring
