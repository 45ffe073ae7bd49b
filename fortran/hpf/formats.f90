! Distributes the axes of a template by HPF's formats: one call for each axis, before reblock_template_commit. Not
! collective. Axes count from 1, coordinates of processes from 0.
module reblock_hpf_formats
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf_object
  use reblock_hpf_procs
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_template_dist_collapsed, reblock_template_dist_block, reblock_template_dist_cyclic
  public :: reblock_template_dist_gen_block
  public :: reblock_template_dist_indirect, reblock_template_dist_indirect_runs, reblock_template_dist_indirect_local

  ! Distributes an axis as BLOCK, or as BLOCK(block) if `block` is present.
  interface reblock_template_dist_block
    procedure :: dist_block, dist_block_int32
  end interface reblock_template_dist_block

  ! Distributes an axis as CYCLIC, or as CYCLIC(block) if `block` is present.
  interface reblock_template_dist_cyclic
    procedure :: dist_cyclic, dist_cyclic_int32
  end interface reblock_template_dist_cyclic

  ! Distributes an axis as GEN_BLOCK: one block per process, of these sizes.
  interface reblock_template_dist_gen_block
    procedure :: dist_gen_block
  end interface reblock_template_dist_gen_block

  ! Distributes an axis as INDIRECT: `owners` has, for each index, the coordinate of its owner along procs_axis.
  interface reblock_template_dist_indirect
    procedure :: dist_indirect
  end interface reblock_template_dist_indirect

  ! Distributes an axis as INDIRECT, by runs of neighbouring indices: for each run, the coordinate of its owner and its
  ! number of indices.
  interface reblock_template_dist_indirect_runs
    procedure :: dist_indirect_runs
  end interface reblock_template_dist_indirect_runs

  ! Distributes an axis as INDIRECT, in parts: this process passes the owners of the indices from `lower` on. When
  ! the template is committed, the processes together must have passed the owner of each index exactly once.
  interface reblock_template_dist_indirect_local
    procedure :: dist_indirect_local
  end interface reblock_template_dist_indirect_local

contains

  subroutine reblock_template_dist_collapsed(template, axis, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_template_dist_collapsed(handle_of(template), from_1(axis)), stat, errmsg)
  end subroutine reblock_template_dist_collapsed

  subroutine dist_block(template, axis, procs_axis, block, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis, procs_axis
    integer(int64), intent(in) :: block
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_template_dist_block(handle_of(template), from_1(axis), from_1(procs_axis), block), stat, errmsg)
  end subroutine dist_block

  subroutine dist_block_int32(template, axis, procs_axis, block, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis, procs_axis
    integer(int32), intent(in), optional :: block
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: size
    size = 0
    if (present(block)) size = block
    if (present(block) .and. size == 0) then
      call report_invalid('BLOCK(0), expected a block of at least 1 index', stat, errmsg)
    else
      call dist_block(template, axis, procs_axis, size, stat, errmsg)
    end if
  end subroutine dist_block_int32

  subroutine dist_cyclic(template, axis, procs_axis, block, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis, procs_axis
    integer(int64), intent(in) :: block
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_template_dist_cyclic(handle_of(template), from_1(axis), from_1(procs_axis), block), stat, errmsg)
  end subroutine dist_cyclic

  subroutine dist_cyclic_int32(template, axis, procs_axis, block, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis, procs_axis
    integer(int32), intent(in), optional :: block
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: size
    size = 1
    if (present(block)) size = block
    call dist_cyclic(template, axis, procs_axis, size, stat, errmsg)
  end subroutine dist_cyclic_int32

  subroutine dist_gen_block(template, axis, procs_axis, sizes, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis, procs_axis
    integer(int64), intent(in) :: sizes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_template_dist_gen_block(handle_of(template), from_1(axis), from_1(procs_axis), size(sizes, kind=int64), sizes)
    call report(code, stat, errmsg)
  end subroutine dist_gen_block

  subroutine dist_indirect(template, axis, procs_axis, owners, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis, procs_axis
    integer(int64), intent(in) :: owners(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_template_dist_indirect(handle_of(template), from_1(axis), from_1(procs_axis), size(owners, kind=int64), owners)
    call report(code, stat, errmsg)
  end subroutine dist_indirect

  subroutine dist_indirect_runs(template, axis, procs_axis, owners, lengths, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis, procs_axis
    integer(int64), intent(in) :: owners(:), lengths(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    if (.not. has_room('lengths', size(lengths), size(owners, kind=int64), stat, errmsg)) return
    code = c_template_dist_indirect_runs(handle_of(template), from_1(axis), from_1(procs_axis), size(owners, kind=int64), owners, &
                                lengths)
    call report(code, stat, errmsg)
  end subroutine dist_indirect_runs

  subroutine dist_indirect_local(template, axis, procs_axis, lower, owners, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis, procs_axis
    integer(int64), intent(in) :: lower, owners(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_template_dist_indirect_local(handle_of(template), from_1(axis), from_1(procs_axis), lower, &
                                 size(owners, kind=int64), owners)
    call report(code, stat, errmsg)
  end subroutine dist_indirect_local

  ! Converts the number of an axis to C, which counts from 0.
  integer(c_int64_t) pure function from_1(axis)
    integer, intent(in) :: axis
    from_1 = int(axis, c_int64_t) - 1
  end function from_1
end module reblock_hpf_formats
