"""Meshes and placements: the layouts of PyTorch's DTensor, as maps."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any, List, Tuple, Union

import numpy

from ._calls import comm_of, must, numbers_of, refused, shape_of
from ._errors import ArgumentError, reason
from ._library import lib
from ._map import Map
from ._prototypes import Handle, array_of

# A run is the first index of neighbouring indices, and the one behind the last.
_Runs = List[Tuple[int, int]]
OPERATIONS = ("sum", "avg", "min", "max", "product", "band", "bor", "bxor")


@dataclasses.dataclass(frozen=True)
class Mesh:
    """A grid of ranks of a communicator. Without `ranks`, these are ranks 0, 1, 2, …, row by row.

    >>> reblock.Mesh((2, 3))                        # ranks 0 to 5
    >>> reblock.Mesh((2, 2), [[4, 5], [6, 7]])      # ranks 4 to 7, for instance those of another program
    """

    shape: tuple[int, ...]
    ranks: tuple[int, ...] | None = None

    def __init__(self, shape: int | Iterable[int], ranks: Any = None) -> None:
        axes = numbers_of((shape,) if isinstance(shape, int) else shape, "a mesh of shape")
        if any(extent < 1 for extent in axes):
            raise ArgumentError(f"a mesh of shape {axes}, expected extents of at least 1")
        if ranks is not None:
            given = numpy.asarray(ranks)
            if given.size != math.prod(axes):
                raise ArgumentError(f"a mesh of shape {axes} with {given.size} ranks, expected {math.prod(axes)}")
            ranks = numbers_of(given.ravel().tolist(), "a mesh of ranks")
        object.__setattr__(self, "shape", axes)
        object.__setattr__(self, "ranks", ranks)

    def grid(self) -> numpy.ndarray:
        """Returns the rank at each place of the mesh."""
        ranks = numpy.arange(math.prod(self.shape)) if self.ranks is None else numpy.array(self.ranks, int)
        return ranks.reshape(self.shape)


@dataclasses.dataclass(frozen=True)
class Shard:
    """Cuts dimension `dim` of a tensor along a mesh axis, as `torch.chunk` does: into chunks of ⌈n/p⌉ indices. So the
    last chunk may be smaller, and the last ranks may have none.

    >>> reblock.from_placements((4,), [reblock.Shard(0)], (10, 3))      # 3, 3, 3 and 1 rows
    """

    dim: int


@dataclasses.dataclass(frozen=True)
class StridedShard:
    """Cuts dimension `dim` first into `split_factor` chunks, and each of these into a chunk for each rank of the mesh
    axis: DTensor's `_StridedShard`. A later placement usually takes the `split_factor` chunks apart.

    >>> # FSDP after tensor parallelism: axis 1 of the mesh cuts the rows first, and axis 0 cuts the results.
    >>> reblock.from_placements((2, 2), [reblock.StridedShard(0, split_factor=2), reblock.Shard(0)], (8, 8))
    """

    dim: int
    split_factor: int = 1


@dataclasses.dataclass(frozen=True)
class Replicate:
    """Each rank along a mesh axis has a copy. A source is read from any copy; all copies of a target are written.

    >>> reblock.from_placements((2, 3), [reblock.Shard(0), reblock.Replicate()], (10, 3))
    """


@dataclasses.dataclass(frozen=True)
class Partial:
    """Each rank along a mesh axis has values that are still to be combined: their "sum", "avg", "min", "max",
    "product", "band", "bor" or "bxor". `redistribute` combines them.

    >>> partial = reblock.from_placements((4,), [reblock.Partial("sum")], (10, 3))
    """

    reduce_op: str = "sum"


Placement = Union[Shard, StridedShard, Replicate, Partial]


@dataclasses.dataclass(frozen=True)
class Layout:
    """A mesh, the placement along each of its axes, and the shape of a tensor."""

    mesh: Mesh
    placements: tuple[Placement, ...]
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{', '.join(map(repr, self.placements)) or 'no placement'} on a mesh of shape {self.mesh.shape}"

    def partial_axes(self) -> list[int]:
        """Returns the axes of the mesh along which values are to be combined."""
        return [axis for axis, placement in enumerate(self.placements) if isinstance(placement, Partial)]


def _mesh_of(mesh: Any) -> Mesh:
    """Returns a mesh that is given by its shape, or as PyTorch's DeviceMesh."""
    if isinstance(mesh, Mesh):
        return mesh
    if hasattr(mesh, "mesh"):
        ranks = numpy.asarray(mesh.mesh)
        return Mesh(ranks.shape, ranks)
    return Mesh(mesh)


