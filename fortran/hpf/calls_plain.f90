! C functions for maps and moves in one call, and for plans in the opposite direction, as include/reblock.h declares
! them.
module reblock_hpf_calls_plain
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_ptr
  use reblock_hpf_signatures
  implicit none
  public
  procedure(yields), bind(c, name='reblock_plan_reverse') :: c_plan_reverse
  interface
    integer(c_int32_t) function c_map_block_cyclic_fortran(comm, axes, extents, shape, blocks, map) &
      bind(c, name='reblock_map_block_cyclic_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: comm
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in) :: extents(*), shape(*)
      integer(c_int64_t), intent(in), optional :: blocks(*)
      type(c_ptr), intent(inout) :: map
    end function c_map_block_cyclic_fortran
    integer(c_int32_t) function c_map_from_darray_fortran(comm, axes, gsizes, distribs, dargs, psizes, order, map) &
      bind(c, name='reblock_map_from_darray_fortran')
      import :: c_int, c_int32_t, c_ptr
      integer(c_int), value :: comm, axes
      integer(c_int), intent(in) :: gsizes(*), distribs(*), dargs(*), psizes(*)
      integer(c_int), value :: order
      type(c_ptr), intent(inout) :: map
    end function c_map_from_darray_fortran
    integer(c_int32_t) function c_map_from_boxes_fortran(comm, axes, extents, boxes, starts, sizes, row_major, offsets, strides, &
      map) bind(c, name='reblock_map_from_boxes_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: comm
      integer(c_int64_t), value :: axes, boxes
      integer(c_int64_t), intent(in) :: extents(*), starts(*), sizes(*)
      integer(c_int32_t), value :: row_major
      integer(c_int64_t), intent(in), optional :: offsets(*), strides(*)
      type(c_ptr), intent(inout) :: map
    end function c_map_from_boxes_fortran
    integer(c_int32_t) function c_map_from_text_fortran(comm, axes, extents, text, map) &
      bind(c, name='reblock_map_from_text_fortran')
      import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: comm
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in) :: extents(*)
      character(c_char), intent(in) :: text(*)
      type(c_ptr), intent(inout) :: map
    end function c_map_from_text_fortran
    integer(c_int32_t) function c_plan_shadow_fortran(comm, map, before, after, periodic, corners, element, options, plan) &
      bind(c, name='reblock_plan_shadow_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: comm
      type(c_ptr), value :: map
      integer(c_int64_t), intent(in), optional :: before(*), after(*)
      integer(c_int32_t), intent(in), optional :: periodic(*)
      integer(c_int32_t), value :: corners
      integer(c_int64_t), value :: element
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
    end function c_plan_shadow_fortran
    integer(c_int32_t) function c_move_update_fortran(comm, from, from_section, to, to_section, element, source, target, update) &
      bind(c, name='reblock_move_update_fortran')
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: comm
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_section(*)
      type(c_ptr), value :: to
      integer(c_int64_t), intent(in), optional :: to_section(*)
      integer(c_int64_t), value :: element
      type(c_ptr), value :: source, target, update
    end function c_move_update_fortran
  end interface
end module reblock_hpf_calls_plain
