! HPF's PROCESSORS and TEMPLATE: the processes that hold elements, and the index spaces that are distributed over them.
! Ranks and coordinates of processes count from 0, as in MPI; axes from 1.
module reblock_hpf_procs
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_axes
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_procs_create, reblock_procs_axes, reblock_procs_shape, reblock_procs_coords, reblock_procs_free
  public :: reblock_template_create, reblock_template_commit, reblock_template_text, reblock_template_free

  ! A processor arrangement: a grid of ranks of a communicator.
  type, extends(reblock_object), public :: reblock_procs
  end type reblock_procs

  ! An index space. Make it, set a format for each axis (reblock_template_dist_...), then commit it.
  type, extends(reblock_object), public :: reblock_template
  end type reblock_template

  interface reblock_procs_create
    procedure :: procs_create
  end interface reblock_procs_create

  interface reblock_template_create
    procedure :: template_create
  end interface reblock_template_create

contains

  ! Makes an arrangement. ranks: ranks of comm in row-major order of the coordinates; 0, 1, 2, ... if absent. Collective
  ! over comm.
  subroutine procs_create(comm, shape, procs, ranks, stat, errmsg)
    integer, intent(in) :: comm, shape(:)
    type(reblock_procs), intent(out) :: procs
    integer, intent(in), optional :: ranks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int64_t), allocatable :: list(:)
    integer(c_int64_t) :: axes
    integer(c_int32_t) :: code
    character(80) :: text
    axes = size(shape)
    text = ''
    if (present(ranks)) then
      list = ranks
      if (size(list) /= product(int(shape, int64))) then
        write (text, '(i0, a, i0, a)') size(list), ' ranks for ', product(int(shape, int64)), ' processes'
        ! After an invalid argument on this process the call must still fail on all of them.
        axes = -1
        call set_reason(text)
      end if
    end if
    handle = handle_of(procs)
    code = c_procs_create(int(comm, c_int), axes, int(shape, c_int64_t), list, handle)
    call give_handle(procs, handle)
    call report(code, stat, errmsg, text)
  end subroutine procs_create

  ! Gets the number of axes of the arrangement.
  subroutine reblock_procs_axes(procs, axes, stat, errmsg)
    type(reblock_procs), intent(in) :: procs
    integer, intent(out) :: axes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call axes_of(c_procs_axes, procs, axes, stat, errmsg)
  end subroutine reblock_procs_axes

  subroutine reblock_procs_shape(procs, shape, stat, errmsg)
    type(reblock_procs), intent(in) :: procs
    integer, intent(inout) :: shape(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: axes, extents(max_axes)
    integer(c_int32_t) :: code
    axes = 0
    code = c_procs_axes(handle_of(procs), axes)
    if (.not. has_room('shape', size(shape), axes, stat, errmsg)) return
    if (code == reblock_ok) code = c_procs_shape(handle_of(procs), extents)
    if (code == reblock_ok) shape(:axes) = int(extents(:axes))
    call report(code, stat, errmsg)
  end subroutine reblock_procs_shape

  ! Gets the coordinates of `rank` of the communicator. If it is not in the arrangement, inside is .false.
  subroutine reblock_procs_coords(procs, rank, coords, inside, stat, errmsg)
    type(reblock_procs), intent(in) :: procs
    integer, intent(in) :: rank
    integer, intent(inout) :: coords(:)
    logical, intent(out) :: inside
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: axes, at(max_axes)
    integer(c_int32_t) :: code, found
    axes = 0
    found = 0
    code = c_procs_axes(handle_of(procs), axes)
    if (.not. has_room('coords', size(coords), axes, stat, errmsg)) return
    if (code == reblock_ok) code = c_procs_coords(handle_of(procs), int(rank, c_int64_t), at, found)
    inside = code == reblock_ok .and. found /= 0
    if (inside) coords(:axes) = int(at(:axes))
    call report(code, stat, errmsg)
  end subroutine reblock_procs_coords

  subroutine reblock_procs_free(procs, stat, errmsg)
    type(reblock_procs), intent(inout) :: procs
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call free_object(c_procs_free, procs, stat, errmsg)
  end subroutine reblock_procs_free

  ! Makes a template with the indices lower to upper of each axis, all axes collapsed. Local.
  subroutine template_create(procs, lower, upper, template, stat, errmsg)
    type(reblock_procs), intent(in) :: procs
    integer(int64), intent(in) :: lower(:), upper(:)
    type(reblock_template), intent(out) :: template
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    if (.not. has_room('upper', size(upper), size(lower, kind=int64), stat, errmsg)) return
    handle = handle_of(template)
    code = c_template_create(handle_of(procs), size(lower, kind=c_int64_t), lower, upper, handle)
    call give_handle(template, handle)
    call report(code, stat, errmsg)
  end subroutine template_create

  ! Completes a template. Collective over the communicator of its arrangement.
  subroutine reblock_template_commit(template, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_template_commit(handle_of(template)), stat, errmsg)
  end subroutine reblock_template_commit

  ! Writes the distribution in HPF's notation.
  subroutine reblock_template_text(template, text, stat, errmsg)
    type(reblock_template), intent(in) :: template
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_text(c_template_text, template, text, stat, errmsg)
  end subroutine reblock_template_text

  subroutine reblock_template_free(template, stat, errmsg)
    type(reblock_template), intent(inout) :: template
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call free_object(c_template_free, template, stat, errmsg)
  end subroutine reblock_template_free
end module reblock_hpf_procs