def _placement_of(placement: Any, axes: int) -> Placement:
    """Returns a placement that is given as one of this module's, or of PyTorch's. Negative dimensions count from the
    end of `axes`."""
    name = type(placement).__name__
    if name == "Replicate":
        return Replicate()
    if name in ("Partial", "_Partial"):
        operation = str(placement.reduce_op).rpartition(".")[2].lower()
        if operation not in OPERATIONS:
            raise ArgumentError(f"the operation of {placement!r}, expected one of {', '.join(OPERATIONS)}")
        return Partial(operation)
    if name not in ("Shard", "StridedShard", "_StridedShard"):
        raise ArgumentError(f"the placement {placement!r}, expected Shard, StridedShard, Replicate or Partial")
    dim = operator.index(placement.dim)
    if not -axes <= dim < axes:
        raise ArgumentError(f"the placement {placement!r} of a tensor with {axes} dimensions")
    if name == "Shard":
        return Shard(dim % axes)
    factor = operator.index(placement.split_factor)
    if factor < 1:
        raise ArgumentError(f"the placement {placement!r}, expected a split_factor of at least 1")
    return StridedShard(dim % axes, factor)


def layout_of(mesh: Any, placements: Sequence[Any], shape: Sequence[int]) -> Layout:
    """Checks a mesh, placements and a shape."""
    layout = Layout(_mesh_of(mesh), tuple(_placement_of(placement, len(shape)) for placement in placements), shape_of(shape))
    if len(layout.placements) != len(layout.mesh.shape):
        axes = len(layout.mesh.shape)
        raise ArgumentError(f"{len(layout.placements)} placements on a mesh of shape {layout.mesh.shape}, expected {axes}")
    operations = {placement.reduce_op for placement in layout.placements if isinstance(placement, Partial)}
    if len(operations) > 1 and operations != {"sum", "avg"}:
        raise ArgumentError(f"partial values of several operations ({', '.join(sorted(operations))}): their order would matter")
    return layout


def _cut(runs: _Runs, start: int, stop: int) -> _Runs:
    """Returns positions `start` to `stop` of the indices of some runs."""
    part, at = [], 0
    for low, high in runs:
        first, last = max(low, low + start - at), min(high, low + stop - at)
        if first < last:
            part.append((first, last))
        at += high - low
    return part


