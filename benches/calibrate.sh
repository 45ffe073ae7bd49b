#!/bin/sh
# Measures what reblock's cost model has to know of a machine, and prints it as settings.
#
#   CALIBRATE   where mpirun is to start ranks, "-n 2"; on a cluster two ranks on each of two nodes
set -eu
. build/mpi.sh
mkdir -p "$TARGET/bench"
"$MPICC" -O2 -Wall -Wextra -Werror -o "$TARGET/bench/calibrate" benches/calibrate.c
exec "$MPIRUN" ${CALIBRATE:--n 2} "$TARGET/bench/calibrate"
