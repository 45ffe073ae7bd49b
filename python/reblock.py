"""Moves distributed NumPy arrays from one layout to another over MPI, with the communicators of mpi4py.

    from mpi4py import MPI
    import numpy, reblock

    # This rank's rows of a 100 x 1000 array on 4 ranks become this rank's columns.
    rows = numpy.ones((25, 1000))
    columns = reblock.move(rows, "(BLOCK,*) ONTO P(4)", "(*,CYCLIC(8)) ONTO P(4)", MPI.COMM_WORLD, (100, 1000))

A layout is a text in HPF's notation, one format per axis: `BLOCK`, `CYCLIC(k)`, or `*` for an axis of which each rank has
everything. `ONTO P(2,3)` names the process grid: the first 6 ranks, row by row. Without it one axis is distributed, over all ranks.

An array may also lie in boxes: tiles with an owner each, or one box per rank. `map_from_boxes` makes a map of those.

For moves that are repeated, `Map` and `Plan` keep what `move` makes each time. A rank's part has its elements in ascending order
of their indices, and is C-contiguous; arrays that are not are copied first. Elements are moved as bytes, of any type without
Python objects. All functions are collective over the communicator. What fails raises `Error` on all ranks.

Before it is imported, `libreblock_core` must be where the system's loader finds it (`LD_LIBRARY_PATH`), unless this file lies where
`make install` has put it, or comes with the package. It must have been built for the MPI that mpi4py uses.
"""

import ctypes
import operator
import os
import weakref
import zlib

import numpy
from mpi4py import MPI

__all__ = ["Error", "Map", "Plan", "map_from_boxes", "move", "version"]

_NAME = "libreblock_core.so.0.2"
_Handle, _Number, _Numbers = ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)


_COMBINATIONS = ["add", "minimum", "maximum", "and", "or"]


class _Options(ctypes.Structure):
    _fields_ = [("size", _Number), ("version", _Number), ("scheduler", ctypes.c_char_p), ("transport", ctypes.c_char_p),
                ("buffer", _Number), ("window", _Number), ("relabel", _Number), ("axes", _Numbers), ("axes_count", _Number),
                ("copies", _Number), ("spread", _Numbers), ("spread_count", _Number), ("overlap", _Number)]


class _Update(ctypes.Structure):
    _fields_ = [("size", _Number), ("version", _Number), ("type", _Number), ("combine", _Number), ("conjugate", _Number),
                ("alpha", _Handle), ("beta", _Handle)]


def _abi():
    """What packages put into the names of libraries for the ABI by which mpi4py calls MPI."""
    mpi, major, minor = ctypes.CDLL(MPI.__file__), ctypes.c_int(-1), ctypes.c_int()
    # MPIs have this function since MPI 5. Those that are not called by the standard ABI say that it has no version.
    if hasattr(mpi, "PMPI_Abi_get_version"):
        mpi.PMPI_Abi_get_version(ctypes.byref(major), ctypes.byref(minor))
    if major.value > 0:
        return "_abi"
    return "-openmpi" if MPI.get_vendor()[0] == "Open MPI" else "-mpich"


def _found():
    """The library where it was installed, or where the loader finds one; by the name, too, that packages give that of mpi4py's MPI."""
    here = os.path.dirname(os.path.abspath(__file__))
    names = [_NAME, _NAME.replace(".so", _abi() + ".so")]
    installed = [os.path.join(here, "..", "..", "..", "lib", name) for name in names]
    packed = os.path.join(here, "reblock.libs", names[1])
    for place in filter(os.path.exists, [packed, *installed]):
        return ctypes.CDLL(place)
    try:
        return ctypes.CDLL(names[1])
    except OSError:
        return ctypes.CDLL(names[0])


