"""Moves of tensors between maps of placements: values that are partial are combined on the way."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from ._arrays import Side, address_of, sides
from ._calls import comm_of, refused
from ._device import DeviceArray, call, common_stream
from ._errors import ArgumentError, MismatchError, reason
from ._library import lib
from ._map import Map
from ._plan import NUMBERS, Plan, update_of
from ._prototypes import Handle
from ._torch import as_tensor, detached, is_tensor, named_type, narrowed, type_name, types_of, widened
from .placements import Layout, Partial, Placement, Replicate, Shard, StridedShard, map_of

# Operations for which the library combines the copies of a source while it moves them.
_COMBINED = {"sum": "add", "avg": "add", "min": "minimum", "max": "maximum"}
# All operations, for values that lie side by side in one array.
_REDUCED = {
    "sum": numpy.add, "avg": numpy.add, "min": numpy.minimum, "max": numpy.maximum, "product": numpy.multiply,
    "band": numpy.bitwise_and, "bor": numpy.bitwise_or, "bxor": numpy.bitwise_xor,
}  # fmt: skip


def _partial(layout: Layout | None) -> dict[int, tuple[str, int]]:
    """Returns the operation and the number of ranks for each mesh axis with partial values."""
    if layout is None:
        return {}
    return {axis: (each.reduce_op, layout.mesh.shape[axis]) for axis, each in enumerate(layout.placements) if isinstance(each, Partial)}


def _stacked(layout: Layout, axes: Sequence[int], spread: Sequence[int] = ()) -> Layout:
    """Returns the layout of an array with more dimensions in front of those of `layout`. Along the first ones, the rank
    at coordinate k of each of these mesh axes has index k. All ranks have all indices of the others, whose extents are
    `spread`. No value is partial."""
    placements: list[Placement] = []
    for axis, placement in enumerate(layout.placements):
        if axis in axes:
            placements.append(Shard(axes.index(axis)))
        elif isinstance(placement, (Shard, StridedShard)):
            placements.append(dataclasses.replace(placement, dim=placement.dim + len(axes) + len(spread)))
        else:
            placements.append(Replicate())
    extents = [layout.mesh.shape[axis] for axis in axes]
    return Layout(layout.mesh, tuple(placements), (*extents, *spread, *layout.shape))


class Redistribution:
    """The move of tensors with elements of type `dtype` from one map to another, for any number of tensors. The
    type is NumPy's or PyTorch's. Partial values of the source are combined: "sum", "avg", "min" and "max" of
    integers and floating-point numbers of 4 or 8 bytes (sums also of complex numbers) while they are moved; for all
    other operations and types a rank gets the values of all ranks along the mesh axis, and combines them. (Types
    that only PyTorch has, such as bfloat16, are combined as numbers of 4 bytes, and rounded once.) The order is
    that of the ranks along the axis, so results are the same each time. Partial values stay as they are if the
    target has the same placement along the same axis; a target cannot be made partial. Collective.

    >>> source = reblock.from_placements((4,), [reblock.Partial("sum")], (10, 3))
    >>> target = reblock.from_placements((4,), [reblock.Shard(0)], (10, 3))
    >>> reduce_scatter = reblock.Redistribution(source, target, "float32")
    >>> rows = reduce_scatter.move(numpy.ones((10, 3), "float32"))      # all elements are 4
    """

    _operation: str | None = None
    """How the plan combines copies."""
    _reduce: Any = None
    _axes: tuple[int, ...] = ()
    """How values are combined that the plan has put side by side, along these axes."""
    _divisor = 1

    def __init__(self, source: Map, target: Map, dtype: Any, comm: Any = None) -> None:
        self.comm, handle = comm_of(comm, "Redistribution(source, target, dtype, comm=comm)", source, target, dtype)
        self.source, self.target = source, target
        try:
            self.dtype, self._narrow = types_of(dtype)
            makers = self._chosen(source._placed, target._placed)
        except Exception as bad:
            nothing = None, None, None, None, -1, None, ctypes.byref(Handle())
            raise refused(reason(bad), lib.reblock_plan_create_fortran, handle, *nothing) from bad
        before, after = (make() for make in makers)
        self._plan = Plan(before, after, self.dtype, copies=self._operation is not None, comm=self.comm)

    def _chosen(self, source: Layout | None, target: Layout | None) -> list[Callable[[], Map]]:
        """Chooses how partial values are combined. Returns functions that make the maps of the plan."""
        partial, kept = _partial(source), list(_partial(target))
        for axis, (operation, ranks) in _partial(target).items():
            if partial.get(axis) != (operation, ranks):
                raise ArgumentError(f"values become partial ({operation!r}) along axis {axis} of the target's mesh, expected a source"
                                    " with the same placement and as many ranks along this axis")
        makers = [self._maker(self.source, kept), self._maker(self.target, kept)]
        # With one rank, nothing is to be combined.
        combined = {axis: each for axis, each in partial.items() if axis not in kept and each[1] > 1}
        if source is None or not combined:
            return makers
        operations = {operation for operation, _ in combined.values()}
        computed = numpy.dtype("float32") if self._narrow and self._narrow.is_floating_point else self.dtype
        if "avg" in operations and computed.kind not in "fc":
            raise ArgumentError(f"an average of elements of type {self.dtype}, expected floating-point numbers")
        self._divisor = math.prod([ranks for operation, ranks in combined.values() if operation == "avg"])
        operation = operations.pop() if len(operations) == 1 else "sum"
        if self.dtype in NUMBERS and operation in _COMBINED and (self.dtype.kind != "c" or operation in ("sum", "avg")):
            self._operation = _COMBINED[operation]
            copies = [axis for axis, placement in enumerate(source.placements) if isinstance(placement, Replicate)]
            return [functools.partial(map_of, self.comm, _stacked(source, kept), copies), makers[1]]
        if target is None:
            raise ArgumentError(f"{operation!r} of elements of type {self.dtype}, expected a target of from_placements")
        self._reduce = _REDUCED[operation]
        try:
            self._reduce(*numpy.zeros((2, 1), computed))
        except TypeError:
            raise ArgumentError(f"{operation!r} of elements of type {self.dtype}, which NumPy does not compute") from None
        self._axes = tuple(range(len(kept), len(kept) + len(combined)))
        after = _stacked(target, kept, [ranks for _, ranks in combined.values()])
        return [functools.partial(map_of, self.comm, each) for each in (_stacked(source, [*kept, *combined]), after)]

    def _maker(self, map: Map, kept: Sequence[int]) -> Callable[[], Map]:
        """Returns a function that makes the map of values that stay partial along some axes of the mesh. If there are
        none, this is the map itself."""
        if map._placed and _partial(map._placed):
            return functools.partial(map_of, self.comm, _stacked(map._placed, kept))
        return lambda: map

    def _close(self, target: Side, moved: numpy.ndarray) -> Any:
        """Completes one move, and returns its result. `moved` has the elements that the plan has moved."""
        values = moved
        storage: Any = target.storage
        if self.target.has_part and self._axes:
            values = widened(values, self._narrow) if self._narrow else values
            values = self._reduce.reduce(values, self._axes, dtype=values.dtype)
        if self._divisor > 1:
            values = values / values.dtype.type(self._divisor)
        if self.target.has_part and values is not storage:
            values = narrowed(values, self._narrow) if self._axes and self._narrow else values
            storage[...] = values.reshape(storage.shape)
        return target.finish()

    def move(self, local: Any, out: Any = None) -> Any:
        """Moves this rank's local tensor, and returns its local tensor of the target: `out` if that is given."""
        return move_together([self], [local], [out])[0]


