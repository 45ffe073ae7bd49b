#!/bin/sh
# Runs examples/demo.c on 4 ranks, without and with reblock preloaded, and prints both times side by side.
set -eu
. build/mpi.sh
out=$TARGET/demo
mkdir -p "$out"
"$MPICC" -O2 -Wall -o "$out/demo" examples/demo.c $SCALAPACK
echo "demo: 4 ranks on $(nproc) cores, $MPI, median of 21 calls, every element checked"
"$MPIRUN" -n 4 "$out/demo" >"$out/scalapack.txt"
"$MPIRUN" -n 4 env LD_PRELOAD="$PWD/$LIB/libreblock.so" "$out/demo" >"$out/reblock.txt"
paste -d'|' "$out/scalapack.txt" "$out/reblock.txt" | awk -F'|' '
    BEGIN { printf "%-30s %14s %12s %7s\n", "case (double precision)", "ScaLAPACK ms", "reblock ms", "ratio" }
    $3 != "ok" || $6 != "ok" { bad = 1 }
    { printf "%-30s %14.2f %12.2f %6.1fx%s\n", $1, $2, $5, $2 / $5, $6 == "ok" ? "" : "  " $6 }
    END { exit bad }'
