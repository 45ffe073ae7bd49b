"""Moves distributed NumPy arrays from one layout to another over MPI, with the communicators of mpi4py.

    from mpi4py import MPI
    import numpy, reblock

    # This rank's rows of a 100 x 1000 array on 4 ranks become this rank's columns.
    rows = numpy.ones((25, 1000))
    columns = reblock.move(rows, "(BLOCK,*) ONTO P(4)", "(*,CYCLIC(8)) ONTO P(4)", MPI.COMM_WORLD, (100, 1000))

A layout is a text in HPF's notation, one format per axis: `BLOCK`, `CYCLIC(k)`, or `*` for an axis that is not
distributed. `ONTO P(2,3)` names the process grid: the first 6 ranks, row by row. Without it one axis is distributed, over
all ranks.

An array may also lie in boxes: tiles with one owner each, or one box per rank. `map_from_boxes` makes its map.

For repeated moves, `Map` and `Plan` keep the objects that `move` makes in each call. Plans also shift (`Plan.cshift`,
`Plan.eoshift`, `Plan.shift_lines`), gather and scatter elements named by lists (`Plan.gather`, `Plan.scatter`), and fill
shadows (`Plan.shadow`, for a map made by `Map.shadow`). A rank's part has its elements in ascending order of their indices,
and is C-contiguous; other arrays are copied first. Elements are moved as bytes, of any type without Python objects.

Every call that moves elements or makes a map or a plan is collective: all ranks of the communicator must call it, and a
failure raises an exception on all of them. Inquiries (`own`, `equal`, `key`, `indices`, `split`, `version`) and
`Map.shadow` can be called by one rank alone.

The import loads `libreblock_core`: from the package, from the folder of `make install`, or from the paths of the system's
loader (`LD_LIBRARY_PATH`). The library must have been built for the MPI that mpi4py uses.
"""

import ctypes
import operator
import os
import re
import struct
import weakref
import zlib

import numpy
from mpi4py import MPI

__all__ = ["Error", "Map", "Plan", "map_from_boxes", "move", "version"]

_NAME = "libreblock_core.so.0.2"
_Handle, _Number, _Numbers = ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)
_Flags = ctypes.POINTER(ctypes.c_int32)
_ALL_AXES = -1


_ORDER = "move(a, source, target, comm, shape), Map(comm, shape, layout), Plan(comm, source, target, dtype)"
_COMBINATIONS = ["add", "minimum", "maximum", "and", "or"]


class _Options(ctypes.Structure):
    _fields_ = [("size", _Number), ("version", _Number), ("scheduler", ctypes.c_char_p), ("transport", ctypes.c_char_p),
                ("buffer", _Number), ("window", _Number), ("relabel", _Number), ("axes", _Numbers), ("axes_count", _Number),
                ("copies", _Number), ("spread", _Numbers), ("spread_count", _Number), ("overlap", _Number),
                ("skip", _Number)]


class _Update(ctypes.Structure):
    _fields_ = [("size", _Number), ("version", _Number), ("type", _Number), ("combine", _Number), ("conjugate", _Number),
                ("alpha", _Handle), ("beta", _Handle)]


def _abi():
    """Returns the suffix that packages put into the names of libraries for the ABI by which mpi4py calls MPI."""
    mpi, major, minor = ctypes.CDLL(MPI.__file__), ctypes.c_int(-1), ctypes.c_int()
    # MPIs have this function since MPI 5. If MPI is not called by the standard ABI, it reports no version.
    if hasattr(mpi, "PMPI_Abi_get_version"):
        mpi.PMPI_Abi_get_version(ctypes.byref(major), ctypes.byref(minor))
    if major.value > 0:
        return "_abi"
    return "-openmpi" if MPI.get_vendor()[0] == "Open MPI" else "-mpich"


