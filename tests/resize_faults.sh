# Sourced by the tests of resizing: processes that come and do not join, or die while they do. launch RANKS PROGRAM... starts ranks for
# at most 40 s.

# faulty MODE WORDS [hangs]: the ranks that start processes end within 30 s, with an error and a line that has WORDS in it. The
# launcher ends, too; with a third argument it may wait until it is ended.
faulty() {
    mode=$1 words=$2 hangs=${3:-} log=$bin/$1.log status=
    rm -f "$log.status"
    { launch 2 "$bin/resize" "$mode" >"$log" 2>&1 && echo 0 >"$log.status" || echo $? >"$log.status"; } &
    launched=$!
    for second in $(seq 30); do
        [ ! -s "$log.status" ] || break
        sleep 1
    done
    if [ ! -s "$log.status" ]; then
        for rank in $(pgrep -f "^([^ ]*/)?$bin/resize $mode\$"); do
            grep -qz '^REBLOCK_JOINS=' "/proc/$rank/environ" 2>/dev/null || [ ! -e "/proc/$rank" ] || shown "$log" "$mode: the ranks that started processes do not end"
        done
    fi
    wait "$launched" || true
    read -r status <"$log.status"
    case $status in
        0) shown "$log" "$mode: nobody notices" ;;
        124 | 137) [ -n "$hangs" ] || shown "$log" "$mode: the launcher does not end" ;;
    esac
    grep -q "$words" "$log" || shown "$log" "$mode: no line says \"$words\""
    sleep 1
    left=$(pgrep -f "^([^ ]*/)?$bin/resize $mode\$" || true)
    case $status in
        124 | 137)
            # A launcher that is killed leaves what it has started.
            [ -z "$left" ] || kill -9 $left 2>/dev/null || true
            echo "resize: $mode: the ranks end; their launcher waits until it is ended" ;;
        *)
            [ -z "$left" ] || fail "$mode: processes left over: $left"
            echo "resize: $mode: the job ends with status $status" ;;
    esac
}

# faults WORDS DIES STALLS: all of them at the same time; what the launcher says of a process that ended, and whether the launcher
# may hang where a process dies, and where it stalls.
faults() {
    faulty dies "$1" $2 & first=$!
    faulty dies-moving "$1" $2 & second=$!
    export REBLOCK_SPAWN_SECONDS=3
    late='reblock: 2 processes were spawned and have not joined the job within 3 s (REBLOCK_SPAWN_SECONDS)'
    faulty stalls "$late" $3 & third=$!
    faulty stalls-late "$late" $3 & fourth=$!
    unset REBLOCK_SPAWN_SECONDS
    bad=0
    for test in $first $second $third $fourth; do wait "$test" || bad=1; done
    [ $bad = 0 ] || exit 1
}
