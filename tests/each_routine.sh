#!/bin/sh
# Calls every routine that has descriptors on every pair of contexts, and with each scalar argument bad on one rank. The result must be
# right, or one line must name the argument. Usage: tests/each_routine.sh "ROUTINE..." COMMAND...; COMMAND runs a case of
# ctest/each_routine on 4 ranks.
set -u
routines=$1
shift
command="$*"
failures=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# right ROUTINE/ARGUMENT[/RANK]: checks that the call succeeds with the right result.
right() {
    timeout -k 5 30 $command $(echo "$1" | tr / ' ') >"$log" 2>&1 && grep -q '^returned: 0 wrong' "$log" && return
    echo "each_routine: $1: not right"
    sed 's/^/    /' "$log"
    failures=$((failures + 1))
}
# refused CASE LINES PATTERN [OTHERS]: checks that the job ends with at most LINES lines of reblock, that all of them match PATTERN, and
# that only the ranks in OTHERS return from the call.
refused() {
    for tries in 1 2 3; do
        start=$(date +%s)
        timeout -k 5 30 $command $(echo "$1" | tr / ' ') >"$log" 2>&1
        code=$? seconds=$(($(date +%s) - start))
        lines=$(grep -c '^reblock:' "$log")
        [ "$lines" -gt "$2" ] || break
    done
    if [ $code = 0 ] || [ $code = 124 ] || [ $code = 137 ] || [ $seconds -gt 15 ] || [ "$lines" -lt 1 ] || [ "$lines" -gt "$2" ] ||
        grep '^reblock:' "$log" | grep -Evq -- "$3" || grep 'went on' "$log" | grep -Evq "rank [${4:-x}]$"; then
        echo "each_routine: $1: exit $code after $seconds s, $lines lines, wanted: $3"
        sed 's/^/    /' "$log"
        failures=$((failures + 1))
    fi
}

for routine in $routines; do
    case $routine in lacpy | gemr2d | trmr2d) b=B ;; *) b=C ;; esac
    right $routine/none
    # One rank has a bad argument. Other ranks detect the mistakes that this rank cannot detect.
    refused $routine/m/2 1 'M is -1, expected a number of at least 0'
    refused $routine/n/1 1 'N is -7, expected a number of at least 0'
    refused $routine/ia/3 1 'IA is 0, expected an index of at least 1'
    refused $routine/ja/0 1 'JA \+ [MN] - 1, .* is 13, expected at most 12'
    refused $routine/ib/2 1 "I$b is -3, expected an index of at least 1"
    refused $routine/jb/1 1 "J$b \\+ N - 1, .* is 13, expected at most 12"
    differ='differs between ranks: .* on this rank, .* on rank [0-3]'
    case $routine in
        gemr2d) refused $routine/ictxt/1 1 'ICTXT is 77, expected the context' ;;
        trmr2d)
            refused $routine/ictxt/1 1 'ICTXT is 77, expected the context'
            refused $routine/uplo/2 2 "UPLO $differ"
            refused $routine/diag/2 2 "DIAG.* $differ"
            ;;
        lacpy) refused $routine/uplo/2 2 "UPLO $differ" ;;
        tradd) refused $routine/uplo/2 1 "UPLO is 63, expected U or L" ;;
    esac
    case $routine in
        geadd | tradd) refused $routine/trans/3 1 "TRANS is 63, expected" ;;
    esac
    case $routine in
        tran | geadd | tradd)
            refused $routine/alpha/1 2 "ALPHA $differ"
            refused $routine/beta/1 2 "BETA $differ"
            ;;
    esac
    # Contexts.
    for matrix in a b; do
        case $matrix in a) name=DESCA ;; b) name=DESC$b ;; esac
        case $routine in
            gemr2d | trmr2d)
                for context in again columns row one; do right $routine/$matrix-$context; done
                refused $routine/$matrix-negative 1 "no rank of the enclosing context is in the grid of [AB]"
                for bad in freed never; do refused $routine/$matrix-$bad 1 "CTXT_ of $name is [0-9]+, expected the context of a process grid"; done
                ;;
            lacpy)
                right $routine/$matrix-again
                for bad in columns row freed never negative; do
                    [ $matrix-$bad != a-negative ] || continue
                    refused $routine/$matrix-$bad 4 "CTXT_ of DESC[AB] is -?[0-9]+, expected"
                done
                # Ranks outside of A's grid have nothing to copy.
                [ $matrix = a ] && others=123 || others=
                refused $routine/$matrix-one 4 "CTXT_ of DESCB is -?[0-9]+, expected" $others
                ;;
            *)
                for bad in again columns row one negative freed never; do
                    refused $routine/$matrix-$bad 4 "CTXT_ of DESC[AC] is -?[0-9]+, expected"
                done
                ;;
        esac
        refused $routine/$matrix-never/2 4 "CTXT_ of $name is 55, expected"
    done
done
case $routines in *lacpy*) right lacpy/apart ;; esac
[ $failures = 0 ] && echo "each_routine: each bad argument of one rank, and each pair of contexts, is right or has its line"
exit $failures