def move_together(moves: Sequence[Redistribution], tensors: Sequence[Any], outs: Sequence[Any] | None = None) -> list[Any]:
    """Moves one local tensor for each `Redistribution`, all of them in one set of messages. All of them must have been
    made with one communicator. Returns the local tensors of the targets: those of `outs`, if that is given. Collective.

    >>> a, b = reblock.move_together([rows_to_columns, rows_to_copies], [a, b])
    """
    moves = list(moves)
    handles, sources, targets, updates = ((Handle * (len(moves) + 1))() for _ in range(4))
    for k, move in enumerate(moves):
        handles[k] = move._plan._held
    # The library uses arrays and updates until the call returns.
    kept: list[Any] = []
    try:
        tensors, outs = list(tensors), [None] * len(moves) if outs is None else list(outs)
        if len(tensors) != len(moves) or len(outs) != len(moves):
            raise ArgumentError(f"{len(tensors)} local tensors and {len(outs)} results of {len(moves)} redistributions")
        for k, (move, tensor, out) in enumerate(zip(moves, tensors, outs)):
            plan = move._plan
            plan._check_open()
            source, target = sides(detached(tensor), out, move.dtype, move.source, move.target)
            if isinstance(target.storage, DeviceArray) and (move._axes or move._divisor > 1):
                raise ArgumentError("out is in the memory of a GPU, but NumPy computes its values: expected memory of the host")
            moved = numpy.empty(plan.target.local_shape, move.dtype) if move._axes else target.storage
            update = update_of(move.dtype, 1, 0, move._operation, False) if move._operation else None
            kept.append((source, target, moved, update))
            sources[k] = address_of(source.storage) if plan.source.has_part else None
            targets[k] = address_of(moved) if plan.target.has_part else None
            updates[k] = ctypes.addressof(update[0]) if update else None
        stream = common_stream([side for source, target, *_ in kept for side in (source, target)])
    except Exception as bad:
        if not moves:
            raise
        raise refused(reason(bad), lib.reblock_plan_update_many, len(moves), handles, None, None, None) from bad
    call(stream, lib.reblock_plan_update_many, len(moves), handles, sources, targets, updates)
    results = [move._close(target, moved) for move, (_, target, moved, _) in zip(moves, kept)]
    return [as_tensor(result, tensor.dtype) if out is None and is_tensor(tensor) else result for result, tensor, out in zip(results, tensors, outs)]


