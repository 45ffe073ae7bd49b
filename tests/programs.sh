# Sourced by the tests, from the root: functions that build the programs of ctest/ and run them on several ranks. Sets
# the variables of build/mpi.sh, bin (the folder of the programs), lib (the shared library), pure and CFLAGS.
. build/mpi.sh
bin=$PWD/$TARGET/ctest
lib=$PWD/$LIB/libreblock.so
# Where cargo builds what knows no MPI, for the tests of both: most of it was built for Open MPI's already.
pure=target/openmpi
mkdir -p "$bin"
CFLAGS="-O1 -g -std=gnu11 -Wall -Wextra -Werror"

# What comes next, and how many seconds the tests have taken so far.
began=${began:-$(date +%s)}
export began
say() { printf '== %s, %d s: %s\n' "$MPI" $(($(date +%s) - began)) "$*"; }
fail() { echo "FAILED ($MPI): $*" >&2; exit 1; }
# What a program that failed has said: shown FILE WHAT...
shown() { log=$1; shift; cat "$log" >&2; fail "$*"; }

# What cannot be tested here: skip WHAT... is said at once, and again when tests/run ends.
skip() { echo "SKIPPED ($MPI): $*" | tee -a "$TARGET/skipped"; }

# plain NAME SOURCES AND FLAGS...: a program without the library; linked: with it; both: with ScaLAPACK behind it.
plain() { name=$1; shift; "$MPICC" $CFLAGS -o "$bin/$name" "$@"; }
linked() { plain "$@" -Iinclude -L"$LIB" -lreblock -Wl,-rpath,"$PWD/$LIB"; }
both() { linked "$@" -L"$LIB" -lreblock $SCALAPACK; }

# rust FILE SOURCE FLAGS...: a program or library in Rust, with the release library as it is there. cargo, for which it is an
# example, would build another one.
rust() {
    rustc --edition 2024 -C linker="$MPICC" -C debug-assertions -C overflow-checks -o "$@" \
        --extern reblock="$TARGET/release/libreblock.rlib" -L dependency="$TARGET/release/deps"
}

# MPICH's blocking calls never give a core away: where ranks share cores, they would crawl.
yield=
if [ "$MPI" = mpich ]; then
    yield=$bin/yield.so
    [ "$yield" -nt ctest/yield.c ] || "$MPICC" $CFLAGS -shared -fPIC -o "$yield" ctest/yield.c -ldl
fi
seconds=300
# run RANKS COMMAND..., at most so many seconds; preload LIBRARY RANKS COMMAND...
run() { ranks=$1; shift; timeout "$seconds" "$MPIRUN" -n "$ranks" env LD_PRELOAD="$yield" "$@"; }
# The same where MPI starts processes.
spawning() { ranks=$1; shift; build/spawning "$seconds" "$MPIRUN" -n "$ranks" env LD_PRELOAD="$yield" "$@"; }
preload() { library=$1 ranks=$2; shift 2; timeout "$seconds" "$MPIRUN" -n "$ranks" env LD_PRELOAD="$library:$yield" "$@"; }
