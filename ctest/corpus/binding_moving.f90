! Plans and transfers by the module reblock_hpf. Arrays come from binding_fortran.c, with a subroutine for each type.
module corpus_moving
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08, only: MPI_Comm
  use reblock_hpf_f08
  use corpus_declaring
  use corpus_options
  use corpus_updates
  implicit none
  private

  ! Actions on two arrays: `struct job` in binding_fortran.c. `describe` prepares a call with several arrays.
  integer, parameter :: execute = 0, start = 1, describe = 2
  type, bind(c) :: fortran_job
    integer(c_int32_t) :: task, number
    type(c_ptr) :: plan, request, update
    integer(c_int32_t) :: stat
  end type fortran_job
  type(reblock_buffer) :: sources(8), targets(8)

contains

  function request_of(handle) result(request)
    type(c_ptr), intent(in) :: handle
    type(reblock_request), pointer :: request
    call c_f_pointer(handle, request)
  end function request_of

  integer(c_int32_t) function plan_create(comm, from, from_section, to, to_section, element, options, handle) &
    bind(c, name='fortran_plan_create') result(code)
    integer(c_int), value :: comm
    type(c_ptr), value :: from, to
    integer(c_int64_t), intent(in), optional :: from_section(3, *), to_section(3, *)
    integer(c_int64_t), value :: element
    type(c_plan_options), intent(in), optional :: options
    type(c_ptr), intent(inout) :: handle
    type(reblock_plan), pointer :: made
    type(reblock_plan_options), allocatable :: chosen
    type(reblock_range), allocatable :: a(:), b(:)
    integer :: stat
    allocate (made)
    if (present(from_section)) allocate (a, source=ranges_of(from, from_section))
    if (present(to_section)) allocate (b, source=ranges_of(to, to_section))
    if (present(options)) allocate (chosen, source=options_of(options))
    ! Unallocated arguments are absent.
    if (narrow_now()) then
      call reblock_plan_create(MPI_Comm(comm), map_of(from), map_of(to), int(element), made, a, b, chosen, stat, said)
    else
      call reblock_plan_create(int(comm), map_of(from), map_of(to), element, made, a, b, chosen, stat, said)
    end if
    if (stat == reblock_ok) handle = c_loc(made)
    code = stat
  end function plan_create

  integer(c_int32_t) function plan_inquire(plan, info) bind(c, name='fortran_plan_inquire') result(code)
    type(c_ptr), value :: plan
    type(reblock_plan_info), intent(out), target :: info
    integer :: stat
    call reblock_plan_inquire(plan_of(plan), info, stat, said)
    code = stat
  end function plan_inquire

  integer(c_int32_t) function plan_target(plan, handle) bind(c, name='fortran_plan_target') result(code)
    type(c_ptr), value :: plan
    type(c_ptr), intent(inout) :: handle
    type(reblock_map), pointer :: map
    logical :: moved
    integer :: stat
    allocate (map)
    call reblock_plan_target(plan_of(plan), map, moved, stat, said)
    if (moved) then
      code = keep_map(map, stat, handle)
    else
      deallocate (map)
      code = stat
    end if
  end function plan_target

  integer(c_int32_t) function plan_free(handle) bind(c, name='fortran_plan_free') result(code)
    type(c_ptr), intent(inout) :: handle
    type(reblock_plan), pointer :: plan
    integer :: stat
    code = reblock_ok
    if (.not. c_associated(handle)) return
    plan => plan_of(handle)
    call reblock_plan_free(plan, stat, said)
    deallocate (plan)
    handle = c_null_ptr
    code = stat
  end function plan_free

  ! A request that failed to start, or is complete, becomes NULL.
  subroutine keep_request(request, stat, handle)
    type(reblock_request), pointer, intent(inout) :: request
    integer, intent(in) :: stat
    type(c_ptr), intent(inout) :: handle
    handle = c_null_ptr
    if (stat == reblock_ok) handle = c_loc(request)
  end subroutine keep_request

  subroutine carry_out(job, source, target)
    type(fortran_job), intent(inout) :: job
    type(*), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    type(reblock_request), pointer :: request
    integer :: stat
    stat = reblock_ok
    select case (job%task)
    case (execute)
      if (c_associated(job%update)) then
        call reblock_plan_update(plan_of(job%plan), source, target, update_of(job%update), stat, said)
      else
        call reblock_plan_execute(plan_of(job%plan), source, target, stat, said)
      end if
    case (start)
      allocate (request)
      if (c_associated(job%update)) then
        call reblock_plan_start_update(plan_of(job%plan), source, target, update_of(job%update), request, stat, said)
      else
        call reblock_plan_start(plan_of(job%plan), source, target, request, stat, said)
      end if
      call keep_request(request, stat, job%request)
    case (describe)
      sources(job%number) = reblock_buffer(source)
      targets(job%number) = reblock_buffer(target)
    end select
    job%stat = stat
  end subroutine carry_out

  integer(c_int32_t) function execute_described(count, handles) bind(c, name='fortran_execute_described') result(code)
    integer(c_int64_t), value :: count
    type(c_ptr), intent(in) :: handles(count)
    integer :: k, stat
    call reblock_plan_execute_many([(plan_of(handles(k)), k=1, int(count))], sources(:count), targets(:count), stat, said)
    code = stat
  end function execute_described

  integer(c_int32_t) function start_described(count, handles, handle) bind(c, name='fortran_start_described') result(code)
    integer(c_int64_t), value :: count
    type(c_ptr), intent(in) :: handles(count)
    type(c_ptr), intent(inout) :: handle
    type(reblock_request), pointer :: request
    integer :: k, stat
    allocate (request)
    call reblock_plan_start_many([(plan_of(handles(k)), k=1, int(count))], sources(:count), targets(:count), request, stat, said)
    call keep_request(request, stat, handle)
    code = stat
  end function start_described

  ! There is one update for each plan.
  integer(c_int32_t) function update_described(count, handles, updates) bind(c, name='fortran_update_described') result(code)
    integer(c_int64_t), value :: count
    type(c_ptr), intent(in) :: handles(count), updates(count)
    integer :: k, stat
    call reblock_plan_update_many([(plan_of(handles(k)), k=1, int(count))], sources(:count), targets(:count), &
                                  made_of(updates, handles), stat, said)
    code = stat
  end function update_described

  integer(c_int32_t) function start_update_described(count, handles, updates, handle) &
    bind(c, name='fortran_start_update_described') result(code)
    integer(c_int64_t), value :: count
    type(c_ptr), intent(in) :: handles(count), updates(count)
    type(c_ptr), intent(inout) :: handle
    type(reblock_request), pointer :: request
    integer :: k, stat
    allocate (request)
    call reblock_plan_start_update_many([(plan_of(handles(k)), k=1, int(count))], sources(:count), targets(:count), &
                                        made_of(updates, handles), request, stat, said)
    call keep_request(request, stat, handle)
    code = stat
  end function start_update_described

  ! If C passes no update for a plan, Fortran passes a copy with the type of the other updates.
  function made_of(updates, handles) result(made)
    type(c_ptr), intent(in) :: updates(:), handles(:)
    type(reblock_update) :: made(size(handles))
    type(c_ptr) :: any
    integer :: k
    do k = 1, size(updates)
      if (c_associated(updates(k))) any = updates(k)
    end do
    do k = 1, size(updates)
      if (c_associated(updates(k))) then
        made(k) = update_of(updates(k))
      else
        made(k) = update_of(any, is_copy=.true.)
      end if
    end do
  end function made_of

  integer(c_int32_t) function request_test(handle, done) bind(c, name='fortran_request_test') result(code)
    type(c_ptr), intent(inout) :: handle
    integer(c_int32_t), intent(out) :: done
    type(reblock_request), pointer :: request
    logical :: is_over
    integer :: stat
    request => request_of(handle)
    call reblock_request_test(request, is_over, stat, said)
    done = merge(1, 0, is_over)
    if (is_over) call forget(handle)
    code = stat
  end function request_test

  integer(c_int32_t) function request_wait(handle) bind(c, name='fortran_request_wait') result(code)
    type(c_ptr), intent(inout) :: handle
    type(reblock_request), pointer :: request
    integer :: stat
    request => request_of(handle)
    call reblock_request_wait(request, stat, said)
    call forget(handle)
    code = stat
  end function request_wait

  integer(c_int32_t) function request_free(handle) bind(c, name='fortran_request_free') result(code)
    type(c_ptr), intent(inout) :: handle
    type(reblock_request), pointer :: request
    integer :: stat
    request => request_of(handle)
    call reblock_request_free(request, stat, said)
    call forget(handle)
    code = stat
  end function request_free

  subroutine forget(handle)
    type(c_ptr), intent(inout) :: handle
    type(reblock_request), pointer :: request
    request => request_of(handle)
    deallocate (request)
    handle = c_null_ptr
  end subroutine forget

  subroutine do_int8_t(job, source, target) bind(c, name='fortran_do_int8_t')
    type(fortran_job), intent(inout) :: job
    integer(c_int8_t), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_int8_t

  subroutine do_bool(job, source, target) bind(c, name='fortran_do_Bool')
    type(fortran_job), intent(inout) :: job
    logical(c_bool), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_bool

  subroutine do_int16_t(job, source, target) bind(c, name='fortran_do_int16_t')
    type(fortran_job), intent(inout) :: job
    integer(c_int16_t), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_int16_t

  subroutine do_int32_t(job, source, target) bind(c, name='fortran_do_int32_t')
    type(fortran_job), intent(inout) :: job
    integer(c_int32_t), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_int32_t

  subroutine do_float(job, source, target) bind(c, name='fortran_do_float')
    type(fortran_job), intent(inout) :: job
    real(c_float), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_float

  subroutine do_int64_t(job, source, target) bind(c, name='fortran_do_int64_t')
    type(fortran_job), intent(inout) :: job
    integer(c_int64_t), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_int64_t

  subroutine do_double(job, source, target) bind(c, name='fortran_do_double')
    type(fortran_job), intent(inout) :: job
    real(c_double), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_double

  subroutine do_float_complex(job, source, target) bind(c, name='fortran_do_float_Complex')
    type(fortran_job), intent(inout) :: job
    complex(c_float_complex), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_float_complex

  subroutine do_double_complex(job, source, target) bind(c, name='fortran_do_double_Complex')
    type(fortran_job), intent(inout) :: job
    complex(c_double_complex), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_double_complex

  subroutine do_long_double(job, source, target) bind(c, name='fortran_do_long_double')
    type(fortran_job), intent(inout) :: job
    real(c_long_double), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_long_double

  subroutine do_char(job, source, target) bind(c, name='fortran_do_char')
    type(fortran_job), intent(inout) :: job
    character(*, c_char), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_char

  subroutine do_other(job, source, target) bind(c, name='fortran_do_other')
    type(fortran_job), intent(inout) :: job
    type(*), dimension(..), optional, asynchronous, target, intent(in) :: source, target
    call carry_out(job, source, target)
  end subroutine do_other

end module corpus_moving
