# Sourced after build/mpi.sh: finds a Python with NumPy, and mpi4py for this MPI. Sets python to a command with the
# paths of the folder python and of the library, and mpi_libraries to the path by which mpi4py finds MPI. If there is no
# such Python, sets python to an empty string, and the variable why to the reason. Debian has mpi4py for Open MPI; for
# MPICH, pip installs it outside of this folder.
mpi4py=4.1.1
why=
mpi_libraries=
modules=numpy
[ "$MPI" = mpich ] || modules="numpy, mpi4py.MPI"
# Try the system's Python, too: it may have the packages, although PATH has another Python first.
for python in python3 /usr/bin/python3 ""; do
    [ -n "$python" ] && ! "$python" -c "import $modules" 2>/dev/null || break
done
[ -n "$python" ] || why="no Python has $modules"
export PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
if [ -n "$python" ] && [ "$MPI" = mpich ]; then
    place=${XDG_CACHE_HOME:-$HOME/.cache}/reblock/mpi4py-$mpi4py
    # An installation may be interrupted, so its last step makes the file `whole`.
    if [ ! -e "$place/whole" ]; then
        rm -rf "$place"
        log=${TMPDIR:-/tmp}/reblock-mpi4py.$$
        if "$python" -m venv --system-site-packages "$place" >"$log" 2>&1 && timeout 300 "$place/bin/pip" -q --retries 1 \
            --disable-pip-version-check install --ignore-installed --only-binary :all: "mpi4py==$mpi4py" >"$log" 2>&1; then
            touch "$place/whole"
        else
            rm -rf "$place"
            why="pip cannot install mpi4py $mpi4py ($(tail -n 1 "$log"))"
        fi
        rm -f "$log"
    fi
    python=$place/bin/python
    if [ -z "$why" ]; then
        # The package looks for MPICH's library by MPICH's name; Debian has another name.
        ln -sf "$(ldd "$LIB/libreblock.so" | sed -n 's/.*libmpich\.so.* => \([^ ]*\).*/\1/p')" "$place/lib/libmpi.so.12"
        mpi_libraries=:$place/lib
        export MPI4PY_MPIABI=mpich
        modules="numpy, mpi4py.MPI"
    fi
fi
export LD_LIBRARY_PATH=$PWD/$LIB$mpi_libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[ -n "$why" ] || "$python" -c "import $modules" 2>/dev/null || why="$python cannot import $modules"
[ -z "$why" ] || python=
