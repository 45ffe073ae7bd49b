! Options of plans, and sections, by the module reblock_hpf, from those of C.
module corpus_options
  use, intrinsic :: iso_c_binding
  use reblock_hpf
  use corpus_declaring, only: map_of
  implicit none
  private
  public :: options_of, ranges_of

  ! Has the layout of C's reblock_plan_options.
  type, bind(c), public :: c_plan_options
    integer(c_int64_t) :: size, version
    type(c_ptr) :: scheduler, transport
    integer(c_int64_t) :: buffer, window, relabel
    type(c_ptr) :: axes
    integer(c_int64_t) :: axes_count, copies
    type(c_ptr) :: spread
    integer(c_int64_t) :: spread_count, overlap, skip
  end type c_plan_options

contains

  function ranges_of(map, numbers) result(section)
    type(c_ptr), intent(in) :: map
    integer(c_int64_t), intent(in), optional :: numbers(3, *)
    type(reblock_range), allocatable :: section(:)
    integer :: n, k
    if (.not. present(numbers)) return
    call reblock_map_axes(map_of(map), n)
    section = [(reblock_range(numbers(1, k), numbers(2, k), numbers(3, k)), k=1, n)]
  end function ranges_of

  function options_of(options) result(chosen)
    type(c_plan_options), intent(in) :: options
    type(reblock_plan_options) :: chosen
    integer(c_int64_t), pointer :: axes(:)
    chosen = reblock_plan_options(name_of(options%scheduler), name_of(options%transport), options%buffer, options%window, &
                                  options%relabel /= 0, options%copies /= 0, options%overlap /= 0, options%skip /= 0)
    if (c_associated(options%axes)) then
      call c_f_pointer(options%axes, axes, [options%axes_count])
      chosen%axes = int(axes) + 1
    end if
    if (c_associated(options%spread)) then
      call c_f_pointer(options%spread, axes, [options%spread_count])
      chosen%spread = int(axes) + 1
    end if
  end function options_of

  function name_of(string) result(name)
    type(c_ptr), intent(in) :: string
    character(64) :: name
    character(1, c_char), pointer :: letters(:)
    integer :: k
    name = ''
    if (.not. c_associated(string)) return
    call c_f_pointer(string, letters, [64])
    do k = 1, 64
      if (letters(k) == c_null_char) exit
      name(k:k) = letters(k)
    end do
  end function name_of
end module corpus_options
