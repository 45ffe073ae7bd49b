! Explicit interfaces of ScaLAPACK's routines, as libreblock provides them.
! Made from src/scalapack/family.rs by `make headers`; do not edit.
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
    subroutine pstran(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      real, intent(in) :: alpha, beta
      real, intent(in) :: a(*)
      real, intent(inout) :: c(*)
    end subroutine pstran
    subroutine pdtran(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      double precision, intent(in) :: alpha, beta
      double precision, intent(in) :: a(*)
      double precision, intent(inout) :: c(*)
    end subroutine pdtran
    subroutine pctranu(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      complex, intent(in) :: alpha, beta
      complex, intent(in) :: a(*)
      complex, intent(inout) :: c(*)
    end subroutine pctranu
    subroutine pztranu(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      complex(kind(1d0)), intent(in) :: alpha, beta
      complex(kind(1d0)), intent(in) :: a(*)
      complex(kind(1d0)), intent(inout) :: c(*)
    end subroutine pztranu
    subroutine pctranc(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      complex, intent(in) :: alpha, beta
      complex, intent(in) :: a(*)
      complex, intent(inout) :: c(*)
    end subroutine pctranc
    subroutine pztranc(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      complex(kind(1d0)), intent(in) :: alpha, beta
      complex(kind(1d0)), intent(in) :: a(*)
      complex(kind(1d0)), intent(inout) :: c(*)
    end subroutine pztranc
    subroutine psgeadd(trans, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      character, intent(in) :: trans
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      real, intent(in) :: alpha, beta
      real, intent(in) :: a(*)
      real, intent(inout) :: c(*)
    end subroutine psgeadd
    subroutine pdgeadd(trans, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      character, intent(in) :: trans
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      double precision, intent(in) :: alpha, beta
      double precision, intent(in) :: a(*)
      double precision, intent(inout) :: c(*)
    end subroutine pdgeadd
    subroutine pcgeadd(trans, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      character, intent(in) :: trans
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      complex, intent(in) :: alpha, beta
      complex, intent(in) :: a(*)
      complex, intent(inout) :: c(*)
    end subroutine pcgeadd
    subroutine pzgeadd(trans, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      character, intent(in) :: trans
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      complex(kind(1d0)), intent(in) :: alpha, beta
      complex(kind(1d0)), intent(in) :: a(*)
      complex(kind(1d0)), intent(inout) :: c(*)
    end subroutine pzgeadd
    subroutine pstradd(uplo, trans, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      character, intent(in) :: uplo, trans
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      real, intent(in) :: alpha, beta
      real, intent(in) :: a(*)
      real, intent(inout) :: c(*)
    end subroutine pstradd
    subroutine pdtradd(uplo, trans, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      character, intent(in) :: uplo, trans
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      double precision, intent(in) :: alpha, beta
      double precision, intent(in) :: a(*)
      double precision, intent(inout) :: c(*)
    end subroutine pdtradd
    subroutine pctradd(uplo, trans, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      character, intent(in) :: uplo, trans
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      complex, intent(in) :: alpha, beta
      complex, intent(in) :: a(*)
      complex, intent(inout) :: c(*)
    end subroutine pctradd
    subroutine pztradd(uplo, trans, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
      character, intent(in) :: uplo, trans
      integer, intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
      complex(kind(1d0)), intent(in) :: alpha, beta
      complex(kind(1d0)), intent(in) :: a(*)
      complex(kind(1d0)), intent(inout) :: c(*)
    end subroutine pztradd
    subroutine pslacpy(uplo, m, n, a, ia, ja, desca, b, ib, jb, descb)
      character, intent(in) :: uplo
      integer, intent(in) :: m, n, ia, ja, desca(*), ib, jb, descb(*)
      real, intent(in) :: a(*)
      real, intent(inout) :: b(*)
    end subroutine pslacpy
    subroutine pdlacpy(uplo, m, n, a, ia, ja, desca, b, ib, jb, descb)
      character, intent(in) :: uplo
      integer, intent(in) :: m, n, ia, ja, desca(*), ib, jb, descb(*)
      double precision, intent(in) :: a(*)
      double precision, intent(inout) :: b(*)
    end subroutine pdlacpy
    subroutine pclacpy(uplo, m, n, a, ia, ja, desca, b, ib, jb, descb)
      character, intent(in) :: uplo
      integer, intent(in) :: m, n, ia, ja, desca(*), ib, jb, descb(*)
      complex, intent(in) :: a(*)
      complex, intent(inout) :: b(*)
    end subroutine pclacpy
    subroutine pzlacpy(uplo, m, n, a, ia, ja, desca, b, ib, jb, descb)
      character, intent(in) :: uplo
      integer, intent(in) :: m, n, ia, ja, desca(*), ib, jb, descb(*)
      complex(kind(1d0)), intent(in) :: a(*)
      complex(kind(1d0)), intent(inout) :: b(*)
    end subroutine pzlacpy
  end interface
end module reblock
