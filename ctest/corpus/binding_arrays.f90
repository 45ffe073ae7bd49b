! Arrays of the library by the module reblock_hpf, for callers with C's arguments. If an array's elements are of 8
! bytes, its storage comes from a Fortran pointer.
module corpus_arrays
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use reblock_hpf
  use corpus_declaring
  implicit none
  private

contains

  function array_of(handle) result(array)
    type(c_ptr), intent(in) :: handle
    type(reblock_array), pointer :: array
    call c_f_pointer(handle, array)
  end function array_of

  integer(c_int32_t) function array_create(map, element, handle) bind(c, name='fortran_array_create') result(code)
    type(c_ptr), value :: map
    integer(c_int64_t), value :: element
    type(c_ptr), intent(inout) :: handle
    type(reblock_array), pointer :: made
    integer :: stat
    allocate (made)
    if (narrow_now()) then
      call reblock_array_create(map_of(map), int(element), made, stat, said)
    else
      call reblock_array_create(map_of(map), element, made, stat, said)
    end if
    if (stat == reblock_ok) handle = c_loc(made)
    code = stat
  end function array_create

  integer(c_int32_t) function array_map(array, handle) bind(c, name='fortran_array_map') result(code)
    type(c_ptr), value :: array
    type(c_ptr), intent(inout) :: handle
    type(reblock_map), pointer :: made
    integer :: stat
    allocate (made)
    call reblock_array_map(array_of(array), made, stat, said)
    code = keep_map(made, stat, handle)
  end function array_map

  integer(c_int32_t) function array_data(array, data, extents, lower, strides) bind(c, name='fortran_array_data') result(code)
    type(c_ptr), value :: array
    type(c_ptr), intent(inout) :: data
    integer(c_int64_t), intent(inout), dimension(*) :: extents, lower, strides
    integer(int64), dimension(15) :: wide, first, apart
    integer :: axes, stat
    call reblock_array_data(array_of(array), data, axes, wide, first, apart, stat, said)
    extents(:axes) = wide(:axes)
    lower(:axes) = first(:axes)
    strides(:axes) = apart(:axes)
    code = stat
    if (stat == reblock_ok .and. all(wide(:axes) > 0)) code = by_pointer(array, data, axes, wide, first, apart)
  end function array_data

  ! Checks that a pointer to the array has the address and bounds of the storage, for elements of the pointer's size.
  integer(c_int32_t) function by_pointer(array, data, axes, extents, lower, strides) result(code)
    type(c_ptr), intent(in) :: array, data
    integer, intent(in) :: axes
    integer(int64), intent(in) :: extents(:), lower(:), strides(:)
    real(c_double), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :)
    integer :: stat
    code = reblock_ok
    stat = reblock_ok
    select case (axes)
    case (1)
      call reblock_array_pointer(array_of(array), p1, stat, said)
      if (stat == reblock_ok) code = compared(p1, lbound(p1, kind=int64), c_loc(p1(ubound(p1, 1))))
    case (2)
      call reblock_array_pointer(array_of(array), p2, stat, said)
      if (stat == reblock_ok) code = compared(p2, lbound(p2, kind=int64), c_loc(p2(ubound(p2, 1), ubound(p2, 2))))
    case (3)
      call reblock_array_pointer(array_of(array), p3, stat, said)
      if (stat == reblock_ok) code = &
        compared(p3, lbound(p3, kind=int64), c_loc(p3(ubound(p3, 1), ubound(p3, 2), ubound(p3, 3))))
    case (4)
      call reblock_array_pointer(array_of(array), p4, stat, said)
      if (stat == reblock_ok) code = compared(p4, lbound(p4, kind=int64), &
                                              c_loc(p4(ubound(p4, 1), ubound(p4, 2), ubound(p4, 3), ubound(p4, 4))))
    case default
      return
    end select
    ! Elements of another size must cause this error.
    if (stat /= reblock_ok .and. index(said, 'a pointer to elements of 8 bytes') /= 1) code = stat

  contains

    integer(c_int32_t) function compared(p, bounds, last)
      real(c_double), intent(in) :: p(..)
      integer(int64), intent(in) :: bounds(:)
      type(c_ptr), intent(in) :: last
      integer(int64) :: at
      compared = reblock_ok
      at = transfer(data, at) + 8 * dot_product(extents(:axes) - 1, strides(:axes))
      if (all(bounds == lower(:axes)) .and. all(shape(p) == extents(:axes)) .and. at == transfer(last, at)) return
      said = 'a pointer with other bounds than the array'
      compared = reblock_err_internal
    end function compared
  end function by_pointer

  integer(c_int32_t) function array_free(handle) bind(c, name='fortran_array_free') result(code)
    type(c_ptr), intent(inout) :: handle
    type(reblock_array), pointer :: array
    integer :: stat
    array => array_of(handle)
    call reblock_array_free(array, stat, said)
    deallocate (array)
    handle = c_null_ptr
    code = stat
  end function array_free

  integer(c_int32_t) function template_redistribute(template, like, count, handles) &
    bind(c, name='fortran_template_redistribute') result(code)
    type(c_ptr), value :: template, like
    integer(c_int64_t), value :: count
    type(c_ptr), intent(in) :: handles(count)
    type(template_kept), pointer :: old, new
    integer :: k, stat
    old => template_of(template)
    new => template_of(like)
    if (count == 0) then
      call reblock_template_redistribute(old%template, new%template, stat=stat, errmsg=said)
    else
      call reblock_template_redistribute(old%template, new%template, [(array_of(handles(k)), k=1, int(count))], stat, said)
    end if
    code = stat
  end function template_redistribute

  integer(c_int32_t) function array_realign(array, map, dead) bind(c, name='fortran_array_realign') result(code)
    type(c_ptr), value :: array, map
    integer(c_int32_t), value :: dead
    logical :: narrow
    integer :: stat
    narrow = narrow_now()
    if (dead == 0 .and. narrow) then
      call reblock_array_realign(array_of(array), map_of(map), stat=stat, errmsg=said)
    else
      call reblock_array_realign(array_of(array), map_of(map), dead /= 0, stat, said)
    end if
    code = stat
  end function array_realign
end module corpus_arrays
