#!/bin/sh
# Redistribution over an emulated network: reblock with several schedulers, ScaLAPACK, MPI_Alltoallv and sends by hand,
# each as a ratio to the time that the busiest port needs. Needs root.
#
#   NET_CASE      P K Q: cyclic(x) on P hosts to cyclic(K x) on Q others; default "14 7 18"
#   NET_RATE      Mbit/s of a port, 20; NET_BYTES: bytes of a message, "131072 16384"; NET_REPS: 5
#   NET_VARIANTS  the ways to compare: reblock's SCHEDULER[/WINDOW[/BUFFER]], alltoallv, scalapack, unscheduled-by-hand
#   NET_RESIZE    grids between which a matrix moves, after NET_CASE: "2 4 5 8, 2 4 5 10"; empty: none. NET_SIZE and NET_BLOCK: rows
#                 and columns of the matrix and of a block, 1600 and 40. NET_FILES: the folder for a file, by default the cluster's
#                 folder, on the disk of this machine
#   NET_SLOTS     ranks of a host in resizes and for NET_GEN_BLOCK, 1; with more, set NET_CASE= and, since ranks share cores, NET_IDLE=0
#   NET_SKIPPED   rounds of resizes that are not counted, 1
#   NET_GEN_BLOCK arrays of uneven blocks, moved by each of NET_SCHEDULERS and compared with the model: cases as in
#                 benches/net/gen_block.c, or "default" for ten cases. REBLOCK_NETWORK describes the machine for the plans
#   NET_IDLE      minimum idle time of the cores, in percent, for a valid figure, 5; 0 if the ranks have priority over other work
#                 (nice -n -20 make bench-net)
#   NET_MPIS      "mpicc.openmpi mpicc.mpich"; NET_BUF: bytes that a port of the switch holds, 256k
set -eu
bench=bench-net
. benches/net/needs.sh
here=benches/net
export NET_DIR="$PWD/target/net" NET_CASE="${NET_CASE-14 7 18}" NET_RESIZE="${NET_RESIZE-2 4 5 8, 2 4 5 10}" NET_RATE="${NET_RATE:-20}"
# The machine for the plans: the start-up time of a message, and a port's payload rate.
export REBLOCK_NETWORK="${REBLOCK_NETWORK:-$(awk "BEGIN { print 500 \",\" $NET_RATE / 8000 * 1448 / 1514 }")}"
resizing="auto caterpillar scalapack file"
schedulers="auto ring stars complete classes checkerboard edge-colouring split drc stepwise caterpillar caterpillar-sum"
uneven="400000/16:g1/16:g2@16 500000/32:g3/32:g4 300000/8:g5/24:g6@8 800x600/4x8:g7,g8/8x4:g9,g10 600x800/4x4:g11,g12/4x4:g13,g14@16
    700x700/2x16:g15,g16/16x2:g17,g18 400000/16:g19/16:c4000@16 700x700/4x8:g20,c20/8x4:b,g21 800x600/8x4:g22,b/8x4:g23,g24
    500000/32:g25/32:b"
variants="auto caterpillar unscheduled unscheduled-by-hand alltoallv scalapack"
flags="-O2 -std=gnu11 -Wall -Wextra -Werror"

build() { # for the MPI of $MPICC
    . build/mpi.sh
    build/library
    mkdir -p "$NET_DIR"
    "$MPICC" $flags -o "$NET_DIR/bench-net.$MPI" $here/main.c $here/variants.c $here/pattern.c $SCALAPACK -ldl
    "$MPICC" $flags -o "$NET_DIR/resize.$MPI" $here/resize.c $here/variants.c $here/pattern.c $SCALAPACK -ldl
    "$MPICC" $flags -Iinclude -o "$NET_DIR/gen_block.$MPI" $here/gen_block.c -L"$LIB" -lreblock -Wl,-rpath,"$PWD/$LIB"
    cc $flags -shared -fPIC -o "$NET_DIR/idlepoll.so" $here/idlepoll.c -ldl
    cc $flags -shared -fPIC -o "$NET_DIR/finalize.so" $here/finalize.c -ldl
}
measure() { # all sizes with one MPI, on the running cluster
    . build/mpi.sh
    export REBLOCK_LIB="$PWD/$LIB/libreblock.so"
    set -- $NET_CASE
    echo
    echo "$MPI, R($1,$2,$3): cyclic(x) on $1 hosts -> cyclic($2x) on $3 others, $NET_RATE Mbit/s, MTU 1500, buffers ${NET_BUF:-256k} a port"
    printf '%-26s %8s %9s %9s %9s %10s %6s\n' variant bytes "min ms" "median" "max" "to bound" "idle %"
    for bytes in ${NET_BYTES:-131072 16384}; do
        for attempt in 1 2 3; do # again, if other work on this machine has made the measurement invalid
            status=0
            $here/launch.sh "$MPI" "$(command -v "$MPIRUN")" $(($1 + $3)) "$NET_DIR/bench-net.$MPI" "$@" "$NET_RATE" \
                "${NET_REPS:-5}" "$bytes" ${NET_VARIANTS:-$variants} || status=$?
            [ $status = 3 ] || break
        done
        [ $status = 0 ] || failed=1
    done
    $here/cluster.sh stats
    $here/cluster.sh stats reset
}

