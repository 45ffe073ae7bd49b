#!/bin/sh
# Each bad argument of p?geadd, p?tran and p?tradd must end the job on every rank, within seconds, with one line. Arguments that
# ScaLAPACK refuses must be refused. Usage: tests/bad_transforms.sh WITHOUT COMMAND...; COMMAND runs a case of ctest/bad_transforms on 4
# ranks with reblock. WITHOUT is the program with ScaLAPACK alone, which is run by $MPIRUN with $yield preloaded.
set -u
without=$1
shift
. tests/refusals.sh
scalapack() { timeout -k 5 30 "$MPIRUN" -n 4 env LD_PRELOAD="$yield" "$without" "$1" >"$log" 2>&1; }
scalapack none && grep -q '^returned' "$log" || { echo "bad: the good case fails without reblock"; cat "$log"; exit 1; }

# both CASE LINES PATTERN: ScaLAPACK must refuse the case, too.
command="$*"
both() {
    is_due || return 0
    refuses "$1" "$2" "$3" $command
    scalapack "$1"
    code=$?
    # ScaLAPACK's text is not checked, because a launcher may drop it after an abort. A time limit or a signal is not a refusal.
    case $code in 0 | 124 | 134 | 136 | 137 | 139) refused= ;; *) refused=1 ;; esac
    if [ -z "$refused" ] || grep -q '^returned' "$log"; then
        echo "bad: $1: ScaLAPACK does not refuse it: exit $code"
        sed 's/^/    /' "$log"
        failures=$((failures + 1))
    fi
}
both m 1 'PDGEADD.* M is -1, expected a number of at least 0'
both n 1 'PDGEADD.* N is -7, expected'
both row 1 'IA is 0, expected an index of at least 1'
both column 1 'JC is -3, expected an index of at least 1'
both rows 1 'IA \+ M - 1, .* is 13, expected at most 12, M_ of DESCA'
both columns 1 'JC \+ N - 1, .* is 13, expected at most 12, N_ of DESCC'
both turned-rows 1 'IA \+ N - 1, .* is 13, expected at most 12, M_ of DESCA'
both lld 1 'LLD_ of DESCC is 5, expected at least 6, the local rows of C on process \(0,0\)'
both lld-one-rank 1 'rank 3: LLD_ of DESCC is 5, expected at least 6'
both mb 1 ': MB_ of DESCA is 0, expected a block size of at least 1'
both nb 1 ': NB_ of DESCC is -2, expected a block size'
both imb 1 ': IMB_ of DESCA is 0, expected a block size'
both inb 1 ': INB_ of DESCC is -1, expected a block size'
both rsrc 1 'RSRC_ of DESCA is 2, expected -1 .*or 0 to 1'
both csrc 1 'CSRC_ of DESCC is -2, expected -1 .*or 0 to 1'
both dtype 1 'DTYPE_ of DESCC is 501, expected 1 or 2'
both context 1 'CTXT_ of DESCA is 55, expected the context of a process grid'
both two-contexts 1 'CTXT_ of DESCC is [0-9]+, expected'
both trans 1 "PDGEADD.* TRANS is 88, .*'X'"
both tradd-trans 1 "PDTRADD.* TRANS is 63, .*'[?]'"
both tradd-uplo 1 "PDTRADD.* UPLO is 78, .*'N'"
both tran-m 1 'PDTRAN.* M is -1, expected a number of at least 0'
both tran-rows 1 'PDTRAN.* is 13, expected at most 12'
both empty-lld 1 'LLD_ of DESCC is 0, expected at least 1'
both empty-row 1 'IA is 0, expected an index of at least 1'
both nothing-mb 1 ': MB_ of DESCA is 0, expected a block size of at least 1'
both first-rows 1 'IA \+ M - 1, .* is 13, expected at most 12, M_ of DESCA'
both first-context 1 'CTXT_ of DESCA is 55, expected the context of a process grid'
# Arguments that ScaLAPACK does not check.
expect differ-m 2 'M differs between ranks: 1[12] on this rank, 1[12] on rank [0-3]' "$@"
expect differ-alpha 2 'ALPHA differs between ranks: 2(\.5)? on this rank, 2(\.5)? on rank [0-3]' "$@"
expect first-differ-alpha 2 'ALPHA differs between ranks: 2(\.5)? on this rank, 2(\.5)? on rank [0-3]' "$@"
expect differ-beta 2 'BETA differs between ranks: [03] on this rank, [03] on rank [0-3]' "$@"
expect differ-trans 2 'TRANS differs between ranks: .* on this rank, .* on rank [0-3]' "$@"
expect differ-uplo 2 'UPLO differs between ranks: .* on this rank, .* on rank [0-3]' "$@"
expect differ-mb 2 ': MB_ of DESCA differs between ranks: [23] on this rank, [23] on rank [0-3]' "$@"
expect differ-imb 2 ': IMB_ of DESCA differs between ranks: [12] on this rank, [12] on rank' "$@"
expect differ-inb 2 ': INB_ of DESCC differs between ranks: [13] on this rank, [13] on rank' "$@"
for routine in "" tran-; do
    expect ${routine}ilp64 1 'DESCA looks like one of 64-bit integers, but this reblock has 32 bits: use libreblock_ilp64' "$@"
done
expect differ-local 2 'RSRC_ of DESCA differs between ranks: [01] on this rank, [01] on rank' "$@"
expect overlap 4 'A and C share memory' "$@"
expect overlap-turned 4 'A and C share memory' "$@"
expect null 1 'rank 1: A is 0, expected the address of a local array' "$@"
refuses finalized 4 'PDTRAN.*(MPI is finalized|expected the context of a process grid)' "$@"
[ $failures = 0 ] && echo "bad: each of these bad arguments of p?geadd, p?tran and p?tradd ends the job with one line"
exit $failures
