! Resize points: a job changes its number of ranks, by a policy or to the program's number.
module reblock_hpf_resize
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_funloc, c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr
  use reblock_hpf_object
  use reblock_hpf_job
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_job_step, reblock_job_expand, reblock_job_shrink, reblock_job_can_resize, reblock_job_set_seconds
  public :: reblock_job_set_policy, reblock_job_wants, reblock_job_set_policy_text, reblock_job_set_spawn_info
  public :: reblock_job_set_leaving, reblock_job_set_leaving_hosts, reblock_job_get_hosts, reblock_job_next_freed
  public :: reblock_job_get_price, reblock_job_get_times, reblock_job_set_constant

  ! Results of a resize point.
  integer, parameter, public :: reblock_job_same = 0, reblock_job_resized = 1, reblock_job_left = 2, &
    reblock_job_moving = 3

  ! Times of the last resize, in seconds; before and after are the numbers of ranks. ask: asking the policy, and
  ! agreeing on the size. spawn: starting processes or waking parked ones, and forming the new group. grid: making
  ! communicators and the process grid. plan: sending new ranks the registered items, and planning. transfer: moving all
  ! arrays, and freeing their old storage. total: all resize points of the resize. In a process that the resize started
  ! or woke, ask and spawn are 0.
  type, bind(c), public :: reblock_job_times
    integer(c_int64_t) :: size = 0, version = 0
    integer(c_int64_t) :: before = 0, after = 0
    real(c_double) :: ask = 0, spawn = 0, grid = 0, plan = 0, transfer = 0, total = 0
  end type reblock_job_times

  ! Predicted cost of a resize.
  type, bind(c), public :: reblock_job_price
    integer(c_int64_t) :: size = 0, version = 0
    integer(c_int64_t) :: bytes = 0, messages = 0, steps = 0
    real(c_double) :: seconds = 0
  end type reblock_job_price

  abstract interface
    ! Returns the number of ranks that the job should have, or 0 for no change. It has `ranks` ranks now, and an
    ! iteration takes `seconds` on the slowest rank.
    integer function reblock_job_wants(ranks, seconds)
      import :: c_double
      integer, intent(in) :: ranks
      real(c_double), intent(in) :: seconds
    end function reblock_job_wants
    ! A C function that changes the number of ranks.
    integer(c_int32_t) function resizes(job, ranks, state) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      integer(c_int32_t), intent(inout) :: state
    end function resizes
  end interface

  ! Context of call_policy. Never freed, because C may use its address as long as the job exists.
  type :: policy_context
    procedure(reblock_job_wants), pointer, nopass :: wants => null()
  end type policy_context

