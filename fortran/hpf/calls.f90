! Interfaces of the functions of include/reblock.h for the other modules. Axes count from 0 here. A list that the
! library reads may be absent: NULL.
! Made from src/ffi by `make headers`; do not edit.
module reblock_hpf_calls
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int32_t, c_int64_t, c_ptr
  implicit none
  public
  interface
    integer(c_int32_t) function c_procs_axes( &
      procs, axes) &
      bind(c, name='reblock_procs_axes')
      import
      type(c_ptr), value :: procs
      integer(c_int64_t), intent(inout) :: axes
    end function c_procs_axes
    integer(c_int32_t) function c_procs_shape( &
      procs, shape) &
      bind(c, name='reblock_procs_shape')
      import
      type(c_ptr), value :: procs
      integer(c_int64_t), intent(inout) :: shape(*)
    end function c_procs_shape
    integer(c_int32_t) function c_procs_coords( &
      procs, rank, coords, inside) &
      bind(c, name='reblock_procs_coords')
      import
      type(c_ptr), value :: procs
      integer(c_int64_t), value :: rank
      integer(c_int64_t), intent(inout) :: coords(*)
      integer(c_int32_t), intent(inout) :: inside
    end function c_procs_coords
    integer(c_int32_t) function c_procs_rank_at( &
      procs, coords, rank) &
      bind(c, name='reblock_procs_rank_at')
      import
      type(c_ptr), value :: procs
      integer(c_int64_t), intent(in), optional :: coords(*)
      integer(c_int64_t), intent(inout) :: rank
    end function c_procs_rank_at
    integer(c_int32_t) function c_procs_free( &
      procs) &
      bind(c, name='reblock_procs_free')
      import
      type(c_ptr), intent(inout) :: procs
    end function c_procs_free
    integer(c_int32_t) function c_template_create( &
      procs, axes, lower, upper, tmpl) &
      bind(c, name='reblock_template_create')
      import
      type(c_ptr), value :: procs
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in), optional :: lower(*)
      integer(c_int64_t), intent(in), optional :: upper(*)
      type(c_ptr), intent(inout) :: tmpl
    end function c_template_create
    integer(c_int32_t) function c_template_commit( &
      tmpl) &
      bind(c, name='reblock_template_commit')
      import
      type(c_ptr), value :: tmpl
    end function c_template_commit
    integer(c_int32_t) function c_template_axes( &
      tmpl, axes) &
      bind(c, name='reblock_template_axes')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), intent(inout) :: axes
    end function c_template_axes
    integer(c_int32_t) function c_template_bounds( &
      tmpl, lower, upper) &
      bind(c, name='reblock_template_bounds')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), intent(inout) :: lower(*)
      integer(c_int64_t), intent(inout) :: upper(*)
    end function c_template_bounds
    integer(c_int32_t) function c_template_format( &
      tmpl, axis, format) &
      bind(c, name='reblock_template_format')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), value :: axis
      integer(c_int64_t), intent(inout) :: format(*)
    end function c_template_format
    integer(c_int32_t) function c_template_procs( &
      tmpl, procs) &
      bind(c, name='reblock_template_procs')
      import
      type(c_ptr), value :: tmpl
      type(c_ptr), intent(inout) :: procs
    end function c_template_procs
    integer(c_int32_t) function c_template_text( &
      tmpl, text, size, length) &
      bind(c, name='reblock_template_text')
      import
      type(c_ptr), value :: tmpl
      type(c_ptr), value :: text
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: length
    end function c_template_text
    integer(c_int32_t) function c_template_free( &
      tmpl) &
      bind(c, name='reblock_template_free')
      import
      type(c_ptr), intent(inout) :: tmpl
    end function c_template_free
    integer(c_int32_t) function c_template_dist_collapsed( &
      tmpl, axis) &
      bind(c, name='reblock_template_dist_collapsed')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), value :: axis
    end function c_template_dist_collapsed
    integer(c_int32_t) function c_template_dist_block( &
      tmpl, axis, procs_axis, block) &
      bind(c, name='reblock_template_dist_block')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), value :: axis
      integer(c_int64_t), value :: procs_axis
      integer(c_int64_t), value :: block
    end function c_template_dist_block
    integer(c_int32_t) function c_template_dist_cyclic( &
      tmpl, axis, procs_axis, block) &
      bind(c, name='reblock_template_dist_cyclic')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), value :: axis
      integer(c_int64_t), value :: procs_axis
      integer(c_int64_t), value :: block
    end function c_template_dist_cyclic
    integer(c_int32_t) function c_template_dist_gen_block( &
      tmpl, axis, procs_axis, processes, sizes) &
      bind(c, name='reblock_template_dist_gen_block')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), value :: axis
      integer(c_int64_t), value :: procs_axis
      integer(c_int64_t), value :: processes
      integer(c_int64_t), intent(in), optional :: sizes(*)
    end function c_template_dist_gen_block
    integer(c_int32_t) function c_template_dist_indirect( &
      tmpl, axis, procs_axis, indices, owners) &
      bind(c, name='reblock_template_dist_indirect')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), value :: axis
      integer(c_int64_t), value :: procs_axis
      integer(c_int64_t), value :: indices
      integer(c_int64_t), intent(in), optional :: owners(*)
    end function c_template_dist_indirect
    integer(c_int32_t) function c_template_dist_indirect_runs( &
      tmpl, axis, procs_axis, runs, owners, lengths) &
      bind(c, name='reblock_template_dist_indirect_runs')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), value :: axis
      integer(c_int64_t), value :: procs_axis
      integer(c_int64_t), value :: runs
      integer(c_int64_t), intent(in), optional :: owners(*)
      integer(c_int64_t), intent(in), optional :: lengths(*)
    end function c_template_dist_indirect_runs
    integer(c_int32_t) function c_template_dist_indirect_local( &
      tmpl, axis, procs_axis, lower, indices, owners) &
      bind(c, name='reblock_template_dist_indirect_local')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), value :: axis
      integer(c_int64_t), value :: procs_axis
      integer(c_int64_t), value :: lower
      integer(c_int64_t), value :: indices
      integer(c_int64_t), intent(in), optional :: owners(*)
    end function c_template_dist_indirect_local
    integer(c_int32_t) function c_template_dist_text( &
      tmpl, distribution) &
      bind(c, name='reblock_template_dist_text')
      import
      type(c_ptr), value :: tmpl
      character(c_char), intent(in), optional :: distribution(*)
    end function c_template_dist_text
    integer(c_int32_t) function c_format_init( &
      format) &
      bind(c, name='reblock_format_init')
      import
      integer(c_int64_t), intent(inout) :: format(*)
    end function c_format_init
    integer(c_int32_t) function c_template_redistribute( &
      tmpl, like, arrays, dead) &
      bind(c, name='reblock_template_redistribute')
      import
      type(c_ptr), value :: tmpl
      type(c_ptr), value :: like
      integer(c_int64_t), value :: arrays
      type(c_ptr), intent(in) :: dead(*)
    end function c_template_redistribute
    integer(c_int32_t) function c_map_create( &
      tmpl, axes, lower, upper, aligns, rest, map) &
      bind(c, name='reblock_map_create')
      import
      type(c_ptr), value :: tmpl
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in), optional :: lower(*)
      integer(c_int64_t), intent(in), optional :: upper(*)
      integer(c_int64_t), intent(in), optional :: aligns(*)
      integer(c_int64_t), intent(in), optional :: rest(*)
      type(c_ptr), intent(inout) :: map
    end function c_map_create
    integer(c_int32_t) function c_map_whole( &
      tmpl, map) &
      bind(c, name='reblock_map_whole')
      import
      type(c_ptr), value :: tmpl
      type(c_ptr), intent(inout) :: map
    end function c_map_whole
    integer(c_int32_t) function c_map_from_blacs( &
      desc, map) &
      bind(c, name='reblock_map_from_blacs')
      import
      integer, intent(in), optional :: desc(*)
      type(c_ptr), intent(inout) :: map
    end function c_map_from_blacs
    integer(c_int32_t) function c_map_shadow( &
      map, before, after, made) &
      bind(c, name='reblock_map_shadow')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in), optional :: before(*)
      integer(c_int64_t), intent(in), optional :: after(*)
      type(c_ptr), intent(inout) :: made
    end function c_map_shadow
    integer(c_int32_t) function c_map_row_major( &
      map, made) &
      bind(c, name='reblock_map_row_major')
      import
      type(c_ptr), value :: map
      type(c_ptr), intent(inout) :: made
    end function c_map_row_major
    integer(c_int32_t) function c_map_order( &
      map, order, made) &
      bind(c, name='reblock_map_order')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in), optional :: order(*)
      type(c_ptr), intent(inout) :: made
    end function c_map_order
    integer(c_int32_t) function c_map_strides( &
      map, strides, made) &
      bind(c, name='reblock_map_strides')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in), optional :: strides(*)
      type(c_ptr), intent(inout) :: made
    end function c_map_strides
    integer(c_int32_t) function c_map_free( &
      map) &
      bind(c, name='reblock_map_free')
      import
      type(c_ptr), intent(inout) :: map
    end function c_map_free
    integer(c_int32_t) function c_map_offset( &
      map, index, offset, here) &
      bind(c, name='reblock_map_offset')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in), optional :: index(*)
      integer(c_int64_t), intent(inout) :: offset
      integer(c_int32_t), intent(inout) :: here
    end function c_map_offset
    integer(c_int32_t) function c_map_boxes( &
      map, boxes) &
      bind(c, name='reblock_map_boxes')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(inout) :: boxes
    end function c_map_boxes
    integer(c_int32_t) function c_map_axes( &
      map, axes) &
      bind(c, name='reblock_map_axes')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(inout) :: axes
    end function c_map_axes
    integer(c_int32_t) function c_map_bounds( &
      map, lower, upper) &
      bind(c, name='reblock_map_bounds')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(inout) :: lower(*)
      integer(c_int64_t), intent(inout) :: upper(*)
    end function c_map_bounds
    integer(c_int32_t) function c_map_local( &
      map, extents, lower, before, after, strides, has_part) &
      bind(c, name='reblock_map_local')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(inout) :: extents(*)
      integer(c_int64_t), intent(inout) :: lower(*)
      integer(c_int64_t), intent(inout) :: before(*)
      integer(c_int64_t), intent(inout) :: after(*)
      integer(c_int64_t), intent(inout) :: strides(*)
      integer(c_int32_t), intent(inout) :: has_part
    end function c_map_local
    integer(c_int32_t) function c_map_elements( &
      map, elements) &
      bind(c, name='reblock_map_elements')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(inout) :: elements
    end function c_map_elements
    integer(c_int32_t) function c_map_owners( &
      map, index, most, ranks, owners) &
      bind(c, name='reblock_map_owners')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in), optional :: index(*)
      integer(c_int64_t), value :: most
      integer(c_int64_t), intent(inout) :: ranks(*)
      integer(c_int64_t), intent(inout) :: owners
    end function c_map_owners
    integer(c_int32_t) function c_map_local_index( &
      map, index, local, here) &
      bind(c, name='reblock_map_local_index')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in), optional :: index(*)
      integer(c_int64_t), intent(inout) :: local(*)
      integer(c_int32_t), intent(inout) :: here
    end function c_map_local_index
    integer(c_int32_t) function c_map_global_index( &
      map, local, index, own) &
      bind(c, name='reblock_map_global_index')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in), optional :: local(*)
      integer(c_int64_t), intent(inout) :: index(*)
      integer(c_int32_t), intent(inout) :: own
    end function c_map_global_index
    integer(c_int32_t) function c_map_format( &
      map, axis, format) &
      bind(c, name='reblock_map_format')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), value :: axis
      integer(c_int64_t), intent(inout) :: format(*)
    end function c_map_format
    integer(c_int32_t) function c_map_text( &
      map, text, size, length) &
      bind(c, name='reblock_map_text')
      import
      type(c_ptr), value :: map
      type(c_ptr), value :: text
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: length
    end function c_map_text
    integer(c_int32_t) function c_map_procs( &
      map, procs) &
      bind(c, name='reblock_map_procs')
      import
      type(c_ptr), value :: map
      type(c_ptr), intent(inout) :: procs
    end function c_map_procs
    integer(c_int32_t) function c_map_template( &
      map, axes, lower, upper, aligned, rest) &
      bind(c, name='reblock_map_template')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(inout) :: axes
      integer(c_int64_t), intent(inout) :: lower(*)
      integer(c_int64_t), intent(inout) :: upper(*)
      integer(c_int64_t), intent(inout) :: aligned(*)
      integer(c_int64_t), intent(inout) :: rest(*)
    end function c_map_template
    integer(c_int32_t) function c_map_part( &
      map, rank, extents, lower, first, last, has_part) &
      bind(c, name='reblock_map_part')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), value :: rank
      integer(c_int64_t), intent(inout) :: extents(*)
      integer(c_int64_t), intent(inout) :: lower(*)
      integer(c_int64_t), intent(inout) :: first(*)
      integer(c_int64_t), intent(inout) :: last(*)
      integer(c_int32_t), intent(inout) :: has_part
    end function c_map_part
    integer(c_int32_t) function c_map_equal( &
      map, other, equal) &
      bind(c, name='reblock_map_equal')
      import
      type(c_ptr), value :: map
      type(c_ptr), value :: other
      integer(c_int32_t), intent(inout) :: equal
    end function c_map_equal
    integer(c_int32_t) function c_map_key( &
      map, key) &
      bind(c, name='reblock_map_key')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), intent(inout) :: key
    end function c_map_key
    integer(c_int32_t) function c_map_dereference( &
      map, elements, indices, ranks, places) &
      bind(c, name='reblock_map_dereference')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), value :: elements
      integer(c_int64_t), intent(in), optional :: indices(*)
      integer(c_int64_t), intent(inout) :: ranks(*)
      integer(c_int64_t), intent(inout) :: places(*)
    end function c_map_dereference
    integer(c_int32_t) function c_plan_options_init_3( &
      options) &
      bind(c, name='reblock_plan_options_init_3')
      import
      type(c_ptr), value :: options
    end function c_plan_options_init_3
    integer(c_int32_t) function c_plan_options_init_2( &
      options) &
      bind(c, name='reblock_plan_options_init_2')
      import
      type(c_ptr), value :: options
    end function c_plan_options_init_2
    integer(c_int32_t) function c_plan_options_init( &
      options) &
      bind(c, name='reblock_plan_options_init')
      import
      type(c_ptr), value :: options
    end function c_plan_options_init
    integer(c_int32_t) function c_plan_info_init( &
      info) &
      bind(c, name='reblock_plan_info_init')
      import
      type(c_ptr), value :: info
    end function c_plan_info_init
    integer(c_int32_t) function c_plan_inquire( &
      plan, info) &
      bind(c, name='reblock_plan_inquire')
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: info
    end function c_plan_inquire
    integer(c_int32_t) function c_plan_target( &
      plan, map) &
      bind(c, name='reblock_plan_target')
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: map
    end function c_plan_target
    integer(c_int32_t) function c_plan_explain( &
      plan, json, size, length) &
      bind(c, name='reblock_plan_explain')
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: json
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: length
    end function c_plan_explain
    integer(c_int32_t) function c_plan_free( &
      plan) &
      bind(c, name='reblock_plan_free')
      import
      type(c_ptr), intent(inout) :: plan
    end function c_plan_free
    integer(c_int32_t) function c_plan_reverse( &
      plan, reverse) &
      bind(c, name='reblock_plan_reverse')
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: reverse
    end function c_plan_reverse
    integer(c_int32_t) function c_plan_execute( &
      plan, source, target) &
      bind(c, name='reblock_plan_execute')
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: source
      type(c_ptr), value :: target
    end function c_plan_execute
    integer(c_int32_t) function c_plan_execute_many( &
      arrays, plans, sources, targets) &
      bind(c, name='reblock_plan_execute_many')
      import
      integer(c_int64_t), value :: arrays
      type(c_ptr), intent(in) :: plans(*)
      type(c_ptr), intent(in) :: sources(*)
      type(c_ptr), intent(in) :: targets(*)
    end function c_plan_execute_many
    integer(c_int32_t) function c_plan_start( &
      plan, source, target, request) &
      bind(c, name='reblock_plan_start')
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: source
      type(c_ptr), value :: target
      type(c_ptr), intent(inout) :: request
    end function c_plan_start
    integer(c_int32_t) function c_plan_start_many( &
      arrays, plans, sources, targets, request) &
      bind(c, name='reblock_plan_start_many')
      import
      integer(c_int64_t), value :: arrays
      type(c_ptr), intent(in) :: plans(*)
      type(c_ptr), intent(in) :: sources(*)
      type(c_ptr), intent(in) :: targets(*)
      type(c_ptr), intent(inout) :: request
    end function c_plan_start_many
    integer(c_int32_t) function c_update_init( &
      update) &
      bind(c, name='reblock_update_init')
      import
      type(c_ptr), value :: update
    end function c_update_init
    integer(c_int32_t) function c_plan_update( &
      plan, source, target, update) &
      bind(c, name='reblock_plan_update')
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: source
      type(c_ptr), value :: target
      type(c_ptr), value :: update
    end function c_plan_update
    integer(c_int32_t) function c_plan_update_many( &
      arrays, plans, sources, targets, updates) &
      bind(c, name='reblock_plan_update_many')
      import
      integer(c_int64_t), value :: arrays
      type(c_ptr), intent(in) :: plans(*)
      type(c_ptr), intent(in) :: sources(*)
      type(c_ptr), intent(in) :: targets(*)
      type(c_ptr), intent(in) :: updates(*)
    end function c_plan_update_many
    integer(c_int32_t) function c_plan_start_update( &
      plan, source, target, update, request) &
      bind(c, name='reblock_plan_start_update')
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: source
      type(c_ptr), value :: target
      type(c_ptr), value :: update
      type(c_ptr), intent(inout) :: request
    end function c_plan_start_update
    integer(c_int32_t) function c_plan_start_update_many( &
      arrays, plans, sources, targets, updates, request) &
      bind(c, name='reblock_plan_start_update_many')
      import
      integer(c_int64_t), value :: arrays
      type(c_ptr), intent(in) :: plans(*)
      type(c_ptr), intent(in) :: sources(*)
      type(c_ptr), intent(in) :: targets(*)
      type(c_ptr), intent(in) :: updates(*)
      type(c_ptr), intent(inout) :: request
    end function c_plan_start_update_many
    integer(c_int32_t) function c_request_test( &
      request, done) &
      bind(c, name='reblock_request_test')
      import
      type(c_ptr), intent(inout) :: request
      integer(c_int32_t), intent(inout) :: done
    end function c_request_test
    integer(c_int32_t) function c_request_wait( &
      request) &
      bind(c, name='reblock_request_wait')
      import
      type(c_ptr), intent(inout) :: request
    end function c_request_wait
    integer(c_int32_t) function c_request_free( &
      request) &
      bind(c, name='reblock_request_free')
      import
      type(c_ptr), intent(inout) :: request
    end function c_request_free
    integer(c_int32_t) function c_array_create( &
      map, element, array) &
      bind(c, name='reblock_array_create')
      import
      type(c_ptr), value :: map
      integer(c_int64_t), value :: element
      type(c_ptr), intent(inout) :: array
    end function c_array_create
    integer(c_int32_t) function c_array_data( &
      array, data, extents, lower, strides) &
      bind(c, name='reblock_array_data')
      import
      type(c_ptr), value :: array
      type(c_ptr), value :: data
      integer(c_int64_t), intent(inout) :: extents(*)
      integer(c_int64_t), intent(inout) :: lower(*)
      integer(c_int64_t), intent(inout) :: strides(*)
    end function c_array_data
    integer(c_int32_t) function c_array_element( &
      array, element) &
      bind(c, name='reblock_array_element')
      import
      type(c_ptr), value :: array
      integer(c_int64_t), intent(inout) :: element
    end function c_array_element
    integer(c_int32_t) function c_array_map( &
      array, map) &
      bind(c, name='reblock_array_map')
      import
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: map
    end function c_array_map
    integer(c_int32_t) function c_array_free( &
      array) &
      bind(c, name='reblock_array_free')
      import
      type(c_ptr), intent(inout) :: array
    end function c_array_free
    integer(c_int32_t) function c_array_realign( &
      array, map, dead) &
      bind(c, name='reblock_array_realign')
      import
      type(c_ptr), value :: array
      type(c_ptr), value :: map
      integer(c_int32_t), value :: dead
    end function c_array_realign
    integer(c_int32_t) function c_array_fill_shadows( &
      array, filled, periodic, corners) &
      bind(c, name='reblock_array_fill_shadows')
      import
      type(c_ptr), value :: array
      integer(c_int32_t), value :: filled
      integer(c_int32_t), intent(in), optional :: periodic(*)
      integer(c_int32_t), value :: corners
    end function c_array_fill_shadows
    integer(c_int32_t) function c_array_save( &
      array, path, dtype) &
      bind(c, name='reblock_array_save')
      import
      type(c_ptr), value :: array
      character(c_char), intent(in), optional :: path(*)
      character(c_char), intent(in), optional :: dtype(*)
    end function c_array_save
    integer(c_int32_t) function c_array_load( &
      array, path, dtype) &
      bind(c, name='reblock_array_load')
      import
      type(c_ptr), value :: array
      character(c_char), intent(in), optional :: path(*)
      character(c_char), intent(in), optional :: dtype(*)
    end function c_array_load
    integer(c_int32_t) function c_file_progress( &
      function, context) &
      bind(c, name='reblock_file_progress')
      import
      type(c_funptr), value :: function
      type(c_ptr), value :: context
    end function c_file_progress
    integer(c_int32_t) function c_scope_directive( &
      scope, line) &
      bind(c, name='reblock_scope_directive')
      import
      type(c_ptr), value :: scope
      character(c_char), intent(in), optional :: line(*)
    end function c_scope_directive
    integer(c_int32_t) function c_scope_procs( &
      scope, name, procs) &
      bind(c, name='reblock_scope_procs')
      import
      type(c_ptr), value :: scope
      character(c_char), intent(in), optional :: name(*)
      type(c_ptr), intent(inout) :: procs
    end function c_scope_procs
    integer(c_int32_t) function c_scope_template( &
      scope, name, tmpl) &
      bind(c, name='reblock_scope_template')
      import
      type(c_ptr), value :: scope
      character(c_char), intent(in), optional :: name(*)
      type(c_ptr), intent(inout) :: tmpl
    end function c_scope_template
    integer(c_int32_t) function c_scope_map( &
      scope, name, map) &
      bind(c, name='reblock_scope_map')
      import
      type(c_ptr), value :: scope
      character(c_char), intent(in), optional :: name(*)
      type(c_ptr), intent(inout) :: map
    end function c_scope_map
    integer(c_int32_t) function c_scope_array( &
      scope, name, element, array) &
      bind(c, name='reblock_scope_array')
      import
      type(c_ptr), value :: scope
      character(c_char), intent(in), optional :: name(*)
      integer(c_int64_t), value :: element
      type(c_ptr), intent(inout) :: array
    end function c_scope_array
    integer(c_int32_t) function c_scope_free( &
      scope) &
      bind(c, name='reblock_scope_free')
      import
      type(c_ptr), intent(inout) :: scope
    end function c_scope_free
    integer(c_int32_t) function c_job_options_init( &
      options) &
      bind(c, name='reblock_job_options_init')
      import
      type(c_ptr), value :: options
    end function c_job_options_init
    integer(c_int32_t) function c_job_joined( &
      job, joined) &
      bind(c, name='reblock_job_joined')
      import
      type(c_ptr), value :: job
      integer(c_int32_t), intent(inout) :: joined
    end function c_job_joined
    integer(c_int32_t) function c_job_get_blacs( &
      job, rows, cols, context) &
      bind(c, name='reblock_job_get_blacs')
      import
      type(c_ptr), value :: job
      integer, value :: rows
      integer, value :: cols
      type(c_ptr), value :: context
    end function c_job_get_blacs
    integer(c_int32_t) function c_job_finalize( &
      job) &
      bind(c, name='reblock_job_finalize')
      import
      type(c_ptr), intent(inout) :: job
    end function c_job_finalize
    integer(c_int32_t) function c_job_leave( &
      job) &
      bind(c, name='reblock_job_leave')
      import
      type(c_ptr), intent(inout) :: job
    end function c_job_leave
    integer(c_int32_t) function c_job_add_matrix( &
      job, desc, element, data) &
      bind(c, name='reblock_job_add_matrix')
      import
      type(c_ptr), value :: job
      type(c_ptr), value :: desc
      integer(c_int64_t), value :: element
      type(c_ptr), value :: data
    end function c_job_add_matrix
    integer(c_int32_t) function c_job_add_array( &
      job, map, element, data) &
      bind(c, name='reblock_job_add_array')
      import
      type(c_ptr), value :: job
      type(c_ptr), value :: map
      integer(c_int64_t), value :: element
      type(c_ptr), value :: data
    end function c_job_add_array
    integer(c_int32_t) function c_job_add_value( &
      job, value, bytes) &
      bind(c, name='reblock_job_add_value')
      import
      type(c_ptr), value :: job
      type(c_ptr), value :: value
      integer(c_int64_t), value :: bytes
    end function c_job_add_value
    integer(c_int32_t) function c_job_set_constant( &
      job, number, constant) &
      bind(c, name='reblock_job_set_constant')
      import
      type(c_ptr), value :: job
      integer(c_int64_t), value :: number
      integer(c_int32_t), value :: constant
    end function c_job_set_constant
    integer(c_int32_t) function c_job_get_map( &
      job, number, map) &
      bind(c, name='reblock_job_get_map')
      import
      type(c_ptr), value :: job
      integer(c_int64_t), value :: number
      type(c_ptr), intent(inout) :: map
    end function c_job_get_map
    integer(c_int32_t) function c_job_set_formats( &
      job, number, formats, context) &
      bind(c, name='reblock_job_set_formats')
      import
      type(c_ptr), value :: job
      integer(c_int64_t), value :: number
      type(c_funptr), value :: formats
      type(c_ptr), value :: context
    end function c_job_set_formats
    integer(c_int32_t) function c_job_step( &
      job, state) &
      bind(c, name='reblock_job_step')
      import
      type(c_ptr), value :: job
      integer(c_int32_t), intent(inout) :: state
    end function c_job_step
    integer(c_int32_t) function c_job_expand( &
      job, ranks, state) &
      bind(c, name='reblock_job_expand')
      import
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      integer(c_int32_t), intent(inout) :: state
    end function c_job_expand
    integer(c_int32_t) function c_job_shrink( &
      job, ranks, state) &
      bind(c, name='reblock_job_shrink')
      import
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      integer(c_int32_t), intent(inout) :: state
    end function c_job_shrink
    integer(c_int32_t) function c_job_can_resize( &
      job, ranks) &
      bind(c, name='reblock_job_can_resize')
      import
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
    end function c_job_can_resize
    integer(c_int32_t) function c_job_set_seconds( &
      job, seconds) &
      bind(c, name='reblock_job_set_seconds')
      import
      type(c_ptr), value :: job
      real(c_double), value :: seconds
    end function c_job_set_seconds
    integer(c_int32_t) function c_job_set_policy( &
      job, policy, context) &
      bind(c, name='reblock_job_set_policy')
      import
      type(c_ptr), value :: job
      type(c_funptr), value :: policy
      type(c_ptr), value :: context
    end function c_job_set_policy
    integer(c_int32_t) function c_job_set_policy_text( &
      job, policy) &
      bind(c, name='reblock_job_set_policy_text')
      import
      type(c_ptr), value :: job
      character(c_char), intent(in), optional :: policy(*)
    end function c_job_set_policy_text
    integer(c_int32_t) function c_job_set_leaving( &
      job, count, ranks) &
      bind(c, name='reblock_job_set_leaving')
      import
      type(c_ptr), value :: job
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in), optional :: ranks(*)
    end function c_job_set_leaving
    integer(c_int32_t) function c_job_set_leaving_hosts( &
      job, hosts) &
      bind(c, name='reblock_job_set_leaving_hosts')
      import
      type(c_ptr), value :: job
      character(c_char), intent(in), optional :: hosts(*)
    end function c_job_set_leaving_hosts
    integer(c_int32_t) function c_job_get_hosts( &
      job, hosts, size, length) &
      bind(c, name='reblock_job_get_hosts')
      import
      type(c_ptr), value :: job
      type(c_ptr), value :: hosts
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: length
    end function c_job_get_hosts
    integer(c_int32_t) function c_job_next_freed( &
      job, host, size, length) &
      bind(c, name='reblock_job_next_freed')
      import
      type(c_ptr), value :: job
      type(c_ptr), value :: host
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: length
    end function c_job_next_freed
    integer(c_int32_t) function c_job_times_init( &
      times) &
      bind(c, name='reblock_job_times_init')
      import
      type(c_ptr), value :: times
    end function c_job_times_init
    integer(c_int32_t) function c_job_price_init( &
      price) &
      bind(c, name='reblock_job_price_init')
      import
      type(c_ptr), value :: price
    end function c_job_price_init
    integer(c_int32_t) function c_job_get_price( &
      job, ranks, price) &
      bind(c, name='reblock_job_get_price')
      import
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      type(c_ptr), value :: price
    end function c_job_get_price
    integer(c_int32_t) function c_job_get_times( &
      job, times) &
      bind(c, name='reblock_job_get_times')
      import
      type(c_ptr), value :: job
      type(c_ptr), value :: times
    end function c_job_get_times
    integer(c_int32_t) function c_blacs_alloc( &
      context, bytes, data) &
      bind(c, name='reblock_blacs_alloc')
      import
      integer, value :: context
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: data
    end function c_blacs_alloc
    integer(c_int32_t) function c_blacs_free( &
      context, data) &
      bind(c, name='reblock_blacs_free')
      import
      integer, value :: context
      type(c_ptr), value :: data
    end function c_blacs_free
    integer(c_int32_t) function c_grid_for( &
      processes, extents, block, element, present, skew, grid, time) &
      bind(c, name='reblock_grid_for')
      import
      integer(c_int64_t), value :: processes
      integer(c_int64_t), intent(in), optional :: extents(*)
      integer(c_int64_t), intent(in), optional :: block(*)
      integer(c_int64_t), value :: element
      integer(c_int64_t), intent(in), optional :: present(*)
      integer(c_int64_t), value :: skew
      integer(c_int64_t), intent(inout) :: grid(*)
      real(c_double), intent(inout) :: time
    end function c_grid_for
    integer(c_int32_t) function c_device_stream( &
      stream) &
      bind(c, name='reblock_device_stream')
      import
      type(c_ptr), value :: stream
    end function c_device_stream
    integer(c_int32_t) function c_job_get_comm( &
      job, comm) &
      bind(c, name='reblock_job_get_comm_fortran')
      import
      type(c_ptr), value :: job
      integer(c_int32_t), intent(inout) :: comm
    end function c_job_get_comm
    integer(c_int32_t) function c_job_set_spawn_info( &
      job, info) &
      bind(c, name='reblock_job_set_spawn_info_fortran')
      import
      type(c_ptr), value :: job
      integer(c_int32_t), value :: info
    end function c_job_set_spawn_info
    integer(c_int32_t) function c_procs_create( &
      comm, axes, shape, ranks, procs) &
      bind(c, name='reblock_procs_create_fortran')
      import
      integer(c_int32_t), value :: comm
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in), optional :: shape(*)
      integer(c_int64_t), intent(in), optional :: ranks(*)
      type(c_ptr), intent(inout) :: procs
    end function c_procs_create
    integer(c_int32_t) function c_map_block_cyclic( &
      comm, axes, extents, shape, blocks, map) &
      bind(c, name='reblock_map_block_cyclic_fortran')
      import
      integer(c_int32_t), value :: comm
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in), optional :: extents(*)
      integer(c_int64_t), intent(in), optional :: shape(*)
      integer(c_int64_t), intent(in), optional :: blocks(*)
      type(c_ptr), intent(inout) :: map
    end function c_map_block_cyclic
    integer(c_int32_t) function c_map_from_darray( &
      comm, axes, gsizes, distribs, dargs, psizes, order, map) &
      bind(c, name='reblock_map_from_darray_fortran')
      import
      integer(c_int32_t), value :: comm
      integer(c_int), value :: axes
      integer(c_int), intent(in), optional :: gsizes(*)
      integer(c_int), intent(in), optional :: distribs(*)
      integer(c_int), intent(in), optional :: dargs(*)
      integer(c_int), intent(in), optional :: psizes(*)
      integer(c_int), value :: order
      type(c_ptr), intent(inout) :: map
    end function c_map_from_darray
    integer(c_int32_t) function c_map_from_text( &
      comm, axes, extents, distribution, map) &
      bind(c, name='reblock_map_from_text_fortran')
      import
      integer(c_int32_t), value :: comm
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in), optional :: extents(*)
      character(c_char), intent(in), optional :: distribution(*)
      type(c_ptr), intent(inout) :: map
    end function c_map_from_text
    integer(c_int32_t) function c_map_from_boxes( &
      comm, axes, extents, boxes, starts, sizes, row_major, offsets, strides, map) &
      bind(c, name='reblock_map_from_boxes_fortran')
      import
      integer(c_int32_t), value :: comm
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in), optional :: extents(*)
      integer(c_int64_t), value :: boxes
      integer(c_int64_t), intent(in), optional :: starts(*)
      integer(c_int64_t), intent(in), optional :: sizes(*)
      integer(c_int32_t), value :: row_major
      integer(c_int64_t), intent(in), optional :: offsets(*)
      integer(c_int64_t), intent(in), optional :: strides(*)
      type(c_ptr), intent(inout) :: map
    end function c_map_from_boxes
    integer(c_int32_t) function c_plan_create( &
      comm, from, from_section, to, to_section, element, options, plan) &
      bind(c, name='reblock_plan_create_fortran')
      import
      integer(c_int32_t), value :: comm
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_create
    integer(c_int32_t) function c_plan_gather( &
      comm, map, axis, count, indices, element, options, plan) &
      bind(c, name='reblock_plan_gather_fortran')
      import
      integer(c_int32_t), value :: comm
      type(c_ptr), value :: map
      integer(c_int64_t), value :: axis
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in), optional :: indices(*)
      integer(c_int64_t), value :: element
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_gather
    integer(c_int32_t) function c_plan_scatter( &
      comm, map, axis, count, indices, element, options, plan) &
      bind(c, name='reblock_plan_scatter_fortran')
      import
      integer(c_int32_t), value :: comm
      type(c_ptr), value :: map
      integer(c_int64_t), value :: axis
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in), optional :: indices(*)
      integer(c_int64_t), value :: element
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_scatter
    integer(c_int32_t) function c_plan_cshift( &
      comm, from, from_section, to, to_section, element, axes, shifts, options, plan) &
      bind(c, name='reblock_plan_cshift_fortran')
      import
      integer(c_int32_t), value :: comm
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in), optional :: shifts(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_cshift
    integer(c_int32_t) function c_plan_eoshift( &
      comm, from, from_section, to, to_section, element, axes, shifts, boundary, options, plan) &
      bind(c, name='reblock_plan_eoshift_fortran')
      import
      integer(c_int32_t), value :: comm
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in), optional :: shifts(*)
      type(*), intent(in), optional :: boundary
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_eoshift
    integer(c_int32_t) function c_plan_shift_lines( &
      comm, from, from_section, to, to_section, element, axis, circular, count, distances, boundaries, options, plan) &
      bind(c, name='reblock_plan_shift_lines_fortran')
      import
      integer(c_int32_t), value :: comm
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element
      integer(c_int64_t), value :: axis
      integer(c_int32_t), value :: circular
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in), optional :: distances(*)
      type(c_ptr), value :: boundaries
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_shift_lines
    integer(c_int32_t) function c_plan_shadow( &
      comm, map, before, after, periodic, corners, element, options, plan) &
      bind(c, name='reblock_plan_shadow_fortran')
      import
      integer(c_int32_t), value :: comm
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in), optional :: before(*)
      integer(c_int64_t), intent(in), optional :: after(*)
      integer(c_int32_t), intent(in), optional :: periodic(*)
      integer(c_int32_t), value :: corners
      integer(c_int64_t), value :: element
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_shadow
    integer(c_int32_t) function c_move( &
      comm, from, from_section, to, to_section, element, source, target) &
      bind(c, name='reblock_move_fortran')
      import
      integer(c_int32_t), value :: comm
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element
      type(c_ptr), value :: source
      type(c_ptr), value :: target
    end function c_move
    integer(c_int32_t) function c_move_update( &
      comm, from, from_section, to, to_section, element, source, target, update) &
      bind(c, name='reblock_move_update_fortran')
      import
      integer(c_int32_t), value :: comm
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element
      type(c_ptr), value :: source
      type(c_ptr), value :: target
      type(c_ptr), value :: update
    end function c_move_update
    integer(c_int32_t) function c_save( &
      comm, path, map, data, element, dtype) &
      bind(c, name='reblock_save_fortran')
      import
      integer(c_int32_t), value :: comm
      character(c_char), intent(in), optional :: path(*)
      type(c_ptr), value :: map
      type(c_ptr), value :: data
      integer(c_int64_t), value :: element
      character(c_char), intent(in), optional :: dtype(*)
    end function c_save
    integer(c_int32_t) function c_load( &
      comm, path, map, data, element, dtype) &
      bind(c, name='reblock_load_fortran')
      import
      integer(c_int32_t), value :: comm
      character(c_char), intent(in), optional :: path(*)
      type(c_ptr), value :: map
      type(c_ptr), value :: data
      integer(c_int64_t), value :: element
      character(c_char), intent(in), optional :: dtype(*)
    end function c_load
    integer(c_int32_t) function c_scope_create( &
      comm, scope) &
      bind(c, name='reblock_scope_create_fortran')
      import
      integer(c_int32_t), value :: comm
      type(c_ptr), intent(inout) :: scope
    end function c_scope_create
    integer(c_int32_t) function c_job_init( &
      first, options, job) &
      bind(c, name='reblock_job_init_fortran')
      import
      integer(c_int32_t), value :: first
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: job
    end function c_job_init
  end interface
end module reblock_hpf_calls
