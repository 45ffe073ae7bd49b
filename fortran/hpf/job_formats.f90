! Procedures of the program that distribute an array of a job over another number of ranks.
module reblock_hpf_job_formats
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_funloc, c_int32_t, c_int64_t, c_loc, c_ptr
  use reblock_hpf_object
  use reblock_hpf_procs
  use reblock_hpf_job
  use reblock_hpf_calls
  implicit none
  private
  public :: reblock_job_set_formats, reblock_job_deal

  abstract interface
    ! A procedure of the program: distributes a template's axes, with reblock_template_dist_..., for an arrangement of
    ! this shape. stat is reblock_ok at entry; another code makes the resize fail.
    subroutine reblock_job_deal(shape, template, stat)
      import :: reblock_template
      integer, intent(in) :: shape(:)
      type(reblock_template), intent(in) :: template
      integer, intent(inout) :: stat
    end subroutine reblock_job_deal
  end interface

  ! Context of call_deal. Never freed, because C may use its address as long as the job exists.
  type :: formats_context
    procedure(reblock_job_deal), pointer, nopass :: deal => null()
  end type formats_context

contains

  ! Sets the procedure `deal` that distributes the registered item `number`, an array with a map, over another number of
  ! ranks.
  subroutine reblock_job_set_formats(job, number, deal, stat, errmsg)
    type(reblock_job), intent(in) :: job
    integer, intent(in) :: number
    procedure(reblock_job_deal) :: deal
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(formats_context), pointer :: kept
    allocate (kept)
    kept%deal => deal
    call report(c_job_set_formats(handle_of(job), int(number - 1, c_int64_t), c_funloc(call_deal), c_loc(kept)), stat, errmsg)
  end subroutine reblock_job_set_formats

  ! Calls the program's procedure for C.
  integer(c_int32_t) function call_deal(context, axes, shape, template) bind(c, name='reblock_fortran_formats')
    type(c_ptr), value :: context
    integer(c_int64_t), value :: axes
    integer(c_int64_t), intent(in) :: shape(axes)
    type(c_ptr), value :: template
    type(formats_context), pointer :: kept
    type(reblock_template) :: described
    integer :: code
    call c_f_pointer(context, kept)
    call give_handle(described, template)
    code = reblock_ok
    call kept%deal(int(shape), described, code)
    call_deal = int(code, c_int32_t)
  end function call_deal
end module reblock_hpf_job_formats