def _needed(path):
    """Returns the names of the libraries to which a library is linked (DT_NEEDED), if it is a 64-bit ELF file."""
    with open(path, "rb") as file:
        elf = file.read()
    if elf[:5] != b"\x7fELF\x02":
        return []
    order = "<" if elf[5] == 1 else ">"
    start, size, count = (struct.unpack_from(order + kind, elf, at)[0] for kind, at in (("Q", 32), ("H", 54), ("H", 56)))
    segments = [struct.unpack_from(order + "IIQQQQ", elf, start + k * size) for k in range(count)]
    dynamic = [elf[at : at + length] for kind, _, at, _, _, length in segments if kind == 2]
    entries = [entry for table in dynamic for entry in struct.iter_unpack(order + "qQ", table)]
    # Names are offsets into a string table, whose address is in memory, not in the file.
    table = dict(entries).get(5, 0)
    table = next((at + table - address for kind, _, at, address, _, length in segments if kind == 1 and 0 <= table - address < length), 0)
    names = [table + value for tag, value in entries if tag == 1]
    return [elf[name : elf.index(b"\0", name)].decode() for name in names]


def _is_loaded(name):
    try:
        return bool(ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_LAZY))
    except OSError:
        return False


def _check(path):
    """Refuses a library of another MPI before it is loaded: two MPIs in one process end it by a signal at exit."""
    mpi = [name for name in _needed(path) if name.startswith("libmpi")]
    if mpi and not any(map(_is_loaded, mpi)):
        ours = MPI.Get_library_version().splitlines()[0].partition(",")[0].replace("\t", " ").strip("\0 ")
        raise ImportError(f"{path} is built for another MPI ({mpi[0]}), but mpi4py uses {ours}: install reblock with that MPI, or set"
                          " LD_LIBRARY_PATH to such a library")


def _places(names):
    """Yields the paths at which the loader would find libraries of these names, from LD_LIBRARY_PATH and the loader's
    cache."""
    folders = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").replace(";", ":").split(":") if folder]
    try:
        with open("/etc/ld.so.cache", "rb") as file:
            cache = file.read()
    except OSError:
        cache = b""
    for name in names:
        yield from (os.path.join(folder, name) for folder in folders)
        yield from (place.decode() for place in re.findall(rb"/[^\0]*/" + re.escape(name.encode()) + rb"(?=\0)", cache))


def _found():
    """Loads the library from its installation or through the loader, also by the name that packages use for mpi4py's
    MPI."""
    here = os.path.dirname(os.path.abspath(__file__))
    names = [_NAME, _NAME.replace(".so", _abi() + ".so")]
    installed = [os.path.join(here, "..", "..", "..", "lib", name) for name in names]
    packed = os.path.join(here, "reblock.libs", names[1])
    for place in filter(os.path.exists, [packed, *installed, *_places(names[::-1])]):
        _check(place)
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
        "map_local": [_Handle, _Numbers, _Numbers, _Numbers, _Numbers, _Numbers, _Flags],
        "map_part": [_Handle, _Number, _Numbers, _Numbers, _Numbers, _Numbers, _Flags],
        "map_global_index": [_Handle, _Numbers, _Numbers, _Flags],
        "map_shadow": [_Handle, _Numbers, _Numbers, address],
        "map_equal": [_Handle, _Handle, _Flags],
        "map_key": [_Handle, _Numbers],
        "map_free": [address],
        "plan_create_fortran": [comm, *[_Handle] * 4, _Number, _Handle, address],
        "plan_cshift_fortran": [comm, *[_Handle] * 4, _Number, _Number, _Numbers, _Handle, address],
        "plan_eoshift_fortran": [comm, *[_Handle] * 4, _Number, _Number, _Numbers, _Handle, _Handle, address],
        "plan_shift_lines_fortran": [comm, *[_Handle] * 4, _Number, _Number, ctypes.c_int32, _Number, _Numbers, _Handle, _Handle, address],
        "plan_gather_fortran": [comm, _Handle, _Number, _Number, _Numbers, _Number, _Handle, address],
        "plan_scatter_fortran": [comm, _Handle, _Number, _Number, _Numbers, _Number, _Handle, address],
        "plan_shadow_fortran": [comm, _Handle, _Numbers, _Numbers, _Flags, ctypes.c_int32, _Number, _Handle, address],
        "plan_execute": [_Handle, _Handle, _Handle],
        "plan_execute_many": [_Number, address, address, address],
        "plan_update_many": [_Number, address, address, address, address],
        "plan_options_init_3": [_Handle],
        "update_init": [_Handle],
        "plan_reverse": [_Handle, address],
        "plan_free": [address],
        "move_fortran": [comm, _Handle, _Handle, _Handle, _Handle, _Number, _Handle, _Handle],
    }.items():
        function = getattr(library, "reblock_" + name)
        function.argtypes, function.restype = arguments, ctypes.c_int32
    library.reblock_set_reason.argtypes = [ctypes.c_char_p]
    library.reblock_set_reason.restype = None
    for name in ("version", "message"):
        getattr(library, "reblock_" + name).restype = ctypes.c_char_p
    return library


