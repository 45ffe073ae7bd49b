"""Calls of the library: their failures, and their arguments."""

import ctypes
import operator
import weakref

import numpy
from mpi4py import MPI

from ._errors import ArgumentError, error_of
from ._library import lib
from ._prototypes import Numbers


def version():
    """Returns the version of the library."""
    return lib.reblock_version().decode()


def must(code):
    """Raises an exception if a call has failed."""
    if code:
        raise error_of(code, lib.reblock_message().decode())


def refused(why, function, *arguments):
    """Makes a collective call fail on all ranks by invalid arguments, with this rank's reason `why`. Returns this rank's
    exception; the other ranks raise one of the same class."""
    lib.reblock_set_reason(why.replace("\0", " ").encode())
    code = function(*arguments)
    lib.reblock_set_reason(None)
    return error_of(code or ArgumentError.code, why)


def comm_of(comm, call, *others):
    """Returns the communicator of a call that is written `call`, and its handle in Fortran. `others` are the arguments
    before it. Without a communicator, it is that of the maps among them, or else MPI.COMM_WORLD."""
    if any(hasattr(other, "py2f") for other in others):
        raise TypeError(f"a communicator is in the place of another argument, expected {call}")
    if comm is None:
        comms = [other.comm for other in others if hasattr(other, "local_shape")] or [MPI.COMM_WORLD]
        comm = comms[0]
        if any(MPI.Comm.Compare(comm, other) not in (MPI.IDENT, MPI.CONGRUENT) for other in comms[1:]):
            raise TypeError(f"the maps have different communicators, expected one that has all ranks: {call}")
    if not hasattr(comm, "py2f"):
        raise TypeError(f"comm is {comm!r}, expected a communicator of mpi4py, as MPI.COMM_WORLD: {call}")
    return comm, comm.py2f()


def owned(owner, handle, free):
    """Frees `handle` with its owner, or when the program ends; this needs no MPI."""
    weakref.finalize(owner, free, ctypes.byref(handle))
    return handle


def numbers_of(numbers, what):
    """Checks that integers fit the library's type: ctypes would truncate them silently."""
    numbers = tuple(operator.index(number) for number in numbers)
    if any(not -(2**63) <= number < 2**63 for number in numbers):
        raise ArgumentError(f"{what} {numbers}, expected numbers below 2**63")
    return numbers


def shape_of(shape):
    return numbers_of(shape, "an array of shape")


def list_of(numbers, what):
    """Returns integers for the library as an array, and its address."""
    numbers = numpy.asarray(numbers)
    if numbers.size and (numbers.dtype.kind not in "iu" or (numbers.dtype.kind == "u" and numbers.max() >= 2**63)):
        raise ArgumentError(f"{what} of type {numbers.dtype}, expected integers below 2**63")
    numbers = numpy.ascontiguousarray(numbers, numpy.int64)
    return numbers, numbers.ctypes.data_as(Numbers)
