! gmove in Fortran: a matrix moves from blocks of columns to CYCLIC(4) rows, to tiles, and back by a section with
! strides; a local array gets a part of it. Each element is checked by its global indices. Runs on 4 nodes.
program columns_program
  implicit none
  integer, parameter :: n = 26, m = 37
!$xmp nodes p(4)
!$xmp nodes q(2,2)
!$xmp template by_columns(n,m)
!$xmp template dealt(n,m)
!$xmp template in_tiles(0:n+3,0:m+3)
!$xmp distribute by_columns(*,block) onto p
!$xmp distribute dealt(cyclic(4),*) onto p
!$xmp distribute in_tiles(block,cyclic(3)) onto q
  real(8) :: a(n,m), b(n,m), c(n,m), d(n,m)
  real(8) :: part(5,m)
!$xmp align a(i,j) with by_columns(i,j)
!$xmp align b(i,j) with dealt(i,j)
!$xmp align c(i,j) with in_tiles(i+2,j+1)
!$xmp align d(i,j) with by_columns(i,j)
!$xmp shadow d(0,1:2)
  integer :: i, j, wrong, seen
  integer, external :: xmp_node_num

  wrong = 0
  seen = 0
!$xmp loop (i,j) on by_columns(i,j)
  do j = 1, m
    do i = 1, n
      a(i,j) = 1000 * i + j
      d(i,j) = -1
    end do
  end do

!$xmp gmove
  b(:,:) = a(:,:)
!$xmp loop (i,j) on dealt(i,j)
  do j = 1, m
    do i = 1, n
      seen = seen + 1
      if (b(i,j) /= 1000 * i + j) wrong = wrong + 1
    end do
  end do

!$xmp gmove
  c(:,:) = b(:,:)
!$xmp loop (i,j) on in_tiles(i+2,j+1)
  do j = 1, m
    do i = 1, n
      seen = seen + 1
      if (c(i,j) /= 1000 * i + j) wrong = wrong + 1
    end do
  end do

  ! d(2,5), d(4,8), ... from c(3,2), c(4,4), ...
!$xmp gmove
  d(2:n:2,5:m:3) = c(3:15,2:22:2)
!$xmp loop (i,j) on by_columns(i,j)
  do j = 1, m
    do i = 1, n
      seen = seen + 1
      if (mod(i, 2) == 0 .and. j >= 5 .and. mod(j, 3) == 2) then
        if (d(i,j) /= 1000 * (3 + (i - 2) / 2) + 2 + (j - 5) / 3 * 2) wrong = wrong + 1
      else
        if (d(i,j) /= -1) wrong = wrong + 1
      end if
    end do
  end do

!$xmp gmove
  part(:,:) = c(7:23:4,:)
  do j = 1, m
    do i = 1, 5
      seen = seen + 1
      if (part(i,j) /= 1000 * (3 + 4 * i) + j) wrong = wrong + 1
    end do
  end do

!$xmp reduction(+:wrong,seen)
  if (xmp_node_num() == 1) print '(a,i0,a,i0,a)', 'columns: ', wrong, ' of ', seen, ' elements are wrong'
  if (wrong /= 0) stop 1
end program columns_program
