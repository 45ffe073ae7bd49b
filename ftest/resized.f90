! Tests a GEN_BLOCK array that moves with a job whose ranks are parked and come back. The program has a procedure for
! the block sizes and a policy. If the procedure for the block sizes fails, the resize must fail.
module dealing
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use reblock_hpf
  implicit none
  integer, parameter :: n = 40
  integer, parameter :: sizes(5) = [3, 1, 4, 2, 4]
  integer, target :: step = 0
  logical :: refuses = .false.

contains

  integer function wants(ranks, seconds)
    integer, intent(in) :: ranks
    real(dp), intent(in) :: seconds
    wants = sizes(step)
    if (ranks < 1 .or. .not. seconds >= 0) wants = -1
  end function wants

  ! Returns the size of block k: blocks grow, and the last rank has the rest.
  integer function block(procs, k)
    integer, intent(in) :: procs, k
    block = min(3 * k, n - 3 * (k - 1) * k / 2)
    if (k == procs) block = n - 3 * (k - 1) * k / 2
  end function block

  subroutine deal(shape, template, stat)
    integer, intent(in) :: shape(:)
    type(reblock_template), intent(in) :: template
    integer, intent(inout) :: stat
    integer :: k
    if (refuses) then
      stat = reblock_err_state
    else
      call reblock_template_dist_gen_block(template, 1, 1, [(block(shape(1), k), k=1, shape(1))], stat)
    end if
  end subroutine deal
end module dealing

program resized
  use, intrinsic :: iso_c_binding, only: c_loc
  use mpi_f08
  use reblock_hpf_f08
  use dealing
  implicit none
  type(reblock_job) :: job
  type(reblock_procs) :: procs
  type(reblock_template) :: template
  type(reblock_map) :: map
  type(MPI_Comm) :: comm
  real(dp), pointer :: a(:, :)
  integer :: ranks, state, stat, first, k, was
  character(200) :: text = ''
  character(:), allocatable :: hosts

  call MPI_Init()
  call reblock_job_init(MPI_COMM_WORLD, job, park=.true.)
  call reblock_job_get_comm(job, comm)
  call MPI_Comm_size(comm, ranks)
  call reblock_procs_create(comm, [ranks], procs)
  call reblock_template_create(procs, [1], [n], template)
  stat = reblock_ok
  call deal([ranks], template, stat)
  call reblock_template_commit(template)
  call reblock_map_whole(template, map)
  call reblock_job_add_array(job, map, 8)
  call reblock_job_shrink(job, 2, state, stat, text)
  call check(stat == reblock_err_argument .and. index(text, 'by reblock_job_set_formats') > 0, 'formats of 4 ranks only: '//text)
  call reblock_job_set_formats(job, 1, deal)
  call reblock_job_add_value(job, c_loc(step), storage_size(step) / 8)
  call look()
  call fill()
  refuses = .true.
  call reblock_job_shrink(job, 2, state, stat, text)
  call check(stat == reblock_err_argument .and. index(text, 'code 3') > 0, 'a refusal: '//text)
  refuses = .false.
  call reblock_job_get_hosts(job, hosts)
  call check(count([(hosts(k:k) == ',', k=1, len(hosts))]) == ranks - 1, 'hosts: '//hosts)
  call reblock_job_set_leaving(job, [1, ranks])
  call reblock_job_step(job, state, stat, text)
  call check(stat == reblock_err_argument .and. index(text, 'is to leave') > 0, 'a rank that there is not: '//text)
  call reblock_job_set_leaving_hosts(job, 'nowhere')
  call reblock_job_step(job, state, stat, text)
  call check(stat == reblock_err_argument .and. index(text, 'nowhere') > 0, 'a host that there is not: '//text)
  call reblock_job_next_freed(job, hosts)
  call check(hosts == '', 'a host is free: '//hosts)
  call reblock_job_set_policy(job, wants)
  do while (step < size(sizes))
    step = step + 1
    ! A parked rank returns at a later step.
    was = step
    call reblock_job_set_constant(job, 1, mod(step, 2) == 0)
    call reblock_job_step(job, state)
    if (mod(was, 2) == 0 .and. step == was) call check(state == reblock_job_moving, 'a constant array moves at once')
    do while (state == reblock_job_moving)
      call check(all(a(:, 1) == [(sqrt(real(first + k, dp)), k=1, size(a))]), 'an element is wrong while the array moves')
      call reblock_job_step(job, state)
    end do
    if (state == reblock_job_left) exit
    call look()
    call check(state == reblock_job_resized, 'the number of ranks has not changed')
    call check(size(a) == block(ranks, me() + 1), 'a block has another size')
    call check(all(a(:, 1) == [(sqrt(real(first + k, dp)), k=1, size(a))]), 'an element is wrong')
  end do
  if (state == reblock_job_left) then
    call reblock_job_leave(job)
  else
    if (me() == 0) print '(a)', 'resized: GEN_BLOCK on 4, 3, 1, 4, 2 and 4 ranks'
    call reblock_job_finalize(job)
  end if
  call MPI_Finalize()

contains

  subroutine look()
    integer :: k
    call reblock_job_get_comm(job, comm)
    call MPI_Comm_size(comm, ranks)
    call reblock_job_pointer(job, 1, a)
    first = sum([(block(ranks, k), k=1, me())])
  end subroutine look

  subroutine fill()
    integer :: k
    a(:, 1) = [(sqrt(real(first + k, dp)), k=1, size(a))]
  end subroutine fill

  integer function me()
    call MPI_Comm_rank(comm, me)
  end function me

  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    print '(a)', 'resized: '//trim(what)
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check
end program resized
