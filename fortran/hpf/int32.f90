! Procedures of the other modules for integers of 32 bits.
! Made from fortran/hpf by `make headers` (build/fortran_twins); do not edit.
module reblock_hpf_int32
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf_object
  use reblock_hpf_axes
  use reblock_hpf_procs
  use reblock_hpf_formats
  use reblock_hpf_map
  use reblock_hpf_plain
  use reblock_hpf_boxes
  use reblock_hpf_inquiry
  use reblock_hpf_same
  use reblock_hpf_declared
  use reblock_hpf_dereference
  use reblock_hpf_buffer
  use reblock_hpf_plan
  use reblock_hpf_shadow
  use reblock_hpf_irregular
  use reblock_hpf_shift
  use reblock_hpf_move
  use reblock_hpf_update
  use reblock_hpf_updating
  use reblock_hpf_section
  use reblock_hpf_array
  use reblock_hpf_pointer
  use reblock_hpf_file
  use reblock_hpf_device
  use reblock_hpf_text
  use reblock_hpf_job
  use reblock_hpf_job_pointer
  use reblock_hpf_job_formats
  use reblock_hpf_resize
  implicit none
  private
  public :: reblock_template_create, reblock_template_dist_gen_block, reblock_template_dist_indirect, &
      reblock_template_dist_indirect_runs, reblock_template_dist_indirect_local, reblock_map_shadow, reblock_map_strides, &
      reblock_map_block_cyclic, reblock_map_from_text, reblock_map_from_boxes, reblock_map_owners, reblock_plan_create, &
      reblock_plan_shadow, reblock_plan_gather, reblock_plan_scatter, reblock_plan_cshift, reblock_plan_eoshift, &
      reblock_plan_shift_lines, reblock_move, reblock_array_create, reblock_save, reblock_load, reblock_scope_array

  interface reblock_template_create
    procedure :: template_create_int32
  end interface reblock_template_create

  interface reblock_template_dist_gen_block
    procedure :: dist_gen_block_int32
  end interface reblock_template_dist_gen_block

  interface reblock_template_dist_indirect
    procedure :: dist_indirect_int32
  end interface reblock_template_dist_indirect

  interface reblock_template_dist_indirect_runs
    procedure :: dist_indirect_runs_int32
  end interface reblock_template_dist_indirect_runs

  interface reblock_template_dist_indirect_local
    procedure :: dist_indirect_local_int32
  end interface reblock_template_dist_indirect_local

  interface reblock_map_shadow
    procedure :: map_shadow_int32
  end interface reblock_map_shadow

  interface reblock_map_strides
    procedure :: map_strides_int32
  end interface reblock_map_strides

  interface reblock_map_block_cyclic
    procedure :: map_block_cyclic_int32
  end interface reblock_map_block_cyclic

  interface reblock_map_from_text
    procedure :: map_from_text_int32
  end interface reblock_map_from_text

  interface reblock_map_from_boxes
    procedure :: map_from_boxes_int32
  end interface reblock_map_from_boxes

  interface reblock_map_owners
    procedure :: map_owners_int32
  end interface reblock_map_owners

  interface reblock_plan_create
    procedure :: plan_create_int32
  end interface reblock_plan_create

  interface reblock_plan_shadow
    procedure :: plan_shadow_int32
  end interface reblock_plan_shadow

  interface reblock_plan_gather
    procedure :: gather_axis_int32, gather_elements_int32
  end interface reblock_plan_gather

  interface reblock_plan_scatter
    procedure :: scatter_axis_int32, scatter_elements_int32
  end interface reblock_plan_scatter

  interface reblock_plan_cshift
    procedure :: plan_cshift_int32
  end interface reblock_plan_cshift

  interface reblock_plan_eoshift
    procedure :: plan_eoshift_int32
  end interface reblock_plan_eoshift

  interface reblock_plan_shift_lines
    procedure :: plan_shift_lines_int32
  end interface reblock_plan_shift_lines

  interface reblock_move
    procedure :: move_section_int32
  end interface reblock_move

  interface reblock_array_create
    procedure :: array_create_int32
  end interface reblock_array_create

  interface reblock_save
    procedure :: save_array_int32
  end interface reblock_save

  interface reblock_load
    procedure :: load_array_int32
  end interface reblock_load

  interface reblock_scope_array
    procedure :: scope_array_int32
  end interface reblock_scope_array

