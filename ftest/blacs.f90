! Moves a ScaLAPACK matrix, described by its descriptor, to an HPF array and back.
program blacs
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08, only: f08_world => MPI_COMM_WORLD
  use random
  use reblock_hpf_f08
  implicit none
  integer, parameter :: n = 11, nb = 2
  integer :: context, grid_rows, grid_cols, my_row, my_col, i, j, desc(9), own(2)
  real(real64), allocatable :: a(:, :), b(:, :), a_again(:, :)
  type(reblock_map) :: from, to
  type(reblock_procs) :: line
  type(reblock_template) :: template
  type(reblock_plan) :: there, back
  integer, external :: numroc
  call begin('blacs', 1)
  call blacs_get(0, 0, context)
  call blacs_gridinit(context, 'R', merge(2, 1, ranks > 1), max(1, ranks / 2))
  call blacs_gridinfo(context, grid_rows, grid_cols, my_row, my_col)
  ! Columns are one element longer than necessary.
  allocate (a(numroc(n, nb, my_row, 0, grid_rows) + 1, numroc(n, 3, my_col, 0, grid_cols)), source=-1._real64)
  desc = [1, context, n, n, nb, 3, 0, 0, size(a, 1)]
  call reblock_map_from_blacs(desc, from)
  do j = 1, size(a, 2)
    a(:size(a, 1) - 1, j) = [(value(index_of(i, nb, my_row, grid_rows), index_of(j, 3, my_col, grid_cols)), &
                              i=1, size(a, 1) - 1)]
  end do
  call reblock_procs_create(MPI_COMM_WORLD, [ranks], line)
  call reblock_template_create(line, [1, 1], [n, n], template)
  call reblock_template_dist_cyclic(template, 2, 1)
  call reblock_template_commit(template)
  call reblock_map_whole(template, to)
  call reblock_map_local(to, own)
  allocate (b(own(1), own(2)), source=-1._real64)
  call reblock_plan_create(MPI_COMM_WORLD, from, to, 8, there)
  call reblock_plan_create(f08_world, to, from, 8, back)
  call reblock_plan_execute(there, a, b)
  call must('columns', all([((b(i, j) == value(i, (j - 1) * ranks + me + 1), i=1, n), j=1, own(2))]))
  allocate (a_again, mold=a)
  a_again = -1
  call reblock_plan_execute(back, b, a_again)
  call must('there and back', all(a_again == a))
  call reblock_plan_free(there)
  call reblock_plan_free(back)
  call blacs_gridexit(context)
  call finish('blacs')

contains

  real(real64) function value(i, j)
    integer, intent(in) :: i, j
    value = 100 * i + j
  end function value

  ! Returns the global index of position k on process p of `procs`, in blocks of `block`.
  integer function index_of(k, block, p, procs)
    integer, intent(in) :: k, block, p, procs
    index_of = ((k - 1) / block * procs + p) * block + modulo(k - 1, block) + 1
  end function index_of
end program blacs
