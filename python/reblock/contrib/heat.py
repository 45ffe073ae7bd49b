"""Heat with reblock: arrays get another split, or other local shapes, in one move.

    import heat
    import reblock.contrib.heat

    reblock.contrib.heat.install()
    columns = heat.resplit(rows, 1)

reblock makes the moves of `resplit`, `DNDarray.resplit_` and `DNDarray.redistribute_`, which `balance_` calls. Arrays may
have any strides, also after `heat.transpose`. Arrays on GPUs are moved by Heat itself, as before.
"""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy

from ._client import Client, Replacement, Split, kept_plan

__all__ = ["install", "installed", "moves", "uninstall"]


def _array_on(tensor: Any) -> numpy.ndarray[Any, Any]:
    """Returns a NumPy array on the memory of a tensor. Types that NumPy lacks, such as bfloat16, become integers."""
    import torch

    bare = tensor.detach()
    try:
        array: numpy.ndarray[Any, Any] = bare.numpy()
    except TypeError:
        array = bare.view({1: torch.int8, 2: torch.int16, 4: torch.int32}[bare.element_size()]).numpy()
    return array


def _is_here(array: Any) -> bool:
    """Returns whether reblock can move an array: it is split, and in the memory of the processor."""
    return bool(array.is_distributed()) and array.larray.device.type == "cpu"


def _moved(array: Any, source: Split, target: Split) -> Any:
    """Returns the local tensor of an array after a move. Collective."""
    import torch

    # The conjugate or the negative of a tensor may be a mark on its memory.
    local = array.larray.resolve_conj().resolve_neg()
    shape, given = tuple(array.shape), _array_on(local)
    plan = kept_plan(array.comm.handle, shape, source, target, given.dtype)
    out = torch.empty(plan.target.local_shape, dtype=local.dtype)
    _client.move(plan, given, _array_on(out))
    return out


def _resplit_tensor(array: Any, axis: Optional[int]) -> Any:
    """Returns the local tensor of an array after a move: split evenly along an axis, or copied to each rank. Collective."""
    comm, shape = array.comm, array.shape
    target: Split = None
    if axis is not None:
        target = axis, [comm.chunk(shape, axis, rank=rank)[1][axis] for rank in range(comm.size)]
    return _moved(array, (array.split, array.counts_displs()[0]), target)


def _resplit(arr: Any, axis: Optional[int] = None) -> Any:
    """Returns the array with another split, as `heat.resplit`. Collective."""
    from heat.core.dndarray import DNDarray
    from heat.core.stride_tricks import sanitize_axis

    axis = sanitize_axis(arr.shape, axis)
    if axis == arr.split or not _is_here(arr):
        return _client.original("resplit")(arr, axis)
    return DNDarray(_resplit_tensor(arr, axis), arr.shape, arr.dtype, axis, arr.device, arr.comm, True)


def _resplit_in_place(self: Any, axis: Optional[int] = None) -> Any:
    """Gives the array another split, as `DNDarray.resplit_` of Heat. Collective."""
    from heat.core.stride_tricks import sanitize_axis

    axis = sanitize_axis(self.shape, axis)
    if axis == self.split or not _is_here(self):
        return _client.original("resplit_")(self, axis)
    self._DNDarray__array = _resplit_tensor(self, axis)
    self._DNDarray__split = axis
    self._DNDarray__balanced = True
    self._DNDarray__lshape_map = None
    self.__partitions_dict__ = None
    return self


def _redistribute_in_place(self: Any, lshape_map: Any = None, target_map: Any = None) -> None:
    """Gives the ranks other local shapes along the split axis, as `DNDarray.redistribute_` of Heat. Collective."""
    import torch

    if not _is_here(self):
        _client.original("redistribute_")(self, lshape_map, target_map)
        return
    axis, comm, expected = self.split, self.comm, (self.comm.size, self.ndim)
    is_even = target_map is None
    for name, given in (("lshape_map", lshape_map), ("target_map", target_map)):
        if given is not None and not isinstance(given, torch.Tensor):
            raise TypeError(f"{name} is a {type(given).__name__}, expected a torch.Tensor")
        if given is not None and tuple(given.shape) != expected:
            raise ValueError(f"{name} has shape {tuple(given.shape)}, expected {expected}")
    if lshape_map is None:
        lshape_map = self.create_lshape_map(force_check=True)
    if target_map is None:
        target_map = lshape_map.clone()
        target_map[:, axis] = torch.tensor([comm.chunk(self.shape, axis, rank=rank)[1][axis] for rank in range(comm.size)])
    sizes = target_map[:, axis].tolist()
    if sum(sizes) != self.shape[axis]:
        raise ValueError(f"the sum of {sizes}, the target map along axis {axis}, is {sum(sizes)}, expected {self.shape[axis]}")
    local, before = self.larray, lshape_map[:, axis].tolist()
    moved = _moved(self, (axis, before), (axis, sizes))
    # As by Heat's own function, a rank that only gives elements away keeps the memory of the others, which may be that of
    # another array (ravel).
    first, kept = sum(sizes[: comm.rank]) - sum(before[: comm.rank]), sizes[comm.rank]
    stays = first >= 0 and first + kept <= before[comm.rank]
    self._DNDarray__array = local.narrow(axis, first, kept) if stays else moved
    self._DNDarray__balanced = is_even
    # Heat leaves the new extents in the caller's map, too.
    lshape_map[:, axis] = target_map[:, axis]
    self._DNDarray__lshape_map = lshape_map.clone()


def _replacements() -> list[Replacement]:
    import heat
    from heat.core import manipulations

    # Heat's modules import the function by its name.
    modules = [module for name, module in list(sys.modules.items()) if name == "heat" or name.startswith("heat.")]
    holders = [module for module in modules if vars(module).get("resplit") is manipulations.resplit]
    functions: list[Replacement] = [(module, "resplit", _resplit) for module in holders]
    methods = [(heat.DNDarray, "resplit_", _resplit_in_place), (heat.DNDarray, "redistribute_", _redistribute_in_place)]
    return functions + methods


_client = Client(_replacements)
install, uninstall, installed, moves = _client.install, _client.uninstall, _client.installed, _client.moves
