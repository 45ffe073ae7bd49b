# Sourced by the tests under Slurm, after tests/programs.sh: services that run during a test, as root, with a key, ports and a folder of
# their own. Sets place, that folder; host; and SLURM_CONF, a file that the test must write.

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
    # The latest first: each needs the earlier ones to end.
    for service in $services; do
        kill "$service" 2>/dev/null || true
        wait "$service" || true
    done
    # Their control groups remain, if they had any.
    find /sys/fs/cgroup -depth -type d -path "*/slurm_$host*" -exec rmdir {} + 2>/dev/null || true
    rm -rf "$place"
}
trap cleared EXIT
trap 'exit 1' INT TERM
# service COMMAND...: starts a service. It is ended after 20 minutes at the latest, and killed if it does not end.
service() { timeout -k 5 1200 "$@" >>"$place/services.log" 2>&1 & services="$! $services"; }
# ports COUNT: prints ports on which nobody listens.
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
# told: prints the common part of slurm.conf. PROLOG_FLAGS=Contain is for clusters that support it.
told() {
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
