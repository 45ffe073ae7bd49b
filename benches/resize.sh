#!/bin/sh
# Times a resize, and the part of the time in which data moves: from 1 rank to 2 and back, with spawned and with parked ranks. SIZES:
# sizes of the matrix; SMALL, LARGE: numbers of ranks; ROUNDS: rounds (Open MPI 4 supports few rounds with spawned processes). Then times
# the resizes of a job with a vector: BYTES: sizes of the vector; STEPS: the job's numbers of ranks in turn; TURNS: runs by reblock's job
# and by plain MPI.
set -eu
. tests/programs.sh
bin=$PWD/$TARGET/bench
mkdir -p "$bin"
CFLAGS="-O2 -Wall -Wextra"
both bench-resize benches/resize.c
both bench-meanwhile benches/meanwhile.c
linked bench-vector benches/vector.c
# New processes connect by TCP, on this machine by its loopback interface.
export OMPI_MCA_btl_tcp_if_include=lo
# Open MPI binds each of the first ranks to a core, and the system may run a new one on the same core.
export OMPI_MCA_hwloc_base_binding_policy=none
small=${SMALL:-1} large=${LARGE:-2} rounds=${ROUNDS:-5}
echo "milliseconds, medians of $rounds; MPI and BLACS: a duplicate, an MPI_Allreduce and a grid on the ranks after the resize;
alone: the same redistribution without the job, into fresh memory and into used"
echo "| ranks | matrix | ask | spawn | grid | plan | move | total | own: ask + grid + plan | of which MPI and BLACS | alone, fresh | alone, used | move / alone, fresh |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
for size in ${SIZES:-100 1000 4000}; do
    # Debian's MPICH cannot start processes.
    [ "$MPI" = mpich ] || run $small "$bin/bench-resize" $size 64 $rounds $small $large
    run $large "$bin/bench-resize" $size 64 $rounds $small $large
done
echo "a constant matrix, from 1 rank to 2: at once, and while iterations go on; milliseconds without the start of processes, medians of $rounds
| the second rank | matrix | an iteration | seen, at once | seen, meanwhile | longest resize point | until all is there | iterations meanwhile | hidden, % (least to most) |
|---|---|---|---|---|---|---|---|---|"
for size in ${SIZES:-4000}; do
    for threads in "" threads; do
        [ "$MPI" = mpich ] || run 1 "$bin/bench-meanwhile" $size 64 $rounds ${MS:-10} $threads
        run 2 "$bin/bench-meanwhile" $size 64 $rounds ${MS:-10} $threads
    done
done
# Debian's MPICH cannot start processes.
[ "$MPI" != mpich ] || exit 0
steps=${STEPS:-2,4,8,4,2}
echo "a vector in blocks: a job of reblock's beside MPI_Comm_spawn and MPI_Alltoallv, by turns; milliseconds, medians of ${VECTOR_ROUNDS:-2}
| ranks | who | MB | starting or ending processes | moving | in all |
|---|---|---|---|---|---|"
for bytes in ${BYTES:-33176880 536870912}; do
    for turn in $(seq "${TURNS:-3}"); do
        for who in job plain; do run "${steps%%,*}" "$bin/bench-vector" "$bytes" "${VECTOR_ROUNDS:-2}" "$steps" $who; done
    done
done
