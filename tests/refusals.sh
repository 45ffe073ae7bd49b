# Sourced by tests of bad arguments, with the command that runs a case as arguments. Defines expect, is_due and failures, and checks that
# the case `none` succeeds.
failures=0
cases=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Each case starts a job that ends itself, which takes a second or two, so Open MPI runs one half of the cases and MPICH the other one.
# With REFUSALS=whole, or another MPI, all run.
is_due() {
    cases=$((cases + 1))
    case ${REFUSALS:-}/${MPI:-}/$((cases % 2)) in /openmpi/0 | /mpich/1) return 1 ;; *) return 0 ;; esac
}

# expect CASE LINES PATTERN: the job must fail; LINES lines begin with "reblock:" (more if several ranks find different mistakes); one of
# them matches PATTERN. Ranks that find the same mistake print 0.3 s after one another, and the first one ends the job. On loaded cores
# that may take longer, so that others print, too; then the case is run again, at most twice.
# The function refuses does the same in each MPI's run.
expect() { if is_due; then refuses "$@"; fi; }
refuses() {
    name=$1 most=$2 pattern=$3
    shift 3
    for tries in 1 2 3; do
        start=$(date +%s)
        timeout -k 5 30 "$@" "$name" >"$log" 2>&1
        code=$? seconds=$(($(date +%s) - start))
        lines=$(grep -c '^reblock:' "$log")
        [ "$lines" -gt "$most" ] || break
    done
    if [ $code = 0 ] || [ $code = 124 ] || [ $code = 137 ] || [ $seconds -gt 15 ] || [ "$lines" -lt 1 ] ||
        [ "$lines" -gt "$most" ] || ! grep '^reblock:' "$log" | grep -Eq -- "$pattern" || grep -q '^returned' "$log"; then
        echo "bad: $name: exit $code after $seconds s, $lines lines, wanted: $pattern"
        sed 's/^/    /' "$log"
        failures=$((failures + 1))
    fi
}

timeout 30 "$@" none >"$log" 2>&1 && grep -q '^returned' "$log" || { echo "bad: the good case fails"; cat "$log"; exit 1; }
