! Handles of the library's objects, and reports of failures.
module reblock_hpf_object
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int32_t, c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, &
    c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use reblock_hpf_signatures, only: frees_object, makes_object
  implicit none
  private
  public :: reblock_object, handle_of, give_handle, get_object, free_object, report, report_invalid
  public :: get_text, c_string, has_room, has_room_if_present, narrow, set_reason, count_mistake
  public :: reblock_code_name

  ! Values of stat.
  integer, parameter, public :: reblock_ok = 0, reblock_err_handle = 1, reblock_err_argument = 2, reblock_err_state = 3, &
    reblock_err_differs = 4, reblock_err_memory = 5, reblock_err_mpi = 6, reblock_err_overlap = 7, reblock_err_text = 8, &
    reblock_err_settings = 9, reblock_err_broken = 10, reblock_err_internal = 11, reblock_err_file = 12, reblock_err_device = 13, &
    reblock_err_cancelled = 14

  ! Maximum number of axes of an array, a template or an arrangement.
  integer, parameter, public :: max_axes = 15

  ! Base of all handles, with the handle of the C library. Copies stand for the same object.
  type :: reblock_object
    private
    type(c_ptr) :: handle = c_null_ptr
  end type reblock_object

  abstract interface
    ! A C function that writes a text of an object.
    integer(c_int32_t) function writes_text(object, text, room, length) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: object, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(inout) :: length
    end function writes_text
  end interface

  interface
    type(c_ptr) function c_message() bind(c, name='reblock_message')
      import :: c_ptr
    end function c_message
    type(c_ptr) function c_failed_function() bind(c, name='reblock_failed_function')
      import :: c_ptr
    end function c_failed_function
    type(c_ptr) function c_code_name(code) bind(c, name='reblock_code_name')
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: code
    end function c_code_name
    subroutine c_set_reason(text) bind(c, name='reblock_set_reason')
      import :: c_char
      character(kind=c_char), intent(in), optional :: text(*)
    end subroutine c_set_reason
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function c_strlen
  end interface

