# Verbs of reblock's policy `slurm`: VERB JOB ARGUMENTS... Prints the nodes of the job afterwards, one on each line. On failure prints the
# reason and exits with 1. Slurm's commands succeed even if they did nothing, so each verb checks the job itself.
set -u
verb=$1 job=$2
shift 2
# Name of the auxiliary job that requests more nodes.
helper=reblock-$job
refuse() { printf '%s\n' "$*" >&2; exit 1; }
list() { squeue -h -t running -j "$job" -o %N; }
nodes() {
    nodes=$(list) || exit 1
    [ -n "$nodes" ] || refuse "Slurm has no running job $job"
    scontrol show hostnames "$nodes"
}
# Right after a change Slurm may refuse the next one for a second.
tries="1 2 3 4 5 6 7 8 9 10"

# look: prints the nodes.
look() { nodes; }

# grow NODES RANKS: requests NODES more nodes for RANKS ranks each; waits until the job has them.
grow() {
    before=$(nodes) || exit 1
    wanted=$(($(printf '%s\n' "$before" | wc -l) + $1))
    said=$(salloc --no-shell -J "$helper" --dependency="expand:$job" -N "$1" --ntasks-per-node="$2" -x "$(list)" \
        ${SLURM_JOB_PARTITION:+-p "$SLURM_JOB_PARTITION"} ${SLURM_JOB_ACCOUNT:+-A "$SLURM_JOB_ACCOUNT"} \
        ${SLURM_JOB_QOS:+-q "$SLURM_JOB_QOS"} ${SLURM_CPUS_PER_TASK:+-c "$SLURM_CPUS_PER_TASK"} \
        ${SLURM_MEM_PER_NODE:+--mem="$SLURM_MEM_PER_NODE"} ${SLURM_MEM_PER_CPU:+--mem-per-cpu="$SLURM_MEM_PER_CPU"} 2>&1)
    new=$(printf '%s\n' "$said" | sed -n 's/.*Granted job allocation \([0-9][0-9]*\).*/\1/p')
    [ -n "$new" ] || refuse "$said"
    for try in $tries; do
        # A job that has ended must not receive nodes: Slurm would lose them.
        now=$(nodes) || { scancel "$new"; exit 1; }
        said=$(scontrol update JobId="$new" NumNodes=0 2>&1)
        now=$(nodes) || { scancel "$new"; exit 1; }
        if [ "$(printf '%s\n' "$now" | wc -l)" -ge "$wanted" ]; then
            printf '%s\n' "$now"
            return
        fi
        sleep 1
    done
    scancel "$new"
    refuse "job $new does not become a part of job $job: $said"
}

# give NODES...: gives nodes back once no step of the job is on them, since Slurm would kill it.
give() {
    all=$(nodes) || exit 1
    batch=$(squeue -h -j "$job" -o %B)
    keep=
    for node in $all; do
        case " $* " in
            *" $node "*) [ "$node" = "$batch" ] && keep="$keep,$node" ;;
            *) keep="$keep,$node" ;;
        esac
    done
    for try in $tries; do
        [ "$try" = 1 ] || sleep 1
        steps=$(squeue -h -s -j "$job" -o '%i %N' | sed -n 's/^[^ ]*\.[0-9][0-9]* //p')
        used=" $(for step in $steps; do scontrol show hostnames "$step"; done | tr '\n' ' ') "
        busy=
        for node in "$@"; do
            case $used in *" $node "*) busy=$node ;; esac
        done
        if [ -n "$busy" ]; then
            said="a step of the job is still on $busy"
            continue
        fi
        said=$(scontrol update JobId="$job" NodeList="${keep#,}" 2>&1)
        now=$(nodes) || exit 1
        if [ "$(printf '%s\n' "$now" | paste -sd, -)" = "${keep#,}" ]; then
            printf '%s\n' "$now"
            return
        fi
    done
    refuse "$said"
}

# withdraw: cancels a pending growth.
withdraw() { scancel -n "$helper"; nodes; }

"$verb" "$@"
