! Plans, which move a section of one array to a section of another: made once, executed any number of times (move.f90).
module reblock_hpf_plan
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_int, c_int32_t, c_int64_t, c_loc, c_null_char, c_null_ptr, &
    c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_calls
  use reblock_hpf_buffer
  implicit none
  private
  public :: reblock_plan_create, reblock_plan_inquire, reblock_plan_target, reblock_plan_explain
  public :: reblock_plan_reverse, reblock_plan_free, source_of, target_of, give_ranges, give_options, make_plan
  public :: remember_storage, remember_list

  type, extends(reblock_object), public :: reblock_plan
    private
    integer(int64) :: element = 0
    type(local_storage) :: source, target
  end type reblock_plan

  ! A range of indices: lower, lower + stride, ... up to upper, or down to it.
  type, public :: reblock_range
    integer(int64) :: lower, upper, stride = 1
  end type reblock_range

  ! Options of a plan. A blank name and 0 leave the choice to the library. relabel: parts of the target may go to other
  ! processes than its map says, so that less data moves; reblock_plan_target returns the new map. axes: for each axis
  ! of the source, its axis of the target; not allocated: in order. copies: each execution combines the values of all
  ! copies of a replicated source, by its update. spread: the source is repeated along these axes of the target, which
  ! correspond to no axis of the source. overlap: source and target may share memory; the result is as if the whole
  ! source were read first. skip, for reblock_plan_gather and reblock_plan_scatter only: entries with an index below the
  ! lower bound of its axis are skipped, such as 0 if indices begin at 1.
  type, public :: reblock_plan_options
    character(64) :: scheduler = '', transport = ''
    integer(int64) :: buffer = 0, window = 0
    logical :: relabel = .false., copies = .false., overlap = .false., skip = .false.
    integer, allocatable :: axes(:), spread(:)
  end type reblock_plan_options

  ! Traffic of a plan on this process: bytes sent, received and copied within the process; messages; and the maximum
  ! size of its buffers, in bytes.
  type, bind(c), public :: reblock_plan_info
    integer(c_int64_t) :: size = 0, version = 0
    integer(c_int64_t) :: sent = 0, received = 0, kept = 0, messages_sent = 0, messages_received = 0, buffers = 0
  end type reblock_plan_info

  ! C's structure reblock_plan_options.
  type, bind(c) :: c_plan_options
    integer(c_int64_t) :: size = 0, version = 0
    type(c_ptr) :: scheduler = c_null_ptr, transport = c_null_ptr
    integer(c_int64_t) :: buffer = 0, window = 0, relabel = 0
    type(c_ptr) :: axes = c_null_ptr
    integer(c_int64_t) :: axes_count = 0, copies = 0
    type(c_ptr) :: spread = c_null_ptr
    integer(c_int64_t) :: spread_count = 0, overlap = 0, skip = 0
  end type c_plan_options

  ! C's options, with their lists and names.
  type, public :: given_options
    private
    type(c_plan_options) :: c
    character(65, c_char) :: scheduler, transport
    integer(c_int64_t), allocatable :: axes(:), spread(:)
  end type given_options

  ! Makes a plan for elements of `element` bytes: storage_size(a) / 8. Collective over `comm`. A process that has
  ! no part of an array may pass a map that was not made. Sections: one range for each axis; if absent, the whole array.
  interface reblock_plan_create
    procedure :: plan_create
  end interface reblock_plan_create

