# Sourced by the scripts: sets VERSION, as in Cargo.toml, and ABI, the part of the version in the names of libraries.
# While the first number is 0, ABI includes the second number, as in build.rs.
VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
case $VERSION in
    0.*) ABI=${VERSION%.*} ;;
    *) ABI=${VERSION%%.*} ;;
esac
