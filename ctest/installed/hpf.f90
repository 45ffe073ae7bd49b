! A Fortran program built against the installed modules: a vector goes from blocks to one index after the other.
program hpf
  use mpi_f08
  use reblock_hpf_f08
  implicit none
  integer, parameter :: n = 12
  type(reblock_procs) :: procs
  type(reblock_template) :: blocks, dealt
  type(reblock_map) :: from, to
  type(reblock_plan) :: plan
  integer :: me, ranks, k
  real, allocatable :: a(:), b(:)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call reblock_procs_create(MPI_COMM_WORLD, [ranks], procs)
  call reblock_template_create(procs, [1], [n], blocks)
  call reblock_template_dist_block(blocks, 1, 1)
  call reblock_template_commit(blocks)
  call reblock_template_create(procs, [1], [n], dealt)
  call reblock_template_dist_cyclic(dealt, 1, 1)
  call reblock_template_commit(dealt)
  call reblock_map_whole(blocks, from)
  call reblock_map_whole(dealt, to)
  a = [(real(me * n / ranks + k), k=1, n / ranks)]
  allocate (b(n / ranks))
  call reblock_plan_create(MPI_COMM_WORLD, from, to, storage_size(a) / 8, plan)
  call reblock_plan_execute(plan, a, b)
  if (any(b /= [(real((k - 1) * ranks + me + 1), k=1, n / ranks)])) error stop 'wrong elements'
  call reblock_plan_free(plan)
  if (me == 0) print '(a)', 'reblock_hpf from Fortran: as expected'
  call MPI_Finalize()
end program hpf
