#!/bin/sh
# Times small calls of reblock, of ScaLAPACK and of a lower bound, and the overhead of counting, in one run on 2 ranks. Then times calls
# that are never repeated, on 1, 2 and 4 ranks (RANKS).
set -eu
. build/mpi.sh
out=$PWD/$TARGET/bench
mkdir -p "$out"
"$MPICC" -O2 -Wall -Wextra -o "$out/small" benches/small.c $SCALAPACK -ldl
# Make a copy, since the loader loads each file only once.
cp "$LIB/libreblock.so" "$out/copy.so"
REBLOCK_LIB=$PWD/$LIB/libreblock.so COPY=$out/copy.so TRACE=${TRACE-$out/small.json} \
    "$MPIRUN" -n 2 "$out/small" 2>"$out/small.log" || { cat "$out/small.log" >&2; exit 1; }
"$MPICC" -O2 -Wall -Wextra -o "$out/distinct" benches/distinct.c $SCALAPACK -ldl
printf '%-30s %12s %10s %12s\n' "ranks, calls that differ" "ScaLAPACK us" "reblock us" "/ ScaLAPACK"
for ranks in ${RANKS:-1 2 4}; do REBLOCK_LIB=$PWD/$LIB/libreblock.so "$MPIRUN" -n "$ranks" "$out/distinct"; done
