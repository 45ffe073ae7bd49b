! Module reblock_hpf for programs with mpi_f08: procedures with a communicator also accept a type(MPI_Comm).
! Made from fortran/hpf by `make headers` (build/fortran_twins); do not edit.
module reblock_hpf_f08
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use mpi_f08, only: MPI_Comm
  use reblock_hpf
  implicit none
  public
  private :: int32, int64, MPI_Comm
  private :: procs_create, map_block_cyclic, map_from_darray, map_from_text, map_from_boxes, plan_create, plan_shadow, &
      gather_axis, gather_elements, scatter_axis, scatter_elements, plan_cshift, plan_eoshift, plan_shift_lines, move_section, &
      move_update, save_array, load_array, scope_create, job_init, job_comm, map_block_cyclic_int32, map_from_text_int32, &
      map_from_boxes_int32, plan_create_int32, plan_shadow_int32, gather_axis_int32, gather_elements_int32, scatter_axis_int32, &
      scatter_elements_int32, plan_cshift_int32, plan_eoshift_int32, plan_shift_lines_int32, move_section_int32, &
      save_array_int32, load_array_int32

  interface reblock_procs_create
    procedure :: procs_create
  end interface reblock_procs_create

  interface reblock_map_block_cyclic
    procedure :: map_block_cyclic
  end interface reblock_map_block_cyclic

  interface reblock_map_from_darray
    procedure :: map_from_darray
  end interface reblock_map_from_darray

  interface reblock_map_from_text
    procedure :: map_from_text
  end interface reblock_map_from_text

  interface reblock_map_from_boxes
    procedure :: map_from_boxes
  end interface reblock_map_from_boxes

  interface reblock_plan_create
    procedure :: plan_create
  end interface reblock_plan_create

  interface reblock_plan_shadow
    procedure :: plan_shadow
  end interface reblock_plan_shadow

  interface reblock_plan_gather
    procedure :: gather_axis, gather_elements
  end interface reblock_plan_gather

  interface reblock_plan_scatter
    procedure :: scatter_axis, scatter_elements
  end interface reblock_plan_scatter

  interface reblock_plan_cshift
    procedure :: plan_cshift
  end interface reblock_plan_cshift

  interface reblock_plan_eoshift
    procedure :: plan_eoshift
  end interface reblock_plan_eoshift

  interface reblock_plan_shift_lines
    procedure :: plan_shift_lines
  end interface reblock_plan_shift_lines

  interface reblock_move
    procedure :: move_section
  end interface reblock_move

  interface reblock_move_update
    procedure :: move_update
  end interface reblock_move_update

  interface reblock_save
    procedure :: save_array
  end interface reblock_save

  interface reblock_load
    procedure :: load_array
  end interface reblock_load

  interface reblock_scope_create
    procedure :: scope_create
  end interface reblock_scope_create

  interface reblock_job_init
    procedure :: job_init
  end interface reblock_job_init

  interface reblock_job_get_comm
    procedure :: job_comm
  end interface reblock_job_get_comm

  interface reblock_map_block_cyclic
    procedure :: map_block_cyclic_int32
  end interface reblock_map_block_cyclic

  interface reblock_map_from_text
    procedure :: map_from_text_int32
  end interface reblock_map_from_text

  interface reblock_map_from_boxes
    procedure :: map_from_boxes_int32
  end interface reblock_map_from_boxes

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

  interface reblock_save
    procedure :: save_array_int32
  end interface reblock_save

  interface reblock_load
    procedure :: load_array_int32
  end interface reblock_load

