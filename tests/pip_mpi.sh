# Sourced after tests/programs.sh: installs MPIs that Debian lacks from PyPI, in environments outside of this folder.

# pip_mpi NAME VERSION [PACKAGE...]: sets place to the environment with this MPI and the packages. If the installation fails, prints the
# reason and fails.
pip_mpi() {
    pip_name=$1 pip_version=$2
    shift 2
    place=${XDG_CACHE_HOME:-$HOME/.cache}/reblock/$pip_name-$pip_version
    # An installation may be interrupted, so its last step makes the file `whole`.
    if [ ! -e "$place/whole" ]; then
        log=${TMPDIR:-/tmp}/reblock-pip.$$
        rm -rf "$place"
        install="timeout 900 $place/bin/pip -q --disable-pip-version-check --retries 1 install"
        if python3 -m venv "$place" >"$log" 2>&1 && $install "$pip_name==$pip_version" "$@" >"$log" 2>&1; then
            touch "$place/whole"
        else
            rm -rf "$place"
            skip "$pip_name $pip_version: pip cannot install it ($(tail -n 1 "$log"))"
        fi
        rm -f "$log"
    fi
    [ -e "$place/whole" ]
}