contains

  type(c_ptr) pure function handle_of(object)
    class(reblock_object), intent(in) :: object
    handle_of = object%handle
  end function handle_of

  subroutine give_handle(object, handle)
    class(reblock_object), intent(inout) :: object
    type(c_ptr), intent(in) :: handle
    object%handle = handle
  end subroutine give_handle

  ! Sets `other` to an object that a C function makes from `object`.
  subroutine get_object(from, object, other, stat, errmsg)
    procedure(makes_object) :: from
    class(reblock_object), intent(in) :: object
    class(reblock_object), intent(inout) :: other
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = from(object%handle, other%handle)
    call report(code, stat, errmsg)
  end subroutine get_object

  ! Frees an object by a C function.
  subroutine free_object(free, object, stat, errmsg)
    procedure(frees_object) :: free
    class(reblock_object), intent(inout) :: object
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(free(object%handle), stat, errmsg)
  end subroutine free_object

  ! Reports the code of a call of C: sets stat and errmsg, or stops the program after a failure without stat. `text`
  ! describes an error that was found before the call; without it, the message is the library's.
  subroutine report(code, stat, errmsg, text)
    integer(c_int32_t), intent(in) :: code
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in), optional :: text
    character(:), allocatable :: message
    if (present(text)) call c_set_reason()
    if (present(stat)) stat = code
    if (code == reblock_ok) return
    message = ''
    if (present(text)) message = trim(text)
    if (len(message) == 0) message = text_of(c_message())
    call fail(text_of(c_failed_function()), message, .not. present(stat), errmsg)
  end subroutine report

  ! Sets errmsg, and stops the program if `stops`. `failed_function` is empty if unknown.
  subroutine fail(failed_function, message, stops, errmsg)
    character(*), intent(in) :: failed_function, message
    logical, intent(in) :: stops
    character(*), intent(inout), optional :: errmsg
    if (present(errmsg)) errmsg = message
    if (.not. stops) return
    if (len(failed_function) > 0) error stop failed_function//': '//message
    error stop 'reblock: '//message
  end subroutine fail

  ! Sets the text of a mistake that only this module finds. If the next collective call fails, all processes get the
  ! text. report removes it.
  subroutine set_reason(text)
    character(*), intent(in) :: text
    call c_set_reason(c_string(text))
  end subroutine set_reason

  ! Returns the text about an argument that has a wrong number of things (`what`) for an array of `axes` axes.
  function count_mistake(name, count, what, axes) result(text)
    character(*), intent(in) :: name, what
    integer, intent(in) :: count
    integer(c_int64_t), intent(in) :: axes
    character(80) :: text
    write (text, '(a, a, i0, a, a, a, i0, a)') name, ' has ', count, ' ', what, ' for ', axes, ' axes'
  end function count_mistake

  ! Reports an invalid argument that was found before a call of C.
  subroutine report_invalid(text, stat, errmsg)
    character(*), intent(in) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = reblock_err_argument
    call fail('', trim(text), .not. present(stat), errmsg)
  end subroutine report_invalid

  ! Tests whether an array has at least `need` elements; if not, reports an error.
  logical function has_room(name, has, need, stat, errmsg)
    character(*), intent(in) :: name
    integer, intent(in) :: has
    integer(int64), intent(in) :: need
    integer, intent(inout), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(80) :: text
    has_room = has >= need
    if (has_room) return
    write (text, '(a, a, i0, a, i0)') name, ' has ', has, ' elements, expected at least ', need
    call report_invalid(text, stat, errmsg)
  end function has_room

  ! As has_room, with .true. for an absent argument.
  logical function has_room_if_present(name, axes, array, stat, errmsg) result(fit)
    character(*), intent(in) :: name
    integer(int64), intent(in) :: axes
    integer(int64), intent(in), optional :: array(:)
    integer, intent(inout), optional :: stat
    character(*), intent(inout), optional :: errmsg
    fit = .true.
    if (present(array)) fit = has_room(name, size(array), axes, stat, errmsg)
  end function has_room_if_present

  ! Converts the result `wide` of a call with status `stat` to 32 bits; reports an error if it does not fit.
  subroutine narrow(wide, thin, stat, errmsg)
    integer(int64), intent(in) :: wide(:)
    integer(int32), intent(inout) :: thin(:)
    integer, intent(inout), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(80) :: text
    integer :: k
    if (present(stat)) then
      if (stat /= reblock_ok) return
    end if
    if (.not. has_room('an argument', size(thin), size(wide, kind=int64), stat, errmsg)) return
    do k = 1, size(wide)
      if (wide(k) > huge(0_int32) .or. wide(k) < -huge(0_int32) - 1_int64) then
        write (text, '(i0, a)') wide(k), ' does not fit into an integer of 32 bits: use 64 bits'
        call report_invalid(text, stat, errmsg)
        return
      end if
      thin(k) = int(wide(k), int32)
    end do
  end subroutine narrow

  ! Gets a text of any length that the C function `write_text` writes.
  subroutine get_text(write_text, object, text, stat, errmsg)
    procedure(writes_text) :: write_text
    class(reblock_object), intent(in) :: object
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(c_char), allocatable, target :: letters(:)
    integer(c_int64_t) :: length, room
    integer(c_int32_t) :: code
    length = 0
    code = write_text(object%handle, c_null_ptr, 0_c_int64_t, length)
    room = length + 1
    allocate (letters(room), source=c_null_char)
    if (code == reblock_ok) code = write_text(object%handle, c_loc(letters), room, length)
    text = text_of(c_loc(letters))
    call report(code, stat, errmsg)
  end subroutine get_text

  ! Returns the name of a code, for example 'REBLOCK_ERR_ARGUMENT'.
  function reblock_code_name(code) result(name)
    integer, intent(in) :: code
    character(:), allocatable :: name
    name = text_of(c_code_name(int(code, c_int32_t)))
  end function reblock_code_name

  function text_of(string) result(text)
    type(c_ptr), intent(in) :: string
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: k
    call c_f_pointer(string, letters, [c_strlen(string)])
    allocate (character(size(letters)) :: text)
    do k = 1, size(letters)
      text(k:k) = letters(k)
    end do
  end function text_of

  function c_string(text) result(string)
    character(*), intent(in) :: text
    character(:, c_char), allocatable :: string
    string = trim(text)//c_null_char
  end function c_string
end module reblock_hpf_object