contains

  subroutine template_create_int32(procs, lower, upper, template, stat, errmsg)
    type(reblock_procs), intent(in) :: procs
    integer(int32), intent(in) :: lower(:)
    integer(int32), intent(in) :: upper(:)
    type(reblock_template), intent(out) :: template
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_template_create(procs, int(lower, int64), int(upper, int64), template, stat, errmsg)
  end subroutine template_create_int32

  subroutine dist_gen_block_int32(template, axis, procs_axis, sizes, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis
    integer, intent(in) :: procs_axis
    integer(int32), intent(in) :: sizes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_template_dist_gen_block(template, axis, procs_axis, int(sizes, int64), stat, errmsg)
  end subroutine dist_gen_block_int32

  subroutine dist_indirect_int32(template, axis, procs_axis, owners, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis
    integer, intent(in) :: procs_axis
    integer(int32), intent(in) :: owners(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_template_dist_indirect(template, axis, procs_axis, int(owners, int64), stat, errmsg)
  end subroutine dist_indirect_int32

  subroutine dist_indirect_runs_int32(template, axis, procs_axis, owners, lengths, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis
    integer, intent(in) :: procs_axis
    integer(int32), intent(in) :: owners(:)
    integer(int32), intent(in) :: lengths(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_template_dist_indirect_runs(template, axis, procs_axis, int(owners, int64), int(lengths, int64), stat, errmsg)
  end subroutine dist_indirect_runs_int32

  subroutine dist_indirect_local_int32(template, axis, procs_axis, lower, owners, stat, errmsg)
    type(reblock_template), intent(in) :: template
    integer, intent(in) :: axis
    integer, intent(in) :: procs_axis
    integer(int32), intent(in) :: lower
    integer(int32), intent(in) :: owners(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_template_dist_indirect_local(template, axis, procs_axis, int(lower, int64), int(owners, int64), stat, errmsg)
  end subroutine dist_indirect_local_int32

  subroutine map_shadow_int32(map, before, after, made, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: before(:)
    integer(int32), intent(in) :: after(:)
    type(reblock_map), intent(out) :: made
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_shadow(map, int(before, int64), int(after, int64), made, stat, errmsg)
  end subroutine map_shadow_int32

  subroutine map_strides_int32(map, strides, made, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: strides(:)
    type(reblock_map), intent(out) :: made
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_strides(map, int(strides, int64), made, stat, errmsg)
  end subroutine map_strides_int32

  subroutine map_block_cyclic_int32(comm, extents, shape, map, blocks, stat, errmsg)
    integer, intent(in) :: comm
    integer(int32), intent(in) :: extents(:)
    integer, intent(in) :: shape(:)
    type(reblock_map), intent(out) :: map
    integer(int32), intent(in), optional :: blocks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: wide_blocks(:)
    if (present(blocks)) wide_blocks = int(blocks, int64)
    call reblock_map_block_cyclic(comm, int(extents, int64), shape, map, wide_blocks, stat, errmsg)
  end subroutine map_block_cyclic_int32

  subroutine map_from_text_int32(comm, extents, text, map, stat, errmsg)
    integer, intent(in) :: comm
    integer(int32), intent(in) :: extents(:)
    character(*), intent(in) :: text
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_from_text(comm, int(extents, int64), text, map, stat, errmsg)
  end subroutine map_from_text_int32

  subroutine map_from_boxes_int32(comm, extents, starts, sizes, map, row_major, offsets, strides, stat, errmsg)
    integer, intent(in) :: comm
    integer(int32), intent(in) :: extents(:)
    integer(int32), intent(in) :: starts(:, :)
    integer(int32), intent(in) :: sizes(:, :)
    type(reblock_map), intent(out) :: map
    logical, intent(in), optional :: row_major
    integer(int32), intent(in), optional :: offsets(:)
    integer(int32), intent(in), optional :: strides(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: wide_offsets(:)
    integer(int64), allocatable :: wide_strides(:, :)
    if (present(offsets)) wide_offsets = int(offsets, int64)
    if (present(strides)) wide_strides = int(strides, int64)
    call reblock_map_from_boxes(comm, int(extents, int64), int(starts, int64), int(sizes, int64), map, row_major, wide_offsets, &
      wide_strides, stat, errmsg)
  end subroutine map_from_boxes_int32

  subroutine map_owners_int32(map, index, ranks, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: index(:)
    integer, allocatable, intent(out) :: ranks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_owners(map, int(index, int64), ranks, stat, errmsg)
  end subroutine map_owners_int32

  subroutine plan_create_int32(comm, from, to, element, plan, from_section, to_section, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_create(comm, from, to, int(element, int64), plan, from_section, to_section, options, stat, errmsg)
  end subroutine plan_create_int32

  subroutine plan_shadow_int32(comm, map, element, plan, before, after, periodic, corners, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    integer(int32), intent(in), optional :: before(:)
    integer(int32), intent(in), optional :: after(:)
    logical, intent(in), optional :: periodic(:)
    logical, intent(in), optional :: corners
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: wide_before(:)
    integer(int64), allocatable :: wide_after(:)
    if (present(before)) wide_before = int(before, int64)
    if (present(after)) wide_after = int(after, int64)
    call reblock_plan_shadow(comm, map, int(element, int64), plan, wide_before, wide_after, periodic, corners, options, stat, &
      errmsg)
  end subroutine plan_shadow_int32

  subroutine gather_axis_int32(comm, map, axis, indices, element, plan, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: axis
    integer(int32), intent(in) :: indices(:)
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_gather(comm, map, axis, int(indices, int64), int(element, int64), plan, options, stat, errmsg)
  end subroutine gather_axis_int32

  subroutine gather_elements_int32(comm, map, indices, element, plan, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: indices(:, :)
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_gather(comm, map, int(indices, int64), int(element, int64), plan, options, stat, errmsg)
  end subroutine gather_elements_int32

  subroutine scatter_axis_int32(comm, map, axis, indices, element, plan, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: axis
    integer(int32), intent(in) :: indices(:)
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_scatter(comm, map, axis, int(indices, int64), int(element, int64), plan, options, stat, errmsg)
  end subroutine scatter_axis_int32

  subroutine scatter_elements_int32(comm, map, indices, element, plan, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: indices(:, :)
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_scatter(comm, map, int(indices, int64), int(element, int64), plan, options, stat, errmsg)
  end subroutine scatter_elements_int32

  subroutine plan_cshift_int32(comm, from, to, element, shifts, plan, from_section, to_section, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int32), intent(in) :: element
    integer(int32), intent(in) :: shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_cshift(comm, from, to, int(element, int64), int(shifts, int64), plan, from_section, to_section, options, &
      stat, errmsg)
  end subroutine plan_cshift_int32

  subroutine plan_eoshift_int32(comm, from, to, element, shifts, plan, boundary, from_section, to_section, options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int32), intent(in) :: element
    integer(int32), intent(in) :: shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(*), intent(in), optional :: boundary
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_eoshift(comm, from, to, int(element, int64), int(shifts, int64), plan, boundary, from_section, &
      to_section, options, stat, errmsg)
  end subroutine plan_eoshift_int32

  subroutine plan_shift_lines_int32(comm, from, to, element, axis, circular, shifts, plan, boundary, from_section, to_section, &
      options, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int32), intent(in) :: element
    integer, intent(in) :: axis
    logical, intent(in) :: circular
    integer(int32), intent(in) :: shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(*), dimension(..), optional, asynchronous, target :: boundary
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_shift_lines(comm, from, to, int(element, int64), axis, circular, int(shifts, int64), plan, boundary, &
      from_section, to_section, options, stat, errmsg)
  end subroutine plan_shift_lines_int32

  subroutine move_section_int32(comm, from, to, element, source, target, from_section, to_section, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int32), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: source
    type(*), dimension(..), optional, asynchronous, target :: target
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_move(comm, from, to, int(element, int64), source, target, from_section, to_section, stat, errmsg)
  end subroutine move_section_int32

  subroutine array_create_int32(map, element, array, stat, errmsg)
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: element
    type(reblock_array), intent(out) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_array_create(map, int(element, int64), array, stat, errmsg)
  end subroutine array_create_int32

  subroutine save_array_int32(comm, path, map, element, array, dtype, stat, errmsg)
    integer, intent(in) :: comm
    character(*), intent(in) :: path
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: array
    character(*), intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_save(comm, path, map, int(element, int64), array, dtype, stat, errmsg)
  end subroutine save_array_int32

  subroutine load_array_int32(comm, path, map, element, array, dtype, stat, errmsg)
    integer, intent(in) :: comm
    character(*), intent(in) :: path
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: array
    character(*), intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_load(comm, path, map, int(element, int64), array, dtype, stat, errmsg)
  end subroutine load_array_int32

  subroutine scope_array_int32(scope, name, element, array, stat, errmsg)
    type(reblock_scope), intent(in) :: scope
    character(*), intent(in) :: name
    integer(int32), intent(in) :: element
    type(reblock_array), intent(out) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_scope_array(scope, name, int(element, int64), array, stat, errmsg)
  end subroutine scope_array_int32

end module reblock_hpf_int32
