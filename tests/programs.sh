# Sourced by the tests in the root folder: functions that build the programs of ctest/ and run them on several ranks. Sets
# the variables of build/mpi.sh, bin (the folder of the programs), lib (the shared library), pure and CFLAGS.
. build/mpi.sh
bin=$PWD/$TARGET/ctest
lib=$PWD/$LIB/libreblock.so
# Cargo's folder for builds without MPI. Both MPIs use Open MPI's folder, which has most of the output already.
pure=target/openmpi
mkdir -p "$bin"
CFLAGS="-O1 -g -std=gnu11 -Wall -Wextra -Werror"

# Prints the next step, and the seconds that the tests have taken so far.
began=${began:-$(date +%s)}
export began
say() { printf '== %s, %d s: %s\n' "$MPI" $(($(date +%s) - began)) "$*"; }
fail() { echo "FAILED ($MPI): $*" >&2; exit 1; }
# shown FILE WHAT...: prints the output of a failed program, and fails.
shown() { log=$1; shift; cat "$log" >&2; fail "$*"; }

# skip WHAT...: reports a test that cannot run here, at once and at the end of tests/run.
skip() { echo "SKIPPED ($MPI): $*" | tee -a "$TARGET/skipped"; }

# plain NAME SOURCES AND FLAGS...: builds a program without the library; linked: with the library; both: also with ScaLAPACK after it.
plain() { name=$1; shift; "$MPICC" $CFLAGS -o "$bin/$name" "$@"; }
linked() { plain "$@" -Iinclude -L"$LIB" -lreblock -Wl,-rpath,"$PWD/$LIB"; }
both() { linked "$@" -L"$LIB" -lreblock $SCALAPACK; }

# netlib: the setting that selects Netlib's BLAS, for programs that compare numbers with ScaLAPACK's. Netlib's BLAS computes as written;
# OpenBLAS may leave out products with NaN, or change the sign of zeros. Empty if Debian's folder has no Netlib BLAS.
netlib=$(ls -d /usr/lib/*/blas 2>/dev/null | head -n 1)
[ -z "$netlib" ] || netlib=LD_LIBRARY_PATH=$netlib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# rust FILE SOURCE FLAGS...: builds a Rust program or library with the existing release library. cargo would build the
# library again.
rust() {
    rustc --edition 2024 -C linker="$MPICC" -C debug-assertions -C overflow-checks -o "$@" \
        --extern reblock="$TARGET/release/libreblock.rlib" -L dependency="$TARGET/release/deps"
}

# A library to preload under MPICH, whose blocking calls never yield a core: ranks that share cores would be very slow.
yield=
if [ "$MPI" = mpich ]; then
    yield=$bin/yield.so
    [ "$yield" -nt ctest/yield.c ] || "$MPICC" $CFLAGS -shared -fPIC -o "$yield" ctest/yield.c -ldl
fi
seconds=300
# run RANKS COMMAND..., for at most $seconds; preload LIBRARY RANKS COMMAND...
run() { ranks=$1; shift; timeout "$seconds" "$MPIRUN" -n "$ranks" env LD_PRELOAD="$yield" "$@"; }
# spawning RANKS COMMAND...: like run, for jobs in which MPI starts processes.
spawning() { ranks=$1; shift; build/spawning "$seconds" "$MPIRUN" -n "$ranks" env LD_PRELOAD="$yield" "$@"; }
preload() { library=$1 ranks=$2; shift 2; timeout "$seconds" "$MPIRUN" -n "$ranks" env LD_PRELOAD="$library:$yield" "$@"; }
