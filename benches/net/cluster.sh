#!/bin/bash
# A cluster on one machine: each host is a network namespace, and one more namespace holds the switch. Every port of the
# switch is shaped in both directions. All links lie between these namespaces; none leads to an interface of the machine,
# so no packet can leave it. Needs root.
#
#   cluster.sh with HOSTS RATE COMMAND...   makes a cluster, runs COMMAND, and removes the cluster in any case
#   cluster.sh down                         removes the remains of a cluster
#   cluster.sh stats [reset]                packets dropped and sent again since the last reset
#
#   NET_DIR   where the cluster's files are (needed)
#   NET_BUF   bytes that a port of the switch holds before it drops, 256k
#
# The MTU is 1500, because larger frames cause losses at a port with several senders that a real network would not have.
# Packets of one flow travel in pairs, which saves CPU time. Larger groups would save more, but after a pause a port
# lets two groups pass at once, so messages would take less than the bound: 6 % less with groups of 9000 bytes, for nine
# messages of 16 KB.
set -u
hosts_max=200 mtu=1500 group=3000
switch=rbnet-switch head=65534 # the machine's own address, 10.77.255.254, is not shaped

say() { echo "cluster: $*" >&2; }
die() { say "$*"; exit 1; }
namespaces() { ip netns list 2>/dev/null | awk '$1 ~ /^rbnet-([0-9]+|switch)$/ { print $1 }'; }
address() { echo "10.77.$(($1 / 256)).$(($1 % 256))"; }
mac() { printf '02:4c:00:00:%02x:%02x' $(($1 / 256)) $(($1 % 256)); }

end_processes() { # ends the processes inside the namespaces, by id: by SIGTERM, then by SIGKILL
    local signal name id any
    for signal in TERM KILL; do
        any=
        for name in $(namespaces); do
            for id in $(ip netns pids "$name" 2>/dev/null); do
                [ "$id" = $$ ] || { kill -s $signal "$id" 2>/dev/null && any=1; }
            done
        done
        [ "$any" ] || return 0
        sleep 0.3
    done
}

down() {
    local name
    end_processes
    for name in $(namespaces); do ip netns del "$name"; done
    rm -rf "$NET_DIR"/ompi.* "$NET_DIR/hosts" "$NET_DIR/hostfile" "$NET_DIR/addresses" "$NET_DIR/neighbours" "$NET_DIR/ports" "$NET_DIR/counters"
}

# Settings of every namespace: no IPv6 traffic, no memory of earlier connections.
settings="net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
          net.ipv4.tcp_slow_start_after_idle=0 net.ipv4.tcp_no_metrics_save=1"

make_switch() {
    ip netns add $switch
    ip netns exec $switch sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
    ip -n $switch link set lo up
    ip -n $switch link add br0 address "$(mac $head)" type bridge
    ip -n $switch link set br0 mtu $mtu up
    ip -n $switch addr add "$(address $head)/16" dev br0
}

# Hosts have each other's addresses from the start, so that no broadcast is needed.
write_tables() {
    local i
    echo "neigh replace $(address $head) lladdr $(mac $head) dev nl0 nud permanent" >"$NET_DIR/neighbours"
    for i in $(seq "$1"); do
        echo "neigh replace $(address "$i") lladdr $(mac "$i") dev nl0 nud permanent" >>"$NET_DIR/neighbours"
        echo "fdb replace $(mac "$i") dev v$i master static" >>"$NET_DIR/ports"
        address "$i" >>"$NET_DIR/addresses"
    done
}

make_host() { # NUMBER RATE
    local name=rbnet-$1 burst=$((2 * (group + 14)))
    ip netns add "$name"
    ip -n $switch link add "v$1" mtu $mtu type veth peer name nl0 address "$(mac "$1")" mtu $mtu netns "$name"
    ip netns exec "$name" sysctl -qw $settings
    ip -n "$name" link set lo up
    ip -n "$name" link set nl0 up
    ip -n "$name" addr add "$(address "$1")/16" dev nl0
    ip -n "$name" route change 10.77.0.0/16 dev nl0 src "$(address "$1")" congctl cubic
    ip -n "$name" link set nl0 gso_max_size $group
    tc -n "$name" qdisc add dev nl0 root tbf rate "$2" burst $burst limit 4m
    ip -n "$name" -batch "$NET_DIR/neighbours"
    ip -n $switch link set "v$1" master br0 up
    ip -n $switch link set "v$1" type bridge_slave learning off flood off
    tc -n $switch qdisc add dev "v$1" root tbf rate "$2" burst $burst limit "${NET_BUF:-256k}"
}

up() { # HOSTS RATE
    local i
    [ "$1" -ge 1 ] && [ "$1" -le $hosts_max ] || die "1 to $hosts_max hosts"
    (
        set -e
        make_switch
        write_tables "$1"
        for i in $(seq "$1"); do make_host "$i" "$2"; done
        bridge -n $switch -batch "$NET_DIR/ports"
        sed '/lladdr '"$(mac $head)"'/d; s/dev nl0/dev br0/' "$NET_DIR/neighbours" | ip -n $switch -batch -
        echo "$1" >"$NET_DIR/hosts"
    ) || die "the cluster could not be made"
    stats reset
}

counters() {
    local i
    tc -n $switch -s qdisc show |
        awk '/^qdisc/ { t = $2 == "tbf" } t && /dropped/ { sub(",", "", $7); d += $7 } END { print "dropped", d + 0 }'
    for i in $(seq "$(cat "$NET_DIR/hosts")"); do
        ip netns exec "rbnet-$i" cat /proc/net/snmp /proc/net/netstat
    done | awk '
        /^(Tcp|TcpExt):/ {
            if ($2 !~ /^[-0-9]+$/) for (k = 2; k <= NF; k++) name[k] = $k
            else for (k = 2; k <= NF; k++) sum[name[k]] += $k
        }
        END { print "sent-again", sum["RetransSegs"] + 0; print "timeouts", sum["TCPTimeouts"] + 0 }'
}
stats() {
    if [ "${1:-}" = reset ]; then counters >"$NET_DIR/counters"; return; fi
    counters | awk 'NR == FNR { was[$1] = $2; next } { printf "%s %d  ", $1, $2 - was[$1] } END { print "" }' \
        "$NET_DIR/counters" -
}

[ "$(id -u)" = 0 ] || die "network namespaces need root"
[ "${NET_DIR:-}" ] || die "NET_DIR is not set"
mkdir -p "$NET_DIR"
case ${1:-} in
    with)
        hosts=$2 rate=$3
        shift 3
        # Names of namespaces hold for the whole machine, so only one cluster can run at a time.
        exec 9>/run/lock/reblock-net || die "no lock"
        flock -n 9 || die "another one is up"
        down
        command=
        trap 'status=$?; trap - EXIT INT TERM; [ -z "$command" ] || kill "$command" 2>/dev/null; down; exit $status' EXIT
        trap 'exit 130' INT TERM
        up "$hosts" "$rate"
        "$@" 9>&- & # in the background: the shell handles signals only while it waits
        command=$!
        wait "$command"
        ;;
    down) down ;;
    stats) stats "${2:-}" ;;
    *) sed -n '6,8p' "$0"; exit 2 ;;
esac
