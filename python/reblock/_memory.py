"""Arrays on the memory of other objects: by the buffer protocol, `__array_interface__`, `__cuda_array_interface__` or DLPack."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Union

import numpy

from ._device import LEGACY_STREAM, DeviceArray
from ._errors import ArgumentError

if TYPE_CHECKING:
    import numpy.typing

    HostArray = numpy.typing.NDArray[Any]
    Array = Union[HostArray, DeviceArray]

# Types of DLPack's devices whose memory the processor reads: its own, and pinned memory for CUDA and ROCm.
HOSTS = (1, 3, 11)
# Type of DLPack's devices whose memory the library's kernels read.
CUDA = 2
# Letters of NumPy for DLPack's kinds of elements. Those of other kinds, such as bfloat16, are moved as bytes.
KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
READ_ONLY = 1


class Tensor(ctypes.Structure):
    """DLTensor of dlpack.h."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32), ("axes", ctypes.c_int32),
                ("kind", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned of dlpack.h. (DLManagedTensor begins with its tensor.)"""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


def capsule_pointer(capsule: Any, name: bytes) -> int | None:
    """Returns the address in a capsule of this name, or None if its name is another one."""
    get, is_valid = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_IsValid
    is_valid.argtypes = get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    is_valid.restype, get.restype = ctypes.c_int, ctypes.c_void_p
    address: int | None = get(capsule, name) if is_valid(capsule, name) else None
    return address


class Exported:
    """The memory of an object that DLPack exports. It lives as long as the capsule, which is not consumed: so the capsule
    itself gives the memory back."""

    def __init__(self, capsule: Any) -> None:
        self.capsule, read_only = capsule, False
        place = capsule_pointer(capsule, b"dltensor_versioned")
        if place:
            versioned = Versioned.from_address(place)
            tensor, read_only = versioned.tensor, bool(versioned.flags & READ_ONLY)
        else:
            place = capsule_pointer(capsule, b"dltensor")
            if not place:
                raise ArgumentError(f"{capsule!r}, expected a capsule of DLPack, of version 0 or 1")
            tensor = Tensor.from_address(place)
        check_device(tensor.device)
        self.device: int = tensor.device
        if tensor.lanes != 1 or tensor.bits % 8:
            raise ArgumentError(f"elements of {tensor.lanes} x {tensor.bits} bits, expected whole bytes")
        size = tensor.bits // 8
        try:
            self.dtype: numpy.dtype[Any] = numpy.dtype(f"{KINDS[tensor.kind]}{size}")
        except (KeyError, TypeError):
            self.dtype = numpy.dtype((numpy.void, size))
        self.shape = tuple(tensor.shape[: tensor.axes])
        strides = tuple(size * stride for stride in tensor.strides[: tensor.axes]) if tensor.strides else None
        address = (tensor.data or 0) + tensor.offset
        self.__array_interface__ = {"version": 3, "shape": self.shape, "strides": strides, "typestr": self.dtype.str,
                                    "data": (address, read_only)}


def check_device(device: int) -> None:
    """Refuses memory that neither the processor nor the library's kernels read."""
    if device not in (*HOSTS, CUDA):
        raise ArgumentError(f"the array is on a device of DLPack's type {int(device)}, expected memory of the processor or of an NVIDIA GPU")


def exported(it: Any, device: int) -> Array:
    """Returns an array on the memory of an object with `__dlpack__`."""
    check_device(device)
    # The object lets this stream wait for the work on its array.
    stream = {"stream": LEGACY_STREAM} if device == CUDA else {}
    try:
        capsule = it.__dlpack__(**stream, max_version=(1, 0))
    except TypeError:
        # Before DLPack 1.0 there is no such argument.
        capsule = it.__dlpack__(**stream)
    memory = Exported(capsule)
    if memory.device == CUDA:
        return DeviceArray(memory, {**memory.__array_interface__, "stream": LEGACY_STREAM})
    return numpy.asarray(memory) if 0 not in memory.shape else numpy.empty(memory.shape, memory.dtype)


def array_on(it: Any) -> tuple[Array, bool]:
    """Returns an array of an object's elements, and whether it is on the object's own memory: if not, it is a copy."""
    if isinstance(it, numpy.ndarray):
        return it, True
    if hasattr(it, "__array_interface__"):
        return numpy.asarray(it), True
    device = it.__dlpack_device__()[0] if hasattr(it, "__dlpack_device__") else None
    # An array in the processor's memory may raise any exception when it is asked for the other interface.
    if device not in HOSTS and hasattr(it, "__cuda_array_interface__"):
        return DeviceArray(it, it.__cuda_array_interface__), True
    if hasattr(it, "__dlpack__"):
        return exported(it, HOSTS[0] if device is None else device), True
    try:
        return numpy.asarray(memoryview(it)), True
    except TypeError:
        return numpy.asarray(it), False
