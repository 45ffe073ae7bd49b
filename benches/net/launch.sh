#!/bin/bash
# Runs ranks on the hosts of the emulated cluster: launch.sh openmpi|mpich MPIRUN RANKS COMMAND...
#
#   NET_SLOTS    ranks of a host, 1. If it is set, even to 1, the ranks of a host exchange messages through shared memory, and waiting
#                ranks yield their cores. (Otherwise a waiting rank sleeps until data arrives from the network; data in shared memory
#                would not wake the rank.) Ranks yield by a setting of Open MPI, or by idlepoll.so under MPICH
#   NET_ORDER    slot: the ranks of a host have consecutive numbers (default); node: ranks are dealt to the hosts in turn
#   NET_DIR      the cluster's files, and idlepoll.so and finalize.so
#   NET_TIMEOUT  seconds after which the run is ended, 300
#   NET_SOCKET   bytes of a socket's buffers, 16k; 0: the system chooses. With more than 16k, a send completes long before its data has
#                passed the port, and data does not travel in the order of the sends
set -eu
mpi=$1 mpirun=$2 ranks=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
export NET_IDLE="${NET_IDLE:-5}"
socket=${NET_SOCKET:-16384}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
slots=${NET_SLOTS:-1}
head -n $((ranks / slots)) "$NET_DIR/addresses" >"$NET_DIR/hostfile"
case $mpi in
    openmpi)
        sed -i "s/\$/ slots=$slots/" "$NET_DIR/hostfile"
        if [ "${NET_SLOTS:-}" ]; then
            waits=(--mca btl tcp,vader,self --mca mpi_yield_when_idle 1)
        else
            waits=(--mca btl tcp,self --mca mpi_yield_when_idle 0 -x LD_PRELOAD="$NET_DIR/idlepoll.so")
        fi
        set -- "$mpirun" -q -n "$ranks" --hostfile "$NET_DIR/hostfile" --map-by "${NET_ORDER:-slot}" --bind-to none \
            --mca plm rsh --mca plm_rsh_agent "$here/agent.sh" --mca plm_rsh_no_tree_spawn 1 \
            --mca plm_rsh_num_concurrent 256 --mca orte_tmpdir_base "$NET_DIR" \
            --mca oob_tcp_if_include 10.77.0.0/16 --mca btl_tcp_if_include 10.77.0.0/16 --mca pml ob1 \
            --mca opal_event_include epoll "${waits[@]}" \
            --mca btl_tcp_sndbuf "$socket" --mca btl_tcp_rcvbuf "$socket" \
            ${REBLOCK_LIB:+-x REBLOCK_LIB} -x NET_IDLE ${REBLOCK_NETWORK:+-x REBLOCK_NETWORK} \
            ${REBLOCK_WINDOW:+-x REBLOCK_WINDOW} "$@"
        ;;
    mpich)
        # MPICH deals ranks to the lines of the file round robin, as many at a time as the line says.
        together=$slots
        [ "${NET_ORDER:-slot}" = slot ] || together=1
        sed -i "s/\$/:$together/" "$NET_DIR/hostfile"
        [ "$socket" != 0 ] || socket=auto
        if [ "${NET_SLOTS:-}" ]; then waits=(-genv NET_YIELD 1); else waits=(-genv MPIR_CVAR_NOLOCAL 1); fi
        set -- "$mpirun" -iface br0 -launcher ssh -launcher-exec "$here/agent.sh" -disable-auto-cleanup \
            -f "$NET_DIR/hostfile" -n "$ranks" -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES nl0 \
            -genv UCX_TCP_SNDBUF "$socket" -genv UCX_TCP_RCVBUF "$socket" "${waits[@]}" \
            -genv LD_PRELOAD "$NET_DIR/idlepoll.so:$NET_DIR/finalize.so" "$@"
        ;;
    *) echo "launch: no settings for the MPI $mpi" >&2; exit 1 ;;
esac
exec timeout -k 5 "${NET_TIMEOUT:-300}" ip netns exec rbnet-switch \
    unshare --uts sh -c 'hostname rbnetswitch; exec "$@"' sh "$@" \
    </dev/null 2> >(grep -v 'setpgid(.*failed in parent' >&2) # Open MPI complains if the agent is faster than itself