def _types_of(comm: Any, tensors: Sequence[Any], ends: Sequence[tuple[Map, Map]]) -> list[tuple[int, Any]]:
    """Returns for each tensor the first one with the same maps, and the type of its elements. Collective: a rank without
    a local tensor gets the type from another rank, and all ranks return the same list or raise the same exception."""
    why = f"{len(tensors)} local tensors and {len(ends)} pairs of maps" if len(tensors) != len(ends) else ""
    own: list[tuple[int, Any]] = []
    first: dict[Any, int] = {}
    for k, tensor in enumerate(tensors):
        alike = first.setdefault(tuple(map(id, ends[k])), k) if k < len(ends) else k
        try:
            own.append((alike, None if tensor is None else type_name(tensor)))
        except Exception as bad:
            why = why or reason(bad)
    everyone = comm.allgather((why, own))
    for rank, (why, given) in enumerate(everyone):
        if why or len(given) != len(own):
            raise ArgumentError(f"rank {rank}: {why or 'another number of tensors'}")
    result = []
    for k in range(len(own)):
        types = {given[k][1] for _, given in everyone} - {None}
        if len(types) > 1:
            names = sorted(name or str(bare) for bare, name in types)
            raise MismatchError(f"ranks have elements of different types: {', '.join(names)}")
        firsts = {given[k][0] for _, given in everyone}
        result.append((firsts.pop() if len(firsts) == 1 else k, types.pop() if types else (numpy.dtype(numpy.uint8), "")))
    return result


def redistribute(local: Any, source: Map, target: Map, out: Any = None, comm: Any = None) -> Any:
    """Moves this rank's local tensor from one map to another, and returns its local tensor of the target: `out` if that
    is given. `local` is a NumPy array or a PyTorch tensor, and so is the result; without `out` it is in the host's memory. A rank that has
    no part of the source passes None, or an empty tensor; a rank that has no part of the target gets an empty one.
    Source and target may be on any ranks of the communicator `comm`, which is the source's by default. Partial values
    are combined, see `Redistribution`, which also saves repeated moves the planning. Collective.

    >>> from reblock import Replicate, Shard, from_placements, redistribute
    >>> rows = from_placements((2, 2), [Shard(0), Replicate()], (10, 3))
    >>> columns = from_placements((4,), [Shard(1)], (10, 3))
    >>> local = redistribute(numpy.ones((5, 3)), rows, columns)
    """
    return redistribute_many([local], [source], [target], [out], comm)[0]


def redistribute_many(tensors: Sequence[Any], sources: Sequence[Map], targets: Sequence[Map], outs: Sequence[Any] | None = None,
                      comm: Any = None) -> list[Any]:  # fmt: skip
    """Does what `redistribute` does for several tensors, all of them in one set of messages. Tensors with the same two
    maps and the same type share a plan. Collective.

    >>> parameters = reblock.redistribute_many([weight, bias], [rows, copies], [columns, copies])
    """
    tensors, ends = list(tensors), list(zip(sources, targets))
    if not ends:
        return []
    comm, _ = comm_of(comm, "redistribute_many(tensors, sources, targets, comm=comm)", *ends[0], tensors, outs)
    made: dict[Any, Redistribution] = {}
    moves = []
    for pair, key in zip(ends, _types_of(comm, tensors, ends)):
        if key not in made:
            made[key] = Redistribution(*pair, named_type(*key[1]), comm)
        moves.append(made[key])
    return move_together(moves, tensors, outs)