def _library():
    library = _found()
    text, length = ctypes.create_string_buffer(MPI.MAX_LIBRARY_VERSION_STRING + 1), ctypes.c_int()
    library.MPI_Get_library_version(text, ctypes.byref(length))
    its, ours = (version.strip("\0 \n") for version in (text.value.decode(), MPI.Get_library_version()))
    if its != ours:
        its, ours = (version.splitlines()[0].partition(",")[0].replace("\t", " ") for version in (its, ours))
        raise ImportError(f"{library._name} is built for {its}, but mpi4py uses {ours}")
    address, comm = ctypes.POINTER(_Handle), ctypes.c_int32
    for name, arguments in {
        "map_from_text_fortran": [comm, _Number, _Numbers, ctypes.c_char_p, address],
        "map_from_boxes_fortran": [comm, _Number, _Numbers, _Number, _Numbers, _Numbers, ctypes.c_int32, _Numbers, _Numbers, address],
        "map_elements": [_Handle, _Numbers],
        "map_row_major": [_Handle, address],
        "map_local": [_Handle, _Numbers, _Numbers, _Numbers, _Numbers, _Numbers, ctypes.POINTER(ctypes.c_int32)],
        "map_part": [_Handle, _Number, _Numbers, _Numbers, _Numbers, _Numbers, ctypes.POINTER(ctypes.c_int32)],
        "map_global_index": [_Handle, _Numbers, _Numbers, ctypes.POINTER(ctypes.c_int32)],
        "map_free": [address],
        "plan_create_fortran": [comm, _Handle, _Handle, _Handle, _Handle, _Number, _Handle, address],
        "plan_execute": [_Handle, _Handle, _Handle],
        "plan_execute_many": [_Number, address, address, address],
        "plan_update_many": [_Number, address, address, address, address],
        "plan_options_init_2": [_Handle],
        "update_init": [_Handle],
        "plan_reverse": [_Handle, address],
        "plan_free": [address],
        "move_fortran": [comm, _Handle, _Handle, _Handle, _Handle, _Number, _Handle, _Handle],
    }.items():
        function = getattr(library, "reblock_" + name)
        function.argtypes, function.restype = arguments, ctypes.c_int32
    for name in ("version", "message"):
        getattr(library, "reblock_" + name).restype = ctypes.c_char_p
    return library


_lib = _library()
# In the order of the numbers that the library has for them, from 1.
_NUMBERS = [numpy.dtype(name) for name in ("int32", "int64", "float32", "float64", "complex64", "complex128")]


class Error(Exception):
    """What a call has failed with: its text, and in `code` one of the numbers of REBLOCK_ERR_..."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def version():
    """The version of the library."""
    return _lib.reblock_version().decode()


def _must(code, why=None):
    """Raises what a call has come to. Where this rank knows `why` it cannot take part, the call was one that fails on all."""
    if code or why:
        raise Error(code or 2, why or _lib.reblock_message().decode())


def _owned(owner, handle, free):
    """`handle` is freed with its owner, or when the program ends; that needs no MPI."""
    weakref.finalize(owner, free, ctypes.byref(handle))
    return handle


def _numbers(numbers, what):
    """Integers that the library can have: ctypes would cut off others without a word."""
    numbers = tuple(operator.index(number) for number in numbers)
    if any(not -(2**63) <= number < 2**63 for number in numbers):
        raise OverflowError(f"{what} {numbers}, expected numbers below 2**63")
    return numbers


def _shape(shape):
    return _numbers(shape, "an array of shape")


class Map:
    """Which elements of an array of this shape are where: `Map(comm, (100, 1000), "(BLOCK,*) ONTO P(4)")`."""

    _boxes = None

    def __init__(self, comm, shape, layout):
        try:
            self.shape, text = _shape(shape), layout.encode()
            # ctypes would cut it off without a word.
            if b"\0" in text:
                raise ValueError(f"the layout {layout!r} has a zero byte")
            extents = (_Number * len(self.shape))(*self.shape)
        except Exception:
            # The other ranks hear that this one has failed.
            _lib.reblock_map_from_text_fortran(comm.py2f(), -1, None, None, ctypes.byref(_Handle()))
            raise
        self.comm, self.layout, columns, rows = comm, layout, _Handle(), _Handle()
        _must(_lib.reblock_map_from_text_fortran(comm.py2f(), len(self.shape), extents, text, ctypes.byref(columns)))
        _owned(self, columns, _lib.reblock_map_free)
        _must(_lib.reblock_map_row_major(columns, ctypes.byref(rows)))
        self._handle = _owned(self, rows, _lib.reblock_map_free)
        extents, has_part = (_Number * len(self.shape))(), ctypes.c_int32()
        _must(_lib.reblock_map_local(rows, extents, None, None, None, None, ctypes.byref(has_part)))
        self.has_part = has_part.value != 0
        """Whether this rank has a part of the array. One that has none passes any empty array, and gets one."""
        self.local_shape = tuple(extents) if self.has_part else (0,) * max(1, len(self.shape))
        """The shape of this rank's part."""

    def indices(self):
        """The indices of this rank's elements along each axis: `whole[numpy.ix_(*map.indices())]` is its part. Where that has no
        elements, these are indices with which it gets its shape."""
        if self._boxes is not None:
            raise TypeError("an array in boxes has no indices along each axis: see split")
        axes = len(self.shape)
        first, last, place, index = [(_Number * axes)() for _ in range(4)]
        if 0 in self.local_shape:
            return tuple(numpy.arange(extent) for extent in self.local_shape)
        _must(_lib.reblock_map_part(self._handle, self.comm.rank, None, None, first, last, None))

        def index_at(axis, position):
            place[:] = [position if k == axis else 0 for k in range(axes)]
            _must(_lib.reblock_map_global_index(self._handle, place, index, None))
            return index[axis]

        def along(axis, extent):
            if last[axis] - first[axis] + 1 == extent:
                return numpy.arange(first[axis], last[axis] + 1)
            return numpy.array([index_at(axis, position) for position in range(extent)], numpy.int64)

        return tuple(along(axis, extent) for axis, extent in enumerate(self.local_shape))

    def split(self, part):
        """The boxes of an array in boxes, in the order in which they were given: views of this rank's part."""
        if self._boxes is None:
            raise TypeError(f"the layout {self.layout!r} has no boxes")
        ends = numpy.cumsum([0] + [numpy.prod(box, dtype=int) for box in self._boxes])
        return [part[start:end].reshape(box) for start, end, box in zip(ends, ends[1:], self._boxes)]

    def _misfit(self, name, array):
        """Why this cannot be this rank's part."""
        if array.dtype.hasobject:
            return f"{name} has elements of type {array.dtype}, which refer to Python objects"
        if array.shape != self.local_shape and (self.has_part or array.size):
            return f"{name} has shape {array.shape}, expected {self.local_shape} for {self.layout!r} of {self.shape}"
        return None


