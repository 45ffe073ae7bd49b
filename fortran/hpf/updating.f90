! Executes plans with updates: as in move.f90, each array with its update. Collective over the plan's communicator. If
! alpha is 0 the source may be absent.
module reblock_hpf_updating
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr
  use reblock_hpf_object
  use reblock_hpf_buffer
  use reblock_hpf_plan
  use reblock_hpf_move
  use reblock_hpf_update
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_plan_update, reblock_plan_update_many, reblock_plan_start_update, reblock_plan_start_update_many

contains

  subroutine reblock_plan_update(plan, source, target, update, stat, errmsg)
    type(reblock_plan), intent(in) :: plan
    type(*), dimension(..), optional, asynchronous, target :: source, target
    type(reblock_update), intent(in) :: update
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(160) :: text
    type(c_ptr) :: from(1), to(1), handles(1)
    text = ''
    handles = handle_of(plan)
    from = c_null_ptr
    if (reads_source(update)) from = source_of(plan, reblock_buffer(source), text)
    to = target_of(plan, reblock_buffer(target), text)
    call update_all(handles, from, to, [update], 1_c_int64_t, stat, errmsg, text)
  end subroutine reblock_plan_update

  ! Executes several plans of one communicator in one set of messages, each array with its update.
  subroutine reblock_plan_update_many(plans, sources, targets, updates, stat, errmsg)
    type(reblock_plan), intent(in) :: plans(:)
    type(reblock_buffer), intent(in) :: sources(:), targets(:)
    type(reblock_update), intent(in) :: updates(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(160) :: text
    type(c_ptr), dimension(size(plans)) :: handles, from, to
    integer(c_int64_t) :: count
    logical :: reads(max(size(plans), size(updates)))
    reads = .true.
    reads(:size(updates)) = reads_source(updates)
    call collect(plans, sources, targets, handles, from, to, count, text, reads)
    call compare(count, updates, from, to, text)
    call update_all(handles, from, to, updates, count, stat, errmsg, text)
  end subroutine reblock_plan_update_many

  subroutine update_all(handles, from, to, updates, count, stat, errmsg, text)
    type(c_ptr), intent(in) :: handles(:), from(:), to(:)
    type(reblock_update), intent(in), target :: updates(:)
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in) :: text
    type(c_update), target :: given(size(updates))
    type(c_ptr) :: addresses(max(size(handles), size(updates)))
    integer(c_int32_t) :: code
    call give_updates(updates, given, addresses, code)
    if (code == reblock_ok) code = c_plan_update_many(count, handles, from, to, addresses)
    call report(code, stat, errmsg, text)
  end subroutine update_all

  subroutine reblock_plan_start_update(plan, source, target, update, request, stat, errmsg)
    type(reblock_plan), intent(in) :: plan
    type(*), dimension(..), optional, asynchronous, target :: source, target
    type(reblock_update), intent(in) :: update
    type(reblock_request), intent(out) :: request
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(160) :: text
    type(c_ptr) :: from(1), to(1), handles(1)
    text = ''
    handles = handle_of(plan)
    from = c_null_ptr
    if (reads_source(update)) from = source_of(plan, reblock_buffer(source), text)
    to = target_of(plan, reblock_buffer(target), text)
    call start_all(handles, from, to, [update], 1_c_int64_t, request, stat, errmsg, text)
  end subroutine reblock_plan_start_update

  subroutine reblock_plan_start_update_many(plans, sources, targets, updates, request, stat, errmsg)
    type(reblock_plan), intent(in) :: plans(:)
    type(reblock_buffer), intent(in) :: sources(:), targets(:)
    type(reblock_update), intent(in) :: updates(:)
    type(reblock_request), intent(out) :: request
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(160) :: text
    type(c_ptr), dimension(size(plans)) :: handles, from, to
    integer(c_int64_t) :: count
    logical :: reads(max(size(plans), size(updates)))
    reads = .true.
    reads(:size(updates)) = reads_source(updates)
    call collect(plans, sources, targets, handles, from, to, count, text, reads)
    call compare(count, updates, from, to, text)
    call start_all(handles, from, to, updates, count, request, stat, errmsg, text)
  end subroutine reblock_plan_start_update_many

  subroutine start_all(handles, from, to, updates, count, request, stat, errmsg, text)
    type(c_ptr), intent(in) :: handles(:), from(:), to(:)
    type(reblock_update), intent(in), target :: updates(:)
    integer(c_int64_t), intent(in) :: count
    type(reblock_request), intent(inout) :: request
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in) :: text
    type(c_update), target :: given(size(updates))
    type(c_ptr) :: addresses(max(size(handles), size(updates))), handle
    integer(c_int32_t) :: code
    handle = handle_of(request)
    call give_updates(updates, given, addresses, code)
    if (code == reblock_ok) code = c_plan_start_update_many(count, handles, from, to, addresses, handle)
    call give_handle(request, handle)
    call remember_text(request, text)
    call report(code, stat, errmsg, text)
  end subroutine start_all

  ! Checks that there is an update for each plan: otherwise `text` has the reason, and the call fails on all processes.
  subroutine compare(count, updates, from, to, text)
    integer(c_int64_t), intent(in) :: count
    type(reblock_update), intent(in) :: updates(:)
    type(c_ptr), intent(inout) :: from(:), to(:)
    character(*), intent(inout) :: text
    if (size(updates) == count .or. text /= '') return
    write (text, '(2(i0, a))') count, ' plans and ', size(updates), ' updates'
    call set_reason(text)
    from = c_null_ptr
    to = c_null_ptr
  end subroutine compare

  subroutine give_updates(updates, given, addresses, code)
    type(reblock_update), intent(in), target :: updates(:)
    type(c_update), intent(inout), target :: given(:)
    type(c_ptr), intent(out) :: addresses(:)
    integer(c_int32_t), intent(out) :: code
    integer :: k
    addresses = c_null_ptr
    code = reblock_ok
    do k = 1, size(updates)
      addresses(k) = c_loc(given(k))
      if (code == reblock_ok) code = c_update_init(addresses(k))
      call give_update(updates(k), given(k))
    end do
  end subroutine give_updates
end module reblock_hpf_updating
