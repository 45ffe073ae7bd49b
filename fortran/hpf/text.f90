! Texts in HPF's notation: distributions of a template, and directives (PROCESSORS, TEMPLATE, DIMENSION, DISTRIBUTE,
! ALIGN, SHADOW, REDISTRIBUTE, REALIGN, DYNAMIC), whose objects have names in a scope.
module reblock_hpf_text
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf_object
  use reblock_hpf_procs
  use reblock_hpf_map
  use reblock_hpf_array
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_scope_create, reblock_scope_directive, reblock_scope_procs, reblock_scope_template, reblock_scope_map
  public :: reblock_scope_array, reblock_scope_free, reblock_template_dist_text

  type, extends(reblock_object), public :: reblock_scope
  end type reblock_scope

  interface reblock_scope_create
    procedure :: scope_create
  end interface reblock_scope_create

  ! Gets the array with the given name, with storage for elements of `element` bytes: storage_size(x) / 8. The first
  ! call makes the array. Collective over the scope's communicator.
  interface reblock_scope_array
    procedure :: scope_array
  end interface reblock_scope_array

contains

  ! Distributes all axes at once, in HPF's notation: '(CYCLIC(4), BLOCK, *) ONTO P(2,3)', or without ONTO.
  subroutine reblock_template_dist_text(template, text, stat, errmsg)
    type(reblock_template), intent(in) :: template
    character(*), intent(in) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_template_dist_text(handle_of(template), c_string(text)), stat, errmsg)
  end subroutine reblock_template_dist_text

  ! Makes an empty scope. Collective over comm, as its directives are.
  subroutine scope_create(comm, scope, stat, errmsg)
    integer, intent(in) :: comm
    type(reblock_scope), intent(out) :: scope
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(scope)
    code = c_scope_create(int(comm, c_int), handle)
    call give_handle(scope, handle)
    call report(code, stat, errmsg)
  end subroutine scope_create

  ! Executes one directive, with or without the sentinel !HPF$: 'DISTRIBUTE T(BLOCK,*) ONTO P'.
  subroutine reblock_scope_directive(scope, line, stat, errmsg)
    type(reblock_scope), intent(in) :: scope
    character(*), intent(in) :: line
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(c_scope_directive(handle_of(scope), c_string(line)), stat, errmsg)
  end subroutine reblock_scope_directive

  subroutine reblock_scope_procs(scope, name, procs, stat, errmsg)
    type(reblock_scope), intent(in) :: scope
    character(*), intent(in) :: name
    type(reblock_procs), intent(out) :: procs
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(procs)
    code = c_scope_procs(handle_of(scope), c_string(name), handle)
    call give_handle(procs, handle)
    call report(code, stat, errmsg)
  end subroutine reblock_scope_procs

  subroutine reblock_scope_template(scope, name, template, stat, errmsg)
    type(reblock_scope), intent(in) :: scope
    character(*), intent(in) :: name
    type(reblock_template), intent(out) :: template
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(template)
    code = c_scope_template(handle_of(scope), c_string(name), handle)
    call give_handle(template, handle)
    call report(code, stat, errmsg)
  end subroutine reblock_scope_template

  subroutine reblock_scope_map(scope, name, map, stat, errmsg)
    type(reblock_scope), intent(in) :: scope
    character(*), intent(in) :: name
    type(reblock_map), intent(out) :: map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(map)
    code = c_scope_map(handle_of(scope), c_string(name), handle)
    call give_handle(map, handle)
    call report(code, stat, errmsg)
  end subroutine reblock_scope_map

  subroutine scope_array(scope, name, element, array, stat, errmsg)
    type(reblock_scope), intent(in) :: scope
    character(*), intent(in) :: name
    integer(int64), intent(in) :: element
    type(reblock_array), intent(out) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: code
    handle = handle_of(array)
    code = c_scope_array(handle_of(scope), c_string(name), element, handle)
    call give_handle(array, handle)
    call report(code, stat, errmsg)
  end subroutine scope_array

  subroutine reblock_scope_free(scope, stat, errmsg)
    type(reblock_scope), intent(inout) :: scope
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call free_object(c_scope_free, scope, stat, errmsg)
  end subroutine reblock_scope_free
end module reblock_hpf_text
