#!/bin/sh
# Compares the HPF interface with MPI_Alltoallw and datatypes and, if they are installed, PETSc's VecScatter and DMDA and FFTW's
# transposition. Also compares moves of three axes with two, and batches with single calls, and measures how much of an exchange of
# shadows a computation hides. On 2 and 4 ranks; benches/hpf/main.c has the cases.
#
#   BENCH_HPF_RANKS    numbers of ranks, "2 4"
#   BENCH_CASES        a regular expression that selects cases; default: all
#   BENCH_REPS         calls of each case
set -eu
. build/mpi.sh
out=$TARGET/bench
mkdir -p "$out"
petsc=
# Debian builds PETSc with Open MPI.
if [ "$MPI" = openmpi ] && pkg-config --exists PETSc; then
    petsc="-DWITH_PETSC $(pkg-config --cflags --libs PETSc)"
else
    echo "bench: going on without PETSc (apt-get install petsc-dev)"
fi
fftw=
# Debian builds FFTW's MPI library with Open MPI, too.
if [ "$MPI" = openmpi ] && [ -e /usr/include/fftw3-mpi.h ]; then
    fftw="-DWITH_FFTW -lfftw3_mpi -lfftw3"
else
    echo "bench: going on without FFTW (apt-get install libfftw3-mpi-dev)"
fi
"$MPICC" -O2 -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$out/hpf" benches/hpf/*.c \
    -L"$LIB" -lreblock -Wl,-rpath,"$PWD/$LIB" $petsc $fftw
# Only PETSc has a counterpart of elements named by lists of indices.
lists=
if [ -n "$petsc" ]; then
    lists=$out/irregular
    "$MPICC" -O2 -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$lists" benches/irregular.c \
        -L"$LIB" -lreblock -Wl,-rpath,"$PWD/$LIB" $petsc -lm
fi
yield=
if [ "$MPI" = mpich ]; then # as in tests/run, if ranks share cores
    cc -O2 -shared -fPIC -o "$out/yield.so" ctest/yield.c -ldl
    yield=$PWD/$out/yield.so
fi
echo "$MPI on $(nproc) cores: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1); medians"
for ranks in ${BENCH_HPF_RANKS:-2 4}; do
    "$MPIRUN" -n "$ranks" env LD_PRELOAD="$yield" "$out/hpf"
    [ -z "$lists" ] || "$MPIRUN" -n "$ranks" "$lists"
done
