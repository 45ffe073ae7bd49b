"""Maps of JAX's shardings."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Tuple

from ._calls import comm_of, refused, shape_of
from ._errors import ArgumentError, reason
from ._library import lib
from ._map import Map, map_from_boxes
from ._prototypes import Handle
from .placements import Mesh, Replicate, Shard, from_placements

# The first index and the one behind the last, along each axis.
_Box = Tuple[Tuple[int, int], ...]


def _boxes_of(sharding: Any, shape: Sequence[int]) -> dict[Any, _Box]:
    """Returns each device's part of an array."""
    cells = sharding.devices_indices_map(tuple(shape))
    return {device: tuple(along.indices(extent)[:2] for along, extent in zip(box, shape)) for device, box in cells.items()}


def _cells_of(sharding: Any, shape: Sequence[int]) -> tuple[list[int], dict[Any, tuple[int, ...]]]:
    """Returns into how many chunks the sharding cuts each axis, and the place of each device's chunk."""
    # The number of devices is a multiple of the number of chunks of each axis, so each sharding divides such a shape.
    size = len(sharding.device_set)
    boxes = _boxes_of(sharding, [size] * len(shape))
    extents = [max(1, box[axis][1] - box[axis][0]) for box in list(boxes.values())[:1] for axis in range(len(shape))]
    return [size // extent for extent in extents], {
        device: tuple(low // extent for (low, _), extent in zip(box, extents)) for device, box in boxes.items()
    }


def _ranks_of(ranks: Any) -> Callable[[Any], int]:
    if ranks is None:
        return lambda device: device.process_index
    return ranks if callable(ranks) else ranks.__getitem__


def from_jax(sharding: Any, shape: Sequence[int], ranks: Mapping[Any, int] | Callable[[Any], int] | None = None,
             comm: Any = None) -> Map:  # fmt: skip
    """Makes the map of an array of shape `shape` with one of JAX's shardings. `ranks` gives the rank of a device, as a
    dictionary or a function; by default it is the device's process. JAX refuses most arrays that a sharding does not
    divide evenly. In their maps, chunks are of ⌈n/p⌉ indices, and the last ones may be smaller or empty.

    If each rank has one part of the array, perhaps on several devices, its part in the map has the same shape, and there
    may be copies on several ranks. If a rank has several parts, they are boxes, in the order of the devices in
    `sharding.devices_indices_map(shape)`: see `Map.split`. Then no part may be on two ranks. Collective over `comm`,
    which is MPI.COMM_WORLD by default.

    >>> mesh = jax.make_mesh((2, 2), ("x", "y"))
    >>> sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("y", None))
    >>> map = reblock.from_jax(sharding, (8, 6))
    """
    comm, handle = comm_of(comm, "from_jax(sharding, shape, ranks, comm=comm)", sharding, shape, ranks)
    mesh: Any = None
    placements: list[Any] = []
    try:
        shape, rank_of = shape_of(shape), _ranks_of(ranks)
        if getattr(getattr(sharding, "spec", None), "unreduced", None):
            raise ArgumentError(f"{sharding} has values that are still to be combined: use from_placements with Partial")
        counts, cells = _cells_of(sharding, shape)
        # The ranks of each chunk; a rank with several devices has a chunk once.
        owners: dict[tuple[int, ...], list[int]] = {}
        for device, cell in cells.items():
            rank = rank_of(device)
            if rank not in owners.setdefault(cell, []):
                owners[cell].append(rank)
        of_rank = [rank for each in owners.values() for rank in each]
        copies = max(map(len, owners.values()))
        if len(set(of_rank)) == len(of_rank) == math.prod(counts) * copies:
            grid = [rank for cell in sorted(owners) for rank in owners[cell]]
            mesh = Mesh([*counts, copies], grid)
            placements = [*map(Shard, range(len(shape))), Replicate()]
        elif copies > 1:
            raise ArgumentError(f"{sharding} has copies of a part on several ranks of which each has several parts:"
                             " expected one part for each rank, or no copies")
        else:
            own = [cell for cell in owners if owners[cell] == [comm.rank]]
            sizes = [-(-extent // count) for extent, count in zip(shape, counts)]
            boxes = [tuple(slice(min(k * size, extent), min((k + 1) * size, extent)) for k, size, extent in zip(cell, sizes, shape))
                     for cell in own]  # fmt: skip
    except Exception as bad:
        nothing = -1, None, None, ctypes.byref(Handle())
        raise refused(reason(bad), lib.reblock_procs_create_fortran, handle, *nothing) from bad
    return from_placements(mesh, placements, shape, comm) if mesh else map_from_boxes(shape, boxes, comm)
