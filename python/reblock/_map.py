"""Maps: the position of each element of an array."""

import ctypes
import operator
from typing import Any

import numpy

from ._arrays import lies
from ._calls import comm_of, must, numbers_of, owned, refused, shape_of
from ._errors import ArgumentError, reason
from ._library import lib
from ._memory import array_on
from ._prototypes import Handle, Number


class Map:
    """The position of each element of an array of this shape: `Map((100, 1000), "(BLOCK,*) ONTO P(4)")`, on the first ranks of
    `comm`, which is MPI.COMM_WORLD unless it is given."""

    _boxes = None
    _strides = (1,)
    _placed: Any = None  # placements.Layout

    def __init__(self, shape, layout, comm=None):
        comm, handle = comm_of(comm, "Map(shape, layout, comm=comm)", shape, layout)
        try:
            self.shape, text = shape_of(shape), layout.encode()
            # ctypes would silently end the text at a zero byte.
            if b"\0" in text:
                raise ArgumentError(f"the layout {layout!r} has a zero byte")
            extents = (Number * len(self.shape))(*self.shape)
        except Exception as bad:
            nothing = -1, None, None, ctypes.byref(Handle())
            raise refused(reason(bad), lib.reblock_map_from_text_fortran, handle, *nothing) from bad
        self.comm, self.layout, columns, rows = comm, layout, Handle(), Handle()
        must(lib.reblock_map_from_text_fortran(handle, len(self.shape), extents, text, ctypes.byref(columns)))
        owned(self, columns, lib.reblock_map_free)
        must(lib.reblock_map_row_major(columns, ctypes.byref(rows)))
        self._handle = owned(self, rows, lib.reblock_map_free)
        self._measure()

    def _measure(self):
        extents, before, after, strides = [(Number * len(self.shape))() for _ in range(4)]
        has_part = ctypes.c_int32()
        must(lib.reblock_map_local(self._handle, extents, None, before, after, strides, ctypes.byref(has_part)))
        self.has_part = has_part.value != 0
        """Whether this rank has a part of the array. A rank without a part passes any empty array, and gets one."""
        self._own, self._before, self._strides = tuple(extents), tuple(before), tuple(strides)
        everything = tuple(map(sum, zip(before, extents, after)))
        self.local_shape = everything if self.has_part else (0,) * max(1, len(self.shape))
        """The shape of this rank's part, with its shadow."""

    @classmethod
    def _of(cls, handle, comm, shape, layout):
        """Returns the object for a map of the library."""
        made = cls.__new__(cls)
        made.comm, made.shape, made.layout = comm, shape, layout
        made._handle = owned(made, handle, lib.reblock_map_free)
        made._measure()
        return made

    def shadow(self, before, after):
        """Returns a copy of the map with a shadow: room for `before` and `after` elements along each axis before and
        after a rank's own ones. Moves leave it unchanged; `Plan.shadow` fills it. Not collective, but all ranks must
        pass the same widths."""
        if self._is_partial():
            raise ArgumentError(f"a shadow of {self.layout}, expected values that are not partial")
        handle = Handle()
        before, after = (numbers_of(widths, "a shadow of") for widths in (before, after))
        if len(before) != len(self.shape) or len(after) != len(self.shape):
            raise ArgumentError(f"a shadow of {before} and {after}, expected {len(self.shape)} axes")
        before, after = ((Number * (len(widths) + 1))(*widths) for widths in (before, after))
        must(lib.reblock_map_shadow(self._handle, before, after, ctypes.byref(handle)))
        return self._of(handle, self.comm, self.shape, self.layout)

    def like(self, a):
        """Returns a copy of the map for parts that lie in memory as the array `a`, which has the shape of this rank's
        part: in Fortran's order, with gaps, or backwards. Plans of the copy move such arrays without copying them first,
        and make them. Not collective, and ranks may have arrays of different strides; a rank without a part may pass
        None."""
        if not self.has_part or self._is_partial():
            return self
        array, _ = array_on(a)
        if array.shape != self.local_shape:
            raise ArgumentError(f"the array has shape {array.shape}, expected {self.local_shape} for {self.layout!r} of {self.shape}")
        if any(stride % array.itemsize for stride in array.strides):
            raise ArgumentError(f"strides of {array.strides} bytes, expected multiples of the element size, {array.itemsize}")
        if lies(self, array.itemsize, array.strides):
            return self
        handle, strides = Handle(), [stride // array.itemsize for stride in array.strides]
        must(lib.reblock_map_strides(self._handle, (Number * len(strides))(*strides), ctypes.byref(handle)))
        return self._of(handle, self.comm, self.shape, self.layout)

    def __copy__(self):
        # A map never changes, and a second object would not own the library's map.
        return self

    def __deepcopy__(self, memo):
        return self

    def _is_partial(self):
        """Whether values are still to be combined, as `Partial` of `placements` says."""
        return self._placed is not None and bool(self._placed.partial_axes())

    def own(self):
        """Returns the slices of this rank's own elements in its part: all of it if there is no shadow."""
        if self._boxes is not None or not self.has_part:
            return (slice(None),) * len(self.local_shape)
        return tuple(slice(before, before + own) for before, own in zip(self._before, self._own))

    def equal(self, other):
        """Whether both maps put the same elements into the same places of the same ranks' parts."""
        equal = ctypes.c_int32()
        must(lib.reblock_map_equal(self._handle, other._handle, ctypes.byref(equal)))
        return equal.value != 0

    def key(self):
        """Returns a hash that all ranks and all equal maps share, for caches of plans."""
        key = Number()
        must(lib.reblock_map_key(self._handle, ctypes.byref(key)))
        return key.value

    def indices(self):
        """Returns the indices of this rank's elements along each axis: `whole[numpy.ix_(*map.indices())]` is its part.
        If the part has no elements, the indices give an array of the part's shape."""
        if self._boxes is not None:
            raise ArgumentError("an array in boxes has no indices along each axis: see split")
        axes = len(self.shape)
        first, last, place, index = [(Number * axes)() for _ in range(4)]
        if not self.has_part or 0 in self._own:
            own = self._own if self.has_part else self.local_shape
            return tuple(numpy.arange(extent) for extent in own)
        must(lib.reblock_map_part(self._handle, self.comm.rank, None, None, first, last, None))

        def index_at(axis, position):
            place[:] = [before + (position if k == axis else 0) for k, before in enumerate(self._before)]
            must(lib.reblock_map_global_index(self._handle, place, index, None))
            return index[axis]

        def along(axis, extent):
            if last[axis] - first[axis] + 1 == extent:
                return numpy.arange(first[axis], last[axis] + 1)
            return numpy.array([index_at(axis, position) for position in range(extent)], numpy.int64)

        return tuple(along(axis, extent) for axis, extent in enumerate(self._own))

    def split(self, part):
        """Returns the boxes of an array in boxes, in the order of `map_from_boxes`: views of this rank's part."""
        if self._boxes is None:
            raise ArgumentError(f"the layout {self.layout!r} has no boxes")
        ends = numpy.cumsum([0] + [numpy.prod(box, dtype=int) for box in self._boxes])
        return [part[start:end].reshape(box) for start, end, box in zip(ends, ends[1:], self._boxes)]


def _bounds(shape, box):
    """Returns the first index of a box and its extent along each axis. Indices are not clipped and do not count from
    the end."""
    box = box if isinstance(box, tuple) else (box,)
    if len(box) != len(shape) or any(not isinstance(along, slice) or along.step not in (None, 1) for along in box):
        raise ArgumentError(f"the box {box} of an array of shape {shape}, expected a slice in steps of 1 for each axis")
    starts = [0 if along.start is None else operator.index(along.start) for along in box]
    ends = [extent if along.stop is None else operator.index(along.stop) for along, extent in zip(box, shape)]
    sizes = [max(end - start, 0) for start, end in zip(starts, ends)]
    return numbers_of(starts, "a box from"), numbers_of(sizes, "a box of shape")


def map_from_boxes(shape, boxes, comm=None):
    """Makes the map of an array of this shape in boxes. Each rank passes a list of its own boxes, each a tuple of
    slices: `whole[box]` are its elements. The list may be empty. No element may be in two boxes, of one rank or of
    two; an element that is never moved may be in none. A rank's part has one axis, with the elements of one box after
    the other, each in C's order: `Map.split` takes it apart."""
    comm, communicator = comm_of(comm, "map_from_boxes(shape, boxes, comm=comm)", shape, boxes)
    made, handle, elements = Map.__new__(Map), Handle(), Number()
    try:
        made.comm, made.shape, made.layout = comm, shape_of(shape), "boxes"
        bounds = [_bounds(made.shape, box) for box in boxes]
        starts, sizes = ([number for box in bounds for number in box[k]] for k in (0, 1))
        extents, starts, sizes = ((Number * (len(all) + 1))(*all) for all in (made.shape, starts, sizes))
    except Exception as bad:
        nothing = -1, None, 0, None, None, 1, None, None, ctypes.byref(Handle())
        raise refused(reason(bad), lib.reblock_map_from_boxes_fortran, communicator, *nothing) from bad
    arguments = len(made.shape), extents, len(bounds), starts, sizes, 1, None, None
    must(lib.reblock_map_from_boxes_fortran(communicator, *arguments, ctypes.byref(handle)))
    made._handle = owned(made, handle, lib.reblock_map_free)
    must(lib.reblock_map_elements(handle, ctypes.byref(elements)))
    made.has_part, made.local_shape, made._boxes = True, (elements.value,), [box[1] for box in bounds]
    return made
