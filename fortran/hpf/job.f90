! Jobs, which can change their number of processes: their ranks and registered items, which are numbered from 1.
! include/reblock.h describes each function in full.
!
! The library owns the storage: a program registers a matrix by its descriptor or an array by its map, and gets a
! pointer with reblock_job_pointer, again after each resize.
module reblock_hpf_job
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr
  use reblock_hpf_object
  use reblock_hpf_map
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_job_init, reblock_job_joined, reblock_job_get_comm, reblock_job_get_blacs, reblock_job_get_map
  public :: reblock_job_add_matrix, reblock_job_add_array, reblock_job_add_value, reblock_job_storage, reblock_job_leave
  public :: reblock_job_finalize

  ! The library's pointer to the storage of one array. It keeps its own address as long as the job.
  type :: slot
    type(c_ptr) :: data = c_null_ptr
    type(slot), pointer :: next => null()
  end type slot

  ! A job that can change its number of processes. Copies of it stand for the same job.
  type, extends(reblock_object), public :: reblock_job
    private
    type(slot), pointer :: first => null()
  end type reblock_job

  ! C's structure reblock_job_options.
  type, bind(c) :: c_job_options
    integer(c_int64_t) :: size = 0, version = 0, unit = 0, park = 0
    type(c_ptr) :: command = c_null_ptr, allocate = c_null_ptr, release = c_null_ptr, context = c_null_ptr
    integer(c_int64_t) :: skew = 0
  end type c_job_options

  ! Begins or joins a job. In a process that a job has started, the code reblock_err_cancelled means that the resize
  ! has failed or was cancelled, and that the job does not need the process. Without stat, the process then calls
  ! MPI_Finalize and ends inside this call, so that the job is not aborted.
  !
  ! unit: maximum number of ranks that a spawn call adds. park: ranks that cannot leave wait. command: the program of
  ! new processes. skew: chooses the grid with the fastest move of the matrices, with a longer side of at most skew
  ! times the shorter one.
  interface reblock_job_init
    procedure :: job_init
  end interface reblock_job_init

  interface reblock_job_get_comm
    procedure :: job_comm
  end interface reblock_job_get_comm

  interface
    integer(c_int) function c_mpi_finalize() bind(c, name='MPI_Finalize')
      import :: c_int
    end function c_mpi_finalize
  end interface

contains

  subroutine job_init(comm, job, unit, park, command, skew, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_job), intent(out) :: job
    integer, intent(in), optional :: unit, skew
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
    if (present(skew)) options%skew = skew
    if (present(park)) options%park = merge(1, 0, park)
    if (present(command)) then
      program = c_string(command)
      options%command = c_loc(program)
    end if
    handle = handle_of(job)
    if (code == reblock_ok) code = c_job_init(int(comm, c_int), c_loc(options), handle)
    call give_handle(job, handle)
    if (code == reblock_err_cancelled .and. .not. present(stat)) call end_unneeded()
    call report(code, stat, errmsg)
  end subroutine job_init

  ! Ends a process that the job does not need.
  subroutine end_unneeded()
    integer(c_int) :: code
    code = c_mpi_finalize()
    stop
  end subroutine end_unneeded

  logical function reblock_job_joined(job)
    type(reblock_job), intent(in) :: job
    integer(c_int32_t) :: joined
    joined = 0
    reblock_job_joined = c_job_joined(handle_of(job), joined) == reblock_ok
    reblock_job_joined = reblock_job_joined .and. joined /= 0
  end function reblock_job_joined

  subroutine job_comm(job, comm, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(inout) :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: now
    integer(c_int32_t) :: code
    now = int(comm, c_int)
    code = c_job_get_comm(handle_of(job), now)
    comm = now
    call report(code, stat, errmsg)
  end subroutine job_comm

  ! Gets the BLACS context of the active ranks. rows, cols: the grid to make if there is none yet; if absent, it is as
  ! nearly square as possible.
  subroutine reblock_job_get_blacs(job, context, rows, cols, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(inout) :: context
    integer, intent(in), optional :: rows, cols
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: shape(2)
    integer, target :: now
    integer(c_int32_t) :: code
    shape = 0
    if (present(rows)) shape(1) = rows
    if (present(cols)) shape(2) = cols
    now = context
    code = c_job_get_blacs(handle_of(job), shape(1), shape(2), c_loc(now))
    context = now
    call report(code, stat, errmsg)
  end subroutine reblock_job_get_blacs

  ! Registers a matrix with elements of `element` bytes: storage_size(x) / 8.
  subroutine reblock_job_add_matrix(job, desc, element, stat, errmsg)
    type(reblock_job), intent(inout) :: job
    integer, intent(inout), target :: desc(9)
    integer, intent(in) :: element
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(slot), pointer :: here
    integer(c_int32_t) :: code
    allocate (here)
    code = c_job_add_matrix(handle_of(job), c_loc(desc), int(element, c_int64_t), c_loc(here%data))
    call keep_slot(job, here, code)
    call report(code, stat, errmsg)
  end subroutine reblock_job_add_matrix

  subroutine reblock_job_add_array(job, map, element, stat, errmsg)
    type(reblock_job), intent(inout) :: job
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: element
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(slot), pointer :: here
    integer(c_int32_t) :: code
    allocate (here)
    code = c_job_add_array(handle_of(job), handle_of(map), int(element, c_int64_t), c_loc(here%data))
    call keep_slot(job, here, code)
    call report(code, stat, errmsg)
  end subroutine reblock_job_add_array

  ! Registers a value, by c_loc of a variable that lives as long as the job.
  subroutine reblock_job_add_value(job, place, bytes, stat, errmsg)
    type(reblock_job), intent(inout) :: job
    type(c_ptr), intent(in) :: place
    integer, intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(slot), pointer :: here
    integer(c_int32_t) :: code
    allocate (here)
    code = c_job_add_value(handle_of(job), place, int(bytes, c_int64_t))
    call keep_slot(job, here, code)
    call report(code, stat, errmsg)
  end subroutine reblock_job_add_value

  ! Gives the registered item its number; an item that was not registered has none.
  subroutine keep_slot(job, here, code)
    type(reblock_job), intent(inout) :: job
    type(slot), pointer, intent(inout) :: here
    integer(c_int32_t), intent(in) :: code
    if (code /= reblock_ok) then
      deallocate (here)
      return
    end if
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
  end subroutine keep_slot

  ! Gets the current map of the registered item `number`.
  subroutine reblock_job_get_map(job, number, map, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(map)
    code = c_job_get_map(handle_of(job), int(number - 1, c_int64_t), handle)
    call give_handle(map, handle)
    call report(code, stat, errmsg)
  end subroutine reblock_job_get_map

  ! Returns the address of the storage of the registered item `number`; null if this process has no part.
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

  subroutine reblock_job_leave(job, stat, errmsg)
    type(reblock_job), intent(inout) :: job
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call free_object(c_job_leave, job, stat, errmsg)
  end subroutine reblock_job_leave

  subroutine reblock_job_finalize(job, stat, errmsg)
    type(reblock_job), intent(inout) :: job
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call free_object(c_job_finalize, job, stat, errmsg)
  end subroutine reblock_job_finalize
end module reblock_hpf_job
