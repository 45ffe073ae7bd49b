#!/bin/sh
# Times the first calls on process grids, by ScaLAPACK and by reblock: for a new process, in several launches of each in turn, and
# for later grids, in one launch. RANKS, SIZES, LAUNCHES and LATER (may be empty) select less.
set -eu
. build/mpi.sh
out=$PWD/$TARGET/bench
mkdir -p "$out"
"$MPICC" -O2 -Wall -Wextra -o "$out/first" benches/first.c $SCALAPACK -ldl
library=$PWD/$LIB/libreblock.so

# Prints on one line the medians of each column of the times of all launches.
medians() {
    awk '{ for (k = 1; k <= NF; k++) t[k, NR] = $k; n = NF }
        END { for (k = 1; k <= n; k++) {
            for (i = 2; i <= NR; i++) for (j = i; j > 1 && t[k, j] < t[k, j - 1]; j--) { x = t[k, j]; t[k, j] = t[k, j - 1]; t[k, j - 1] = x }
            printf "%s ", t[k, int((NR + 1) / 2)] } print "" }' "$1"
}
echo "the first grids of a process, one call, medians of ${LAUNCHES:=15} launches, ms: making, call, leaving"
for ranks in ${RANKS:=2 4 8}; do
    for n in ${SIZES:=20 200 1000 2000}; do
        : >"$out/first.scalapack"; : >"$out/first.reblock"
        k=0
        while [ $k -lt "$LAUNCHES" ]; do
            "$MPIRUN" -n "$ranks" "$out/first" process "$n" 1 >>"$out/first.scalapack"
            "$MPIRUN" -n "$ranks" env LD_PRELOAD="$library" "$out/first" process "$n" 1 >>"$out/first.reblock"
            k=$((k + 1))
        done
        echo "$ranks $n $(medians "$out/first.scalapack") $(medians "$out/first.reblock")" | awk '{
            printf "%d ranks, %4d x %-4d  ScaLAPACK %.3f %.3f %.3f  reblock %.3f %.3f %.3f  call, reblock / ScaLAPACK %.2f, grids %.2f\n",
                $1, $2, $2, $3, $4, $6, $7, $8, $10, $8 / $4, ($7 + $10) / ($3 + $6) }'
    done
done
[ "${LATER-yes}" ] || exit 0
echo "later grids, medians"
for ranks in $RANKS; do REBLOCK_LIB=$library "$MPIRUN" -n "$ranks" "$out/first" later; done
