# Sourced by the tests of resizing: tests processes that start and do not join, or die while they join. The test that sources this
# defines launch RANKS PROGRAM..., which starts ranks under timeout.

# Seconds after which a run counts as hanging: an idle machine needs a few seconds, a busy machine many times as many.
patience=240
# Seconds within which a launcher that may hang can end by itself after its ranks.
courtesy=5

# processes MODE: prints the process numbers of the ranks in a mode.
processes() { pgrep -f "^([^ ]*/)?$bin/resize $1\$" || true; }

# starters MODE: returns whether any of the mode's first ranks, which start processes, still run.
starters() {
    for rank in $(processes "$1"); do
        grep -qz '^REBLOCK_JOINS=' "/proc/$rank/environ" 2>/dev/null || [ ! -e "/proc/$rank" ] || return 0
    done
    return 1
}

# within SECONDS COMMAND...: returns whether the command succeeds within that time.
within() {
    rest=$((5 * $1))
    shift
    until "$@"; do
        [ "$rest" -gt 0 ] || return 1
        rest=$((rest - 1))
        sleep 0.2
    done
}

# faulty MODE WORDS [hangs | fails]: checks that the first ranks end with an error and a line that contains WORDS, and that the launcher
# ends, too. With hangs, the launcher may wait until the test ends it; with fails, only if reblock's time limit had to end the ranks.
faulty() {
    mode=$1 words=$2 hangs=${3:-} log=$bin/$1.log limit=$patience status= waits=
    rm -f "$log.status"
    { launch 2 "$bin/resize" "$mode" >"$log" 2>&1 && echo 0 >"$log.status" || echo $? >"$log.status"; } &
    launched=$!
    is_over() { [ -s "$log.status" ]; }
    have_come() { is_over || starters "$mode" || grep -q "$words" "$log"; }
    are_gone() { is_over || ! starters "$mode"; }
    none_is_left() { [ -z "$(processes "$mode")" ]; }
    stop() { kill $(pgrep -P "$launched") 2>/dev/null || true; }
    hang() { stop; shown "$log" "$mode: $1 within $patience s"; }
    within $patience have_come || hang "no ranks come"
    within $patience are_gone || hang "the ranks that started processes do not end"
    if [ "$hangs" = fails ]; then
        hangs=
        ! grep -q "$impatient" "$log" || hangs=hangs
    fi
    [ -z "$hangs" ] || limit=$courtesy
    if ! within $limit is_over; then
        [ -n "$hangs" ] || hang "the launcher does not end"
        waits=1
        stop
    fi
    wait "$launched" || true
    read -r status <"$log.status"
    [ "$status" != 0 ] || shown "$log" "$mode: the launcher's status is 0"
    grep -q "$words" "$log" || shown "$log" "$mode: no line says \"$words\""
    if [ -n "$waits" ]; then
        # A killed launcher leaves its processes behind.
        kill -9 $(processes "$mode") 2>/dev/null || true
        echo "resize: $mode: the ranks end; their launcher waits until it is ended"
    else
        within $patience none_is_left || fail "$mode: processes left over: $(processes "$mode")"
        echo "resize: $mode: the job ends with status $status"
    fi
}

# faults WORDS DIES STALLS: tests all faults at the same time. WORDS: the launcher's text about a process that ended. DIES, STALLS: hangs,
# fails or nothing, as for faulty, for processes that die and for those that stall. A launcher that fails may leave ranks waiting for a
# message from a process that died; reblock's time limit then ends them.
faults() {
    impatient='reblock: 2 processes were spawned and have not joined the job within'
    died=$1
    if [ "$2" = fails ]; then
        died="$1\|$impatient"
        export REBLOCK_SPAWN_SECONDS=20
    fi
    faulty dies "$died" $2 & first=$!
    faulty dies-moving "$died" $2 & second=$!
    export REBLOCK_SPAWN_SECONDS=3
    faulty stalls "$impatient 3 s (REBLOCK_SPAWN_SECONDS)" $3 & third=$!
    faulty stalls-late "$impatient 3 s (REBLOCK_SPAWN_SECONDS)" $3 & fourth=$!
    unset REBLOCK_SPAWN_SECONDS
    bad=0
    for test in $first $second $third $fourth; do wait "$test" || bad=1; done
    # Faults while constant arrays move and the working ranks continue. Tries twice, because Open MPI 4 does not always start a process
    # (build/spawning).
    late() { REBLOCK_SPAWN_SECONDS=30 launch 2 "$bin/resize" late-meanwhile; }
    late || late || fail "constant arrays that move to processes which come late"
    # MPICH's launcher may miss that a process has died while others start. The other ranks then end by reblock's limit.
    impatient="(REBLOCK_WAIT_SECONDS)"
    export REBLOCK_WAIT_SECONDS=60
    faulty dies-meanwhile "$1\|$impatient" ${2:-fails} & first=$!
    faulty dies-switching "$1\|$impatient" ${2:-fails} & second=$!
    # Open MPI 5 may first notice that the new processes are no longer connected.
    faulty dies-working "$1\|$impatient\|try to terminate your MPI job" ${2:-fails} & third=$!
    unset REBLOCK_WAIT_SECONDS
    for test in $first $second $third; do wait "$test" || bad=1; done
    [ $bad = 0 ] || exit 1
}