_lib = _library()
# Element types in the order of the library's numbers for them, from 1.
_NUMBERS = [numpy.dtype(name) for name in ("int32", "int64", "float32", "float64", "complex64", "complex128")]


class Error(Exception):
    """A failed call: the library's text, and in `code` one of the numbers REBLOCK_ERR_..."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def version():
    """Returns the version of the library."""
    return _lib.reblock_version().decode()


def _must(code):
    """Raises an Error if a call has failed."""
    if code:
        raise Error(code, _lib.reblock_message().decode())


def _refuse(why, function, *arguments):
    """Makes a collective call fail on all ranks by invalid arguments, with this rank's reason `why`. Returns the
    code."""
    _lib.reblock_set_reason(str(why).replace("\0", " ").encode())
    code = function(*arguments)
    _lib.reblock_set_reason(None)
    return code or 2


def _handle(comm):
    """Returns the communicator's handle in Fortran."""
    if not hasattr(comm, "py2f"):
        raise TypeError(f"the communicator is {comm!r}, expected one of mpi4py, as MPI.COMM_WORLD: the order is {_ORDER}")
    return comm.py2f()


def _owned(owner, handle, free):
    """Frees `handle` with its owner, or when the program ends; this needs no MPI."""
    weakref.finalize(owner, free, ctypes.byref(handle))
    return handle


def _numbers(numbers, what):
    """Checks that integers fit the library's type: ctypes would truncate them silently."""
    numbers = tuple(operator.index(number) for number in numbers)
    if any(not -(2**63) <= number < 2**63 for number in numbers):
        raise OverflowError(f"{what} {numbers}, expected numbers below 2**63")
    return numbers


def _shape(shape):
    return _numbers(shape, "an array of shape")


def _list(numbers, what):
    """Returns integers for the library as an array, and its address."""
    numbers = numpy.asarray(numbers)
    if numbers.size and (numbers.dtype.kind not in "iu" or (numbers.dtype.kind == "u" and numbers.max() >= 2**63)):
        raise TypeError(f"{what} of type {numbers.dtype}, expected integers below 2**63")
    numbers = numpy.ascontiguousarray(numbers, numpy.int64)
    return numbers, numbers.ctypes.data_as(_Numbers)


