# Sourced by the network benchmarks in the root folder: ends the benchmark $bench unless it can make network namespaces.
if [ "$(id -u)" != 0 ]; then
    echo "$bench: network namespaces need root; please run: sudo make $bench" >&2
    exit 1
fi
for tool in ip bridge tc flock unshare; do
    command -v $tool >/dev/null || { echo "$bench: $tool is missing; on Debian: apt-get install iproute2 util-linux" >&2; exit 1; }
done
