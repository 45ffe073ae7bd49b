"""pylops-mpi with reblock: `DistributedArray.redistribute` is one move, in which ranks do not exchange one after the other.

    import pylops_mpi
    import reblock.contrib.pylops_mpi

    reblock.contrib.pylops_mpi.install()
    columns = rows.redistribute(axis=1)

Arrays on GPUs are moved by pylops-mpi itself, as before.
"""

from __future__ import annotations

from typing import Any

import numpy

from ._client import Client, Replacement, even_sizes, kept_plan

__all__ = ["install", "installed", "moves", "uninstall"]


def _redistribute(self: Any, axis: int) -> Any:
    """Returns the array cut evenly along another axis, as `DistributedArray.redistribute` of pylops-mpi. Collective."""
    import pylops_mpi

    if self.axis == axis or self.partition is not pylops_mpi.Partition.SCATTER:
        return self
    if self.engine != "numpy":
        return _client.original("redistribute")(self, axis)
    comm, shape, axes = self.base_comm, self.global_shape, len(self.global_shape)
    moved = pylops_mpi.DistributedArray(
        global_shape=shape, base_comm=comm, mask=self.mask, axis=axis, engine=self.engine, dtype=self.dtype
    )
    source = self.axis % axes, [local[self.axis] for local in self.local_shapes]
    target = axis % axes, even_sizes(shape[axis], comm.size)
    # The elements may have another type than the array was made for, as after an assignment of a new local array.
    local = numpy.asarray(self.local_array, moved.local_array.dtype)
    _client.move(kept_plan(comm, shape, source, target, local.dtype), local, moved.local_array)
    return moved


def _replacements() -> list[Replacement]:
    import pylops_mpi

    return [(pylops_mpi.DistributedArray, "redistribute", _redistribute)]


_client = Client(_replacements)
install, uninstall, installed, moves = _client.install, _client.uninstall, _client.installed, _client.moves
