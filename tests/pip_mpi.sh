# Sourced after tests/programs.sh: MPIs that Debian does not have, from PyPI, in environments outside of this folder.

# pip_mpi NAME VERSION: sets place, the environment that has it; or says why there is none, and fails.
pip_mpi() {
    place=${XDG_CACHE_HOME:-$HOME/.cache}/reblock/$1-$2
    # An installation may be broken off: the last thing in it is a mark.
    if [ ! -e "$place/whole" ]; then
        log=${TMPDIR:-/tmp}/reblock-pip.$$
        rm -rf "$place"
        install="timeout 300 $place/bin/pip -q --disable-pip-version-check --retries 1 install"
        if python3 -m venv "$place" >"$log" 2>&1 && $install "$1==$2" >"$log" 2>&1; then
            touch "$place/whole"
        else
            rm -rf "$place"
            skip "$1 $2: pip cannot install it ($(tail -n 1 "$log"))"
        fi
        rm -f "$log"
    fi
    [ -e "$place/whole" ]
}
