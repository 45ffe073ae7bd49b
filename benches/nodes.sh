#!/bin/sh
# Exchanges between emulated hosts that have several ranks and one port each: all messages at once, MPI_Alltoallv, one message for each
# pair of hosts, and reblock. Prints for several sizes the medians in ms, the time in which a port sends its bytes, and reblock's ratios to
# the fastest of the other ways and to MPI_Alltoallv. Needs root.
#
#   NODES_CASES      HOSTSxRANKS of a host, "4x4 8x1"
#   NODES_ORDERS     slot: the ranks of a host have consecutive numbers; node: ranks are dealt to the hosts in turn. Default "slot"
#   NODES_BYTES      bytes from each rank to each rank, multiples of 8: "8 64 512 4096 32768 131072"
#   NODES_REPS       timed exchanges of each kind, 9
#   NODES_LIBRARIES  libraries of reblock to compare, NAME=PATH[:VARIABLE=VALUE...] with settings of that library. Paths are absolute.
#                    Default: the library of this folder. "before=/tmp/libreblock.so after=$PWD/target/openmpi/lib/libreblock.so"
#   NET_RATE         Mbit/s of a port, 200: its bandwidth times its round trip is then 10 to 100 KB, as in fast networks
#   NET_BUF          bytes that a port of the switch holds, 256k; NET_SOCKET: bytes of a socket's buffers, by default the system's choice
#
# There are more ranks than cores, so other work on the machine makes all times longer. Compare ratios, and repeat the run. The comment at
# the top of benches/net/nodes.c describes the table.
set -eu
bench=bench-nodes
. benches/net/needs.sh
. build/mpi.sh
here=benches/net
cases=${NODES_CASES:-4x4 8x1}
export NET_DIR="$PWD/target/net" NET_RATE="${NET_RATE:-200}" NET_SOCKET="${NET_SOCKET:-0}"
reps=${NODES_REPS:-9}
bytes=$(echo ${NODES_BYTES:-8 64 512 4096 32768 131072} | tr ' ' ,)

if [ "${1:-}" != measure ]; then
    [ -n "${NODES_LIBRARIES:-}" ] || build/library
    mkdir -p "$NET_DIR"
    flags="-O2 -std=gnu11 -Wall -Wextra -Werror"
    # GCC takes MPICH's MPI_STATUSES_IGNORE for an array that is too short; clang does not know the option.
    "$MPICC" $flags -Wno-stringop-overflow -Wno-unknown-warning-option -Iinclude -o "$NET_DIR/nodes.$MPI" $here/nodes.c $here/by_hand.c -ldl
    for shim in idlepoll finalize; do cc $flags -shared -fPIC -o "$NET_DIR/$shim.so" $here/$shim.c -ldl; done
    most=0
    for case in $cases; do
        if [ "${case%x*}" -gt $most ]; then most=${case%x*}; fi
    done
    exec $here/cluster.sh with $most "${NET_RATE}mbit" benches/nodes.sh measure
fi
failed=
for case in $cases; do
    for order in ${NODES_ORDERS:-slot}; do
        hosts=${case%x*}
        export NET_SLOTS="${case#*x}" NET_ORDER="$order"
        echo
        echo "$MPI, $hosts hosts of $NET_SLOTS ranks by $order, $NET_RATE Mbit/s, MTU 1500, buffers ${NET_BUF:-256k} a port," \
            "median of $reps in ms"
        $here/launch.sh "$MPI" "$(command -v "$MPIRUN")" $((hosts * NET_SLOTS)) "$NET_DIR/nodes.$MPI" "$NET_RATE" "$reps" "$bytes" \
            ${NODES_LIBRARIES:-"reblock=$PWD/$LIB/libreblock.so"} || failed=1
        $here/cluster.sh stats
        $here/cluster.sh stats reset
    done
done
[ -z "$failed" ]