class Map:
    """The position of each element of an array of this shape: `Map(comm, (100, 1000), "(BLOCK,*) ONTO P(4)")`."""

    _boxes = None
    _before = _after = None

    def __init__(self, comm, shape, layout):
        handle = _handle(comm)
        try:
            self.shape, text = _shape(shape), layout.encode()
            # ctypes would silently end the text at a zero byte.
            if b"\0" in text:
                raise ValueError(f"the layout {layout!r} has a zero byte")
            extents = (_Number * len(self.shape))(*self.shape)
        except Exception as bad:
            _refuse(bad, _lib.reblock_map_from_text_fortran, handle, -1, None, None, ctypes.byref(_Handle()))
            raise
        self.comm, self.layout, columns, rows = comm, layout, _Handle(), _Handle()
        _must(_lib.reblock_map_from_text_fortran(handle, len(self.shape), extents, text, ctypes.byref(columns)))
        _owned(self, columns, _lib.reblock_map_free)
        _must(_lib.reblock_map_row_major(columns, ctypes.byref(rows)))
        self._handle = _owned(self, rows, _lib.reblock_map_free)
        self._measure()

    def _measure(self):
        extents, before, after = [(_Number * len(self.shape))() for _ in range(3)]
        has_part = ctypes.c_int32()
        _must(_lib.reblock_map_local(self._handle, extents, None, before, after, None, ctypes.byref(has_part)))
        self.has_part = has_part.value != 0
        """Whether this rank has a part of the array. A rank without a part passes any empty array, and gets one."""
        self._own, self._before = tuple(extents), tuple(before)
        everything = tuple(map(sum, zip(before, extents, after)))
        self.local_shape = everything if self.has_part else (0,) * max(1, len(self.shape))
        """The shape of this rank's part, with its shadow."""

    def shadow(self, before, after):
        """Returns a copy of the map with a shadow: room for `before` and `after` elements along each axis before and
        after a rank's own ones. Moves leave it unchanged; `Plan.shadow` fills it. Not collective, but all ranks must
        pass the same widths."""
        made, handle = Map.__new__(Map), _Handle()
        before, after = (_numbers(widths, "a shadow of") for widths in (before, after))
        if len(before) != len(self.shape) or len(after) != len(self.shape):
            raise ValueError(f"a shadow of {before} and {after}, expected {len(self.shape)} axes")
        before, after = ((_Number * (len(widths) + 1))(*widths) for widths in (before, after))
        _must(_lib.reblock_map_shadow(self._handle, before, after, ctypes.byref(handle)))
        made.comm, made.shape, made.layout = self.comm, self.shape, self.layout
        made._handle = _owned(made, handle, _lib.reblock_map_free)
        made._measure()
        return made

    def own(self):
        """Returns the slices of this rank's own elements in its part: all of it if there is no shadow."""
        if self._boxes is not None or not self.has_part:
            return (slice(None),) * len(self.local_shape)
        return tuple(slice(before, before + own) for before, own in zip(self._before, self._own))

    def equal(self, other):
        """Whether both maps put the same elements into the same places of the same ranks' parts."""
        equal = ctypes.c_int32()
        _must(_lib.reblock_map_equal(self._handle, other._handle, ctypes.byref(equal)))
        return equal.value != 0

    def key(self):
        """Returns a hash that all ranks and all equal maps share, for caches of plans."""
        key = _Number()
        _must(_lib.reblock_map_key(self._handle, ctypes.byref(key)))
        return key.value

    def indices(self):
        """Returns the indices of this rank's elements along each axis: `whole[numpy.ix_(*map.indices())]` is its part.
        If the part has no elements, the indices give an array of the part's shape."""
        if self._boxes is not None:
            raise TypeError("an array in boxes has no indices along each axis: see split")
        axes = len(self.shape)
        first, last, place, index = [(_Number * axes)() for _ in range(4)]
        if not self.has_part or 0 in self._own:
            own = self._own if self.has_part else self.local_shape
            return tuple(numpy.arange(extent) for extent in own)
        _must(_lib.reblock_map_part(self._handle, self.comm.rank, None, None, first, last, None))

        def index_at(axis, position):
            place[:] = [before + (position if k == axis else 0) for k, before in enumerate(self._before)]
            _must(_lib.reblock_map_global_index(self._handle, place, index, None))
            return index[axis]

        def along(axis, extent):
            if last[axis] - first[axis] + 1 == extent:
                return numpy.arange(first[axis], last[axis] + 1)
            return numpy.array([index_at(axis, position) for position in range(extent)], numpy.int64)

        return tuple(along(axis, extent) for axis, extent in enumerate(self._own))

    def split(self, part):
        """Returns the boxes of an array in boxes, in the order of `map_from_boxes`: views of this rank's part."""
        if self._boxes is None:
            raise TypeError(f"the layout {self.layout!r} has no boxes")
        ends = numpy.cumsum([0] + [numpy.prod(box, dtype=int) for box in self._boxes])
        return [part[start:end].reshape(box) for start, end, box in zip(ends, ends[1:], self._boxes)]

    def _misfit(self, name, array):
        """Returns the reason if an array cannot be this rank's part."""
        if array.dtype.hasobject:
            return f"{name} has elements of type {array.dtype}, which refer to Python objects"
        if array.shape != self.local_shape and (self.has_part or array.size):
            return f"{name} has shape {array.shape}, expected {self.local_shape} for {self.layout!r} of {self.shape}"
        return None