contains

  subroutine procs_create(comm, shape, procs, ranks, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: shape(:)
    type(reblock_procs), intent(out) :: procs
    integer, intent(in), optional :: ranks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_procs_create(int(comm%MPI_VAL), shape, procs, ranks, stat, errmsg)
  end subroutine procs_create

  subroutine map_block_cyclic(comm, extents, shape, map, blocks, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: extents(:)
    integer, intent(in) :: shape(:)
    type(reblock_map), intent(out) :: map
    integer(int64), intent(in), optional :: blocks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_block_cyclic(int(comm%MPI_VAL), extents, shape, map, blocks, stat, errmsg)
  end subroutine map_block_cyclic

  subroutine map_from_darray(comm, gsizes, distribs, dargs, psizes, order, map, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: gsizes(:)
    integer, intent(in) :: distribs(:)
    integer, intent(in) :: dargs(:)
    integer, intent(in) :: psizes(:)
    integer, intent(in) :: order
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_from_darray(int(comm%MPI_VAL), gsizes, distribs, dargs, psizes, order, map, stat, errmsg)
  end subroutine map_from_darray

  subroutine map_from_text(comm, extents, text, map, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: extents(:)
    character(*), intent(in) :: text
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_from_text(int(comm%MPI_VAL), extents, text, map, stat, errmsg)
  end subroutine map_from_text

  subroutine map_from_boxes(comm, extents, starts, sizes, map, row_major, offsets, strides, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: extents(:)
    integer(int64), intent(in) :: starts(:, :)
    integer(int64), intent(in) :: sizes(:, :)
    type(reblock_map), intent(out) :: map
    logical, intent(in), optional :: row_major
    integer(int64), intent(in), optional :: offsets(:)
    integer(int64), intent(in), optional :: strides(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_from_boxes(int(comm%MPI_VAL), extents, starts, sizes, map, row_major, offsets, strides, stat, errmsg)
  end subroutine map_from_boxes

  subroutine plan_create(comm, from, to, element, plan, from_section, to_section, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int64), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_create(int(comm%MPI_VAL), from, to, element, plan, from_section, to_section, options, stat, errmsg)
  end subroutine plan_create

  subroutine plan_shadow(comm, map, element, plan, before, after, periodic, corners, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    integer(int64), intent(in), optional :: before(:)
    integer(int64), intent(in), optional :: after(:)
    logical, intent(in), optional :: periodic(:)
    logical, intent(in), optional :: corners
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_shadow(int(comm%MPI_VAL), map, element, plan, before, after, periodic, corners, options, stat, errmsg)
  end subroutine plan_shadow

  subroutine gather_axis(comm, map, axis, indices, element, plan, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: axis
    integer(int64), intent(in) :: indices(:)
    integer(int64), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_gather(int(comm%MPI_VAL), map, axis, indices, element, plan, options, stat, errmsg)
  end subroutine gather_axis

  subroutine gather_elements(comm, map, indices, element, plan, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: indices(:, :)
    integer(int64), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_gather(int(comm%MPI_VAL), map, indices, element, plan, options, stat, errmsg)
  end subroutine gather_elements

  subroutine scatter_axis(comm, map, axis, indices, element, plan, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: axis
    integer(int64), intent(in) :: indices(:)
    integer(int64), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_scatter(int(comm%MPI_VAL), map, axis, indices, element, plan, options, stat, errmsg)
  end subroutine scatter_axis

  subroutine scatter_elements(comm, map, indices, element, plan, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: indices(:, :)
    integer(int64), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_scatter(int(comm%MPI_VAL), map, indices, element, plan, options, stat, errmsg)
  end subroutine scatter_elements

  subroutine plan_cshift(comm, from, to, element, shifts, plan, from_section, to_section, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int64), intent(in) :: element
    integer(int64), intent(in) :: shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_cshift(int(comm%MPI_VAL), from, to, element, shifts, plan, from_section, to_section, options, stat, errmsg)
  end subroutine plan_cshift

  subroutine plan_eoshift(comm, from, to, element, shifts, plan, boundary, from_section, to_section, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int64), intent(in) :: element
    integer(int64), intent(in) :: shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(*), intent(in), optional :: boundary
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_eoshift(int(comm%MPI_VAL), from, to, element, shifts, plan, boundary, from_section, to_section, options, &
      stat, errmsg)
  end subroutine plan_eoshift

  subroutine plan_shift_lines(comm, from, to, element, axis, circular, shifts, plan, boundary, from_section, to_section, &
      options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int64), intent(in) :: element
    integer, intent(in) :: axis
    logical, intent(in) :: circular
    integer(int64), intent(in) :: shifts(:)
    type(reblock_plan), intent(out) :: plan
    type(*), dimension(..), optional, asynchronous, target :: boundary
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_shift_lines(int(comm%MPI_VAL), from, to, element, axis, circular, shifts, plan, boundary, from_section, &
      to_section, options, stat, errmsg)
  end subroutine plan_shift_lines

  subroutine move_section(comm, from, to, element, source, target, from_section, to_section, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int64), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: source
    type(*), dimension(..), optional, asynchronous, target :: target
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_move(int(comm%MPI_VAL), from, to, element, source, target, from_section, to_section, stat, errmsg)
  end subroutine move_section

  subroutine move_update(comm, from, to, source, target, update, from_section, to_section, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    type(*), dimension(..), optional, asynchronous, target :: source
    type(*), dimension(..), optional, asynchronous, target :: target
    type(reblock_update), intent(in) :: update
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_move_update(int(comm%MPI_VAL), from, to, source, target, update, from_section, to_section, stat, errmsg)
  end subroutine move_update

  subroutine save_array(comm, path, map, element, array, dtype, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: path
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: array
    character(*), intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_save(int(comm%MPI_VAL), path, map, element, array, dtype, stat, errmsg)
  end subroutine save_array

  subroutine load_array(comm, path, map, element, array, dtype, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: path
    type(reblock_map), intent(in) :: map
    integer(int64), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: array
    character(*), intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_load(int(comm%MPI_VAL), path, map, element, array, dtype, stat, errmsg)
  end subroutine load_array

  subroutine scope_create(comm, scope, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_scope), intent(out) :: scope
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_scope_create(int(comm%MPI_VAL), scope, stat, errmsg)
  end subroutine scope_create

  subroutine job_init(comm, job, unit, park, command, skew, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_job), intent(out) :: job
    integer, intent(in), optional :: unit
    logical, intent(in), optional :: park
    character(*), intent(in), optional :: command
    integer, intent(in), optional :: skew
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_job_init(int(comm%MPI_VAL), job, unit, park, command, skew, stat, errmsg)
  end subroutine job_init

  subroutine job_comm(job, comm, stat, errmsg)
    type(reblock_job), intent(in) :: job
    type(MPI_Comm), intent(inout) :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: handle
    handle = int(comm%MPI_VAL)
    call reblock_job_get_comm(job, handle, stat, errmsg)
    comm%MPI_VAL = handle
  end subroutine job_comm

  subroutine map_block_cyclic_int32(comm, extents, shape, map, blocks, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(int32), intent(in) :: extents(:)
    integer, intent(in) :: shape(:)
    type(reblock_map), intent(out) :: map
    integer(int32), intent(in), optional :: blocks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_block_cyclic(int(comm%MPI_VAL), extents, shape, map, blocks, stat, errmsg)
  end subroutine map_block_cyclic_int32

  subroutine map_from_text_int32(comm, extents, text, map, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(int32), intent(in) :: extents(:)
    character(*), intent(in) :: text
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_from_text(int(comm%MPI_VAL), extents, text, map, stat, errmsg)
  end subroutine map_from_text_int32

  subroutine map_from_boxes_int32(comm, extents, starts, sizes, map, row_major, offsets, strides, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(int32), intent(in) :: extents(:)
    integer(int32), intent(in) :: starts(:, :)
    integer(int32), intent(in) :: sizes(:, :)
    type(reblock_map), intent(out) :: map
    logical, intent(in), optional :: row_major
    integer(int32), intent(in), optional :: offsets(:)
    integer(int32), intent(in), optional :: strides(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_map_from_boxes(int(comm%MPI_VAL), extents, starts, sizes, map, row_major, offsets, strides, stat, errmsg)
  end subroutine map_from_boxes_int32

  subroutine plan_create_int32(comm, from, to, element, plan, from_section, to_section, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_create(int(comm%MPI_VAL), from, to, element, plan, from_section, to_section, options, stat, errmsg)
  end subroutine plan_create_int32

  subroutine plan_shadow_int32(comm, map, element, plan, before, after, periodic, corners, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
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
    call reblock_plan_shadow(int(comm%MPI_VAL), map, element, plan, before, after, periodic, corners, options, stat, errmsg)
  end subroutine plan_shadow_int32

  subroutine gather_axis_int32(comm, map, axis, indices, element, plan, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: axis
    integer(int32), intent(in) :: indices(:)
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_gather(int(comm%MPI_VAL), map, axis, indices, element, plan, options, stat, errmsg)
  end subroutine gather_axis_int32

  subroutine gather_elements_int32(comm, map, indices, element, plan, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: indices(:, :)
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_gather(int(comm%MPI_VAL), map, indices, element, plan, options, stat, errmsg)
  end subroutine gather_elements_int32

  subroutine scatter_axis_int32(comm, map, axis, indices, element, plan, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: axis
    integer(int32), intent(in) :: indices(:)
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_scatter(int(comm%MPI_VAL), map, axis, indices, element, plan, options, stat, errmsg)
  end subroutine scatter_axis_int32

  subroutine scatter_elements_int32(comm, map, indices, element, plan, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: indices(:, :)
    integer(int32), intent(in) :: element
    type(reblock_plan), intent(out) :: plan
    type(reblock_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_plan_scatter(int(comm%MPI_VAL), map, indices, element, plan, options, stat, errmsg)
  end subroutine scatter_elements_int32

  subroutine plan_cshift_int32(comm, from, to, element, shifts, plan, from_section, to_section, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
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
    call reblock_plan_cshift(int(comm%MPI_VAL), from, to, element, shifts, plan, from_section, to_section, options, stat, errmsg)
  end subroutine plan_cshift_int32

  subroutine plan_eoshift_int32(comm, from, to, element, shifts, plan, boundary, from_section, to_section, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
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
    call reblock_plan_eoshift(int(comm%MPI_VAL), from, to, element, shifts, plan, boundary, from_section, to_section, options, &
      stat, errmsg)
  end subroutine plan_eoshift_int32

  subroutine plan_shift_lines_int32(comm, from, to, element, axis, circular, shifts, plan, boundary, from_section, to_section, &
      options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
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
    call reblock_plan_shift_lines(int(comm%MPI_VAL), from, to, element, axis, circular, shifts, plan, boundary, from_section, &
      to_section, options, stat, errmsg)
  end subroutine plan_shift_lines_int32

  subroutine move_section_int32(comm, from, to, element, source, target, from_section, to_section, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(reblock_map), intent(in) :: from
    type(reblock_map), intent(in) :: to
    integer(int32), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: source
    type(*), dimension(..), optional, asynchronous, target :: target
    type(reblock_range), intent(in), optional :: from_section(:)
    type(reblock_range), intent(in), optional :: to_section(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_move(int(comm%MPI_VAL), from, to, element, source, target, from_section, to_section, stat, errmsg)
  end subroutine move_section_int32

  subroutine save_array_int32(comm, path, map, element, array, dtype, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: path
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: array
    character(*), intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_save(int(comm%MPI_VAL), path, map, element, array, dtype, stat, errmsg)
  end subroutine save_array_int32

  subroutine load_array_int32(comm, path, map, element, array, dtype, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: path
    type(reblock_map), intent(in) :: map
    integer(int32), intent(in) :: element
    type(*), dimension(..), optional, asynchronous, target :: array
    character(*), intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reblock_load(int(comm%MPI_VAL), path, map, element, array, dtype, stat, errmsg)
  end subroutine load_array_int32

end module reblock_hpf_f08