resize() { # moves a matrix between two grids, with one MPI
    . build/mpi.sh
    export REBLOCK_LIB="$PWD/$LIB/libreblock.so"
    echo
    echo "$MPI, resizing, $1 x $2 -> $3 x $4 ranks, ${NET_SLOTS:-1} a host, $NET_RATE Mbit/s, MTU 1500, buffers ${NET_BUF:-256k} a port"
    printf '%-26s %9s %9s %9s %10s %6s\n' variant "min ms" "median" "max" "to bound" "idle %"
    for attempt in 1 2 3; do
        status=0
        $here/launch.sh "$MPI" "$(command -v "$MPIRUN")" "$(larger "$@")" "$NET_DIR/resize.$MPI" "$@" "${NET_SIZE:-1600}" \
            "${NET_BLOCK:-40}" "$NET_RATE" "${NET_REPS:-5}" "${NET_SKIPPED:-1}" "${NET_SLOTS:-1}" "${NET_FILES:-$NET_DIR}" \
            ${NET_VARIANTS:-$resizing} || status=$?
        [ $status = 3 ] || break
    done
    [ $status = 0 ] || failed=1
}
gen_block() { # moves arrays of uneven blocks, with one MPI
    . build/mpi.sh
    [ "$NET_GEN_BLOCK" != default ] || NET_GEN_BLOCK=$uneven
    echo
    echo "$MPI, uneven blocks, $NET_RATE Mbit/s, MTU 1500, buffers ${NET_BUF:-256k} a port, REBLOCK_NETWORK=$REBLOCK_NETWORK"
    printf '  %-16s %-16s %9s %9s %9s %9s %8s %8s %5s\n' scheduler taken "price ms" "min ms" "median" "max" "price/t" "to bound" "idle"
    for case in $NET_GEN_BLOCK; do
        for attempt in 1 2 3; do
            status=0
            $here/launch.sh "$MPI" "$(command -v "$MPIRUN")" 32 "$NET_DIR/gen_block.$MPI" "$NET_RATE" "${NET_REPS:-5}" "$case" \
                -- ${NET_SCHEDULERS:-$schedulers} || status=$?
            [ $status = 3 ] || break
        done
        [ $status = 0 ] || failed=1
    done
}
larger() { # prints the processes of the larger grid
    if [ $(($1 * $2)) -gt $(($3 * $4)) ]; then echo $(($1 * $2)); else echo $(($3 * $4)); fi
}
most_of() { if [ "$(larger "$@")" -gt $most ]; then most=$(larger "$@"); fi; }
each_resize() { # FUNCTION: calls it with each pair of grids in NET_RESIZE
    spaces=$IFS
    IFS=,
    for grids in $NET_RESIZE; do
        IFS=$spaces
        "$1" $grids
    done
    IFS=$spaces
}
hosts() { # prints the hosts that all measurements need
    most=0
    if [ -n "$NET_CASE" ]; then set -- $NET_CASE; most=$(($1 + $3)); fi
    each_resize most_of
    most=$((most / ${NET_SLOTS:-1}))
    if [ -n "${NET_GEN_BLOCK:-}" ] && [ 32 -gt $most ]; then most=32; fi
    echo $most
}

case ${1:-} in
    measure)
        failed=
        for MPICC in $NET_MPIS; do
            [ -z "$NET_CASE" ] || measure
            each_resize resize
            [ -z "${NET_GEN_BLOCK:-}" ] || gen_block
        done
        [ -z "$failed" ]
        ;;
    *)
        export NET_MPIS="${NET_MPIS:-mpicc.openmpi mpicc.mpich}"
        for MPICC in $NET_MPIS; do export MPICC; build; done
        $here/cluster.sh with "$(hosts)" "${NET_RATE}mbit" benches/net.sh measure
        ;;
esac
