! A matrix in two layouts, blocks of rows and pairs of columns round robin; the element in row i and column j is 100 i + j.
module matrix
  use random
  use reblock_hpf
  implicit none
  integer, parameter :: rows = 7, cols = 10
  type(reblock_procs) :: line
  type(reblock_map) :: by_rows, by_cols
  ! This process's rows: the first and how many; and how many columns it has.
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

  ! One axis of the matrix in blocks: one a process, or of `block` indices, round robin.
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

  ! From rows to columns.
  subroutine plan_of(bits, plan)
    integer, intent(in) :: bits
    type(reblock_plan), intent(out) :: plan
    call reblock_plan_create(MPI_COMM_WORLD, by_rows, by_cols, bits / 8, plan)
  end subroutine plan_of

  ! The row that is row i here, and the column that is column c here.
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

  ! This process's columns as they have to be.
  pure function columns()
    integer :: columns(rows, cols_here), i, j
    columns = reshape([((100 * i + column(j), i=1, rows), j=1, cols_here)], shape(columns))
  end function columns

  ! This process's rows as they are at first.
  pure function given_rows()
    integer :: given_rows(rows_here, cols), i, j
    given_rows = reshape([((100 * row(i) + j, i=1, rows_here), j=1, cols)], shape(given_rows))
  end function given_rows
end module matrix