def _bounds(shape, box):
    """Returns the first index of a box and its extent along each axis. Indices are not clipped and do not count from
    the end."""
    box = box if isinstance(box, tuple) else (box,)
    if len(box) != len(shape) or any(not isinstance(along, slice) or along.step not in (None, 1) for along in box):
        raise ValueError(f"the box {box} of an array of shape {shape}, expected a slice in steps of 1 for each axis")
    starts = [0 if along.start is None else operator.index(along.start) for along in box]
    ends = [extent if along.stop is None else operator.index(along.stop) for along, extent in zip(box, shape)]
    sizes = [max(end - start, 0) for start, end in zip(starts, ends)]
    return _numbers(starts, "a box from"), _numbers(sizes, "a box of shape")


def map_from_boxes(comm, shape, boxes):
    """Makes the map of an array of this shape in boxes. Each rank passes a list of its own boxes, each a tuple of
    slices: `whole[box]` are its elements. The list may be empty. No element may be in two boxes, of one rank or of
    two; an element that is never moved may be in none. A rank's part has one axis, with the elements of one box after
    the other, each in C's order: `Map.split` takes it apart."""
    made, handle, elements, communicator = Map.__new__(Map), _Handle(), _Number(), _handle(comm)
    try:
        made.comm, made.shape, made.layout = comm, _shape(shape), "boxes"
        bounds = [_bounds(made.shape, box) for box in boxes]
        starts, sizes = ([number for box in bounds for number in box[k]] for k in (0, 1))
        extents, starts, sizes = ((_Number * (len(all) + 1))(*all) for all in (made.shape, starts, sizes))
    except Exception as bad:
        nothing = -1, None, 0, None, None, 1, None, None, ctypes.byref(_Handle())
        _refuse(bad, _lib.reblock_map_from_boxes_fortran, communicator, *nothing)
        raise
    arguments = len(made.shape), extents, len(bounds), starts, sizes, 1, None, None
    _must(_lib.reblock_map_from_boxes_fortran(communicator, *arguments, ctypes.byref(handle)))
    made._handle = _owned(made, handle, _lib.reblock_map_free)
    _must(_lib.reblock_map_elements(handle, ctypes.byref(elements)))
    made.has_part, made.local_shape, made._boxes = True, (elements.value,), [box[1] for box in bounds]
    return made


def _asked(a, out, dtype, source, target):
    """Returns this rank's arrays, and the reason if they do not fit: `a`, C-contiguous, and `out`, which is made if it
    is None. Without `dtype`, the type of `a` counts. A rank that has no part may pass None."""
    try:
        if a is None and source.has_part:
            return None, None, f"the array is None, expected this rank's part, of shape {source.local_shape}"
        a = numpy.empty(source.local_shape, dtype) if a is None else a
        a = numpy.asarray(a, order="C")
        dtype = a.dtype if dtype is None else dtype
        why = source._misfit("the array", a)
        if not why and a.dtype != dtype:
            why = f"the array has elements of type {a.dtype}, expected {dtype}"
        if out is None:
            return a, numpy.zeros(target.local_shape, dtype), why
        why = why or target._misfit("out", out)
        if not why and not (out.dtype == dtype and out.flags.c_contiguous and out.flags.writeable):
            why = f"out is to be C-contiguous and writeable, with elements of type {dtype}"
        return a, out, why
    except Exception as bad:
        return None, None, f"{type(bad).__name__}: {bad}"


def _address(map, array):
    return array.ctypes.data if map.has_part and array is not None else None


