#!/bin/sh
# What a resize takes, and how much of it is the data: from 1 rank to 2 and back, ranks that are spawned and ranks that wait.
# SIZES: of the matrix; SMALL, LARGE: ranks.
set -eu
. tests/programs.sh
bin=$PWD/$TARGET/bench
mkdir -p "$bin"
CFLAGS="-O2 -Wall -Wextra"
both bench-resize benches/resize.c
# Processes that come are reached by TCP, on this machine by its loopback.
export OMPI_MCA_btl_tcp_if_include=lo
small=${SMALL:-1} large=${LARGE:-2}
echo "milliseconds, medians of ${ROUNDS:-9}; alone: the same redistribution without the job, into fresh memory and into used"
echo "| ranks | matrix | ask | spawn | grid | plan | move | total | own: ask + grid + plan | alone, fresh | alone, used | move / alone, fresh |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|"
for size in ${SIZES:-100 1000 4000}; do
    # MPICH of Debian starts no processes.
    [ "$MPI" = mpich ] || run $small "$bin/bench-resize" $size 64 ${ROUNDS:-9} $small $large
    run $large "$bin/bench-resize" $size 64 ${ROUNDS:-9} $small $large
done
