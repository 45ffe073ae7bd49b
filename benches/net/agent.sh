#!/bin/sh
# Remote shell of the emulated cluster, for mpirun: agent.sh [-OPTIONS] 10.77.A.B COMMAND... runs COMMAND on host
# 256 A + B.
set -eu
while :; do
    case $1 in
        -l | -p | -o) shift 2 ;;
        -*) shift ;;
        *) break ;;
    esac
done
address=${1#*@}
shift
case $address in
    10.77.*.*) ;;
    *) echo "agent: $address is no host of the emulated cluster" >&2; exit 255 ;;
esac
low=${address##*.} high=${address%.*} high=${high##*.}
host=$((high * 256 + low))
exec ip netns exec "rbnet-$host" unshare --uts sh -c "hostname rbnet$host; $*"
