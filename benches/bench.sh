#!/bin/sh
# Compares reblock, ScaLAPACK and the plain copy, case by case: prints a table, and writes results.csv and ratios.svg to
# target/<mpi>/bench.
#
#   BENCH_CASES    a regular expression that selects cases; default: all
#   BENCH_REPS     calls of each case; default: as many as BENCH_SECONDS allows
#   BENCH_SECONDS  time for each case; default: 2
#   BENCH_RANKS    numbers of ranks, "2 4 8 16"
#   BENCH_PRELOAD  further libraries with p?gemr2d to compare: PATH or NAME=PATH, separated by spaces
set -eu
build/deps gnuplot-nox || echo "bench: going on without a plot" >&2
. build/mpi.sh
out=$TARGET/bench
mkdir -p "$out"
# These flags vectorise the local loop.
flags="-O3 -march=native -std=gnu11 -Wall -Wextra -Wno-missing-field-initializers -Werror"
"$MPICC" $flags -o "$out/bench" benches/bench/*.c $SCALAPACK -ldl
yield=
if [ "$MPI" = mpich ]; then # as in tests/run, if ranks share cores
    cc $flags -shared -fPIC -o "$out/yield.so" ctest/yield.c -ldl
    yield=$PWD/$out/yield.so
fi
preload=$yield
# If REBLOCK_ARRAYS is set, the arrays of all libraries lie in memory that ranks of the node share.
[ -z "${REBLOCK_ARRAYS:-}" ] || preload=$PWD/$LIB/libreblock_arrays.so:$yield
set -- reblock="$PWD/$LIB/libreblock.so"
for further in ${BENCH_PRELOAD:-}; do
    path=${further#*=}
    name=$(basename "$path" | sed 's/^lib//; s/\.so.*//')
    [ "$path" = "$further" ] || name=${further%%=*}
    # If two builds of a library have the same name, the second is named by its path.
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
