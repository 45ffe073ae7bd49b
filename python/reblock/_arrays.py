"""A rank's parts of arrays: their checks, their addresses, and copies of arrays that do not lie as their maps say."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Sequence

import numpy
from mpi4py import MPI

from ._calls import contiguous
from ._device import DeviceArray, common_stream
from ._errors import ArgumentError
from ._memory import array_on

if TYPE_CHECKING:
    from typing import Protocol

    import numpy.typing

    from ._memory import Array, HostArray
else:
    Protocol = object


class Part(Protocol):
    """What a side of a call needs of a map: this rank's part."""

    shape: tuple[int, ...]
    layout: str
    has_part: bool
    local_shape: tuple[int, ...]
    _strides: tuple[int, ...]


class Side:
    """This rank's part of the source or the target of one call.

    `given` is the object that the caller passed, `array` is an array on its memory, and `storage` is an array that lies as the
    map says: `array` itself if possible, otherwise a copy. `finish` copies it back into a target. `stream` is the stream that an
    array in the memory of a GPU names."""

    def __init__(self, map: Part, given: Any, array: Array, storage: Array) -> None:
        self.map, self.given, self.array, self.storage = map, given, array, storage
        self.stream = array.stream if isinstance(array, DeviceArray) else None

    @property
    def address(self) -> int | None:
        return address_of(self.storage) if self.map.has_part else None

    def finish(self) -> Any:
        """Completes the target of a call that has succeeded, and returns what the caller passed."""
        if not isinstance(self.array, DeviceArray) and self.storage is not self.array:
            self.array[...] = self.storage
        return self.given


def address_of(array: Array) -> int:
    """Returns the address of an array's first element. mpi4py finds it ten times as fast as NumPy, but only before
    MPI.Finalize, and only of memory without gaps and of types that the buffer protocol has."""
    if isinstance(array, DeviceArray):
        return array.address
    if array.flags.forc and not MPI.Is_finalized():
        try:
            return MPI.Get_address(array)
        except (ValueError, BufferError):
            pass
    return array.ctypes.data


def room(map: Part, dtype: numpy.dtype[Any]) -> HostArray:
    """Returns an array of zeros that lies as this rank's part of a map."""
    if not map.has_part or lies(map, dtype.itemsize, contiguous(map.local_shape, dtype.itemsize)):
        return numpy.zeros(map.local_shape, dtype)
    reach = [(extent - 1) * stride for extent, stride in zip(map.local_shape, map._strides)]
    elements = numpy.zeros(1 + sum(abs(distance) for distance in reach), dtype)
    first = -sum(distance for distance in reach if distance < 0)
    strides = tuple(dtype.itemsize * stride for stride in map._strides)
    return numpy.lib.stride_tricks.as_strided(elements[first:], map.local_shape, strides)


def lies(map: Part, itemsize: int, strides: Sequence[int]) -> bool:
    """Whether an array with these strides, in bytes, lies as this rank's part of a map."""
    return agree(map.local_shape, map._strides, itemsize, tuple(strides))


# Programs move the same few arrays again and again.
@lru_cache(maxsize=256)
def agree(shape: tuple[int, ...], wanted: tuple[int, ...], itemsize: int, strides: tuple[int, ...]) -> bool:
    """Whether strides in bytes are the wanted strides in elements. A stride has no meaning along an axis with one index, or
    in an array without elements."""
    axes = zip(shape, wanted, strides)
    return 0 in shape or all(extent == 1 or itemsize * stride == bytes for extent, stride, bytes in axes)


def checked(map: Part, name: str, array: Array, dtype: numpy.dtype[Any]) -> Array:
    """Checks that an array can be this rank's part of a map, with elements of this type."""
    if array.dtype.hasobject:
        raise ArgumentError(f"{name} has elements of type {array.dtype}, which refer to Python objects")
    if array.shape != map.local_shape and (map.has_part or array.size):
        raise ArgumentError(f"{name} has shape {array.shape}, expected {map.local_shape} for {map.layout!r} of {map.shape}")
    if array.dtype != dtype:
        raise ArgumentError(f"{name} has elements of type {array.dtype}, expected {dtype}")
    return array


def source_array(map: Part, a: Any) -> Array:
    """Returns an array on the memory of this rank's part of a source, or on a copy."""
    if a is None:
        raise ArgumentError(f"the array is None, expected this rank's part, of shape {map.local_shape}")
    return array_on(a)[0]


def target_array(map: Part, out: Any, dtype: numpy.dtype[Any]) -> Array:
    """Returns an array on the memory of this rank's part of a target."""
    array, is_own = array_on(out)
    if not is_own:
        raise ArgumentError(f"out is a {type(out).__name__}, expected an array")
    checked(map, "out", array, dtype)
    if not array.flags.writeable:
        raise ArgumentError("out is not writeable")
    return array


def side(map: Part, given: Any, array: Array) -> Side:
    """Returns the side of a call for an array that has been checked. The array is copied if it does not lie as the map
    says. In the memory of a GPU, it is refused."""
    if not map.has_part or (array.flags.aligned and lies(map, array.itemsize, array.strides)):
        return Side(map, given, array, array)
    if isinstance(array, DeviceArray):
        wanted = tuple(array.itemsize * stride for stride in map._strides)
        raise ArgumentError(f"an array in the memory of a GPU at address {array.address:#x} with strides of {array.strides} bytes, expected"
                            f" {wanted} and an aligned address: such arrays are not copied, see Map.like")  # fmt: skip
    storage = room(map, array.dtype)
    storage[...] = array
    return Side(map, given, array, storage)


def sides(a: Any, out: Any, dtype: numpy.dtype[Any], source: Part, target: Part) -> tuple[Side, Side]:
    """Returns both sides of a call. Without `out`, the target is a new array of zeros. A rank that has no part may pass
    None. If `a` and `out` are one object, so are their copies."""
    if a is None and not source.has_part:
        a = numpy.empty(source.local_shape, dtype)
    of_source = side(source, a, checked(source, "the array", source_array(source, a), dtype))
    if out is None:
        new = room(target, dtype)
        return of_source, Side(target, new, new, new)
    if out is a and source is target:
        target_array(target, out, dtype)
        return of_source, of_source
    of_target = side(target, out, target_array(target, out, dtype))
    common_stream([of_source, of_target])
    return of_source, of_target
