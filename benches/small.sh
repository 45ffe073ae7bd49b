#!/bin/sh
# Small calls, reblock against ScaLAPACK and against what no call can do without, in one run on 2 ranks.
set -eu
. build/mpi.sh
mkdir -p "$TARGET/bench"
"$MPICC" -O2 -Wall -Wextra -o "$TARGET/bench/small" benches/small.c $SCALAPACK -ldl
REBLOCK_LIB=$PWD/$LIB/libreblock.so "$MPIRUN" -n 2 "$TARGET/bench/small"
