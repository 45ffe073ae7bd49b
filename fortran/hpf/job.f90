! WHAT grows and shrinks with a program? A job: its ranks, and what it has registered. The interface of include/reblock.h, whose
! comments say what each function does; numbers of what is registered count from 1.
!
! Storage is the library's: a program registers a matrix by its descriptor or an array by its map, and asks for a pointer with
! reblock_job_pointer, anew after each resize.
module reblock_hpf_job
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_double_complex, c_f_pointer, c_float, &
    c_float_complex, c_int, c_int32_t, c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_calls_mapping
  implicit none
  private
  public :: reblock_job_init, reblock_job_joined, reblock_job_comm, reblock_job_blacs, reblock_job_matrix, reblock_job_array
  public :: reblock_job_value, reblock_job_map, reblock_job_storage, reblock_job_pointer, reblock_job_step, reblock_job_expand
  public :: reblock_job_shrink, reblock_job_possible, reblock_job_log, reblock_job_policy_text, reblock_job_price_of
  public :: reblock_job_times_of, reblock_job_leave, reblock_job_finalize

  ! What a resize point has come to.
  integer, parameter, public :: reblock_job_same = 0, reblock_job_resized = 1, reblock_job_left = 2

  ! Where the library writes the address of one array. It stays where it is as long as the job.
  type :: slot
    type(c_ptr) :: data = c_null_ptr
    type(slot), pointer :: next => null()
  end type slot

  ! A job. Copies of it stand for the same.
  type, extends(reblock_object), public :: reblock_job
    private
    type(slot), pointer :: first => null()
  end type reblock_job

  ! Seconds of the last resize.
  type, bind(c), public :: reblock_job_times
    integer(c_int64_t) :: before = 0, after = 0
    real(c_double) :: ask = 0, spawn = 0, grid = 0, plan = 0, move = 0, total = 0
  end type reblock_job_times

  ! What moving everything would take.
  type, bind(c), public :: reblock_job_price
    integer(c_int64_t) :: bytes = 0, messages = 0, steps = 0
    real(c_double) :: seconds = 0
  end type reblock_job_price

  ! C's reblock_job_options.
  type, bind(c) :: c_job_options
    integer(c_int64_t) :: size = 0, version = 0, unit = 0, park = 0
    type(c_ptr) :: command = c_null_ptr, allocate = c_null_ptr, release = c_null_ptr, context = c_null_ptr
  end type c_job_options

  ! A pointer to the storage of the number-th thing that was registered, as an array of the leading dimension and the local
  ! columns, shadow included.
  interface reblock_job_pointer
    procedure :: pointer_int32, pointer_real32, pointer_real64, pointer_complex32, pointer_complex64
  end interface reblock_job_pointer

  interface
    integer(c_int32_t) function c_job_options_init(options) bind(c, name='reblock_job_options_init')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: options
    end function c_job_options_init
    integer(c_int32_t) function c_job_init(first, options, job) bind(c, name='reblock_job_init_fortran')
      import :: c_int, c_int32_t, c_ptr
      integer(c_int), value :: first
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: job
    end function c_job_init
    integer(c_int32_t) function c_job_joined(job, joined) bind(c, name='reblock_job_joined')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int32_t), intent(inout) :: joined
    end function c_job_joined
    integer(c_int32_t) function c_job_comm(job, comm) bind(c, name='reblock_job_comm_fortran')
      import :: c_int, c_int32_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int), intent(inout) :: comm
    end function c_job_comm
    ! Integers of BLACS are the program's.
    integer(c_int32_t) function c_job_blacs(job, rows, cols, context) bind(c, name='reblock_job_blacs')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job
      integer, value :: rows, cols
      integer, intent(inout) :: context
    end function c_job_blacs
    integer(c_int32_t) function c_job_matrix(job, desc, element, data) bind(c, name='reblock_job_matrix')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job, desc
      integer(c_int64_t), value :: element
      type(c_ptr), value :: data
    end function c_job_matrix
    integer(c_int32_t) function c_job_array(job, map, element, data) bind(c, name='reblock_job_array')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job, map
      integer(c_int64_t), value :: element
      type(c_ptr), value :: data
    end function c_job_array
    integer(c_int32_t) function c_job_value(job, place, bytes) bind(c, name='reblock_job_value')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job, place
      integer(c_int64_t), value :: bytes
    end function c_job_value
    integer(c_int32_t) function c_job_map(job, number, map) bind(c, name='reblock_job_map')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: number
      type(c_ptr), intent(inout) :: map
    end function c_job_map
    integer(c_int32_t) function c_job_step(job, state) bind(c, name='reblock_job_step')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int32_t), intent(inout) :: state
    end function c_job_step
    integer(c_int32_t) function c_job_expand(job, ranks, state) bind(c, name='reblock_job_expand')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      integer(c_int32_t), intent(inout) :: state
    end function c_job_expand
    integer(c_int32_t) function c_job_shrink(job, ranks, state) bind(c, name='reblock_job_shrink')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      integer(c_int32_t), intent(inout) :: state
    end function c_job_shrink
    integer(c_int32_t) function c_job_possible(job, ranks) bind(c, name='reblock_job_possible')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
    end function c_job_possible
    integer(c_int32_t) function c_job_log(job, seconds) bind(c, name='reblock_job_log')
      import :: c_double, c_int32_t, c_ptr
      type(c_ptr), value :: job
      real(c_double), value :: seconds
    end function c_job_log
    integer(c_int32_t) function c_job_policy_text(job, policy) bind(c, name='reblock_job_policy_text')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job, policy
    end function c_job_policy_text
    integer(c_int32_t) function c_job_price_of(job, ranks, price) bind(c, name='reblock_job_price_of')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      type(c_ptr), value :: price
    end function c_job_price_of
    integer(c_int32_t) function c_job_times_of(job, times) bind(c, name='reblock_job_times_of')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job, times
    end function c_job_times_of
    integer(c_int32_t) function c_job_leave(job) bind(c, name='reblock_job_leave')
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: job
    end function c_job_leave
    integer(c_int32_t) function c_job_finalize(job) bind(c, name='reblock_job_finalize')
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: job
    end function c_job_finalize
  end interface

