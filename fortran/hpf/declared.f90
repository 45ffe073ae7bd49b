! Inquiries about templates, the alignment of arrays, and the parts of other processes. All calls are local. Axes count
! from 1, ranks and coordinates of processes from 0; indices are the program's.
module reblock_hpf_declared
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf_object
  use reblock_hpf_axes
  use reblock_hpf_procs
  use reblock_hpf_map
  use reblock_hpf_inquiry
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_procs_rank_at, reblock_template_axes, reblock_template_bounds, reblock_template_format, reblock_template_procs
  public :: reblock_map_procs, reblock_map_template, reblock_map_part

  ! Gets the bounds of a template.
  interface reblock_template_bounds
    procedure :: template_bounds, template_bounds_int32
  end interface reblock_template_bounds

  ! Gets the part of an array that `rank` has: its own elements along each axis, the index of the first element of its
  ! storage, and its least and greatest indices (1 and 0 if it has none). If `rank` has no part of the array, has is
  ! .false.
  interface reblock_map_part
    procedure :: map_part, map_part_int32
  end interface reblock_map_part

contains

  ! Gets the rank at these coordinates of an arrangement.
  subroutine reblock_procs_rank_at(procs, coords, rank, stat, errmsg)
    type(reblock_procs), intent(in) :: procs
    integer, intent(in) :: coords(:)
    integer, intent(out) :: rank
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: axes, found
    integer(c_int32_t) :: code
    rank = -1
    axes = 0
    found = -1
    code = c_procs_axes(handle_of(procs), axes)
    if (.not. has_room('coords', size(coords), axes, stat, errmsg)) return
    if (code == reblock_ok) code = c_procs_rank_at(handle_of(procs), int(coords, c_int64_t), found)
    rank = int(found)
    call report(code, stat, errmsg)
  end subroutine reblock_procs_rank_at

  ! Gets the number of axes of the template.
  subroutine reblock_template_axes(template, axes, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(out) :: axes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call axes_of(c_template_axes, template, axes, stat, errmsg)
  end subroutine reblock_template_axes

  subroutine template_bounds(template, lower, upper, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer(int64), intent(inout) :: lower(:), upper(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call bounds_of(c_template_axes, c_template_bounds, template, lower, upper, stat, errmsg)
  end subroutine template_bounds

  subroutine template_bounds_int32(template, lower, upper, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer(int32), intent(inout) :: lower(:), upper(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call bounds_of(c_template_axes, c_template_bounds, template, lower, upper, stat, errmsg)
  end subroutine template_bounds_int32

  ! Gets the distribution of axis `axis` of a committed template, with stride 1 and offset 0.
  subroutine reblock_template_format(template, axis, format, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis
    type(reblock_format), intent(out) :: format
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call format_of(c_template_format, template, axis, format, stat, errmsg)
  end subroutine reblock_template_format

  ! Gets the arrangement onto which a template is distributed.
  subroutine reblock_template_procs(template, procs, stat, errmsg)
    type(reblock_template), intent(in) :: template
    type(reblock_procs), intent(out) :: procs
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_object(c_template_procs, template, procs, stat, errmsg)
  end subroutine reblock_template_procs

  ! Gets the arrangement onto which an array is distributed.
  subroutine reblock_map_procs(map, procs, stat, errmsg)
    type(reblock_map), intent(in) :: map
    type(reblock_procs), intent(out) :: procs
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_object(c_map_procs, map, procs, stat, errmsg)
  end subroutine reblock_map_procs

  ! Gets the template of an array: for each axis its bounds and the array's axis that is aligned with it, or 0. For 0,
  ! rest gets the array's index along the template's axis, or reblock_replicated if there is a copy at every index.
  subroutine reblock_map_template(map, lower, upper, aligned, rest, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int64), allocatable, intent(out) :: lower(:), upper(:)
    integer, allocatable, intent(out), optional :: aligned(:)
    integer(int64), allocatable, intent(out), optional :: rest(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: axes, numbers(max_axes, 4)
    integer(c_int32_t) :: code
    axes = 0
    code = c_map_template(handle_of(map), axes, numbers(:, 1), numbers(:, 2), numbers(:, 3), numbers(:, 4))
    lower = numbers(:axes, 1)
    upper = numbers(:axes, 2)
    if (present(aligned)) aligned = int(numbers(:axes, 3)) + 1
    if (present(rest)) rest = numbers(:axes, 4)
    call report(code, stat, errmsg)
  end subroutine reblock_map_template

  subroutine map_part(map, rank, extents, lower, first, last, has, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: rank
    integer(int64), intent(inout) :: extents(:)
    integer(int64), intent(inout), optional :: lower(:), first(:), last(:)
    logical, intent(out), optional :: has
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: axes, numbers(max_axes, 4)
    integer(c_int32_t) :: code, part
    axes = 0
    part = 0
    code = c_map_axes(handle_of(map), axes)
    if (.not. has_room('extents', size(extents), axes, stat, errmsg)) return
    if (.not. has_room_if_present('lower', axes, lower, stat, errmsg)) return
    if (.not. has_room_if_present('first', axes, first, stat, errmsg)) return
    if (.not. has_room_if_present('last', axes, last, stat, errmsg)) return
    if (code == reblock_ok) code = c_map_part(handle_of(map), int(rank, c_int64_t), numbers(:, 1), numbers(:, 2), &
                                              numbers(:, 3), numbers(:, 4), part)
    if (code == reblock_ok .and. part /= 0) then
      extents(:axes) = numbers(:axes, 1)
      if (present(lower)) lower(:axes) = numbers(:axes, 2)
      if (present(first)) first(:axes) = numbers(:axes, 3)
      if (present(last)) last(:axes) = numbers(:axes, 4)
    end if
    if (present(has)) has = part /= 0
    call report(code, stat, errmsg)
  end subroutine map_part

  subroutine map_part_int32(map, rank, extents, lower, first, last, has, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: rank
    integer(int32), intent(inout) :: extents(:)
    integer(int32), intent(inout), optional :: lower(:), first(:), last(:)
    logical, intent(out), optional :: has
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: wide(:, :)
    integer :: axes
    logical :: is_there
    call reblock_map_axes(map, axes, stat, errmsg)
    allocate (wide(axes, 4), source=0_int64)
    call map_part(map, rank, wide(:, 1), wide(:, 2), wide(:, 3), wide(:, 4), is_there, stat, errmsg)
    if (present(has)) has = is_there
    if (.not. is_there) return
    call narrow(wide(:, 1), extents, stat, errmsg)
    if (present(lower)) call narrow(wide(:, 2), lower, stat, errmsg)
    if (present(first)) call narrow(wide(:, 3), first, stat, errmsg)
    if (present(last)) call narrow(wide(:, 4), last, stat, errmsg)
  end subroutine map_part_int32
end module reblock_hpf_declared
