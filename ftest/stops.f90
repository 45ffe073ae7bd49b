! Tests that a call without `stat` ends the program if it fails: of a plan, or, with the argument `joins`, of a job. The
! caller sets REBLOCK_JOINS then, as if a job had started the program.
program stops
  use matrix
  implicit none
  type(reblock_plan) :: plan
  type(reblock_job) :: job
  real :: a(rows, cols)
  character(5) :: argument
  call begin('stops', 1)
  call get_command_argument(1, argument)
  if (argument == 'joins') then
    call reblock_job_init(MPI_COMM_WORLD, job)
  else
    call lay_out()
    call plan_of(storage_size(a), plan)
    call reblock_plan_execute(plan, a(::2, :), a)
  end if
  print '(a)', 'the program goes on'
  call finish('stops')
end program stops
