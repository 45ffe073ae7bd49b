! C functions for texts in HPF's notation, as include/reblock.h declares them.
module reblock_hpf_calls_text
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_ptr
  use reblock_hpf_signatures
  implicit none
  public
  procedure(frees), bind(c, name='reblock_scope_free') :: c_scope_free
  interface
    integer(c_int32_t) function c_template_dist_text(template, text) bind(c, name='reblock_template_dist_text')
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: template
      character(c_char), intent(in) :: text(*)
    end function c_template_dist_text
    integer(c_int32_t) function c_scope_create_fortran(comm, scope) bind(c, name='reblock_scope_create_fortran')
      import :: c_int, c_int32_t, c_ptr
      integer(c_int), value :: comm
      type(c_ptr), intent(inout) :: scope
    end function c_scope_create_fortran
    integer(c_int32_t) function c_scope_directive(scope, line) bind(c, name='reblock_scope_directive')
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: scope
      character(c_char), intent(in) :: line(*)
    end function c_scope_directive
    integer(c_int32_t) function c_scope_procs(scope, name, procs) bind(c, name='reblock_scope_procs')
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: scope
      character(c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: procs
    end function c_scope_procs
    integer(c_int32_t) function c_scope_template(scope, name, template) bind(c, name='reblock_scope_template')
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: scope
      character(c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: template
    end function c_scope_template
    integer(c_int32_t) function c_scope_map(scope, name, map) bind(c, name='reblock_scope_map')
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: scope
      character(c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: map
    end function c_scope_map
    integer(c_int32_t) function c_scope_array(scope, name, element, array) bind(c, name='reblock_scope_array')
      import :: c_char, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: scope
      character(c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: element
      type(c_ptr), intent(inout) :: array
    end function c_scope_array
  end interface
end module reblock_hpf_calls_text
