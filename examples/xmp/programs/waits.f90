! Assignments, shadows and sums of shadows during other work, and a shadow as wide as the axis. Runs on 4 nodes.
program waits
  implicit none
  integer, parameter :: n = 32
  integer :: i, wrong, seen, tries
  integer, external :: xmp_test_async, xmp_node_num
!$xmp nodes p(4)
!$xmp template t(n)
!$xmp template c(n)
!$xmp distribute t(block) onto p
!$xmp distribute c(cyclic) onto p
  real(8) :: a(n), b(n), s(n), f(n)
!$xmp align (i) with t(i) :: a, s, f
!$xmp align (i) with c(i) :: b
!$xmp shadow a(1)
!$xmp shadow s(1)
!$xmp shadow f(*)

  wrong = 0
  seen = 0
!$xmp loop on t(i)
  do i = 1, n
    a(i) = 3 * i
    s(i) = 3 * i
    f(i) = 5 * i
  end do

!$xmp reflect (a) width(/periodic/1) async(1)
!$xmp wait_async(1)
!$xmp gmove async(2)
  b(:) = a(:)
  tries = 0
  do while (xmp_test_async(2) == 0)
    tries = tries + 1
  end do
!$xmp loop on c(i)
  do i = 1, n
    seen = seen + 1
    if (b(i) /= 3 * i) wrong = wrong + 1
  end do
!$xmp loop on t(i)
  do i = 2, n - 1
    seen = seen + 1
    if (a(i - 1) + a(i + 1) /= 6 * i) wrong = wrong + 1
  end do

!$xmp reflect (s) width(/periodic/1)
!$xmp reduce_shadow (s) width(/periodic/1) async(3)
!$xmp wait_async(3)
!$xmp loop on t(i)
  do i = 1, n
    seen = seen + 1
    if (s(i) /= merge(6, 3, mod(i, n / 4) < 2) * i) wrong = wrong + 1
  end do

!$xmp reflect (f)
  do i = 1, n
    seen = seen + 1
    if (f(i) /= 5 * i) wrong = wrong + 1
  end do

!$xmp reduction(+:wrong)
!$xmp reduction(+:seen)
  if (xmp_node_num() == 1) print '(a, i0, a, i0, a)', 'waits: ', wrong, ' of ', seen, ' elements are wrong'
end program waits
