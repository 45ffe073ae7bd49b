! Updates by the module reblock_hpf, from those of C.
module corpus_updates
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use reblock_hpf
  implicit none
  private
  public :: update_of

  ! Has the layout of C's reblock_update.
  type, bind(c) :: c_update
    integer(c_int64_t) :: size, version, number, combine, conjugate
    type(c_ptr) :: alpha, beta
  end type c_update

contains

  ! Converts an update from C; with `is_copy`, to a copy of the same type.
  type(reblock_update) function update_of(handle, is_copy) result(made)
    type(c_ptr), intent(in) :: handle
    logical, intent(in), optional :: is_copy
    type(c_update), pointer :: c
    type(c_update) :: given
    call c_f_pointer(handle, c)
    given = c
    if (present(is_copy)) given = c_update(0, 0, c%number, 0, 0, c_null_ptr, c_null_ptr)
    select case (given%number)
    case (1)
      made = of_int32(given)
    case (2)
      made = of_int64(given)
    case (3)
      made = of_real32(given)
    case (4)
      made = of_real64(given)
    case (5)
      made = of_complex32(given)
    case default
      made = of_complex64(given)
    end select
  end function update_of

  type(reblock_update) function of_int32(c) result(made)
    type(c_update), intent(in) :: c
    integer(int32), pointer :: alpha, beta
    integer(int32), target :: one
    one = 1
    alpha => one
    if (c_associated(c%alpha)) call c_f_pointer(c%alpha, alpha)
    if (.not. c_associated(c%beta) .and. c%combine == reblock_add .and. c%conjugate == 0) then
      made = reblock_update(alpha)
    else
      ! A pointer that is not associated is an absent argument.
      nullify (beta)
      if (c_associated(c%beta)) call c_f_pointer(c%beta, beta)
      made = reblock_update(alpha, beta, int(c%combine), c%conjugate /= 0)
    end if
  end function of_int32

  type(reblock_update) function of_int64(c) result(made)
    type(c_update), intent(in) :: c
    integer(int64), pointer :: alpha, beta
    integer(int64), target :: one
    one = 1
    alpha => one
    if (c_associated(c%alpha)) call c_f_pointer(c%alpha, alpha)
    if (.not. c_associated(c%beta) .and. c%combine == reblock_add .and. c%conjugate == 0) then
      made = reblock_update(alpha)
    else
      ! A pointer that is not associated is an absent argument.
      nullify (beta)
      if (c_associated(c%beta)) call c_f_pointer(c%beta, beta)
      made = reblock_update(alpha, beta, int(c%combine), c%conjugate /= 0)
    end if
  end function of_int64

  type(reblock_update) function of_real32(c) result(made)
    type(c_update), intent(in) :: c
    real(real32), pointer :: alpha, beta
    real(real32), target :: one
    one = 1
    alpha => one
    if (c_associated(c%alpha)) call c_f_pointer(c%alpha, alpha)
    if (.not. c_associated(c%beta) .and. c%combine == reblock_add .and. c%conjugate == 0) then
      made = reblock_update(alpha)
    else
      ! A pointer that is not associated is an absent argument.
      nullify (beta)
      if (c_associated(c%beta)) call c_f_pointer(c%beta, beta)
      made = reblock_update(alpha, beta, int(c%combine), c%conjugate /= 0)
    end if
  end function of_real32

  type(reblock_update) function of_real64(c) result(made)
    type(c_update), intent(in) :: c
    real(real64), pointer :: alpha, beta
    real(real64), target :: one
    one = 1
    alpha => one
    if (c_associated(c%alpha)) call c_f_pointer(c%alpha, alpha)
    if (.not. c_associated(c%beta) .and. c%combine == reblock_add .and. c%conjugate == 0) then
      made = reblock_update(alpha)
    else
      ! A pointer that is not associated is an absent argument.
      nullify (beta)
      if (c_associated(c%beta)) call c_f_pointer(c%beta, beta)
      made = reblock_update(alpha, beta, int(c%combine), c%conjugate /= 0)
    end if
  end function of_real64

  type(reblock_update) function of_complex32(c) result(made)
    type(c_update), intent(in) :: c
    complex(real32), pointer :: alpha, beta
    complex(real32), target :: one
    one = 1
    alpha => one
    if (c_associated(c%alpha)) call c_f_pointer(c%alpha, alpha)
    if (.not. c_associated(c%beta) .and. c%combine == reblock_add .and. c%conjugate == 0) then
      made = reblock_update(alpha)
    else
      ! A pointer that is not associated is an absent argument.
      nullify (beta)
      if (c_associated(c%beta)) call c_f_pointer(c%beta, beta)
      made = reblock_update(alpha, beta, int(c%combine), c%conjugate /= 0)
    end if
  end function of_complex32

  type(reblock_update) function of_complex64(c) result(made)
    type(c_update), intent(in) :: c
    complex(real64), pointer :: alpha, beta
    complex(real64), target :: one
    one = 1
    alpha => one
    if (c_associated(c%alpha)) call c_f_pointer(c%alpha, alpha)
    if (.not. c_associated(c%beta) .and. c%combine == reblock_add .and. c%conjugate == 0) then
      made = reblock_update(alpha)
    else
      ! A pointer that is not associated is an absent argument.
      nullify (beta)
      if (c_associated(c%beta)) call c_f_pointer(c%beta, beta)
      made = reblock_update(alpha, beta, int(c%combine), c%conjugate /= 0)
    end if
  end function of_complex64
end module corpus_updates
