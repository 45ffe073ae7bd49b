! DISTRIBUTE by the module reblock_hpf, axis by axis, for callers with C's arguments.
module corpus_formats
  use, intrinsic :: iso_c_binding
  use reblock_hpf
  use corpus_declaring
  implicit none
  private

contains

  integer(c_int32_t) function template_dist_collapsed(template, axis) &
    bind(c, name='fortran_template_dist_collapsed') result(code)
    type(c_ptr), value :: template
    integer(c_int64_t), value :: axis
    type(template_kept), pointer :: kept
    integer :: stat
    kept => template_of(template)
    call reblock_template_dist_collapsed(kept%template, int(axis) + 1, stat, said)
    code = stat
  end function template_dist_collapsed

  integer(c_int32_t) function template_dist_block(template, axis, onto, block) &
    bind(c, name='fortran_template_dist_block') result(code)
    type(c_ptr), value :: template
    integer(c_int64_t), value :: axis, onto, block
    type(template_kept), pointer :: kept
    integer :: stat
    kept => template_of(template)
    if (block == 0) then
      call reblock_template_dist_block(kept%template, int(axis) + 1, int(onto) + 1, stat=stat, errmsg=said)
    else if (narrow_now()) then
      call reblock_template_dist_block(kept%template, int(axis) + 1, int(onto) + 1, int(block), stat, said)
    else
      call reblock_template_dist_block(kept%template, int(axis) + 1, int(onto) + 1, block, stat, said)
    end if
    code = stat
  end function template_dist_block

  integer(c_int32_t) function template_dist_cyclic(template, axis, onto, block) &
    bind(c, name='fortran_template_dist_cyclic') result(code)
    type(c_ptr), value :: template
    integer(c_int64_t), value :: axis, onto, block
    type(template_kept), pointer :: kept
    logical :: narrow
    integer :: stat
    kept => template_of(template)
    narrow = narrow_now()
    if (block == 1 .and. narrow) then
      call reblock_template_dist_cyclic(kept%template, int(axis) + 1, int(onto) + 1, stat=stat, errmsg=said)
    else if (narrow) then
      call reblock_template_dist_cyclic(kept%template, int(axis) + 1, int(onto) + 1, int(block), stat, said)
    else
      call reblock_template_dist_cyclic(kept%template, int(axis) + 1, int(onto) + 1, block, stat, said)
    end if
    code = stat
  end function template_dist_cyclic

  integer(c_int32_t) function template_dist_gen_block(template, axis, onto, processes, sizes) &
    bind(c, name='fortran_template_dist_gen_block') result(code)
    type(c_ptr), value :: template
    integer(c_int64_t), value :: axis, onto, processes
    integer(c_int64_t), intent(in) :: sizes(processes)
    type(template_kept), pointer :: kept
    integer :: stat
    kept => template_of(template)
    if (narrow_now()) then
      call reblock_template_dist_gen_block(kept%template, int(axis) + 1, int(onto) + 1, int(sizes), stat, said)
    else
      call reblock_template_dist_gen_block(kept%template, int(axis) + 1, int(onto) + 1, sizes, stat, said)
    end if
    code = stat
  end function template_dist_gen_block

  integer(c_int32_t) function template_dist_indirect(template, axis, onto, indices, owners) &
    bind(c, name='fortran_template_dist_indirect') result(code)
    type(c_ptr), value :: template
    integer(c_int64_t), value :: axis, onto, indices
    integer(c_int64_t), intent(in) :: owners(indices)
    type(template_kept), pointer :: kept
    integer :: stat
    kept => template_of(template)
    if (narrow_now()) then
      call reblock_template_dist_indirect(kept%template, int(axis) + 1, int(onto) + 1, int(owners), stat, said)
    else
      call reblock_template_dist_indirect(kept%template, int(axis) + 1, int(onto) + 1, owners, stat, said)
    end if
    code = stat
  end function template_dist_indirect

  integer(c_int32_t) function template_dist_indirect_local(template, axis, onto, lower, indices, owners) &
    bind(c, name='fortran_template_dist_indirect_local') result(code)
    type(c_ptr), value :: template
    integer(c_int64_t), value :: axis, onto, lower, indices
    integer(c_int64_t), intent(in) :: owners(indices)
    type(template_kept), pointer :: kept
    integer :: stat
    kept => template_of(template)
    if (narrow_now()) then
      call reblock_template_dist_indirect_local(kept%template, int(axis) + 1, int(onto) + 1, int(lower), int(owners), stat, said)
    else
      call reblock_template_dist_indirect_local(kept%template, int(axis) + 1, int(onto) + 1, lower, owners, stat, said)
    end if
    code = stat
  end function template_dist_indirect_local

  integer(c_int32_t) function template_dist_text(template, text) &
    bind(c, name='fortran_template_dist_text') result(code)
    type(c_ptr), value :: template
    character(1, c_char), intent(in) :: text(*)
    type(template_kept), pointer :: kept
    character(2048) :: line
    integer :: k, stat
    kept => template_of(template)
    line = ''
    do k = 1, len(line)
      if (text(k) == c_null_char) exit
      line(k:k) = text(k)
    end do
    call reblock_template_dist_text(kept%template, line, stat, said)
    code = stat
  end function template_dist_text
end module corpus_formats
