"""Arrays in the memory of NVIDIA GPUs: those of `__cuda_array_interface__`, or of DLPack. The library alone reads and writes them."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Callable, Iterable, NamedTuple

import numpy

from ._calls import contiguous, must
from ._errors import ArgumentError
from ._library import lib

if TYPE_CHECKING:
    from ._arrays import Side

# The latest version of the interface.
VERSION = 3
# The handle of the legacy default stream.
LEGACY_STREAM = 1


class Flags(NamedTuple):
    """The flags of an array that calls check, as NumPy's."""

    writeable: bool
    aligned: bool


class DeviceArray:
    """An array in the memory of a GPU. It has those of a NumPy array's attributes that describe it, and no elements: NumPy
    would read them and be ended by a signal."""

    def __init__(self, owner: Any, interface: dict[str, Any]) -> None:
        # The interface of a PyTorch tensor does not say that its elements are negated, or conjugated.
        if any(getattr(owner, mark, bool)() for mark in ("is_conj", "is_neg")):
            raise ArgumentError("a tensor that is the conjugate or the negative of its memory: see resolve_conj and resolve_neg of PyTorch")
        if not 0 <= interface.get("version", 0) <= VERSION:
            raise ArgumentError(f"__cuda_array_interface__ of version {interface['version']}, expected at most {VERSION}")
        if interface.get("mask") is not None:
            raise ArgumentError("__cuda_array_interface__ with a mask, expected an array without one")
        self.owner, self.dtype = owner, described_type(interface["typestr"], interface.get("descr"))
        self.shape: tuple[int, ...] = tuple(map(operator.index, interface["shape"]))
        strides = interface.get("strides")
        self.strides: tuple[int, ...] = tuple(map(operator.index, strides)) if strides is not None else tuple(contiguous(self.shape, self.itemsize))
        if len(self.strides) != len(self.shape):
            raise ArgumentError(f"__cuda_array_interface__ with strides {self.strides}, expected one for each axis of {self.shape}")
        address, is_read_only = interface["data"]
        self.address: int = operator.index(address or 0)
        self.flags = Flags(not is_read_only, self.address % self.dtype.alignment == 0)
        self.stream: int | None = stream_number(interface.get("stream"))

    @property
    def itemsize(self) -> int:
        size: int = self.dtype.itemsize
        return size

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def described_type(typestr: str, fields: Any) -> numpy.dtype[Any]:
    """Returns the type of an interface's elements. For structures, `fields` is their description."""
    dtype = numpy.dtype(typestr)
    if dtype.kind == "V" and fields is not None and len(fields) > 0:
        structure: numpy.dtype[Any] = numpy.lib.format.descr_to_dtype(fields)
        dtype = structure if structure.names and structure.itemsize == dtype.itemsize else dtype
    return dtype


def stream_number(stream: Any) -> int | None:
    """Returns the handle of the stream that an array names. None: nothing is to be waited for."""
    number = None if stream is None else operator.index(stream)
    if number is not None and not 0 < number < 2**64:
        raise ArgumentError(f"__cuda_array_interface__ with stream {number}, expected 1, 2, the handle of a stream, or None")
    return number


def common_stream(sides: Iterable[Side]) -> int | None:
    """Returns the stream that the arrays of a call name. The library waits for one stream a call."""
    streams = {side.stream for side in sides if side.stream is not None}
    if len(streams) > 1:
        raise ArgumentError(f"the arrays of a call name the streams {', '.join(map(str, sorted(streams)))}, expected one:"
                            " let it wait for the others")  # fmt: skip
    return streams.pop() if streams else None


def call(stream: int | None, function: Callable[..., int], *arguments: Any) -> None:
    """Calls the library, which reads and writes arrays in the memory of GPUs after the work that the program has started on
    the stream; None: on the legacy default stream."""
    if stream is None:
        must(function(*arguments))
        return
    must(lib.reblock_device_stream(stream))
    try:
        must(function(*arguments))
    finally:
        lib.reblock_device_stream(None)
