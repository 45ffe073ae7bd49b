! Executes plans, at once or as non-blocking requests. Collective over the plan's communicator.
!
! Arguments are local arrays of any type, kind and rank, which are not copied; element size and extents must be the
! plan's. A process without a part may pass an array that is not allocated or absent. For an array that does not fit,
! the library gets NULL: if the plan moves elements of it, the call fails on all processes, and this one reports the
! reason.
!
! Between reblock_plan_start and the completion of the request, the program must not write the source, read or write the
! target, or deallocate either; give them the attribute ASYNCHRONOUS (or TARGET). Some compilers pass a copy of a
! component or a substring of all elements, a%x or a(:)(2:3): do not use those in a start.
module reblock_hpf_move
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t, c_null_ptr, c_ptr
  use reblock_hpf_object
  use reblock_hpf_buffer
  use reblock_hpf_plan
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_plan_execute, reblock_plan_execute_many, reblock_plan_start, reblock_plan_start_many
  public :: reblock_request_test, reblock_request_wait, reblock_request_free, collect, remember_text

  type, extends(reblock_object), public :: reblock_request
    private
    ! The reason if an argument did not fit; the program gets it when the request is complete.
    character(160) :: text = ''
  end type reblock_request

contains

  subroutine reblock_plan_execute(plan, source, target, stat, errmsg)
    type(reblock_plan), intent(in) :: plan
    type(*), dimension(..), optional, asynchronous, target :: source, target
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(160) :: text
    type(c_ptr) :: from, to
    text = ''
    from = source_of(plan, reblock_buffer(source), text)
    to = target_of(plan, reblock_buffer(target), text)
    call report(c_plan_execute(handle_of(plan), from, to), stat, errmsg, text)
  end subroutine reblock_plan_execute

  ! Executes several plans of one communicator in one set of messages.
  subroutine reblock_plan_execute_many(plans, sources, targets, stat, errmsg)
    type(reblock_plan), intent(in) :: plans(:)
    type(reblock_buffer), intent(in) :: sources(:), targets(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(160) :: text
    type(c_ptr), dimension(size(plans)) :: handles, from, to
    integer(c_int64_t) :: count
    call collect(plans, sources, targets, handles, from, to, count, text)
    call report(c_plan_execute_many(count, handles, from, to), stat, errmsg, text)
  end subroutine reblock_plan_execute_many

  subroutine reblock_plan_start(plan, source, target, request, stat, errmsg)
    type(reblock_plan), intent(in) :: plan
    type(*), dimension(..), optional, asynchronous, target :: source, target
    type(reblock_request), intent(out) :: request
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(160) :: text
    type(c_ptr) :: from, to, handle
    integer(c_int32_t) :: code
    text = ''
    from = source_of(plan, reblock_buffer(source), text)
    to = target_of(plan, reblock_buffer(target), text)
    handle = handle_of(request)
    code = c_plan_start(handle_of(plan), from, to, handle)
    call give_handle(request, handle)
    call remember_text(request, text)
    call report(code, stat, errmsg, text)
  end subroutine reblock_plan_start

  subroutine reblock_plan_start_many(plans, sources, targets, request, stat, errmsg)
    type(reblock_plan), intent(in) :: plans(:)
    type(reblock_buffer), intent(in) :: sources(:), targets(:)
    type(reblock_request), intent(out) :: request
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(160) :: text
    type(c_ptr), dimension(size(plans)) :: handles, from, to
    type(c_ptr) :: handle
    integer(c_int64_t) :: count
    integer(c_int32_t) :: code
    call collect(plans, sources, targets, handles, from, to, count, text)
    handle = handle_of(request)
    code = c_plan_start_many(count, handles, from, to, handle)
    call give_handle(request, handle)
    call remember_text(request, text)
    call report(code, stat, errmsg, text)
  end subroutine reblock_plan_start_many

  ! Tests whether the request is complete; if so, frees it. If the test fails and done is false, the request stays:
  ! reblock_request_wait or reblock_request_free must end it.
  subroutine reblock_request_test(request, done, stat, errmsg)
    type(reblock_request), intent(inout) :: request
    logical, intent(out) :: done
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code, complete
    complete = 0
    handle = handle_of(request)
    code = c_request_test(handle, complete)
    call give_handle(request, handle)
    done = complete /= 0
    call report(code, stat, errmsg, request%text)
  end subroutine reblock_request_test

  subroutine reblock_request_wait(request, stat, errmsg)
    type(reblock_request), intent(inout) :: request
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(request)
    code = c_request_wait(handle)
    call give_handle(request, handle)
    call report(code, stat, errmsg, request%text)
  end subroutine reblock_request_wait

  ! Frees a request after waiting for its completion.
  subroutine reblock_request_free(request, stat, errmsg)
    type(reblock_request), intent(inout) :: request
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call free_object(c_request_free, request, stat, errmsg)
  end subroutine reblock_request_free

  ! Keeps the reason if an argument did not fit.
  subroutine remember_text(request, text)
    type(reblock_request), intent(inout) :: request
    character(*), intent(in) :: text
    request%text = text
  end subroutine remember_text

  ! Converts plans and arrays to C; sources that are not read stay NULL.
  subroutine collect(plans, sources, targets, handles, from, to, count, text, reads)
    type(reblock_plan), intent(in) :: plans(:)
    type(reblock_buffer), intent(in) :: sources(:), targets(:)
    type(c_ptr), intent(out) :: handles(:), from(:), to(:)
    integer(c_int64_t), intent(out) :: count
    character(*), intent(out) :: text
    logical, intent(in), optional :: reads(:)
    integer :: k
    text = ''
    count = size(plans)
    if (size(sources) /= count .or. size(targets) /= count) then
      write (text, '(3(i0, a))') count, ' plans, ', size(sources), ' sources and ', size(targets), ' targets'
      call set_reason(text)
    end if
    from = c_null_ptr
    to = c_null_ptr
    do k = 1, size(plans)
      handles(k) = handle_of(plans(k))
      if (text /= '') cycle
      to(k) = target_of(plans(k), targets(k), text)
      if (present(reads)) then
        if (.not. reads(k)) cycle
      end if
      from(k) = source_of(plans(k), sources(k), text)
    end do
  end subroutine collect
end module reblock_hpf_move
