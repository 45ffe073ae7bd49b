! C functions for plans, requests and arrays, as include/reblock.h declares them.
module reblock_hpf_calls_moving
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_ptr
  use reblock_hpf_signatures
  implicit none
  public
  procedure(frees), bind(c, name='reblock_plan_free') :: c_plan_free
  procedure(frees), bind(c, name='reblock_request_wait') :: c_request_wait
  procedure(frees), bind(c, name='reblock_request_free') :: c_request_free
  procedure(frees), bind(c, name='reblock_array_free') :: c_array_free
  interface
    integer(c_int32_t) function c_plan_create_fortran(enclosing, from, from_section, to, to_section, element, &
                                                       options, plan) &
      bind(c, name='reblock_plan_create_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: enclosing
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_create_fortran
    integer(c_int32_t) function c_plan_gather_fortran(enclosing, map, axis, count, indices, element, options, plan) &
      bind(c, name='reblock_plan_gather_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: enclosing
      type(c_ptr), value :: map
      integer(c_int64_t), value :: axis, count
      integer(c_int64_t), intent(in) :: indices(*)
      integer(c_int64_t), value :: element
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_gather_fortran
    integer(c_int32_t) function c_plan_scatter_fortran(enclosing, map, axis, count, indices, element, options, plan) &
      bind(c, name='reblock_plan_scatter_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: enclosing
      type(c_ptr), value :: map
      integer(c_int64_t), value :: axis, count
      integer(c_int64_t), intent(in) :: indices(*)
      integer(c_int64_t), value :: element
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_scatter_fortran
    integer(c_int32_t) function c_plan_cshift_fortran(enclosing, from, from_section, to, to_section, element, axes, shifts, &
                                                       options, plan) &
      bind(c, name='reblock_plan_cshift_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: enclosing
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element, axes
      integer(c_int64_t), intent(in) :: shifts(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_cshift_fortran
    integer(c_int32_t) function c_plan_shift_lines_fortran(enclosing, from, from_section, to, to_section, element, axis, circular, &
                                                            count, distances, boundaries, options, plan) &
      bind(c, name='reblock_plan_shift_lines_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: enclosing
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element, axis
      integer(c_int32_t), value :: circular
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: distances(*)
      type(c_ptr), value :: boundaries, options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_shift_lines_fortran
    integer(c_int32_t) function c_plan_eoshift_fortran(enclosing, from, from_section, to, to_section, element, axes, shifts, &
                                                        boundary, options, plan) &
      bind(c, name='reblock_plan_eoshift_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: enclosing
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element, axes
      integer(c_int64_t), intent(in) :: shifts(*)
      type(*), intent(in), optional :: boundary
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_eoshift_fortran
    integer(c_int32_t) function c_plan_options_init(options) bind(c, name='reblock_plan_options_init_3')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: options
    end function c_plan_options_init
    integer(c_int32_t) function c_plan_explain(plan, json, room, length) bind(c, name='reblock_plan_explain')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: plan, json
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function c_plan_explain
    integer(c_int32_t) function c_plan_execute(plan, source, target) bind(c, name='reblock_plan_execute')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan, source, target
    end function c_plan_execute
    integer(c_int32_t) function c_plan_execute_many(count, plans, sources, targets) bind(c, name='reblock_plan_execute_many')
      import :: c_int32_t, c_int64_t, c_ptr
      integer(c_int64_t), value :: count
      type(c_ptr), intent(in) :: plans(*), sources(*), targets(*)
    end function c_plan_execute_many
    integer(c_int32_t) function c_plan_start(plan, source, target, request) bind(c, name='reblock_plan_start')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan, source, target
      type(c_ptr), intent(inout) :: request
    end function c_plan_start
    integer(c_int32_t) function c_plan_start_many(count, plans, sources, targets, request) bind(c, name='reblock_plan_start_many')
      import :: c_int32_t, c_int64_t, c_ptr
      integer(c_int64_t), value :: count
      type(c_ptr), intent(in) :: plans(*), sources(*), targets(*)
      type(c_ptr), intent(inout) :: request
    end function c_plan_start_many
    integer(c_int32_t) function c_update_init(update) bind(c, name='reblock_update_init')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: update
    end function c_update_init
    integer(c_int32_t) function c_plan_update_many(count, plans, sources, targets, updates) &
      bind(c, name='reblock_plan_update_many')
      import :: c_int32_t, c_int64_t, c_ptr
      integer(c_int64_t), value :: count
      type(c_ptr), intent(in) :: plans(*), sources(*), targets(*), updates(*)
    end function c_plan_update_many
    integer(c_int32_t) function c_plan_start_update_many(count, plans, sources, targets, updates, request) &
      bind(c, name='reblock_plan_start_update_many')
      import :: c_int32_t, c_int64_t, c_ptr
      integer(c_int64_t), value :: count
      type(c_ptr), intent(in) :: plans(*), sources(*), targets(*), updates(*)
      type(c_ptr), intent(inout) :: request
    end function c_plan_start_update_many
    integer(c_int32_t) function c_request_test(request, done) bind(c, name='reblock_request_test')
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: request
      integer(c_int32_t), intent(out) :: done
    end function c_request_test
    integer(c_int32_t) function c_array_create(map, element, array) bind(c, name='reblock_array_create')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), value :: element
      type(c_ptr), intent(inout) :: array
    end function c_array_create
    integer(c_int32_t) function c_array_data(array, data, extents, lower, strides) bind(c, name='reblock_array_data')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: data
      integer(c_int64_t), intent(out) :: extents(*), lower(*), strides(*)
    end function c_array_data
    integer(c_int32_t) function c_array_element(array, element) bind(c, name='reblock_array_element')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: array
      integer(c_int64_t), intent(inout) :: element
    end function c_array_element
    integer(c_int32_t) function c_template_redistribute(template, like, dead_count, dead) &
      bind(c, name='reblock_template_redistribute')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template, like
      integer(c_int64_t), value :: dead_count
      type(c_ptr), intent(in) :: dead(*)
    end function c_template_redistribute
    integer(c_int32_t) function c_array_realign(array, map, dead) bind(c, name='reblock_array_realign')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: array, map
      integer(c_int32_t), value :: dead
    end function c_array_realign
    integer(c_int32_t) function c_array_fill_shadows(array, filled, periodic, corners) bind(c, name='reblock_array_fill_shadows')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: array
      integer(c_int32_t), value :: filled
      integer(c_int32_t), intent(in), optional :: periodic(*)
      integer(c_int32_t), value :: corners
    end function c_array_fill_shadows
    integer(c_int32_t) function c_plan_info_init(info) bind(c, name='reblock_plan_info_init')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: info
    end function c_plan_info_init
    integer(c_int32_t) function c_plan_inquire(plan, info) bind(c, name='reblock_plan_inquire')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan, info
    end function c_plan_inquire
    integer(c_int32_t) function c_plan_target(plan, map) bind(c, name='reblock_plan_target')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: map
    end function c_plan_target
    integer(c_int32_t) function c_array_map(array, map) bind(c, name='reblock_array_map')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: map
    end function c_array_map
  end interface
end module reblock_hpf_calls_moving
