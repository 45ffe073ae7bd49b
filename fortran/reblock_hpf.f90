! HPF's mappings for Fortran programs: the interface of include/reblock.h, under the same names.
!
! Differences from C: axes and positions within local arrays count from 1; ranks and coordinates of processes count from
! 0, as in MPI. Optional arguments take the place of NULL; docs/fortran.md lists them. Local arrays of any type, kind
! and rank are passed directly. Bounds, indices and extents are integers of 32 or 64 bits, all of one kind in a call;
! axes and ranks are default integers.
!
! Every procedure has optional arguments stat and errmsg. A call that fails sets stat to a code reblock_err_... and
! errmsg to a text. Without stat it stops the program with a line that begins with the name of the C function that
! failed, or with reblock if the module itself reports the mistake.
!
! Communicators are MPI's integers; module reblock_hpf_f08 takes those of mpi_f08 as well.
module reblock_hpf
  use reblock_hpf_object, only: reblock_ok, reblock_err_handle, reblock_err_argument, reblock_err_state, reblock_err_differs, &
    reblock_err_memory, reblock_err_mpi, reblock_err_overlap, reblock_err_text, reblock_err_settings, reblock_err_broken, &
    reblock_err_internal, reblock_err_file, reblock_err_device, reblock_err_cancelled, reblock_code_name
  use reblock_hpf_axes, only: reblock_format, reblock_format_collapsed, reblock_format_block, reblock_format_cyclic, &
    reblock_format_gen_block, reblock_format_indirect
  use reblock_hpf_procs
  use reblock_hpf_formats
  use reblock_hpf_map, only: reblock_map, reblock_align, reblock_collapsed, reblock_replicated, reblock_map_create, &
    reblock_map_whole, reblock_map_shadow, reblock_map_row_major, reblock_map_order, reblock_map_strides, &
    reblock_map_from_blacs, reblock_map_free
  use reblock_hpf_plain
  use reblock_hpf_boxes
  use reblock_hpf_inquiry
  use reblock_hpf_same
  use reblock_hpf_declared
  use reblock_hpf_dereference
  use reblock_hpf_buffer, only: reblock_buffer
  use reblock_hpf_plan, only: reblock_plan, reblock_range, reblock_plan_options, reblock_plan_info, reblock_plan_create, &
    reblock_plan_inquire, reblock_plan_target, reblock_plan_explain, reblock_plan_reverse, reblock_plan_free
  use reblock_hpf_shadow
  use reblock_hpf_irregular
  use reblock_hpf_shift
  use reblock_hpf_move, only: reblock_request, reblock_plan_execute, reblock_plan_execute_many, reblock_plan_start, &
    reblock_plan_start_many, reblock_request_test, reblock_request_wait, reblock_request_free
  use reblock_hpf_update, only: reblock_update, reblock_add, reblock_minimum, reblock_maximum, reblock_and, reblock_or
  use reblock_hpf_updating
  use reblock_hpf_section
  use reblock_hpf_array, only: reblock_array, reblock_array_create, reblock_array_map, reblock_array_data, reblock_array_free, &
    reblock_template_redistribute, reblock_array_realign, reblock_array_fill_shadows
  use reblock_hpf_pointer
  use reblock_hpf_file
  use reblock_hpf_device
  use reblock_hpf_text
  use reblock_hpf_job
  use reblock_hpf_job_pointer
  use reblock_hpf_job_formats
  use reblock_hpf_resize
  use reblock_hpf_int32
  implicit none
  public
end module reblock_hpf
