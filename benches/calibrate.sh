#!/bin/sh
# Measures the machine's parameters of reblock's cost model, and prints them as settings.
#
#   CALIBRATE   mpirun's options that place the ranks, "-n 2"; on a cluster two ranks on each of two nodes
set -eu
. build/mpi.sh
mkdir -p "$TARGET/bench"
"$MPICC" -O2 -Wall -Wextra -Werror -o "$TARGET/bench/calibrate" benches/calibrate.c
exec "$MPIRUN" ${CALIBRATE:--n 2} "$TARGET/bench/calibrate"