def _bounds(shape, box):
    """The first index of a box along each axis, and how many there are. Indices are not clipped and do not count from the end."""
    box = box if isinstance(box, tuple) else (box,)
    if len(box) != len(shape) or any(not isinstance(along, slice) or along.step not in (None, 1) for along in box):
        raise ValueError(f"the box {box} of an array of shape {shape}, expected a slice in steps of 1 for each axis")
    starts = [0 if along.start is None else operator.index(along.start) for along in box]
    ends = [extent if along.stop is None else operator.index(along.stop) for along, extent in zip(box, shape)]
    sizes = [max(end - start, 0) for start, end in zip(starts, ends)]
    return _numbers(starts, "a box from"), _numbers(sizes, "a box of shape")


def map_from_boxes(comm, shape, boxes):
    """The map of an array of this shape in boxes. Each rank gives its own, in a list with a tuple of slices for each: `whole[box]` are
    its elements. The list may be empty. No element may be in two boxes of all ranks; one that is never moved may be in none. A rank's
    part has one axis, with the elements of one box after the other, each in C's order: `Map.split` takes it apart."""
    made, handle, elements = Map.__new__(Map), _Handle(), _Number()
    try:
        made.comm, made.shape, made.layout = comm, _shape(shape), "boxes"
        bounds = [_bounds(made.shape, box) for box in boxes]
        starts, sizes = ([number for box in bounds for number in box[k]] for k in (0, 1))
        extents, starts, sizes = ((_Number * (len(all) + 1))(*all) for all in (made.shape, starts, sizes))
    except Exception:
        # The other ranks hear that this one has failed.
        _lib.reblock_map_from_boxes_fortran(comm.py2f(), -1, None, 0, None, None, 1, None, None, ctypes.byref(_Handle()))
        raise
    arguments = len(made.shape), extents, len(bounds), starts, sizes, 1, None, None
    _must(_lib.reblock_map_from_boxes_fortran(comm.py2f(), *arguments, ctypes.byref(handle)))
    made._handle = _owned(made, handle, _lib.reblock_map_free)
    _must(_lib.reblock_map_elements(handle, ctypes.byref(elements)))
    made.has_part, made.local_shape, made._boxes = True, (elements.value,), [box[1] for box in bounds]
    return made


def _asked(a, out, dtype, source, target):
    """This rank's arrays, and why they do not fit: `a`, C-contiguous, and `out`, which is made where there is none. Without
    `dtype` that of `a` counts."""
    try:
        a = numpy.asarray(a, order="C")
        dtype = a.dtype if dtype is None else dtype
        why = source._misfit("the array", a)
        if not why and a.dtype != dtype:
            why = f"the array has elements of type {a.dtype}, expected {dtype}"
        if out is None:
            return a, numpy.empty(target.local_shape, dtype), why
        why = why or target._misfit("out", out)
        if not why and not (out.dtype == dtype and out.flags.c_contiguous and out.flags.writeable):
            why = f"out is to be C-contiguous and writeable, with elements of type {dtype}"
        return a, out, why
    except Exception as bad:
        return None, None, f"{type(bad).__name__}: {bad}"


def _address(map, array):
    return array.ctypes.data if map.has_part and array is not None else None


