#!/bin/sh
# reblock, ScaLAPACK and the plain copy, case by case: table on the screen, results.csv and ratios.svg under
# target/<mpi>/bench.
#
#   BENCH_CASES    regular expression of cases, all      BENCH_REPS     calls of each, by the clock
#   BENCH_SECONDS  spent on each case, 2
#   BENCH_RANKS    "2 4 8 16"                            BENCH_PRELOAD  further libraries with p?gemr2d to compare:
#                                                                       PATH or NAME=PATH, with spaces between them
set -eu
build/deps gnuplot-nox || echo "bench: going on without a plot" >&2
. build/mpi.sh
out=$TARGET/bench
mkdir -p "$out"
# A case that names no task is a redistribution. The local loop is vectorised.
flags="-O3 -march=native -std=gnu11 -Wall -Wextra -Wno-missing-field-initializers -Werror"
"$MPICC" $flags -o "$out/bench" benches/bench/*.c $SCALAPACK -ldl
yield=
if [ "$MPI" = mpich ]; then # where ranks share cores, as in tests/run
    cc $flags -shared -fPIC -o "$out/yield.so" ctest/yield.c -ldl
    yield=$PWD/$out/yield.so
fi
preload=$yield
# The arrays of the cases in memory of the node, for all libraries, as REBLOCK_ARRAYS says.
[ -z "${REBLOCK_ARRAYS:-}" ] || preload=$PWD/$LIB/libreblock_arrays.so:$yield
set -- reblock="$PWD/$LIB/libreblock.so"
for further in ${BENCH_PRELOAD:-}; do
    path=${further#*=}
    name=$(basename "$path" | sed 's/^lib//; s/\.so.*//')
    [ "$path" = "$further" ] || name=${further%%=*}
    # Two builds of one library are told apart by their paths.
    case " $*" in *" $name="*) name=$path ;; esac
    set -- "$@" "$name=$path"
done

echo "$MPI on $(nproc) cores: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
echo "ranks,case,type,m,n,library,calls,min_ms,median_ms,max_ms,to_memcpy,to_scalapack,grown_bytes,buffer_bytes,to_gemr2d,cpu_ms" >"$out/results.csv"
for ranks in ${BENCH_RANKS:-2 4 8 16}; do
    "$MPIRUN" -n "$ranks" env LD_PRELOAD="$preload" "$out/bench" "$out/results.csv" "$@"
done
echo
echo "$out/results.csv"
benches/bench/plot.sh "$out/results.csv" "$out/ratios.svg"
[ -n "${BENCH_CASES:-}" ] || { benches/small.sh; benches/hpf.sh; }
