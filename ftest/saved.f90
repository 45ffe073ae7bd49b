! Tests arrays in files: saves a matrix of the program and a matrix of the library, and loads each in another layout.
program saved
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: f08_world => MPI_COMM_WORLD, f08_barrier => MPI_Barrier
  use random
  use reblock_hpf_f08
  implicit none
  integer, parameter :: m = 37, n = 23
  type(reblock_procs) :: line
  type(reblock_map) :: columns, rows
  real(real64), allocatable :: a(:, :), b(:, :)
  type(reblock_array) :: own
  real(real64), pointer :: view(:, :)
  character(300) :: path, text
  integer :: stat
  call begin('saved', 1)
  call get_command_argument(1, path)
  path = trim(path)//'/fortran.npy'
  call reblock_procs_create(f08_world, [ranks], line)
  columns = map_of(2)
  rows = map_of(1)
  allocate (a(m, reach(columns, 2)), b(reach(rows, 1), n))
  call fill(columns, a)
  call reblock_save(f08_world, path, columns, storage_size(a) / 8, a, '<f8')
  b = -1
  call reblock_load(f08_world, path, rows, int(storage_size(b) / 8, int64), b, '<f8')
  call compare(rows, b)
  call reblock_array_create(rows, 8, own)
  call reblock_array_load(own, path)
  call reblock_array_pointer(own, view)
  call compare(rows, view)
  call reblock_array_save(own, path, dtype='<f8')
  call reblock_array_free(own)
  a = -1
  call reblock_load(MPI_COMM_WORLD, path, columns, 8, a)
  call compare(columns, a)
  ! Mistakes: a wrong type, a wrong file, an array that does not fit.
  call reblock_load(f08_world, path, columns, 8, a, '<i8', stat, text)
  call must('another type: '//text, stat == reblock_err_file .and. index(text, "expected '<i8'") > 0)
  call reblock_load(f08_world, trim(path)//'.none', columns, 8, a, stat=stat, errmsg=text)
  call must('no file: '//text, stat == reblock_err_file)
  call reblock_save(f08_world, path, columns, 8, [1, 2], stat=stat, errmsg=text)
  call must('an array that does not fit: '//text, stat == reblock_err_argument)
  call finish('saved')

contains

  type(reblock_map) function map_of(axis)
    integer, intent(in) :: axis
    type(reblock_template) :: template
    call reblock_template_create(line, [1, 1], [m, n], template)
    call reblock_template_dist_cyclic(template, axis, 1, 2)
    call reblock_template_commit(template)
    call reblock_map_whole(template, map_of)
  end function map_of

  integer function reach(map, axis)
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: axis
    integer :: own(2), lower(2)
    logical :: has
    call reblock_map_local(map, own, lower, has=has)
    call must('a part', has)
    reach = own(axis)
  end function reach

  real(real64) function value_at(map, i, j)
    type(reblock_map), intent(in) :: map
    integer, intent(in) :: i, j
    integer :: at(2)
    logical :: own
    call reblock_map_global_index(map, [i, j], at, own)
    value_at = at(1) + 1000 * at(2)
  end function value_at

  subroutine fill(map, array)
    type(reblock_map), intent(in) :: map
    real(real64), intent(out) :: array(:, :)
    integer :: i, j
    do j = 1, size(array, 2)
      do i = 1, size(array, 1)
        array(i, j) = value_at(map, i, j)
      end do
    end do
  end subroutine fill

  subroutine compare(map, array)
    type(reblock_map), intent(in) :: map
    real(real64), intent(in) :: array(:, :)
    integer :: i, j
    do j = 1, size(array, 2)
      do i = 1, size(array, 1)
        call must('an element', array(i, j) == value_at(map, i, j))
      end do
    end do
  end subroutine compare
end program saved
