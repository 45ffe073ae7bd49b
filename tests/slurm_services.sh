# Sourced by the tests under Slurm, after tests/programs.sh: starts services for the duration of a test, as root, with a key, ports and a
# folder of their own. Sets place, the folder; host, the name of this machine; and SLURM_CONF, the path of a file that the test writes.

# The services require that all users can read the folder.
place=$(mktemp -d)
chmod 755 "$place"
services=
host=$(hostname -s)
cleared() {
    # Jobs of a failed test would outlive the services.
    if timeout 20 squeue -h 2>/dev/null | grep -q .; then
        timeout 20 scancel -u root && sleep 10
    fi
    # End the latest service first, because a service needs the services started before it in order to end.
    for service in $services; do
        kill "$service" 2>/dev/null || true
        wait "$service" || true
    done
    # The services may leave control groups behind.
    find /sys/fs/cgroup -depth -type d -path "*/slurm_$host*" -exec rmdir {} + 2>/dev/null || true
    rm -rf "$place"
}
trap cleared EXIT
trap 'exit 1' INT TERM
# service COMMAND...: starts a service, with a time limit of 20 minutes.
service() { timeout -k 5 1200 "$@" >>"$place/services.log" 2>&1 & services="$! $services"; }
# ports COUNT: prints free ports.
ports() {
    python3 -c '
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(one.getsockname()[1] for one in sockets))' "$1"
}
head -c 128 /dev/urandom >"$place/key"
chmod 600 "$place/key"
export SLURM_CONF=$place/slurm.conf
service munged --foreground --force --key-file="$place/key" --socket="$place/munge" --pid-file="$place/munged.pid" \
    --log-file="$place/munged.log" --seed-file="$place/seed"
# configuration: prints the common part of slurm.conf. PROLOG_FLAGS=Contain is for clusters that support it.
configuration() {
    mkdir -p "$place/state"
    [ -z "${PROLOG_FLAGS:-}" ] || echo "PrologFlags=$PROLOG_FLAGS"
    cat <<CONF
ClusterName=reblock
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$place/munge
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool.%n
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.%n.pid
MpiDefault=none
MessageTimeout=60
ReturnToService=2
KillWait=5
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
CONF
}
