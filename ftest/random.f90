! Random numbers that are equal on all ranks, from a seed that is printed; and the count of errors.
module random
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi
  implicit none
  integer(int64), private :: state = 1
  integer :: me, ranks, wrong_here = 0

contains

  subroutine begin(name, default_seed)
    character(*), intent(in) :: name
    integer, intent(in) :: default_seed
    integer :: ierr, status
    character(20) :: given
    call mpi_init(ierr)
    call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
    call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
    state = default_seed
    call get_environment_variable('SEED', given, status=status)
    if (status == 0) read (given, *) state
    if (me == 0) print '(3a, i0, a, i0)', name, ': ', 'seed ', state, ', ranks ', ranks
    state = state * 2654435761_int64 + 88172645463325252_int64
  end subroutine begin

  ! Draws a number from low to high, both included.
  integer function any_of(low, high)
    integer, intent(in) :: low, high
    state = ieor(state, ishft(state, 13))
    state = ieor(state, ishft(state, -7))
    state = ieor(state, ishft(state, 17))
    any_of = low + int(modulo(ishft(state, -11), int(high - low + 1, int64)))
  end function any_of

  ! Draws a random order of 1 to n.
  function shuffled(n) result(order)
    integer, intent(in) :: n
    integer :: order(n), k, m
    order = [(k, k=1, n)]
    do k = n, 2, -1
      m = any_of(1, k)
      order([k, m]) = order([m, k])
    end do
  end function shuffled

  subroutine must(what, is_so)
    character(*), intent(in) :: what
    logical, intent(in) :: is_so
    if (is_so) return
    wrong_here = wrong_here + 1
    if (wrong_here <= 10) print '(a, i0, 2a)', 'WRONG on rank ', me, ': ', what
  end subroutine must

  ! Ends the program, with status 1 if any rank found an error.
  subroutine finish(name)
    character(*), intent(in) :: name
    integer :: ierr, all_wrong
    call mpi_allreduce(wrong_here, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (me == 0) print '(2a, i0, a)', name, ': ', all_wrong, ' wrong'
    call mpi_finalize(ierr)
    if (all_wrong /= 0) stop 1
  end subroutine finish
end module random