contains

  ! Executes a resize point: state becomes reblock_job_same, reblock_job_resized, reblock_job_moving or
  ! reblock_job_left.
  subroutine reblock_job_step(job, state, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(out) :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: now, code
    now = reblock_job_same
    code = c_job_step(handle_of(job), now)
    state = now
    call report(code, stat, errmsg)
  end subroutine reblock_job_step

  subroutine reblock_job_expand(job, ranks, state, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: ranks
    integer, intent(out) :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call change(c_job_expand, job, ranks, state, stat, errmsg)
  end subroutine reblock_job_expand

  subroutine reblock_job_shrink(job, ranks, state, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: ranks
    integer, intent(out) :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call change(c_job_shrink, job, ranks, state, stat, errmsg)
  end subroutine reblock_job_shrink

  subroutine change(c_change, job, ranks, state, stat, errmsg)
    procedure(resizes) :: c_change
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: ranks
    integer, intent(out) :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int64_t) :: wanted
    integer(c_int32_t) :: now, code
    handle = handle_of(job)
    wanted = ranks
    now = reblock_job_same
    code = c_change(handle, wanted, now)
    state = now
    call report(code, stat, errmsg)
  end subroutine change

  ! Declares whether the program only reads the registered item `number`, a matrix or an array, while a resize is under
  ! way. A constant item moves while the program computes.
  subroutine reblock_job_set_constant(job, number, constant, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    logical, intent(in) :: constant
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: flag
    flag = merge(1, 0, constant)
    call report(c_job_set_constant(handle_of(job), int(number, c_int64_t) - 1, flag), stat, errmsg)
  end subroutine reblock_job_set_constant

  logical function reblock_job_can_resize(job, ranks)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: ranks
    reblock_job_can_resize = c_job_can_resize(handle_of(job), int(ranks, c_int64_t)) == reblock_ok
  end function reblock_job_can_resize

  subroutine reblock_job_set_seconds(job, seconds, stat, errmsg)
    type(reblock_job), intent(in) :: job
    real(c_double), intent(in) :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_job_set_seconds(handle_of(job), seconds), stat, errmsg)
  end subroutine reblock_job_set_seconds

  ! Sets the policy function `wants` of resize points; the function of rank 0 is called.
  subroutine reblock_job_set_policy(job, wants, stat, errmsg)
    type(reblock_job), intent(in) :: job
    procedure(reblock_job_wants) :: wants
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(policy_context), pointer :: kept
    allocate (kept)
    kept%wants => wants
    call report(c_job_set_policy(handle_of(job), c_funloc(call_policy), c_loc(kept)), stat, errmsg)
  end subroutine reblock_job_set_policy

  ! Calls the program's function for C.
  integer(c_int64_t) function call_policy(context, ranks, seconds) bind(c, name='reblock_fortran_policy')
    type(c_ptr), value :: context
    integer(c_int64_t), value :: ranks
    real(c_double), value :: seconds
    type(policy_context), pointer :: kept
    call c_f_pointer(context, kept)
    call_policy = kept%wants(int(ranks), seconds)
  end function call_policy

  subroutine reblock_job_set_policy_text(job, policy, stat, errmsg)
    type(reblock_job), intent(in) :: job
    character(*), intent(in) :: policy
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_job_set_policy_text(handle_of(job), c_string(policy)), stat, errmsg)
  end subroutine reblock_job_set_policy_text

  ! Sets the info that MPI receives when it starts processes: the handle of an info, or MPI_INFO_NULL. The info of rank
  ! 0 is used.
  subroutine reblock_job_set_spawn_info(job, info, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: info
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_job_set_spawn_info(handle_of(job), int(info, c_int32_t)), stat, errmsg)
  end subroutine reblock_job_set_spawn_info

  ! Sets the ranks that leave at the next resize point; the list of rank 0 is used.
  subroutine reblock_job_set_leaving(job, ranks, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: ranks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_job_set_leaving(handle_of(job), size(ranks, kind=c_int64_t), int(ranks, c_int64_t)), stat, errmsg)
  end subroutine reblock_job_set_leaving

  ! Makes all ranks on the hosts of a list leave, 'node3,node4'.
  subroutine reblock_job_set_leaving_hosts(job, hosts, stat, errmsg)
    type(reblock_job), intent(in) :: job
    character(*), intent(in) :: hosts
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_job_set_leaving_hosts(handle_of(job), c_string(hosts)), stat, errmsg)
  end subroutine reblock_job_set_leaving_hosts

  ! Gets the hosts of the active ranks, in their order: 'node1,node1,node2'.
  subroutine reblock_job_get_hosts(job, hosts, stat, errmsg)
    type(reblock_job), intent(in) :: job
    character(:), allocatable, intent(out) :: hosts
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:, c_char), allocatable, target :: text
    integer(c_int64_t) :: length
    integer(c_int32_t) :: code
    length = 0
    code = c_job_get_hosts(handle_of(job), c_null_ptr, 0_c_int64_t, length)
    allocate (character(length + 1, c_char) :: text)
    if (code == reblock_ok) code = c_job_get_hosts(handle_of(job), c_loc(text), length + 1, length)
    hosts = text(:length)
    call report(code, stat, errmsg)
  end subroutine reblock_job_get_hosts

  ! Gets the next host that became free: no process of the job is on it. Rank 0 gets each host once, and '' if there
  ! is none. Other ranks always get ''.
  subroutine reblock_job_next_freed(job, host, stat, errmsg)
    type(reblock_job), intent(in) :: job
    character(:), allocatable, intent(out) :: host
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(65, c_char), target :: text
    integer(c_int64_t) :: length
    integer(c_int32_t) :: code
    length = 0
    code = c_job_next_freed(handle_of(job), c_loc(text), 65_c_int64_t, length)
    host = text(:length)
    call report(code, stat, errmsg)
  end subroutine reblock_job_next_freed

  subroutine reblock_job_get_price(job, ranks, price, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: ranks
    type(reblock_job_price), target, intent(out) :: price
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_job_price_init(c_loc(price))
    if (code == reblock_ok) code = c_job_get_price(handle_of(job), int(ranks, c_int64_t), c_loc(price))
    call report(code, stat, errmsg)
  end subroutine reblock_job_get_price

  ! Gets the times of the last resize; zeros before the first one. Resize points without a resize keep them.
  subroutine reblock_job_get_times(job, times, stat, errmsg)
    type(reblock_job), intent(in) :: job
    type(reblock_job_times), target, intent(out) :: times
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_job_times_init(c_loc(times))
    if (code == reblock_ok) code = c_job_get_times(handle_of(job), c_loc(times))
    call report(code, stat, errmsg)
  end subroutine reblock_job_get_times
end module reblock_hpf_resize
