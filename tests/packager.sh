# Sourced after tests/programs.sh by tests that build from the archive of a release like a distribution's build machine:
# as a user other than root, without a network and with an empty environment. Sets archive, the path of the archive, and
# place, a temporary folder that is removed at the end.
can_pack() {
    if [ "$(id -u)" = 0 ]; then
        unshare -n -m true 2>/dev/null && command -v setpriv >/dev/null || { skip "$*: no namespaces can be had"; return 1; }
    else
        unshare -r -n true 2>/dev/null || { skip "$*: no namespaces can be had"; return 1; }
    fi
    for tool in cargo rustc ip; do
        command -v "$tool" >/dev/null || { skip "$*: there is no $tool"; return 1; }
    done
    archive=$PWD/target/dist/reblock-$VERSION.tar.xz
    [ -e "$archive" ] || { skip "$*: there is no archive (make dist)"; return 1; }
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    trap 'exit 1' INT TERM
    chmod 755 "$place"
    mkdir "$place/rust" "$place/home"
    rust=$(rustc --print sysroot)
    # Settings for the speed of cargo's build, if set.
    profile=$(env | grep '^CARGO_PROFILE_' || true)
}

# packager COMMAND...: runs the command as such a user, without a network and with an empty environment. Mounts Rust's
# folder in $place, because the user may have no access to the folder itself.
packager() {
    set -- env -i PATH="$place/rust/bin:/usr/bin:/bin:/usr/sbin:/sbin" HOME="$place/home" LANG=C.UTF-8 $profile "$@"
    if [ "$(id -u)" != 0 ]; then
        rmdir "$place/rust" 2>/dev/null && ln -s "$rust" "$place/rust"
        unshare -r -n sh -c 'ip link set lo up && exec "$@"' sh "$@"
        return
    fi
    chown -R 65534:65534 "$place"
    unshare -n -m sh -c 'ip link set lo up && mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$rust" "$place/rust" \
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