def _options(axes=None, copies=False, spread=(), overlap=False, skip=False):
    options = _Options()
    _must(_lib.reblock_plan_options_init_3(ctypes.byref(options)))
    spread = [operator.index(axis) for axis in spread]
    if axes is not None:
        axes = [operator.index(axis) for axis in axes]
        options.axes, options.axes_count = (_Number * (len(axes) + 1))(*axes), len(axes)
    if spread:
        options.spread, options.spread_count = (_Number * len(spread))(*spread), len(spread)
    options.copies, options.overlap, options.skip = bool(copies), bool(overlap), bool(skip)
    return ctypes.byref(options)


class Plan:
    """A plan to move arrays with elements of type `dtype` from one map to another; both have the same shape. With
    `axes`, axis k of the source goes to axis `axes[k]` of the target, and their shapes correspond accordingly. With
    `copies`, `update` combines the values of all copies of a replicated source. `spread` lists axes of the target that
    the source does not have: the source is repeated along them. With `overlap`, source and target may be the same
    array: the result is as if the whole source were read first."""

    def __init__(self, comm, source, target, dtype, axes=None, copies=False, spread=(), overlap=False):
        def given():
            return *self._between(source, target, dtype), _options(axes, copies, spread, overlap)

        self._planned("create", comm, given)

    def _make(self, source, target, dtype):
        self.source, self.target, self.dtype = source, target, numpy.dtype(dtype)
        self._handle = _owned(self, _Handle(), _lib.reblock_plan_free)
        if self.dtype.hasobject:
            raise TypeError(f"elements of type {self.dtype} refer to Python objects")

    def _between(self, source, target, dtype):
        self._make(source, target, dtype)
        return source._handle, None, target._handle, None, self.dtype.itemsize

    def _planned(self, name, comm, given):
        """Makes the plan by the named call, with the arguments that `given()` returns. If that raises, the call fails
        on all ranks."""
        function, why, handle = getattr(_lib, f"reblock_plan_{name}_fortran"), None, _handle(comm)
        try:
            arguments = given()
        except Exception as bad:
            why = f"{type(bad).__name__}: {bad}"
        if why:
            nothing = [-1 if kind in (_Number, ctypes.c_int32) else None for kind in function.argtypes[1:-1]]
            raise Error(_refuse(why, function, handle, *nothing, ctypes.byref(_Handle())), why)
        _must(function(handle, *arguments, ctypes.byref(self._handle)))
        return self

    @classmethod
    def cshift(cls, comm, source, target, dtype, shifts, axes=None, overlap=False):
        """Makes a plan of a circular shift by one distance for each axis of the source, as Fortran's CSHIFT: index i of
        the target gets the element at index i + shift of the source. `numpy.roll` counts distances in the opposite
        direction."""
        plan = cls.__new__(cls)

        def given():
            distances, address = _list(shifts, "shifts")
            plan._kept = distances
            return *plan._between(source, target, dtype), distances.size, address, _options(axes, overlap=overlap)

        return plan._planned("cshift", comm, given)

    @classmethod
    def eoshift(cls, comm, source, target, dtype, shifts, boundary=None, axes=None, overlap=False):
        """Makes a plan of an end-off shift, as Fortran's EOSHIFT: if the source has no such index, the target gets
        `boundary`, or stays unchanged without it."""
        plan = cls.__new__(cls)

        def given():
            distances, address = _list(shifts, "shifts")
            ends = plan._between(source, target, dtype)
            element = None if boundary is None else numpy.array(boundary, plan.dtype)
            if element is not None and element.shape:
                raise TypeError(f"a boundary of shape {element.shape}, expected one element")
            plan._kept = distances, element
            data = None if element is None else element.ctypes.data
            return *ends, distances.size, address, data, _options(axes, overlap=overlap)

        return plan._planned("eoshift", comm, given)

    @classmethod
    def shift_lines(cls, comm, source, target, dtype, axis, shifts, circular=True, boundary=None, axes=None, overlap=False):
        """Makes a plan of a shift along one axis of the source with its own distance for each line, as CSHIFT
        (`circular`) or EOSHIFT with an array of distances. `shifts` has the lines of the target on this rank, in an
        array of its part's shape without that axis. If the source has no such index, the target gets `boundary` (one
        element, or one for each line), or stays unchanged without it."""
        plan = cls.__new__(cls)

        def given():
            distances, address = _list(shifts, "shifts")
            ends = plan._between(source, target, dtype)
            values = None if boundary is None else numpy.array(boundary, plan.dtype)
            if values is not None:
                values = numpy.ascontiguousarray(numpy.broadcast_to(values, distances.shape))
            plan._kept = distances, values
            data = None if values is None else values.ctypes.data
            along = operator.index(axis), bool(circular), distances.size, address, data
            return *ends, *along, _options(axes, overlap=overlap)

        return plan._planned("shift_lines", comm, given)

    @classmethod
    def gather(cls, comm, map, dtype, indices, axis=None, skip=False):
        """Makes a plan that gathers the elements that this rank names, in the order of its list. `indices` are indices
        along `axis`; all other axes are whole, and `target.local_shape` has the number of indices along `axis`. Without
        `axis`, `indices` has a row for each element, with one index for each axis of the array. With `skip`, entries
        with a negative index are skipped: their places in `out` stay unchanged, and are 0 without an `out`."""
        return cls.__new__(cls)._listed("gather", comm, map, dtype, indices, axis, skip)

    @classmethod
    def scatter(cls, comm, map, dtype, indices, axis=None, skip=False):
        """Makes a plan that scatters a local array to the named elements, with the arguments of `gather`. If an element
        is named several times, a move writes the last value, in the order of ranks and lists; `update` combines all
        values. With `skip`, entries with a negative index are not sent."""
        return cls.__new__(cls)._listed("scatter", comm, map, dtype, indices, axis, skip)

    def _listed(self, name, comm, array, dtype, indices, axis, skip):
        def given():
            numbers, address = _list(indices, "indices")
            axes, along = len(array.shape), _ALL_AXES if axis is None else operator.index(axis)
            if axis is None:
                numbers = numbers.reshape(0, axes) if numbers.size == 0 else numbers
                if numbers.ndim != 2 or numbers.shape[1] != axes:
                    raise ValueError(f"indices of shape {numbers.shape}, expected a row of {axes} for each element")
            elif numbers.ndim != 1 or not 0 <= along < axes:
                raise ValueError(f"indices of shape {numbers.shape} along axis {along}, expected a list along one of {axes} axes")
            count = numbers.shape[0]
            local = Map.__new__(Map)
            local.comm, local.shape, local.layout, local.has_part = comm, array.shape, "a list of indices", True
            local.local_shape = (count,) if axis is None else (*array.shape[:along], count, *array.shape[along + 1 :])
            self._make(*((array, local) if name == "gather" else (local, array)), dtype)
            self._kept = numbers
            return array._handle, along, count, address, self.dtype.itemsize, _options(skip=skip)

        return self._planned(name, comm, given)

    @classmethod
    def shadow(cls, comm, map, dtype, before=None, after=None, periodic=None, corners=False):
        """Makes a plan that fills the shadows of an array with the elements of other ranks that they show:
        `plan.fill(a)`. Widths are at most the map's, which are the default. After the last index of a `periodic` axis
        comes the first one. `plan.reverse()` combines elements with the contents of the shadows that show them:
        `update(a, a, beta=1)`."""
        plan = cls.__new__(cls)

        def given():
            axes = len(map.shape)
            widths = [None if each is None else _numbers(each, "a shadow of") for each in (before, after)]
            rings = None if periodic is None else [bool(ring) for ring in periodic]
            if any(each is not None and len(each) != axes for each in (*widths, rings)):
                raise ValueError(f"widths {before} and {after} and periodic axes {periodic}, expected {axes} of each")
            widths = [None if each is None else (_Number * (axes + 1))(*each) for each in widths]
            rings = None if rings is None else (ctypes.c_int32 * (axes + 1))(*rings)
            plan._make(map, map, dtype)
            return map._handle, *widths, rings, bool(corners), plan.dtype.itemsize, _options()

        return plan._planned("shadow", comm, given)

    def _refuse(self, why):
        code = _refuse(why, _lib.reblock_plan_execute_many, 1, ctypes.byref(self._handle), None, None)
        raise Error(code, why)

    def fill(self, a):
        """Executes the plan within one C-contiguous array, as for shadows, and returns the array."""
        return self.move(a, a)

    def move(self, a, out=None):
        """Moves this rank's part `a`, and returns its part of the target: `out` if that is given, otherwise a new
        array."""
        a, out, why = _asked(a, out, self.dtype, self.source, self.target)
        if why:
            self._refuse(why)
        _must(_lib.reblock_plan_execute(self._handle, _address(self.source, a), _address(self.target, out)))
        return out

    def update(self, a, out, alpha=1, beta=0, combine="add", conjugate=False):
        """Updates this rank's part `out` of the target and returns it: combine(alpha * a, beta * out), or with the
        conjugate of `a`. `combine` is "add", "minimum", "maximum", "and" or "or". A side whose factor is 0 is not read;
        `a` may be None if alpha is 0. All ranks must pass the same update. Elements are of type int32, int64, float32,
        float64, complex64 or complex128."""
        given, factors = _Update(), None
        try:
            _must(_lib.reblock_update_init(ctypes.byref(given)))
            if self.dtype not in _NUMBERS:
                raise TypeError(f"elements of type {self.dtype} cannot be updated")
            factors = [numpy.array(factor, self.dtype) for factor in (alpha, beta)]
            given.type, given.conjugate = _NUMBERS.index(self.dtype) + 1, bool(conjugate)
            if combine not in _COMBINATIONS:
                raise ValueError(f"combine is {combine!r}, expected one of {', '.join(map(repr, _COMBINATIONS))}")
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
            self._refuse(why)
        source, target = (_Handle(_address(map, array)) for map, array in ((self.source, a), (self.target, out)))
        update = _Handle(ctypes.addressof(given))
        lists = (ctypes.byref(entry) for entry in (self._handle, source, target, update))
        _must(_lib.reblock_plan_update_many(1, *lists))
        return out

    def reverse(self):
        """Makes the plan for the opposite direction."""
        back = Plan.__new__(Plan)
        back._make(self.target, self.source, self.dtype)
        _must(_lib.reblock_plan_reverse(self._handle, ctypes.byref(back._handle)))
        return back


