! The code that a compiler makes from an HPF program: docs/hpf.md shows it, and the same in C (lowered.c). Each rank
! checks its elements.
program lowered_fortran
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use mpi
  use reblock_hpf
  implicit none
  integer, parameter :: n = 60, bytes = storage_size(1._dp) / 8
  type(reblock_procs) :: p, q
  type(reblock_template) :: t, u, like
  type(reblock_map) :: map, map_a, map_b, map_s
  type(reblock_array) :: a, s, b
  type(reblock_plan) :: plan
  real(dp), pointer :: rows(:, :), sums(:), half(:, :)
  integer :: i, j, me, ierr, index(2), row(1), wrong(2)
  logical :: own

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)

  ! PROCESSORS P(2,2), Q(4)
  call reblock_procs_create(MPI_COMM_WORLD, [2, 2], p)
  call reblock_procs_create(MPI_COMM_WORLD, [4], q)

  ! TEMPLATE T(N,N); DISTRIBUTE T(BLOCK,BLOCK) ONTO P
  call reblock_template_create(p, [1, 1], [n, n], t)
  call reblock_template_dist_block(t, 1, 1)
  call reblock_template_dist_block(t, 2, 2)
  call reblock_template_commit(t)

  ! ALIGN A(I,J) WITH T(I,J); ALIGN S(I) WITH T(I,*)
  call reblock_map_whole(t, map)
  call reblock_array_create(map, bytes, a)
  call reblock_map_free(map)
  call reblock_map_create(t, [1], [n], map, aligns=[reblock_align(1)]) ! replicated along the other axis
  call reblock_array_create(map, bytes, s)
  call reblock_map_free(map)

  ! DISTRIBUTE B(*,CYCLIC) ONTO Q: a template of its own
  call reblock_template_create(q, [1, 1], [n, n / 2], u)
  call reblock_template_dist_cyclic(u, 2, 1)
  call reblock_template_commit(u)
  call reblock_map_whole(u, map)
  call reblock_array_create(map, bytes, b)
  call reblock_map_free(map)

  ! FORALL (I = 1:N, J = 1:N) A(I,J) = 100 * I + J: in BLOCK, a pointer has the array's own indices
  call reblock_array_pointer(a, rows)
  do j = lbound(rows, 2), ubound(rows, 2)
    do i = lbound(rows, 1), ubound(rows, 1)
      rows(i, j) = 100 * i + j
    end do
  end do

  ! REDISTRIBUTE T(CYCLIC(4),*) ONTO Q: A moves; S moves, too, but has no values yet
  call reblock_template_create(q, [1, 1], [n, n], like)
  call reblock_template_dist_cyclic(like, 1, 1, 4)
  call reblock_template_commit(like)
  call reblock_template_redistribute(t, like, dead=[s])
  call reblock_template_free(like)

  ! S = SUM(A, DIM=2): a process has whole rows, and S for each of them
  call reblock_array_pointer(a, rows)
  call reblock_array_pointer(s, sums)
  sums = sum(rows, dim=2)

  ! B = A(:, 2:N:2)
  call reblock_array_map(a, map_a)
  call reblock_array_map(b, map_b)
  call reblock_array_pointer(b, half)
  call reblock_plan_create(MPI_COMM_WORLD, map_a, map_b, bytes, plan, from_section=[reblock_range(1, n), reblock_range(2, n, 2)])
  call reblock_plan_execute(plan, rows, half)
  call reblock_plan_free(plan)

  ! Checks all elements. The map converts positions in storage to indices of the array.
  call reblock_array_map(s, map_s)
  wrong = 0
  do j = 1, size(half, 2)
    do i = 1, size(half, 1)
      call reblock_map_global_index(map_b, [i, j], index, own)
      wrong = wrong + [merge(1, 0, nint(half(i, j)) /= 100 * index(1) + 2 * index(2)), 1]
    end do
  end do
  do i = 1, size(sums)
    call reblock_map_global_index(map_s, [i], row, own)
    wrong = wrong + [merge(1, 0, nint(sums(i)) /= 100 * n * row(1) + n * (n + 1) / 2), 1]
  end do
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (me == 0) print '(3a, i0, a, i0, a)', 'lowered_fortran: ', trim(merge('correct', 'WRONG  ', wrong(1) == 0)), ': ', &
    wrong(1), ' of ', wrong(2), ' elements differ'
  call reblock_map_free(map_a)
  call reblock_map_free(map_b)
  call reblock_map_free(map_s)
  call reblock_array_free(a)
  call reblock_array_free(s)
  call reblock_array_free(b)
  call reblock_template_free(t)
  call reblock_template_free(u)
  call reblock_procs_free(p)
  call reblock_procs_free(q)
  call MPI_Finalize(ierr)
  if (wrong(1) /= 0 .or. wrong(2) /= n * (n / 2) + n) error stop
end program lowered_fortran
