! C functions for inquiries about declared objects, as include/reblock.h declares them. Axes count from 0 here.
module reblock_hpf_calls_declared
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t, c_ptr
  use reblock_hpf_signatures
  use reblock_hpf_calls_mapping, only: c_map_axes, c_procs_axes
  implicit none
  public
  interface
    integer(c_int32_t) function c_procs_rank_at(procs, coords, rank) bind(c, name='reblock_procs_rank_at')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: procs
      integer(c_int64_t), intent(in) :: coords(*)
      integer(c_int64_t), intent(inout) :: rank
    end function c_procs_rank_at
    integer(c_int32_t) function c_template_axes(template, axes) bind(c, name='reblock_template_axes')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), intent(inout) :: axes
    end function c_template_axes
    integer(c_int32_t) function c_template_bounds(template, lower, upper) bind(c, name='reblock_template_bounds')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), intent(out) :: lower(*), upper(*)
    end function c_template_bounds
    integer(c_int32_t) function c_template_format(template, axis, format) bind(c, name='reblock_template_format')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: template
      integer(c_int64_t), value :: axis
      integer(c_int64_t), intent(inout) :: format(*)
    end function c_template_format
    integer(c_int32_t) function c_template_procs(template, procs) bind(c, name='reblock_template_procs')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: template
      type(c_ptr), intent(inout) :: procs
    end function c_template_procs
    integer(c_int32_t) function c_map_procs(map, procs) bind(c, name='reblock_map_procs')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: map
      type(c_ptr), intent(inout) :: procs
    end function c_map_procs
    integer(c_int32_t) function c_map_template(map, axes, lower, upper, aligned, rest) bind(c, name='reblock_map_template')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), intent(inout) :: axes
      integer(c_int64_t), intent(out) :: lower(*), upper(*), aligned(*), rest(*)
    end function c_map_template
    integer(c_int32_t) function c_map_part(map, rank, extents, lower, first, last, has_part) bind(c, name='reblock_map_part')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: map
      integer(c_int64_t), value :: rank
      integer(c_int64_t), intent(out) :: extents(*), lower(*), first(*), last(*)
      integer(c_int32_t), intent(inout) :: has_part
    end function c_map_part
  end interface
end module reblock_hpf_calls_declared
