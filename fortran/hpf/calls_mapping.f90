! C functions for arrangements, templates and maps, as include/reblock.h declares them. Axes count from 0 here.
module reblock_hpf_calls_mapping
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_ptr
  use reblock_hpf_signatures
  implicit none
  public
  procedure(frees), bind(c, name='reblock_procs_free') :: c_procs_free
  procedure(frees), bind(c, name='reblock_template_free') :: c_template_free
  procedure(frees), bind(c, name='reblock_map_free') :: c_map_free
  interface
    integer(c_int32_t) function c_procs_create_fortran(comm, axes, shape, ranks, procs) &
      bind(c, name='reblock_procs_create_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: comm
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int64_t), intent(in), optional :: ranks(*)
      type(c_ptr), intent(inout) :: procs
    end function c_procs_create_fortran
    integer(c_int32_t) function c_procs_axes(procs, axes) bind(c, name='reblock_procs_axes')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: procs
      integer(c_int64_t), intent(inout) :: axes
    end function c_procs_axes
    integer(c_int32_t) function c_procs_shape(procs, shape) bind(c, name='reblock_procs_shape')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: procs
      integer(c_int64_t), intent(out) :: shape(*)
    end function c_procs_shape
    integer(c_int32_t) function c_procs_coords(procs, rank, coords, inside) bind(c, name='reblock_procs_coords')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: procs
      integer(c_int64_t), value :: rank
      integer(c_int64_t), intent(out) :: coords(*)
      integer(c_int32_t), intent(out) :: inside
    end function c_procs_coords
    integer(c_int32_t) function c_template_create(procs, axes, lower, upper, template) &
      bind(c, name='reblock_template_create')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: procs
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in) :: lower(*), upper(*)
      type(c_ptr), intent(inout) :: template
    end function c_template_create
    integer(c_int32_t) function c_template_dist_collapsed(template, axis) bind(c, name='reblock_template_dist_collapsed')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), value :: axis
    end function c_template_dist_collapsed
    integer(c_int32_t) function c_template_dist_block(template, axis, procs_axis, block) &
      bind(c, name='reblock_template_dist_block')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), value :: axis, procs_axis, block
    end function c_template_dist_block
    integer(c_int32_t) function c_template_dist_cyclic(template, axis, procs_axis, block) &
      bind(c, name='reblock_template_dist_cyclic')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), value :: axis, procs_axis, block
    end function c_template_dist_cyclic
    integer(c_int32_t) function c_template_dist_gen_block(template, axis, procs_axis, count, sizes) &
      bind(c, name='reblock_template_dist_gen_block')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), value :: axis, procs_axis, count
      integer(c_int64_t), intent(in) :: sizes(*)
    end function c_template_dist_gen_block
    integer(c_int32_t) function c_template_dist_indirect(template, axis, procs_axis, count, owners) &
      bind(c, name='reblock_template_dist_indirect')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), value :: axis, procs_axis, count
      integer(c_int64_t), intent(in) :: owners(*)
    end function c_template_dist_indirect
    integer(c_int32_t) function c_template_dist_indirect_runs(template, axis, procs_axis, count, owners, lengths) &
      bind(c, name='reblock_template_dist_indirect_runs')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), value :: axis, procs_axis, count
      integer(c_int64_t), intent(in) :: owners(*), lengths(*)
    end function c_template_dist_indirect_runs
    integer(c_int32_t) function c_template_dist_indirect_local(template, axis, procs_axis, lower, count, owners) &
      bind(c, name='reblock_template_dist_indirect_local')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), value :: axis, procs_axis, lower, count
      integer(c_int64_t), intent(in) :: owners(*)
    end function c_template_dist_indirect_local
    integer(c_int32_t) function c_template_commit(template) bind(c, name='reblock_template_commit')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: template
    end function c_template_commit
    integer(c_int32_t) function c_template_text(template, text, room, length) bind(c, name='reblock_template_text')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function c_template_text
    integer(c_int32_t) function c_map_create(template, axes, lower, upper, aligns, rest, map) &
      bind(c, name='reblock_map_create')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in) :: lower(*), upper(*)
      integer(c_int64_t), intent(in), optional :: aligns(*), rest(*)
      type(c_ptr), intent(inout) :: map
    end function c_map_create
    integer(c_int32_t) function c_map_shadow(map, before, after, made) bind(c, name='reblock_map_shadow')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in) :: before(*), after(*)
      type(c_ptr), intent(inout) :: made
    end function c_map_shadow
    integer(c_int32_t) function c_map_order(map, order, made) bind(c, name='reblock_map_order')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in) :: order(*)
      type(c_ptr), intent(inout) :: made
    end function c_map_order
    integer(c_int32_t) function c_map_strides(map, strides, made) bind(c, name='reblock_map_strides')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in) :: strides(*)
      type(c_ptr), intent(inout) :: made
    end function c_map_strides
    integer(c_int32_t) function c_map_from_blacs(desc, map) bind(c, name='reblock_map_from_blacs')
      import :: c_int32_t, c_ptr
      integer, intent(in) :: desc(*)
      type(c_ptr), intent(inout) :: map
    end function c_map_from_blacs
    integer(c_int32_t) function c_map_axes(map, axes) bind(c, name='reblock_map_axes')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(inout) :: axes
    end function c_map_axes
    integer(c_int32_t) function c_map_bounds(map, lower, upper) bind(c, name='reblock_map_bounds')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(out) :: lower(*), upper(*)
    end function c_map_bounds
    integer(c_int32_t) function c_map_local(map, extents, lower, before, after, strides, has) &
      bind(c, name='reblock_map_local')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(out) :: extents(*), lower(*), before(*), after(*), strides(*)
      integer(c_int32_t), intent(out) :: has
    end function c_map_local
    integer(c_int32_t) function c_map_elements(map, elements) bind(c, name='reblock_map_elements')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(out) :: elements
    end function c_map_elements
    integer(c_int32_t) function c_map_equal(map, other, equal) bind(c, name='reblock_map_equal')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: map, other
      integer(c_int32_t), intent(out) :: equal
    end function c_map_equal
    integer(c_int32_t) function c_map_key(map, key) bind(c, name='reblock_map_key')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(out) :: key
    end function c_map_key
    integer(c_int32_t) function c_map_owners(map, index, most, ranks, count) bind(c, name='reblock_map_owners')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in) :: index(*)
      integer(c_int64_t), value :: most
      integer(c_int64_t), intent(out) :: ranks(*)
      integer(c_int64_t), intent(out) :: count
    end function c_map_owners
    integer(c_int32_t) function c_map_dereference(map, elements, indices, ranks, places) &
      bind(c, name='reblock_map_dereference')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), value :: elements
      integer(c_int64_t), intent(in) :: indices(*)
      integer(c_int64_t), intent(out) :: ranks(*), places(*)
    end function c_map_dereference
    integer(c_int32_t) function c_map_local_index(map, index, local, here) bind(c, name='reblock_map_local_index')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in) :: index(*)
      integer(c_int64_t), intent(out) :: local(*)
      integer(c_int32_t), intent(out) :: here
    end function c_map_local_index
    integer(c_int32_t) function c_map_offset(map, index, offset, here) bind(c, name='reblock_map_offset')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in) :: index(*)
      integer(c_int64_t), intent(out) :: offset
      integer(c_int32_t), intent(out) :: here
    end function c_map_offset
    integer(c_int32_t) function c_map_boxes(map, boxes) bind(c, name='reblock_map_boxes')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(out) :: boxes
    end function c_map_boxes
    integer(c_int32_t) function c_map_global_index(map, local, index, own) bind(c, name='reblock_map_global_index')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in) :: local(*)
      integer(c_int64_t), intent(out) :: index(*)
      integer(c_int32_t), intent(out) :: own
    end function c_map_global_index
    integer(c_int32_t) function c_map_format(map, axis, format) bind(c, name='reblock_map_format')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), value :: axis
      integer(c_int64_t), intent(inout) :: format(*)
    end function c_map_format
    integer(c_int32_t) function c_map_text(map, text, room, length) bind(c, name='reblock_map_text')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function c_map_text
    integer(c_int32_t) function c_map_whole(template, map) bind(c, name='reblock_map_whole')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: template
      type(c_ptr), intent(inout) :: map
    end function c_map_whole
    integer(c_int32_t) function c_map_row_major(map, made) bind(c, name='reblock_map_row_major')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: map
      type(c_ptr), intent(inout) :: made
    end function c_map_row_major
  end interface
end module reblock_hpf_calls_mapping