contains

  ! unit: the most ranks of a spawn call. park: ranks that cannot leave wait. command: what new processes run.
  subroutine reblock_job_init(comm, job, unit, park, command, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_job), intent(out) :: job
    integer, intent(in), optional :: unit
    logical, intent(in), optional :: park
    character(*), intent(in), optional :: command
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_job_options), target :: options
    character(:, c_char), allocatable, target :: program
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    code = c_job_options_init(c_loc(options))
    if (present(unit)) options%unit = unit
    if (present(park)) options%park = merge(1, 0, park)
    if (present(command)) then
      program = trim(command)//c_null_char
      options%command = c_loc(program)
    end if
    handle = handle_of(job)
    if (code == reblock_ok) code = c_job_init(int(comm, c_int), c_loc(options), handle)
    call give_handle(job, handle)
    call settle(code, stat, errmsg)
  end subroutine reblock_job_init

  logical function reblock_job_joined(job)
    type(reblock_job), intent(in) :: job
    integer(c_int32_t) :: joined
    joined = 0
    reblock_job_joined = c_job_joined(handle_of(job), joined) == reblock_ok
    reblock_job_joined = reblock_job_joined .and. joined /= 0
  end function reblock_job_joined

  subroutine reblock_job_comm(job, comm, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(inout) :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: now
    integer(c_int32_t) :: code
    now = int(comm, c_int)
    code = c_job_comm(handle_of(job), now)
    comm = now
    call settle(code, stat, errmsg)
  end subroutine reblock_job_comm

  ! rows, cols: the grid, where there is none yet; as nearly square as it can be if absent.
  subroutine reblock_job_blacs(job, context, rows, cols, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(inout) :: context
    integer, intent(in), optional :: rows, cols
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: shape(2)
    shape = 0
    if (present(rows)) shape(1) = rows
    if (present(cols)) shape(2) = cols
    call settle(c_job_blacs(handle_of(job), shape(1), shape(2), context), stat, errmsg)
  end subroutine reblock_job_blacs

  ! A matrix with elements of `element` bytes: storage_size(x) / 8.
  subroutine reblock_job_matrix(job, desc, element, stat, errmsg)
    type(reblock_job), intent(inout) :: job
    integer, intent(inout), target :: desc(9)
    integer, intent(in) :: element
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(slot), pointer :: here
    call add_slot(job, here)
    call settle(c_job_matrix(handle_of(job), c_loc(desc), int(element, c_int64_t), c_loc(here%data)), stat, errmsg)
  end subroutine reblock_job_matrix

  subroutine reblock_job_array(job, map, element, stat, errmsg)
    type(reblock_job), intent(inout) :: job
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: element
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(slot), pointer :: here
    call add_slot(job, here)
    call settle(c_job_array(handle_of(job), handle_of(map), int(element, c_int64_t), c_loc(here%data)), stat, errmsg)
  end subroutine reblock_job_array

  ! A value at c_loc of a variable that lives as long as the job.
  subroutine reblock_job_value(job, place, bytes, stat, errmsg)
    type(reblock_job), intent(inout) :: job
    type(c_ptr), intent(in) :: place
    integer, intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(slot), pointer :: here
    call add_slot(job, here)
    call settle(c_job_value(handle_of(job), place, int(bytes, c_int64_t)), stat, errmsg)
  end subroutine reblock_job_value

  subroutine add_slot(job, here)
    type(reblock_job), intent(inout) :: job
    type(slot), pointer, intent(out) :: here
    allocate (here)
    if (.not. associated(job%first)) then
      job%first => here
      return
    end if
    block
      type(slot), pointer :: last
      last => job%first
      do while (associated(last%next))
        last => last%next
      end do
      last%next => here
    end block
  end subroutine add_slot

  ! The map that the number-th thing has now.
  subroutine reblock_job_map(job, number, map, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(map)
    code = c_job_map(handle_of(job), int(number - 1, c_int64_t), handle)
    call give_handle(map, handle)
    call settle(code, stat, errmsg)
  end subroutine reblock_job_map

  ! The address of the storage of the number-th thing; null where this process has no part.
  type(c_ptr) function reblock_job_storage(job, number)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    type(slot), pointer :: here
    integer :: k
    here => job%first
    do k = 2, number
      if (associated(here)) here => here%next
    end do
    reblock_job_storage = c_null_ptr
    if (associated(here)) reblock_job_storage = here%data
  end function reblock_job_storage

  ! Where the storage is, and its leading dimension and columns.
  subroutine extents_of(job, number, data, shape, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    type(c_ptr), intent(out) :: data
    integer(int64), intent(out) :: shape(2)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: map
    integer(c_int64_t), dimension(most_rank) :: extents, lower, before, after, strides
    integer(c_int32_t) :: code, freed, has_part
    integer(c_int64_t) :: axes
    data = reblock_job_storage(job, number)
    map = c_null_ptr
    extents = 0
    before = 0
    after = 0
    strides = 0
    axes = 0
    shape = 0
    code = c_job_map(handle_of(job), int(number - 1, c_int64_t), map)
    if (code == reblock_ok) code = c_map_rank(map, axes)
    if (code == reblock_ok) code = c_map_local(map, extents, lower, before, after, strides, has_part)
    freed = c_map_free(map)
    if (code == reblock_ok) then
      shape = [extents(1) + before(1) + after(1), 1_int64]
      if (axes > 1) shape = [max(strides(2), 1_int64), product(extents(2:axes) + before(2:axes) + after(2:axes))]
    end if
    call settle(code, stat, errmsg)
  end subroutine extents_of

  subroutine pointer_int32(job, number, a, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    integer(c_int32_t), pointer, intent(out) :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: shape(2)
    nullify (a)
    call extents_of(job, number, data, shape, stat, errmsg)
    if (c_associated(data)) call c_f_pointer(data, a, shape)
  end subroutine pointer_int32

  subroutine pointer_real32(job, number, a, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    real(c_float), pointer, intent(out) :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: shape(2)
    nullify (a)
    call extents_of(job, number, data, shape, stat, errmsg)
    if (c_associated(data)) call c_f_pointer(data, a, shape)
  end subroutine pointer_real32

  subroutine pointer_real64(job, number, a, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    real(c_double), pointer, intent(out) :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: shape(2)
    nullify (a)
    call extents_of(job, number, data, shape, stat, errmsg)
    if (c_associated(data)) call c_f_pointer(data, a, shape)
  end subroutine pointer_real64

  subroutine pointer_complex32(job, number, a, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    complex(c_float_complex), pointer, intent(out) :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: shape(2)
    nullify (a)
    call extents_of(job, number, data, shape, stat, errmsg)
    if (c_associated(data)) call c_f_pointer(data, a, shape)
  end subroutine pointer_complex32

  subroutine pointer_complex64(job, number, a, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    complex(c_double_complex), pointer, intent(out) :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int64) :: shape(2)
    nullify (a)
    call extents_of(job, number, data, shape, stat, errmsg)
    if (c_associated(data)) call c_f_pointer(data, a, shape)
  end subroutine pointer_complex64

  ! A resize point: state is one of reblock_job_same, reblock_job_resized, reblock_job_left.
  subroutine reblock_job_step(job, state, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(out) :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: now, code
    now = reblock_job_same
    code = c_job_step(handle_of(job), now)
    state = now
    call settle(code, stat, errmsg)
  end subroutine reblock_job_step

  subroutine reblock_job_expand(job, ranks, state, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: ranks
    integer, intent(out) :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: now, code
    now = reblock_job_same
    code = c_job_expand(handle_of(job), int(ranks, c_int64_t), now)
    state = now
    call settle(code, stat, errmsg)
  end subroutine reblock_job_expand

  subroutine reblock_job_shrink(job, ranks, state, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: ranks
    integer, intent(out) :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: now, code
    now = reblock_job_same
    code = c_job_shrink(handle_of(job), int(ranks, c_int64_t), now)
    state = now
    call settle(code, stat, errmsg)
  end subroutine reblock_job_shrink

  logical function reblock_job_possible(job, ranks)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: ranks
    reblock_job_possible = c_job_possible(handle_of(job), int(ranks, c_int64_t)) == reblock_ok
  end function reblock_job_possible

  subroutine reblock_job_log(job, seconds, stat, errmsg)
    type(reblock_job), intent(in) :: job
    real(c_double), intent(in) :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_job_log(handle_of(job), seconds), stat, errmsg)
  end subroutine reblock_job_log

  subroutine reblock_job_policy_text(job, policy, stat, errmsg)
    type(reblock_job), intent(in) :: job
    character(*), intent(in) :: policy
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:, c_char), allocatable, target :: text
    text = trim(policy)//c_null_char
    call settle(c_job_policy_text(handle_of(job), c_loc(text)), stat, errmsg)
  end subroutine reblock_job_policy_text

  subroutine reblock_job_price_of(job, ranks, price, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: ranks
    type(reblock_job_price), target, intent(out) :: price
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_job_price_of(handle_of(job), int(ranks, c_int64_t), c_loc(price)), stat, errmsg)
  end subroutine reblock_job_price_of

  subroutine reblock_job_times_of(job, times, stat, errmsg)
    type(reblock_job), intent(in) :: job
    type(reblock_job_times), target, intent(out) :: times
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_job_times_of(handle_of(job), c_loc(times)), stat, errmsg)
  end subroutine reblock_job_times_of

  subroutine reblock_job_leave(job, stat, errmsg)
    type(reblock_job), intent(inout) :: job
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(job)
    code = c_job_leave(handle)
    call give_handle(job, handle)
    call settle(code, stat, errmsg)
  end subroutine reblock_job_leave

  subroutine reblock_job_finalize(job, stat, errmsg)
    type(reblock_job), intent(inout) :: job
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(job)
    code = c_job_finalize(handle)
    call give_handle(job, handle)
    call settle(code, stat, errmsg)
  end subroutine reblock_job_finalize
end module reblock_hpf_job
