"""Calls of the library: their failures, their arguments, and the objects that they make."""

from __future__ import annotations

import ctypes
import operator
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterable, Sequence, TypeVar

import numpy
from mpi4py import MPI

from ._errors import ArgumentError, Error, HandleError, StateError, error_of
from ._library import lib
from ._prototypes import Numbers

if TYPE_CHECKING:
    import numpy.typing

Self = TypeVar("Self", bound="Owner")


def version() -> str:
    """Returns the version of the library.

    >>> reblock.version()
    '0.2.0'
    """
    text: bytes = lib.reblock_version()
    return text.decode()


def must(code: int) -> None:
    """Raises an exception if a call has failed."""
    if code:
        raise error_of(code, lib.reblock_message().decode())


def refused(why: str, function: Callable[..., int], *arguments: Any) -> Error:
    """Makes a collective call fail on all ranks by invalid arguments, with this rank's reason `why`. Returns this rank's
    exception; the other ranks raise one of the same class."""
    lib.reblock_set_reason(why.replace("\0", " ").encode())
    code = function(*arguments)
    lib.reblock_set_reason(None)
    return error_of(code or ArgumentError.code, why)


def check_mpi() -> None:
    """Raises an exception if MPI is not running: Open MPI's functions would end the job."""
    if not MPI.Is_initialized():
        raise StateError("MPI is not initialized: call mpi4py.MPI.Init first")
    if MPI.Is_finalized():
        raise StateError("MPI is finalized")


def comm_of(comm: MPI.Comm | None, call: str, *others: Any) -> tuple[MPI.Comm, int]:
    """Returns the communicator of a call that is written `call`, and its handle in Fortran. `others` are the arguments
    before it. Without a communicator, it is that of the maps among them, or else MPI.COMM_WORLD."""
    check_mpi()
    if any(hasattr(other, "py2f") for other in others):
        raise TypeError(f"a communicator is in the place of another argument, expected {call}")
    if comm is None:
        comms = [other._map.comm for other in others if hasattr(other, "_map")] or [MPI.COMM_WORLD]
        if any(other == MPI.COMM_NULL for other in comms):
            raise StateError("the communicator of a map has been freed")
        comm = comms[0]
        if any(not alike(comm, other) for other in comms[1:]):
            raise TypeError(f"the maps have different communicators, expected one that has all ranks: {call}")
    if not hasattr(comm, "py2f"):
        raise TypeError(f"comm is {comm!r}, expected a communicator of mpi4py, as MPI.COMM_WORLD: {call}")
    return comm, comm.py2f()


def alike(comm: MPI.Comm, other: MPI.Comm) -> bool:
    """Whether two communicators have the same processes in the same order."""
    check_mpi()
    return MPI.Comm.Compare(comm, other) in (MPI.IDENT, MPI.CONGRUENT)


class Owner:
    """An object of the library. It is freed with its Python object, when the program ends, by `close`, or at the end of
    a `with` block; this needs no MPI."""

    _held: ctypes.c_void_p

    def _own(self, handle: ctypes.c_void_p, free: Callable[..., int]) -> None:
        self._held = handle
        self._free = weakref.finalize(self, free, ctypes.byref(handle))

    def _check_open(self) -> None:
        """Raises an exception if the object is closed."""
        if not self._held.value:
            raise HandleError(f"the {type(self).__name__.lower()} is closed")

    @property
    def _handle(self) -> ctypes.c_void_p:
        self._check_open()
        return self._held

    def close(self) -> None:
        """Frees the object, which cannot be used afterwards; objects that were made with it stay valid. Not
        collective."""
        self._free()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def numbers_of(numbers: Iterable[Any], what: str) -> tuple[int, ...]:
    """Checks that integers fit the library's type: ctypes would truncate them silently."""
    checked = tuple(operator.index(number) for number in numbers)
    if any(not -(2**63) <= number < 2**63 for number in checked):
        raise ArgumentError(f"{what} {checked}, expected numbers below 2**63")
    return checked


def shape_of(shape: Iterable[Any] | None) -> tuple[int, ...]:
    """Checks an array's shape."""
    if shape is None:
        raise ArgumentError("there is no shape: a layout that is a text needs the shape of the whole array, () for a scalar")
    return numbers_of(shape, "an array of shape")


def contiguous(shape: Sequence[int], itemsize: int) -> list[int]:
    """Returns the strides, in bytes, of a C-contiguous array."""
    strides: list[int] = []
    step = itemsize
    for extent in shape[::-1]:
        strides.insert(0, step)
        step *= extent
    return strides


def check_host(it: Any, what: str) -> None:
    """Refuses an array in the memory of a GPU whose elements the processor reads."""
    if type(it) not in (list, tuple, int, float, numpy.ndarray) and hasattr(it, "__cuda_array_interface__"):
        raise ArgumentError(f"{what} in the memory of a GPU, expected memory of the host")


def list_of(numbers: Any, what: str) -> tuple[numpy.typing.NDArray[numpy.int64], Any]:
    """Returns integers for the library as an array, and its address."""
    check_host(numbers, what)
    given = numpy.asarray(numbers)
    if given.size and (given.dtype.kind not in "iu" or (given.dtype.kind == "u" and given.max() >= 2**63)):
        raise ArgumentError(f"{what} of type {given.dtype}, expected integers below 2**63")
    checked = numpy.ascontiguousarray(given, numpy.int64)
    return checked, checked.ctypes.data_as(Numbers)
