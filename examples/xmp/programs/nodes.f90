! gmove between arrays on parts of the nodes: from the first two nodes to the last two, from all nodes to a column of
! them with a copy in each row, and in a task that two nodes execute alone. Each element is checked. Runs on 4 nodes.
! With an argument the task is left out.
program parts
  implicit none
  integer, parameter :: n = 41
!$xmp nodes p(4)
!$xmp nodes q(2,2)
!$xmp nodes first(2) = p(1:2)
!$xmp nodes last(2) = p(3:4)
!$xmp nodes column(2) = q(*,1:2)
!$xmp template on_all(n)
!$xmp template on_first(n)
!$xmp template on_last(n)
!$xmp template on_column(n)
!$xmp distribute on_all(cyclic(5)) onto p
!$xmp distribute on_first(block) onto first
!$xmp distribute on_last(cyclic(2)) onto last
!$xmp distribute on_column(cyclic) onto column
  integer :: all_of_it(n), a(n), again(n), b(n), c(n)
!$xmp align all_of_it(i) with on_all(i)
!$xmp align a(i) with on_first(i)
!$xmp align again(i) with on_first(i)
!$xmp align b(i) with on_last(i)
!$xmp align c(i) with on_column(i)
  integer :: i, wrong, seen
  integer, external :: xmp_node_num

  wrong = 0
  seen = 0
!$xmp loop (i) on on_first(i)
  do i = 1, n
    a(i) = 1000 + 3 * i
    again(i) = 0
  end do

!$xmp gmove
  b(:) = a(:)
!$xmp loop (i) on on_last(i)
  do i = 1, n
    seen = seen + 1
    if (b(i) /= 1000 + 3 * i) wrong = wrong + 1
  end do

!$xmp gmove
  all_of_it(:) = b(:)
!$xmp loop (i) on on_all(i)
  do i = 1, n
    seen = seen + 1
    if (all_of_it(i) /= 1000 + 3 * i) wrong = wrong + 1
  end do

!$xmp gmove
  c(:) = all_of_it(:)
!$xmp loop (i) on on_column(i)
  do i = 1, n
    seen = seen + 1
    if (c(i) /= 1000 + 3 * i) wrong = wrong + 1
  end do

  if (command_argument_count() == 0) then
!$xmp task on first
!$xmp gmove
    again(2:21) = a(4:23)
!$xmp gmove
    again(22:n) = a(1:20)
!$xmp end task
!$xmp loop (i) on on_first(i)
    do i = 1, n
      seen = seen + 1
      if (i == 1) then
        if (again(i) /= 0) wrong = wrong + 1
      else if (i <= 21) then
        if (again(i) /= 1000 + 3 * (i + 2)) wrong = wrong + 1
      else
        if (again(i) /= 1000 + 3 * (i - 21)) wrong = wrong + 1
      end if
    end do
  end if

!$xmp reduction(+:wrong,seen)
  if (xmp_node_num() == 1) print '(a,i0,a,i0,a)', 'nodes: ', wrong, ' of ', seen, ' elements are wrong'
  if (wrong /= 0) stop 1
end program parts
