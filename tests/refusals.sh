# Sourced by tests of bad arguments; the arguments are the command that runs a case. Defines expect, is_due and failures, and checks that
# the case `none` succeeds.
failures=0
cases=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Each case starts a job that ends itself, which takes a second or two. So Open MPI runs one half of the cases and MPICH the other half.
# With REFUSALS=whole, or under another MPI, all cases run.
is_due() {
    cases=$((cases + 1))
    case ${REFUSALS:-}/${MPI:-}/$((cases % 2)) in /openmpi/0 | /mpich/1) return 1 ;; *) return 0 ;; esac
}

# expect CASE LINES PATTERN: checks that the job fails with 1 to LINES lines that begin with "reblock:", and that one of these lines
# matches PATTERN. (LINES is more than 1 if several ranks find different mistakes.) Ranks that find the same mistake print 0.3 s after each
# other, and the first rank ends the job. On loaded cores the end may take longer, so that other ranks print, too; then the case is run
# again, at most twice. The function refuses runs a case under every MPI.
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
