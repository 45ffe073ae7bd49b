#!/bin/sh
# Each bad argument must end the job on every rank, within seconds, with one line that names the routine, the argument,
# its value and the expected values. Usage: tests/bad.sh COMMAND...; COMMAND runs a case of ctest/bad on 4 ranks.
set -u
. tests/refusals.sh

expect m 1 'PDGEMR2D.* M is -1, expected a number of at least 0' "$@"
expect n 1 'PDGEMR2D.* N is -7, expected' "$@"
expect rows 1 'IA \+ M - 1, .* is 13, expected at most 12, M_ of DESCA' "$@"
expect index 1 'IA is 0, expected an index of at least 1' "$@"
expect columns 1 'JB \+ N - 1, .* is 12, expected at most 11, N_ of DESCB' "$@"
for first in "" first-; do
    expect ${first}lld 1 'LLD_ of DESCB is 5, expected at least 6, the local rows of B on process \(0,0\)' "$@"
    expect ${first}lld-one-rank 1 'rank 3: LLD_ of DESCB is 5, expected at least 6' "$@"
done
expect mb 1 ': MB_ of DESCA is 0, expected a block size of at least 1' "$@"
expect nb 1 ': NB_ of DESCB is -2, expected a block size' "$@"
expect outside 2 'rank [23]: LLD_ of DESCB is 1, expected at least 6, .* of the 2 x 2 grid of its CTXT_, which is -1 on a process outside of B' "$@"
expect ilp64 1 'DESCA looks like one of 64-bit integers, but this reblock has 32 bits: use libreblock_ilp64' "$@"
expect rsrc 1 'RSRC_ of DESCA is 2, expected 0 to 1' "$@"
expect csrc 1 'CSRC_ of DESCB is -1, expected 0 to 1' "$@"
expect first-ictxt 1 'ICTXT is 77, expected the context of a process grid' "$@"
expect ictxt 1 'ICTXT is 77, expected the context of a process grid' "$@"
expect ictxt-negative 1 'ICTXT is -1, expected the context of a process grid' "$@"
expect context 1 'CTXT_ of DESCA is 55, expected the context of a process grid' "$@"
expect first-context-one-rank 1 'rank 2: CTXT_ of DESCB is 55' "$@"
expect context-one-rank 1 'rank 2: CTXT_ of DESCB is 55' "$@"
expect first-differ-mb 2 ': MB_ of DESCA differs between ranks: [23] on this rank, [23] on rank [0-3]' "$@"
expect differ-mb 2 ': MB_ of DESCA differs between ranks: [23] on this rank, [23] on rank [0-3]' "$@"
expect differ-m 2 'M differs between ranks: 1[12] on this rank, 1[12] on rank [0-3]' "$@"
expect differ-ia 2 'IA differs between ranks: [12] on this rank, [12] on rank [0-3]' "$@"
expect differ-member 2 'the membership of all ranks in the grids of A and B differs between ranks: (true|false) on this rank' "$@"
expect differ-grid 2 "the list of processes of B's grid differs between ranks: .* on this rank, .* on rank" "$@"
expect differ-subgrid 4 ': NB_ of DESCA differs between ranks: [24] on this rank, [24] on (rank [0-3]|another rank)' "$@"
expect differ-subgrid-member 1 "CTXT_ of DESCB is -1, expected the context of B's grid, in which this process is \(1,0\)" "$@"
expect differ-local 2 'RSRC_ of DESCA differs between ranks: [01] on this rank, [01] on rank' "$@"
expect no-member 1 'no rank of the enclosing context is in the grid of A' "$@"
expect enclosing 1 'CTXT_ of DESCA is [0-9]+, expected the context of a process grid whose processes are all in the context ICTXT' "$@"
# After MPI_Finalize, MPI cannot end the job.
refuses finalized 4 'PDGEMR2D.*: MPI is finalized' "$@"
expect null 1 'rank 1: A is 0, expected the address of a local array' "$@"
[ $failures = 0 ] && echo "bad: each of these bad arguments ends the job with one line"
exit $failures
