! Explicit interfaces of ScaLAPACK's redistribution routines, as libreblock provides them.
! Made from build/entries.rs by `make headers`; do not edit.
module reblock
  implicit none
  public
  interface
    subroutine pigemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt)
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9), ictxt
      integer, intent(in) :: a(*)
      integer, intent(inout) :: b(*)
    end subroutine pigemr2d
    subroutine psgemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt)
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9), ictxt
      real, intent(in) :: a(*)
      real, intent(inout) :: b(*)
    end subroutine psgemr2d
    subroutine pdgemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt)
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9), ictxt
      double precision, intent(in) :: a(*)
      double precision, intent(inout) :: b(*)
    end subroutine pdgemr2d
    subroutine pcgemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt)
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9), ictxt
      complex, intent(in) :: a(*)
      complex, intent(inout) :: b(*)
    end subroutine pcgemr2d
    subroutine pzgemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt)
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9), ictxt
      complex(kind(1d0)), intent(in) :: a(*)
      complex(kind(1d0)), intent(inout) :: b(*)
    end subroutine pzgemr2d
    subroutine pitrmr2d(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt)
      character, intent(in) :: uplo, diag
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9), ictxt
      integer, intent(in) :: a(*)
      integer, intent(inout) :: b(*)
    end subroutine pitrmr2d
    subroutine pstrmr2d(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt)
      character, intent(in) :: uplo, diag
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9), ictxt
      real, intent(in) :: a(*)
      real, intent(inout) :: b(*)
    end subroutine pstrmr2d
    subroutine pdtrmr2d(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt)
      character, intent(in) :: uplo, diag
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9), ictxt
      double precision, intent(in) :: a(*)
      double precision, intent(inout) :: b(*)
    end subroutine pdtrmr2d
    subroutine pctrmr2d(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt)
      character, intent(in) :: uplo, diag
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9), ictxt
      complex, intent(in) :: a(*)
      complex, intent(inout) :: b(*)
    end subroutine pctrmr2d
    subroutine pztrmr2d(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt)
      character, intent(in) :: uplo, diag
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9), ictxt
      complex(kind(1d0)), intent(in) :: a(*)
      complex(kind(1d0)), intent(inout) :: b(*)
    end subroutine pztrmr2d
    subroutine pigemr2do(m, n, a, ia, ja, desca, b, ib, jb, descb)
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9)
      integer, intent(in) :: a(*)
      integer, intent(inout) :: b(*)
    end subroutine pigemr2do
    subroutine psgemr2do(m, n, a, ia, ja, desca, b, ib, jb, descb)
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9)
      real, intent(in) :: a(*)
      real, intent(inout) :: b(*)
    end subroutine psgemr2do
    subroutine pdgemr2do(m, n, a, ia, ja, desca, b, ib, jb, descb)
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9)
      double precision, intent(in) :: a(*)
      double precision, intent(inout) :: b(*)
    end subroutine pdgemr2do
    subroutine pcgemr2do(m, n, a, ia, ja, desca, b, ib, jb, descb)
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9)
      complex, intent(in) :: a(*)
      complex, intent(inout) :: b(*)
    end subroutine pcgemr2do
    subroutine pzgemr2do(m, n, a, ia, ja, desca, b, ib, jb, descb)
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9)
      complex(kind(1d0)), intent(in) :: a(*)
      complex(kind(1d0)), intent(inout) :: b(*)
    end subroutine pzgemr2do
    subroutine pitrmr2do(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb)
      character, intent(in) :: uplo, diag
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9)
      integer, intent(in) :: a(*)
      integer, intent(inout) :: b(*)
    end subroutine pitrmr2do
    subroutine pstrmr2do(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb)
      character, intent(in) :: uplo, diag
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9)
      real, intent(in) :: a(*)
      real, intent(inout) :: b(*)
    end subroutine pstrmr2do
    subroutine pdtrmr2do(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb)
      character, intent(in) :: uplo, diag
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9)
      double precision, intent(in) :: a(*)
      double precision, intent(inout) :: b(*)
    end subroutine pdtrmr2do
    subroutine pctrmr2do(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb)
      character, intent(in) :: uplo, diag
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9)
      complex, intent(in) :: a(*)
      complex, intent(inout) :: b(*)
    end subroutine pctrmr2do
    subroutine pztrmr2do(uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb)
      character, intent(in) :: uplo, diag
      integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9)
      complex(kind(1d0)), intent(in) :: a(*)
      complex(kind(1d0)), intent(inout) :: b(*)
    end subroutine pztrmr2do
  end interface
end module reblock
