! Updates, which combine the source with the old target: target = combine(alpha * op(source), beta * target); op is the
! conjugate or the identity. A side whose factor is 0 is not read: the target becomes the other side, or 0. Factors of 1
! are not multiplied. All processes pass the same update.
module reblock_hpf_update
  use, intrinsic :: iso_c_binding, only: c_int8_t, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private
  public :: bytes_of, reads_source, give_update

  ! Values of combine: AND and OR are for integers, minimum and maximum not for complex numbers.
  integer, parameter, public :: reblock_add = 0, reblock_minimum = 1, reblock_maximum = 2, reblock_and = 3, reblock_or = 4

  ! An update: reblock_update(alpha) or reblock_update(alpha, beta, combine, conjugate). Elements have the type of
  ! alpha; beta is 0 if absent.
  type, public :: reblock_update
    private
    integer(c_int64_t) :: of = 0, combine = 0, conjugate = 0
    integer(c_int8_t) :: alpha(16) = 0, beta(16) = 0
    logical :: reads = .true.
  end type reblock_update

  ! C's structure reblock_update.
  type, bind(c), public :: c_update
    integer(c_int64_t) :: size = 0, version = 0, of = 0, combine = 0, conjugate = 0
    type(c_ptr) :: alpha = c_null_ptr, beta = c_null_ptr
  end type c_update

  interface reblock_update
    procedure :: of_int32, of_int64, of_real32, of_real64, of_complex32, of_complex64
  end interface reblock_update

contains

  pure type(reblock_update) function of_int32(alpha, beta, combine, conjugate) result(made)
    integer(int32), intent(in) :: alpha
    integer(int32), intent(in), optional :: beta
    integer, intent(in), optional :: combine
    logical, intent(in), optional :: conjugate
    made = combined(1, alpha /= 0, combine, conjugate)
    made%alpha(:4) = transfer(alpha, made%alpha)
    if (present(beta)) made%beta(:4) = transfer(beta, made%beta)
  end function of_int32

  pure type(reblock_update) function of_int64(alpha, beta, combine, conjugate) result(made)
    integer(int64), intent(in) :: alpha
    integer(int64), intent(in), optional :: beta
    integer, intent(in), optional :: combine
    logical, intent(in), optional :: conjugate
    made = combined(2, alpha /= 0, combine, conjugate)
    made%alpha(:8) = transfer(alpha, made%alpha)
    if (present(beta)) made%beta(:8) = transfer(beta, made%beta)
  end function of_int64

  pure type(reblock_update) function of_real32(alpha, beta, combine, conjugate) result(made)
    real(real32), intent(in) :: alpha
    real(real32), intent(in), optional :: beta
    integer, intent(in), optional :: combine
    logical, intent(in), optional :: conjugate
    made = combined(3, alpha /= 0, combine, conjugate)
    made%alpha(:4) = transfer(alpha, made%alpha)
    if (present(beta)) made%beta(:4) = transfer(beta, made%beta)
  end function of_real32

  pure type(reblock_update) function of_real64(alpha, beta, combine, conjugate) result(made)
    real(real64), intent(in) :: alpha
    real(real64), intent(in), optional :: beta
    integer, intent(in), optional :: combine
    logical, intent(in), optional :: conjugate
    made = combined(4, alpha /= 0, combine, conjugate)
    made%alpha(:8) = transfer(alpha, made%alpha)
    if (present(beta)) made%beta(:8) = transfer(beta, made%beta)
  end function of_real64

  pure type(reblock_update) function of_complex32(alpha, beta, combine, conjugate) result(made)
    complex(real32), intent(in) :: alpha
    complex(real32), intent(in), optional :: beta
    integer, intent(in), optional :: combine
    logical, intent(in), optional :: conjugate
    made = combined(5, alpha /= 0, combine, conjugate)
    made%alpha(:8) = transfer(alpha, made%alpha)
    if (present(beta)) made%beta(:8) = transfer(beta, made%beta)
  end function of_complex32

  pure type(reblock_update) function of_complex64(alpha, beta, combine, conjugate) result(made)
    complex(real64), intent(in) :: alpha
    complex(real64), intent(in), optional :: beta
    integer, intent(in), optional :: combine
    logical, intent(in), optional :: conjugate
    made = combined(6, alpha /= 0, combine, conjugate)
    made%alpha = transfer(alpha, made%alpha)
    if (present(beta)) made%beta = transfer(beta, made%beta)
  end function of_complex64

  ! Makes an update without factors; `of` is C's number of the type, and `reads` is .true. if alpha is not 0.
  pure type(reblock_update) function combined(of, reads, combine, conjugate) result(made)
    integer, intent(in) :: of
    logical, intent(in) :: reads
    integer, intent(in), optional :: combine
    logical, intent(in), optional :: conjugate
    made%of = of
    made%reads = reads
    if (present(combine)) made%combine = combine
    if (present(conjugate)) made%conjugate = merge(1, 0, conjugate)
  end function combined

  ! Returns the bytes of an element; 0 for an update that was not made, which the library reports.
  pure integer(int64) function bytes_of(update)
    type(reblock_update), intent(in) :: update
    integer(int64), parameter :: bytes(0:6) = [8_int64, 4_int64, 8_int64, 4_int64, 8_int64, 8_int64, 16_int64]
    bytes_of = bytes(update%of)
  end function bytes_of

  ! Whether the update reads the source.
  elemental logical function reads_source(update)
    type(reblock_update), intent(in) :: update
    reads_source = update%reads
  end function reads_source

  ! Fills in `c`, which has been prepared, with the update for C. It points into `update`.
  subroutine give_update(update, c)
    type(reblock_update), intent(in), target :: update
    type(c_update), intent(inout) :: c
    c%of = update%of
    c%combine = update%combine
    c%conjugate = update%conjugate
    c%alpha = c_loc(update%alpha)
    c%beta = c_loc(update%beta)
  end subroutine give_update
end module reblock_hpf_update
