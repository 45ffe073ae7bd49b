"""Tests a job of several JAX processes: each rank has the shards of its own devices, and reblock moves arrays between shardings.

    JAX_PLATFORMS=cpu XLA_FLAGS=--xla_force_host_platform_device_count=2 mpirun -n 2 python ptest/jax_processes.py"""

import socket

import jax
import numpy
import reblock
from jax.sharding import NamedSharding, PartitionSpec
from mpi4py import MPI

comm = MPI.COMM_WORLD
SHAPE = (24, 48)
PAIRS = [
    (("x", None), (None, "x")),
    (("x", "y"), ("y", "x")),
    ((("x", "y"), None), (None, ("x", "y"))),
    ((None, "x"), ()),
]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def part(sharding, data_of):
    """Returns this rank's part in the map of a sharding: the data of the rank's devices, each box once."""
    boxes = {}
    for device, box in sharding.devices_indices_map(SHAPE).items():
        if device.process_index == comm.rank:
            place = tuple(along.indices(extent)[:2] for along, extent in zip(box, SHAPE))
            boxes.setdefault(place, numpy.asarray(data_of(device, box)))
    parts = list(boxes.values())
    return numpy.ascontiguousarray(parts[0]) if len(parts) == 1 else numpy.concatenate([each.ravel() for each in parts])


def main():
    jax.distributed.initialize(f"127.0.0.1:{comm.bcast(free_port())}", comm.size, comm.rank)
    assert jax.process_count() == comm.size
    mesh = jax.sharding.Mesh(numpy.array(jax.devices()).reshape(comm.size, -1), ("x", "y"))
    whole = numpy.arange(numpy.prod(SHAPE), dtype=numpy.float32).reshape(SHAPE)
    moves = 0
    for pair in PAIRS:
        for before, after in (pair, pair[::-1]):
            source, target = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in (before, after))
            array = jax.make_array_from_callback(SHAPE, source, lambda box: whole[box])
            shards = {shard.device: shard.data for shard in array.addressable_shards}
            maps = reblock.from_jax(source, SHAPE), reblock.from_jax(target, SHAPE)
            moved = reblock.redistribute(part(source, lambda device, _, shards=shards: shards[device]), *maps)
            expected = part(target, lambda _, box: whole[box])
            assert moved.shape == expected.shape and (moved == expected).all(), f"rank {comm.rank}: {before} to {after}"
            moves += 1
    if comm.rank == 0:
        print(f"JAX: {comm.size} processes, {jax.device_count()} devices, {moves} moves")


try:
    main()
except BaseException as error:
    print(f"rank {comm.rank}: {error!r}", flush=True)
    comm.Abort(1)