def _chunks(runs: _Runs, count: int) -> list[_Runs]:
    """Divides the indices of some runs as `torch.chunk` does, with empty chunks at the end."""
    size = -(-sum(high - low for low, high in runs) // count)
    return [_cut(runs, k * size, (k + 1) * size) for k in range(count)]


def _shards(runs: _Runs, placement: Any, count: int) -> list[_Runs]:
    """Returns the shards of some runs along a mesh axis of `count` ranks."""
    if isinstance(placement, Shard):
        return _chunks(runs, count)
    pieces = [_chunks(piece, count) for piece in _chunks(runs, placement.split_factor)]
    return [_joined([run for piece in pieces for run in piece[k]]) for k in range(count)]


def _joined(runs: _Runs) -> _Runs:
    """Joins runs that follow each other without a gap."""
    joined: _Runs = []
    for low, high in runs:
        if joined and joined[-1][1] == low:
            low = joined.pop()[0]
        joined.append((low, high))
    return joined


def _distribute(template: Any, dim: int, axis: int, extent: int, parts: list[_Runs]) -> None:
    """Distributes an axis of a template along `axis` of the arrangement: the process at coordinate k gets `parts[k]`."""
    sizes = [sum(high - low for low, high in part) for part in parts]
    owners = sorted((low, high, k) for k, part in enumerate(parts) for low, high in part)
    block = -(-extent // len(parts))
    if any(len(part) > 1 for part in parts) or [k for _, _, k in owners] != sorted(k for _, _, k in owners):
        lists = [k for _, _, k in owners], [high - low for low, high, _ in owners]
        must(lib.reblock_template_dist_indirect_runs(template, dim, axis, len(owners), *(array_of(each) for each in lists)))
    elif sizes == [max(0, min(block, extent - k * block)) for k in range(len(parts))]:
        must(lib.reblock_template_dist_block(template, dim, axis, 0))
    else:
        must(lib.reblock_template_dist_gen_block(template, dim, axis, len(sizes), array_of(sizes)))


def map_of(comm: Any, layout: Layout, single: Iterable[int] = ()) -> Map:
    """Makes the map of a layout. Partial values are placed as copies are. Along the mesh axes `single`, only the first
    rank has a part. Collective."""
    extents, grid, order, parts = layout.shape, layout.mesh.grid(), [], {}
    for axis in single:
        grid = grid.take([0], axis)
    # The ranks that cut one dimension become one axis of the arrangement; then come the axes with copies.
    for dim, extent in enumerate(extents):
        cut = [axis for axis, placement in enumerate(layout.placements) if getattr(placement, "dim", None) == dim]
        runs = [[(0, extent)] if extent else []]
        for axis in cut:
            runs = [shard for part in runs for shard in _shards(part, layout.placements[axis], grid.shape[axis])]
        if len(runs) > 1:
            parts[dim] = runs
            order += cut
    shape = [len(runs) for runs in parts.values()]
    copies = [axis for axis in range(grid.ndim) if axis not in order and grid.shape[axis] > 1]
    ones = [axis for axis in range(grid.ndim) if axis not in order and axis not in copies]
    ranks = grid.transpose(order + copies + ones).ravel().tolist()
    shape += [grid.shape[axis] for axis in copies]

    procs, template, columns, rows = (Handle() for _ in range(4))
    try:
        must(lib.reblock_procs_create_fortran(comm.py2f(), len(shape), array_of(shape), array_of(ranks), ctypes.byref(procs)))
        bounds = array_of([0] * len(extents)), array_of(extent - 1 for extent in extents)
        try:
            must(lib.reblock_template_create(procs, len(extents), *bounds, ctypes.byref(template)))
            for axis, (dim, runs) in enumerate(parts.items()):
                _distribute(template, dim, axis, extents[dim], runs)
        except Exception as bad:
            raise refused(reason(bad), lib.reblock_template_commit, None) from bad
        must(lib.reblock_template_commit(template))
        must(lib.reblock_map_whole(template, ctypes.byref(columns)))
        must(lib.reblock_map_row_major(columns, ctypes.byref(rows)))
    finally:
        for handle, kind in ((columns, "map"), (template, "template"), (procs, "procs")):
            getattr(lib, f"reblock_{kind}_free")(ctypes.byref(handle))
    return Map._of(rows, comm, extents, str(layout))


def from_placements(mesh: Any, placements: Sequence[Any], shape: Sequence[int], comm: Any = None) -> Map:
    """Makes the map of a tensor of shape `shape` that lies on a mesh as the placements say, one for each axis of the
    mesh: `Shard`, `StridedShard`, `Replicate` or `Partial`. Several axes may cut one dimension, one after the other.
    `mesh` is the mesh's shape, a `Mesh`, or PyTorch's DeviceMesh; placements may be PyTorch's. A rank's part is what
    DTensor calls its local tensor. Collective over `comm`, which is MPI.COMM_WORLD by default.

    >>> by_rows = reblock.from_placements((2, 2), [reblock.Shard(0), reblock.Shard(0)], (10, 3))
    >>> by_rows.local_shape     # (3, 3) on rank 0, (2, 3) on rank 1
    """
    comm, handle = comm_of(comm, "from_placements(mesh, placements, shape, comm=comm)", mesh, placements, shape)
    try:
        layout = layout_of(mesh, placements, shape)
    except Exception as bad:
        nothing = -1, None, None, ctypes.byref(Handle())
        raise refused(reason(bad), lib.reblock_procs_create_fortran, handle, *nothing) from bad
    made = map_of(comm, layout)
    made._placed = layout
    return made
