! C functions for jobs that grow and shrink, as include/reblock.h declares them.
module reblock_hpf_calls_job
  use, intrinsic :: iso_c_binding, only: c_double, c_funptr, c_int, c_int32_t, c_int64_t, c_ptr
  use reblock_hpf_signatures
  implicit none
  public
  abstract interface
    ! Changes the number of ranks.
    integer(c_int32_t) function resizes(job, ranks, state) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      integer(c_int32_t), intent(inout) :: state
    end function resizes
  end interface

  procedure(frees), bind(c, name='reblock_job_leave') :: c_job_leave
  procedure(frees), bind(c, name='reblock_job_finalize') :: c_job_finalize

  interface
    integer(c_int32_t) function c_job_options_init(options) bind(c, name='reblock_job_options_init')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: options
    end function c_job_options_init
    integer(c_int32_t) function c_job_init(first, options, job) bind(c, name='reblock_job_init_fortran')
      import :: c_int, c_int32_t, c_ptr
      integer(c_int), value :: first
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: job
    end function c_job_init
    ! BLACS integers have the width of the program's integers.
    integer(c_int32_t) function c_job_get_blacs(job, rows, cols, context) bind(c, name='reblock_job_get_blacs')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job
      integer, value :: rows, cols
      integer, intent(inout) :: context
    end function c_job_get_blacs
    integer(c_int32_t) function c_job_add_value(job, place, bytes) bind(c, name='reblock_job_add_value')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job, place
      integer(c_int64_t), value :: bytes
    end function c_job_add_value
    integer(c_int32_t) function c_job_get_map(job, number, map) bind(c, name='reblock_job_get_map')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: number
      type(c_ptr), intent(inout) :: map
    end function c_job_get_map
    integer(c_int32_t) function c_job_set_formats(job, number, formats, context) bind(c, name='reblock_job_set_formats')
      import :: c_funptr, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: number
      type(c_funptr), value :: formats
      type(c_ptr), value :: context
    end function c_job_set_formats
    integer(c_int32_t) function c_job_set_constant(job, number, constant) bind(c, name='reblock_job_set_constant')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: number
      integer(c_int32_t), value :: constant
    end function c_job_set_constant
    integer(c_int32_t) function c_job_can_resize(job, ranks) bind(c, name='reblock_job_can_resize')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
    end function c_job_can_resize
    integer(c_int32_t) function c_job_set_seconds(job, seconds) bind(c, name='reblock_job_set_seconds')
      import :: c_double, c_int32_t, c_ptr
      type(c_ptr), value :: job
      real(c_double), value :: seconds
    end function c_job_set_seconds
    integer(c_int32_t) function c_job_price_init(price) bind(c, name='reblock_job_price_init')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: price
    end function c_job_price_init
    integer(c_int32_t) function c_job_times_init(times) bind(c, name='reblock_job_times_init')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: times
    end function c_job_times_init
    integer(c_int32_t) function c_job_get_price(job, ranks, price) bind(c, name='reblock_job_get_price')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      type(c_ptr), value :: price
    end function c_job_get_price
    integer(c_int32_t) function c_job_joined(job, joined) bind(c, name='reblock_job_joined')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int32_t), intent(inout) :: joined
    end function c_job_joined
    integer(c_int32_t) function c_job_get_comm(job, comm) bind(c, name='reblock_job_get_comm_fortran')
      import :: c_int, c_int32_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int), intent(inout) :: comm
    end function c_job_get_comm
    integer(c_int32_t) function c_job_step(job, state) bind(c, name='reblock_job_step')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int32_t), intent(inout) :: state
    end function c_job_step
    integer(c_int32_t) function c_job_add_matrix(job, desc, element, data) bind(c, name='reblock_job_add_matrix')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job, desc
      integer(c_int64_t), value :: element
      type(c_ptr), value :: data
    end function c_job_add_matrix
    integer(c_int32_t) function c_job_add_array(job, map, element, data) bind(c, name='reblock_job_add_array')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job, map
      integer(c_int64_t), value :: element
      type(c_ptr), value :: data
    end function c_job_add_array
    integer(c_int32_t) function c_job_expand(job, ranks, state) bind(c, name='reblock_job_expand')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      integer(c_int32_t), intent(inout) :: state
    end function c_job_expand
    integer(c_int32_t) function c_job_shrink(job, ranks, state) bind(c, name='reblock_job_shrink')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: ranks
      integer(c_int32_t), intent(inout) :: state
    end function c_job_shrink
    integer(c_int32_t) function c_job_set_policy(job, policy, context) bind(c, name='reblock_job_set_policy')
      import :: c_funptr, c_int32_t, c_ptr
      type(c_ptr), value :: job
      type(c_funptr), value :: policy
      type(c_ptr), value :: context
    end function c_job_set_policy
    integer(c_int32_t) function c_job_set_policy_text(job, policy) bind(c, name='reblock_job_set_policy_text')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job, policy
    end function c_job_set_policy_text
    integer(c_int32_t) function c_job_set_spawn_info(job, info) bind(c, name='reblock_job_set_spawn_info_fortran')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int32_t), value :: info
    end function c_job_set_spawn_info
    integer(c_int32_t) function c_job_set_leaving(job, count, ranks) bind(c, name='reblock_job_set_leaving')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: ranks(*)
    end function c_job_set_leaving
    integer(c_int32_t) function c_job_set_leaving_hosts(job, hosts) bind(c, name='reblock_job_set_leaving_hosts')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job, hosts
    end function c_job_set_leaving_hosts
    integer(c_int32_t) function c_job_get_hosts(job, hosts, size, length) bind(c, name='reblock_job_get_hosts')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job, hosts
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: length
    end function c_job_get_hosts
    integer(c_int32_t) function c_job_next_freed(job, host, size, length) bind(c, name='reblock_job_next_freed')
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: job, host
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: length
    end function c_job_next_freed
    integer(c_int32_t) function c_job_get_times(job, times) bind(c, name='reblock_job_get_times')
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job, times
    end function c_job_get_times
  end interface
end module reblock_hpf_calls_job
