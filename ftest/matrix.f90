! A matrix in two layouts: blocks of rows, and pairs of columns dealt out in turn. The element in row i, column j is 100
! i + j.
module matrix
  use random
  use reblock_hpf
  implicit none
  integer, parameter :: rows = 7, cols = 10
  type(reblock_procs) :: line
  type(reblock_map) :: by_rows, by_cols
  ! This process's first row, its number of rows, and its number of columns.
  integer :: first, rows_here, cols_here

contains

  subroutine lay_out()
    integer :: own(2), lower(2)
    call reblock_procs_create(MPI_COMM_WORLD, [ranks], line)
    by_rows = mapped(1)
    by_cols = mapped(2, 2)
    call reblock_map_local(by_rows, own, lower)
    first = lower(1)
    rows_here = own(1)
    call reblock_map_local(by_cols, own)
    cols_here = own(2)
  end subroutine lay_out

  ! Returns a map with one axis distributed: one block per process, or blocks of `block` indices dealt out in turn.
  function mapped(axis, block) result(map)
    integer, intent(in) :: axis
    integer, intent(in), optional :: block
    type(reblock_map) :: map
    type(reblock_template) :: template
    call reblock_template_create(line, [1, 1], [rows, cols], template)
    if (present(block)) then
      call reblock_template_dist_cyclic(template, axis, 1, block)
    else
      call reblock_template_dist_block(template, axis, 1)
    end if
    call reblock_template_commit(template)
    call reblock_map_whole(template, map)
    call reblock_template_free(template)
  end function mapped

  ! Makes the plan from rows to columns.
  subroutine plan_of(bits, plan)
    integer, intent(in) :: bits
    type(reblock_plan), intent(out) :: plan
    call reblock_plan_create(MPI_COMM_WORLD, by_rows, by_cols, bits / 8, plan)
  end subroutine plan_of

  ! Return the global index of local row i, and of local column c.
  integer pure function row(i)
    integer, intent(in) :: i
    row = first + i - 1
  end function row

  integer pure function column(c)
    integer, intent(in) :: c
    integer :: pair
    pair = (c - 1) / 2
    column = 2 * (pair * ranks + me) + modulo(c - 1, 2) + 1
  end function column

  ! The expected contents of this process's columns.
  pure function columns()
    integer :: columns(rows, cols_here), i, j
    columns = reshape([((100 * i + column(j), i=1, rows), j=1, cols_here)], shape(columns))
  end function columns

  ! The initial contents of this process's rows.
  pure function given_rows()
    integer :: given_rows(rows_here, cols), i, j
    given_rows = reshape([((100 * row(i) + j, i=1, rows_here), j=1, cols)], shape(given_rows))
  end function given_rows
end module matrix