contains

  subroutine plan_create(comm, from, to, element, plan, from_section, to_section, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call make_plan(comm, from, to, element, plan, from_section, to_section, options, stat=stat, errmsg=errmsg)
  end subroutine plan_create

  ! Makes a plan that copies or, with shifts, one that shifts: circularly, or end off with or without a boundary. With
  ! an axis, each line along it has its own shift, and its own boundary or none.
  subroutine make_plan(comm, from, to, element, plan, from_section, to_section, options, shifts, circular, boundary, axis, &
                       boundaries, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_range), intent(in), optional :: from_section(:), to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer(int64), intent(in), optional :: shifts(:)
    logical, intent(in), optional :: circular
    type(*), intent(in), optional :: boundary
    integer, intent(in), optional :: axis
    type(*), dimension(..), optional, asynchronous, target :: boundaries
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: from_ranges(:), to_ranges(:)
    character(160) :: text
    type(given_options), target :: given
    type(c_ptr) :: handle, c_options, values
    integer(c_int64_t) :: bytes
    integer(c_int32_t) :: code
    text = ''
    call give_ranges(from, 'from_section', from_section, from_ranges, text)
    call give_ranges(to, 'to_section', to_section, to_ranges, text)
    values = c_null_ptr
    if (present(boundaries)) &
      values = place(reblock_buffer(boundaries), element, list_storage(size(shifts, kind=int64)), 'boundary', text)
    ! After an invalid argument on this process the call must still fail on all of them.
    bytes = merge(element, -1_int64, text == '')
    call give_options(options, given, c_options, code)
    handle = handle_of(plan)
    if (code == reblock_ok .and. .not. present(shifts)) then
      code = c_plan_create(int(comm, c_int), handle_of(from), from_ranges, handle_of(to), to_ranges, bytes, &
                                   c_options, handle)
    else if (code == reblock_ok .and. present(axis)) then
      code = c_plan_shift_lines(int(comm, c_int), handle_of(from), from_ranges, handle_of(to), to_ranges, bytes, &
                                        axis - 1_c_int64_t, merge(1_c_int32_t, 0_c_int32_t, circular), &
                                        size(shifts, kind=c_int64_t), shifts, values, c_options, handle)
    else if (code == reblock_ok .and. present(circular)) then
      code = c_plan_cshift(int(comm, c_int), handle_of(from), from_ranges, handle_of(to), to_ranges, bytes, &
                                   size(shifts, kind=c_int64_t), shifts, c_options, handle)
    else if (code == reblock_ok) then
      code = c_plan_eoshift(int(comm, c_int), handle_of(from), from_ranges, handle_of(to), to_ranges, bytes, &
                                    size(shifts, kind=c_int64_t), shifts, boundary, c_options, handle)
    end if
    call give_handle(plan, handle)
    if (code == reblock_ok) call remember_storage(plan, from, to, element, code)
    call report(code, stat, errmsg, text)
  end subroutine make_plan

  ! Returns the address of options for C; `given` holds them.
  subroutine give_options(options, given, c_options, code)
    type(reblock_plan_options), intent(in), optional :: options
    type(given_options), intent(inout), target :: given
    type(c_ptr), intent(out) :: c_options
    integer(c_int32_t), intent(out) :: code
    c_options = c_null_ptr
    code = reblock_ok
    if (.not. present(options)) return
    c_options = c_loc(given%c)
    code = c_plan_options_init_3(c_options)
    given%scheduler = trim(options%scheduler)//c_null_char
    given%transport = trim(options%transport)//c_null_char
    if (options%scheduler /= '') given%c%scheduler = c_loc(given%scheduler)
    if (options%transport /= '') given%c%transport = c_loc(given%transport)
    given%c%buffer = options%buffer
    given%c%window = options%window
    given%c%relabel = merge(1, 0, options%relabel)
    given%c%copies = merge(1, 0, options%copies)
    given%c%overlap = merge(1, 0, options%overlap)
    given%c%skip = merge(1, 0, options%skip)
    ! C counts from 0. An empty list has an address, too.
    if (allocated(options%axes)) then
      given%axes = [options%axes - 1_c_int64_t, 0_c_int64_t]
      given%c%axes = c_loc(given%axes)
      given%c%axes_count = size(options%axes)
    end if
    if (allocated(options%spread)) then
      given%spread = [options%spread - 1_c_int64_t, 0_c_int64_t]
      given%c%spread = c_loc(given%spread)
      given%c%spread_count = size(options%spread)
    end if
  end subroutine give_options

  ! Converts a section to C: one range for each axis of the map.
  subroutine give_ranges(map, name, section, ranges, text)
    type(reblock_map), intent(in) :: map
    character(*), intent(in) :: name
    type(reblock_range), intent(in), optional :: section(:)
    integer(c_int64_t), allocatable, intent(out) :: ranges(:)
    character(*), intent(inout) :: text
    integer(c_int64_t) :: axes
    integer :: k
    axes = 0
    if (.not. present(section)) return
    if (c_map_axes(handle_of(map), axes) /= reblock_ok) return
    if (size(section) == axes) then
      ranges = [(section(k)%lower, section(k)%upper, section(k)%stride, k=1, size(section))]
    else
      write (text, '(a, a, i0, a, i0, a)') name, ' has ', size(section), ' ranges for ', axes, ' axes'
      call set_reason(text)
    end if
  end subroutine give_ranges

  ! Keeps the required layouts of local arrays: reblock_plan_execute checks its arguments against them.
  subroutine remember_storage(plan, from, to, element, code)
    type(reblock_plan), intent(inout) :: plan
    type(reblock_map), intent(in) :: from, to
    integer(int64), intent(in) :: element
    integer(c_int32_t), intent(out) :: code
    type(c_ptr) :: moved
    integer(c_int32_t) :: freed
    plan%element = element
    moved = c_null_ptr
    call storage_of(handle_of(from), plan%source, code)
    if (code == reblock_ok) code = c_plan_target(handle_of(plan), moved)
    if (code /= reblock_ok) return
    ! After relabelling, the plan has its own map of the target.
    if (c_associated(moved)) then
      call storage_of(moved, plan%target, code)
      freed = c_map_free(moved)
    else
      call storage_of(handle_of(to), plan%target, code)
    end if
  end subroutine remember_storage

  ! Keeps the layouts for a plan of elements in a list: one side has the map, the other one has the listed elements, in
  ! one array of any rank.
  subroutine remember_list(plan, map, listed, gathers, element, code)
    type(reblock_plan), intent(inout) :: plan
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: listed, element
    logical, intent(in) :: gathers
    integer(c_int32_t), intent(out) :: code
    type(local_storage) :: own
    plan%element = element
    ! Without the map, this process cannot see whether another axis, and so the local array, is empty.
    own = list_storage(listed, may_be_absent=.not. c_associated(handle_of(map)))
    if (gathers) then
      call storage_of(handle_of(map), plan%source, code)
      plan%target = own
    else
      plan%source = own
      call storage_of(handle_of(map), plan%target, code)
    end if
  end subroutine remember_list

  ! Returns the address of the plan's source for C.
  type(c_ptr) function source_of(plan, buffer, text)
    type(reblock_plan), intent(in) :: plan
    type(reblock_buffer), intent(in) :: buffer
    character(*), intent(inout) :: text
    source_of = place(buffer, plan%element, plan%source, 'source', text)
  end function source_of

  ! Returns the address of the plan's target for C.
  type(c_ptr) function target_of(plan, buffer, text)
    type(reblock_plan), intent(in) :: plan
    type(reblock_buffer), intent(in) :: buffer
    character(*), intent(inout) :: text
    target_of = place(buffer, plan%element, plan%target, 'target', text)
  end function target_of

  subroutine reblock_plan_inquire(plan, info, stat, errmsg)
    type(reblock_plan), intent(in) :: plan
    type(reblock_plan_info), target, intent(out) :: info
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_plan_info_init(c_loc(info))
    if (code == reblock_ok) code = c_plan_inquire(handle_of(plan), c_loc(info))
    call report(code, stat, errmsg)
  end subroutine reblock_plan_inquire

  ! Gets the target's map after relabelling, in ranks of the plan's communicator; no map if no part of the target goes
  ! to another process.
  subroutine reblock_plan_target(plan, map, moved, stat, errmsg)
    type(reblock_plan), intent(in) :: plan
    type(reblock_map), intent(out) :: map
    logical, intent(out), optional :: moved
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(map)
    code = c_plan_target(handle_of(plan), handle)
    call give_handle(map, handle)
    if (present(moved)) moved = c_associated(handle)
    call report(code, stat, errmsg)
  end subroutine reblock_plan_target

  ! Writes the plan and its schedule as JSON.
  subroutine reblock_plan_explain(plan, json, stat, errmsg)
    type(reblock_plan), intent(in) :: plan
    character(:), allocatable, intent(out) :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_text(c_plan_explain, plan, json, stat, errmsg)
  end subroutine reblock_plan_explain

  ! Makes the plan for the opposite direction, from the target's section to the source's, with the same options. After
  ! relabelling it starts from the map of reblock_plan_target. If the source is replicated, all copies are written.
  ! Collective over the plan's communicator.
  subroutine reblock_plan_reverse(plan, reverse, stat, errmsg)
    type(reblock_plan), intent(in) :: plan
    type(reblock_plan), intent(out) :: reverse
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_object(c_plan_reverse, plan, reverse, stat, errmsg)
    reverse%element = plan%element
    reverse%source = plan%target
    reverse%target = plan%source
  end subroutine reblock_plan_reverse

  subroutine reblock_plan_free(plan, stat, errmsg)
    type(reblock_plan), intent(inout) :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call free_object(c_plan_free, plan, stat, errmsg)
  end subroutine reblock_plan_free
end module reblock_hpf_plan