class Plan:
    """How arrays with elements of type `dtype` are moved from one map to another; both have the same shape. With `axes`, axis k of
    the source goes to axis `axes[k]` of the target, and their shapes correspond so. With `copies`, the values of all copies of a
    replicated source are combined, by `update`."""

    def __init__(self, comm, source, target, dtype, axes=None, copies=False):
        options = _Options()
        try:
            _must(_lib.reblock_plan_options_init_2(ctypes.byref(options)))
            self._make(source, target, numpy.dtype(dtype))
            if axes is not None:
                axes = [operator.index(axis) for axis in axes]
                options.axes, options.axes_count = (_Number * (len(axes) + 1))(*axes), len(axes)
            options.copies = bool(copies)
            arguments, why = (source._handle, None, target._handle, None, self.dtype.itemsize), None
            if self.dtype.hasobject:
                why = f"elements of type {self.dtype} refer to Python objects"
        except Exception as bad:
            why = f"{type(bad).__name__}: {bad}"
        if why:
            _must(_lib.reblock_plan_create_fortran(comm.py2f(), None, None, None, None, -1, None, ctypes.byref(_Handle())), why)
        _must(_lib.reblock_plan_create_fortran(comm.py2f(), *arguments, ctypes.byref(options), ctypes.byref(self._handle)))

    def _make(self, source, target, dtype):
        self.source, self.target, self.dtype = source, target, dtype
        self._handle = _owned(self, _Handle(), _lib.reblock_plan_free)

    def move(self, a, out=None):
        """Moves this rank's part `a`: returns what it has of the array afterwards, in `out` if that is given."""
        a, out, why = _asked(a, out, self.dtype, self.source, self.target)
        if why:
            _must(_lib.reblock_plan_execute_many(1, ctypes.byref(self._handle), None, None), why)
        _must(_lib.reblock_plan_execute(self._handle, _address(self.source, a), _address(self.target, out)))
        return out

    def update(self, a, out, alpha=1, beta=0, combine="add", conjugate=False):
        """Updates this rank's part `out` of the target, which is returned: combine(alpha * a, beta * out), or with the conjugate of
        `a`. `combine` is "add", "minimum", "maximum", "and" or "or". A side whose factor is 0 is not read; `a` may be None then. All
        ranks give the same, for elements of type int32, int64, float32, float64, complex64 or complex128."""
        given, factors = _Update(), None
        try:
            _must(_lib.reblock_update_init(ctypes.byref(given)))
            if self.dtype not in _NUMBERS:
                raise TypeError(f"elements of type {self.dtype} cannot be updated")
            factors = [numpy.array(factor, self.dtype) for factor in (alpha, beta)]
            given.type, given.conjugate = _NUMBERS.index(self.dtype) + 1, bool(conjugate)
            given.combine = _COMBINATIONS.index(combine)
            given.alpha, given.beta = (factor.ctypes.data for factor in factors)
            if a is None and factors[0] == 0:
                a = numpy.empty(self.source.local_shape, self.dtype)
            if out is None:
                raise TypeError("out is None, expected this rank's part of the target")
            a, out, why = _asked(a, out, self.dtype, self.source, self.target)
        except Exception as bad:
            why = f"{type(bad).__name__}: {bad}"
        if why:
            _must(_lib.reblock_plan_execute_many(1, ctypes.byref(self._handle), None, None), why)
        source, target = (_Handle(_address(map, array)) for map, array in ((self.source, a), (self.target, out)))
        update = _Handle(ctypes.addressof(given))
        lists = (ctypes.byref(entry) for entry in (self._handle, source, target, update))
        _must(_lib.reblock_plan_update_many(1, *lists))
        return out

    def reverse(self):
        """The plan of the way back."""
        back = Plan.__new__(Plan)
        back._make(self.target, self.source, self.dtype)
        _must(_lib.reblock_plan_reverse(self._handle, ctypes.byref(back._handle)))
        return back


def _differs(comm, a):
    """Why the ranks' arrays are no array, if their types differ: the library compares sizes only. Collective, and the same on all
    ranks; one that has nothing to give passes None."""
    name = -1 if a is None else zlib.crc32(repr(a.dtype).encode())
    most = numpy.array([name, -1 if a is None else (1 << 32) - name], numpy.int64)
    comm.Allreduce(MPI.IN_PLACE, most, MPI.MAX)
    if most[0] >= 0 and most.sum() != 1 << 32:
        return f"ranks have elements of different types, this one of {a.dtype if a is not None else 'none'}"
    return None


def move(a, source, target, comm, shape, out=None):
    """Moves this rank's part `a` of an array of shape `shape` from the layout `source` to the layout `target`: returns what this
    rank has of it afterwards, in `out` if that is given. A rank that has no part passes an empty array of the same type."""
    source, target = Map(comm, shape, source), Map(comm, shape, target)
    a, out, why = _asked(a, out, None, source, target)
    differs = _differs(comm, None if why else a)
    if differs:
        raise Error(4, why or differs)
    element = -1 if why else a.itemsize
    addresses = _address(source, a), _address(target, out)
    _must(_lib.reblock_move_fortran(comm.py2f(), source._handle, None, target._handle, None, element, *addresses), why)
    return out
