# Sourced by the scripts: identifies the MPI of $MPICC, and how programs are built and run with it. Sets MPI (openmpi,
# mpich, or abi for the standard ABI), SUFFIX (the end of libraries' names), MPIRUN, MPICXX, MPIFORT (empty if this MPI
# has no command for Fortran), cxx, SCALAPACK (link flags), TARGET and LIB (the folder of the built library), and the
# variables of build/version.sh.
. build/version.sh
MPICC=${MPICC:-mpicc}
# CC and FC, if set, are the compilers that MPI's commands call, or such commands themselves.
case ${CC:-} in
    "" | mpi* | */mpi*) ;;
    *) export OMPI_CC="$CC" MPICH_CC="$CC" I_MPI_CC="$CC" ;;
esac
MPI=$("$MPICC" -E build/which_mpi.c | tail -n 1)
# Prints the first of the commands $1 that lies beside $MPICC. PATH is not searched, because another MPI may come first in it. If PATH
# leads to the same command, only its name is printed.
mpi_beside() {
    for mpi_command in $1; do
        if [ -x "$mpi_folder/$mpi_command" ]; then
            case $MPICC in
                */*) ;;
                *) [ "$(command -v "$mpi_command")" != "$mpi_folder/$mpi_command" ] || { printf %s "$mpi_command"; return; } ;;
            esac
            printf %s "$mpi_folder/$mpi_command"
            return
        fi
    done
}
mpi_folder=$(dirname "$(command -v "$MPICC")")
mpi_kind=${MPICC##*/}
case $mpi_kind in
    # Intel MPI's commands for Intel's compilers; those for GNU's compilers if Intel's compiler of a language is
    # missing.
    mpiic[cx]) mpi_kind='' mpi_cxx="mpiicpx mpiicpc" mpi_fortran="mpiifx mpiifort" ;;
    # Cray's commands, which call the compiler of the loaded module.
    cc) mpi_kind='' mpi_cxx=CC mpi_fortran=ftn ;;
    mpicc*) mpi_kind=${mpi_kind#mpicc} mpi_cxx='' mpi_fortran='' ;;
    *) mpi_kind='' mpi_cxx='' mpi_fortran='' ;;
esac
# Intel MPI's mpirun is a shell script, which leaves the job behind if it is killed.
mpi_launchers="mpirun${mpi_kind%_abi} mpiexec${mpi_kind%_abi}"
[ ! -x "$mpi_folder/mpiifx" ] || mpi_launchers="mpiexec mpirun"
MPIRUN=$(mpi_beside "$mpi_launchers")
# If the MPI has no launcher, the launcher of the machine's scheduler starts programs.
for mpi_command in srun mpiexec mpirun; do
    [ -n "$MPIRUN" ] || MPIRUN=$(command -v "$mpi_command" || true)
done
MPICXX=$(mpi_beside "$mpi_cxx mpicxx$mpi_kind mpic++$mpi_kind")
case ${FC:-} in
    "" | mpi* | */mpi* | ftn | */ftn) ;;
    *) export OMPI_FC="$FC" MPICH_FC="$FC" I_MPI_FC="$FC" I_MPI_F90="$FC" ;;
esac
MPIFORT=
for mpi_command in $mpi_fortran "mpifort$mpi_kind" "mpifc$mpi_kind" "mpif90$mpi_kind"; do
    mpi_command=$(mpi_beside "$mpi_command")
    # The command may exist although its compiler is not installed.
    if [ -n "$mpi_command" ] && [ -z "$MPIFORT" ] && "$mpi_command" --version >/dev/null 2>&1; then MPIFORT=$mpi_command; fi
done
case ${FC:-} in
    mpi* | */mpi* | ftn | */ftn) MPIFORT=$FC ;;
esac
# Leave out the former C++ bindings of MPI: compilers warn about them.
cxx="$MPICXX -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX"
# SCALAPACK, if it is set when this file is first sourced, links ScaLAPACK and BLACS; otherwise those of Debian for this MPI are linked.
scalapack_given=${scalapack_given-${SCALAPACK:-}}
SCALAPACK=${scalapack_given:--lscalapack-$MPI}
# FLAVOR, if set, is part of the names of libraries, so that one folder can hold the libraries for several MPIs.
[ "$MPI" != abi ] || FLAVOR=${FLAVOR:-_abi}
SUFFIX=${FLAVOR:-}${ILP64:+_ilp64}
[ -z "$SUFFIX" ] || export REBLOCK_SUFFIX="$SUFFIX"
TARGET=target/$MPI
LIB=$TARGET/lib
# Allow more ranks than cores, and root as user, on one machine without a network.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
