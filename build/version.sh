# Sourced by the scripts: which version is this? Sets VERSION, as in Cargo.toml, and ABI, the part of it that the names of libraries
# have: as long as the first number is 0, it has the second one. build.rs says the same.
VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
case $VERSION in
    0.*) ABI=${VERSION%.*} ;;
    *) ABI=${VERSION%%.*} ;;
esac
