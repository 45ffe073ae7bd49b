# Sourced by the scripts: which MPI does $MPICC stand for, and how are programs built and run with it?
# Sets MPI (openmpi, mpich, or abi for the standard ABI), SUFFIX (what the names of libraries end with), MPIRUN, MPICXX, MPIFORT, cxx,
# SCALAPACK (link flags), TARGET and LIB (where the built library lies), and what build/version.sh does.
. build/version.sh
MPICC=${MPICC:-mpicc}
# CC and FC, if set, are the compilers that MPI's commands call, or such commands themselves.
case ${CC:-} in
    "" | mpi* | */mpi*) ;;
    *) export OMPI_CC="$CC" MPICH_CC="$CC" I_MPI_CC="$CC" ;;
esac
MPI=$("$MPICC" -E build/which_mpi.c | tail -n 1)
MPIRUN=$(printf %s "$MPICC" | sed 's/mpicc\(_abi\)\{0,1\}/mpirun/')
MPICXX=$(printf %s "$MPICC" | sed 's/mpicc/mpicxx/')
MPIFORT=$(printf %s "$MPICC" | sed 's/mpicc/mpifort/')
case ${FC:-} in
    "") ;;
    mpi* | */mpi*) MPIFORT=$FC ;;
    *) export OMPI_FC="$FC" MPICH_FC="$FC" I_MPI_FC="$FC" ;;
esac
# What MPIs once had for C++ is not looked at: compilers warn of it.
cxx="$MPICXX -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX"
SCALAPACK=-lscalapack-$MPI
# FLAVOR, if set, is in the names of libraries, so that those for several MPIs can lie in one folder.
[ "$MPI" != abi ] || FLAVOR=${FLAVOR:-_abi}
SUFFIX=${FLAVOR:-}${ILP64:+_ilp64}
[ -z "$SUFFIX" ] || export REBLOCK_SUFFIX="$SUFFIX"
TARGET=target/$MPI
LIB=$TARGET/lib
# More ranks than cores, as root, on one machine without a network.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
