"""Tensors of PyTorch: their types, of which NumPy does not have all, and results of their kind. The module does not import
PyTorch: programs with tensors have imported it."""

from __future__ import annotations

import sys
from typing import Any

import numpy

from ._memory import array_on


def _torch() -> Any:
    return sys.modules.get("torch")


def is_tensor(it: Any) -> bool:
    """Whether an object is a tensor of PyTorch."""
    return _torch() is not None and isinstance(it, _torch().Tensor)


def detached(it: Any) -> Any:
    """Returns a tensor without its graph, so that its memory can be read. Other objects are returned as they are."""
    return it.detach() if is_tensor(it) else it


def types_of(dtype: Any) -> tuple[numpy.dtype, Any]:
    """Returns NumPy's type for a type that is given as NumPy's or as PyTorch's, and PyTorch's type if NumPy has bytes
    only in its place."""
    if _torch() is None or not isinstance(dtype, _torch().dtype):
        return numpy.dtype(dtype), None
    bare = array_on(_torch().empty(0, dtype=dtype))[0].dtype
    return bare, dtype if bare.kind == "V" else None


def type_name(tensor: Any) -> tuple[numpy.dtype, str]:
    """Returns NumPy's type of the elements of an array or a tensor, and the name of PyTorch's type if NumPy lacks it."""
    bare = array_on(detached(tensor))[0].dtype
    return bare, str(tensor.dtype).rpartition(".")[2] if is_tensor(tensor) and bare.kind == "V" else ""


def named_type(bare: numpy.dtype, name: str) -> Any:
    """Returns the type that `type_name` has named. On a rank without PyTorch, it is bytes."""
    return getattr(_torch(), name) if name and _torch() is not None else bare


def as_tensor(array: numpy.ndarray, dtype: Any) -> Any:
    """Returns an array as a tensor of PyTorch's type `dtype`."""
    return _torch().from_numpy(array.view(f"i{array.itemsize}") if array.dtype.kind == "V" else array).view(dtype)


def widened(array: numpy.ndarray, dtype: Any) -> numpy.ndarray:
    """Returns numbers of PyTorch's type `dtype` as numbers of 4 bytes."""
    return as_tensor(array, dtype).to(_torch().float32).numpy()


def narrowed(array: numpy.ndarray, dtype: Any) -> numpy.ndarray:
    """Rounds numbers of 4 bytes to PyTorch's type `dtype`."""
    rounded: Any = array_on(_torch().from_numpy(numpy.asarray(array)).to(dtype))[0]
    return rounded