def _common_type(comm, dtype, is_asked):
    """Returns the type of the ranks' arrays, and the reason for a failure if types differ: the library compares sizes
    only. Collective, with one result on all ranks. A rank without a type passes None; if it `is_asked`, it gets the
    type of another rank."""
    name = -1 if dtype is None else zlib.crc32(repr(dtype).encode())
    most = [name, -1 if dtype is None else (1 << 32) - name, -1 if dtype is None else comm.rank, is_asked]
    most = numpy.array(most, numpy.int64)
    comm.Allreduce(MPI.IN_PLACE, most, MPI.MAX)
    if most[0] >= 0 and most[:2].sum() != 1 << 32:
        return None, f"ranks have elements of different types, this one of {dtype or 'none'}"
    if most[3] and most[2] >= 0:
        dtype = comm.bcast(dtype, int(most[2]))
    return dtype, None


def move(a, source, target, comm, shape, out=None):
    """Moves this rank's part `a` of an array of shape `shape` from the layout `source` to the layout `target`. Returns
    its part afterwards: `out` if that is given, otherwise a new array. A rank that has no part passes None, or an empty
    array of the same type."""
    source, target = Map(comm, shape, source), Map(comm, shape, target)
    empty = a is None and not source.has_part
    why = None
    if not empty:
        a, out, why = _asked(a, out, None, source, target)
    dtype, differs = _common_type(comm, None if empty or why else a.dtype, empty)
    if differs:
        raise Error(4, why or differs)
    if empty:
        # If no rank has a type, the other ranks give their reasons.
        a, out, why = _asked(a, out, numpy.uint8 if dtype is None else dtype, source, target)
    ends = source._handle, None, target._handle, None
    if why:
        raise Error(_refuse(why, _lib.reblock_move_fortran, comm.py2f(), *ends, -1, None, None), why)
    addresses = _address(source, a), _address(target, out)
    _must(_lib.reblock_move_fortran(comm.py2f(), *ends, a.itemsize, *addresses))
    return out
