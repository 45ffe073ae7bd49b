#!/bin/sh
# Builds and measures kernels for an NVIDIA GPU: exactness, GB/s, slots in shared memory, several processes on one GPU, and facts of the
# driver. The kernels are the library's. On a machine without a GPU this only builds them.
#
#   NVRTC    path of libnvrtc.so, if the Python package nvidia-cuda-nvrtc-cu11 is not installed
#   PTX      PTX or a cubin made elsewhere; NVRTC is then not needed
#   PARTS    the parts to run, default "exact facts ipc slots speed"
#   TUNE     if set, also time many shapes of tiles
#
# benches/gpu.sh PROGRAM PTX: without a compiler, with files built elsewhere.
set -eu
cd "$(dirname "$0")/.."
if [ $# = 2 ]; then
    gpu=$1 PTX=$2
else
    out=target/gpu
    mkdir -p "$out"
    flags="-O2 -g -Wall -Wextra -Werror -Wno-unknown-pragmas -ffp-contract=off"
    c++ $flags -std=c++17 -Isrc/pack/backend/device/kernels -c -o "$out/cpu.o" benches/gpu/cpu.cc
    gpu=$out/gpu
    cc $flags -std=gnu11 -Isrc/pack/backend/device/kernels -o "$gpu" $(ls benches/gpu/*.c | grep -v on_cpu) "$out/cpu.o" -ldl -lpthread
    if [ -z "${PTX:-}" ]; then
        PTX=$out/kernels.ptx
        "${PYTHON:-python3}" build/ptx benches/gpu/bench.cu src/pack/backend/device/kernels "$PTX"
    fi
fi
export PTX
if ! command -v nvidia-smi >/dev/null; then
    echo "built: $gpu, $PTX; there is no NVIDIA driver here"
    exit 0
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
for part in ${PARTS:-exact facts ipc slots speed}; do
    echo "== $part"
    case $part in
        exact) "$gpu" exact 2000 ;;
        facts)
            CUDA_CACHE_DISABLE=1 "$gpu" facts
            CUDA_CACHE_DISABLE=1 "$gpu" load "$PTX"
            ;;
        ipc) for processes in 1 2 4; do "$gpu" ipc $processes; done ;;
        *) "$gpu" "$part" ;;
    esac
done
