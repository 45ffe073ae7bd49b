! Tests that a call without `stat` ends the program if it fails.
program stops
  use matrix
  implicit none
  type(reblock_plan) :: plan
  real :: a(rows, cols)
  call begin('stops', 1)
  call lay_out()
  call plan_of(storage_size(a), plan)
  call reblock_plan_execute(plan, a(::2, :), a)
  print '(a)', 'the program goes on'
  call finish('stops')
end program stops
