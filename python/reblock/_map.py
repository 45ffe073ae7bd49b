"""Maps: the position of each element of an array."""

from __future__ import annotations

import ctypes
import operator
from typing import TYPE_CHECKING, Any, Iterable, Sequence

import numpy
from mpi4py import MPI

from . import _draw
from ._arrays import lies
from ._calls import Owner, check_mpi, comm_of, must, numbers_of, refused, shape_of
from ._errors import ArgumentError, reason
from ._library import lib
from ._memory import array_on
from ._prototypes import Handle, Number, array_of
from ._section import Section

if TYPE_CHECKING:
    import numpy.typing

# Longer descriptions are cut: a list of owners may have an entry for each index.
MAX_TEXT = 160


class Map(Owner):
    """The position of each element of an array of shape `shape`, laid out on the first ranks of `comm`.

    >>> reblock.Map((100, 1000), "(BLOCK,*) ONTO P(4)")
    <reblock.Map DISTRIBUTE (BLOCK,*) ONTO P(4) :: A(100,1000)>

    Maps that put each element into the same place are equal, also if their texts differ, and have one hash. Slices give
    a section: `map[2:8:2, ::-1]`. Collective over `comm`, which is MPI.COMM_WORLD unless it is given.
    """

    comm: MPI.Comm
    """The communicator."""
    shape: tuple[int, ...]
    """The shape of the whole array."""
    layout: str
    """The text of the layout."""
    has_part: bool
    """Whether this rank has a part of the array. A rank without a part passes None or any empty array, and gets one."""
    local_shape: tuple[int, ...]
    """The shape of this rank's part, with its shadow."""

    _boxes: list[tuple[int, ...]] | None = None
    _strides: tuple[int, ...] = (1,)
    _widths: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    _alike = False
    _hash: int | None = None
    _placed: Any = None  # placements.Layout

    def __init__(self, shape: Iterable[int] | None, layout: str, comm: MPI.Comm | None = None) -> None:
        self.comm, communicator = comm_of(comm, "Map(shape, layout, comm=comm)", shape, layout)
        columns, rows = Handle(), Handle()
        try:
            if not isinstance(layout, str):
                raise ArgumentError(f"the layout is {layout!r}, expected a text, such as '(BLOCK,*)', or a map where that may be")
            self.shape, text = shape_of(shape), layout.encode()
            # ctypes would silently end the text at a zero byte.
            if b"\0" in text:
                raise ArgumentError(f"the layout {layout!r} has a zero byte")
            extents = (Number * len(self.shape))(*self.shape)
        except Exception as bad:
            nothing = -1, None, None, ctypes.byref(columns)
            raise refused(reason(bad), lib.reblock_map_from_text_fortran, communicator, *nothing) from bad
        arguments = len(self.shape), extents, text
        must(lib.reblock_map_from_text_fortran(communicator, *arguments, ctypes.byref(columns)))
        try:
            must(lib.reblock_map_row_major(columns, ctypes.byref(rows)))
        finally:
            lib.reblock_map_free(ctypes.byref(columns))
        self._own(rows, lib.reblock_map_free)
        self.layout = layout
        self._measure()

    @classmethod
    def _of(cls, handle: ctypes.c_void_p, comm: MPI.Comm, shape: tuple[int, ...], layout: str | None = None) -> Map:
        """Returns the object for a map of the library."""
        made = cls.__new__(cls)
        made._own(handle, lib.reblock_map_free)
        made.comm, made.shape, made.layout = comm, shape, made._text() if layout is None else layout
        made._measure()
        return made

    def _measure(self) -> None:
        extents, before, after, strides = ((Number * len(self.shape))() for _ in range(4))
        has_part = ctypes.c_int32()
        must(lib.reblock_map_local(self._handle, extents, None, before, after, strides, ctypes.byref(has_part)))
        self.has_part = has_part.value != 0
        self._extents, self._before, self._strides = tuple(extents), tuple(before), tuple(strides)
        everything = tuple(map(sum, zip(before, extents, after)))
        self.local_shape = everything if self.has_part else (0,) * max(1, len(self.shape))

    @property
    def _map(self) -> Map:
        return self

    @property
    def _ranges(self) -> None:
        return None

    def _text(self) -> str:
        """Returns the library's description of the layout as a directive of HPF."""
        text = ctypes.create_string_buffer(MAX_TEXT + 1)
        length = Number()
        must(lib.reblock_map_text(self._handle, text, len(text), ctypes.byref(length)))
        written = text.value.decode(errors="replace") + ("..." if length.value > MAX_TEXT else "")
        aligned, _, layout = written.partition(", T")
        names, _, place = aligned[1:].partition(" WITH T")
        if not layout:
            return names.partition(") ")[2]
        # If index i of the array is index i of the template, the layout alone describes the array.
        return f"DISTRIBUTE {layout}" if names == place else f"ALIGN {written}"

    def __repr__(self) -> str:
        name = f"A({','.join(map(str, self.shape))})"
        if not self._held.value:
            return f"<reblock.Map {name}, closed>"
        shadow = ""
        if self._widths:
            shadow = f", SHADOW ({','.join(f'{before}:{after}' for before, after in zip(*self._widths))})"
        strides = f", strides {self._strides} here" if self._alike else ""
        partial = f", partial: {self._placed}" if self._is_partial() else ""
        return f"<reblock.Map {self._text()}{shadow} :: {name}{strides}{partial}>"

    def _repr_svg_(self) -> str | None:
        """Returns a drawing of who owns which part of the array, which Jupyter shows. Not collective."""
        return _draw.map_svg(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Map):
            return NotImplemented
        if self is other or not self._held.value or not other._held.value:
            return self is other
        partial = self._is_partial() or other._is_partial()
        return self.equal(other) and not (partial and self._placed != other._placed)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = self.key()
        return self._hash

    def __getitem__(self, index: Any) -> Section:
        return Section(self, index)

    # Indexing is no iteration.
    __iter__ = None

    def shadow(self, before: Sequence[int], after: Sequence[int]) -> Map:
        """Returns a copy of the map with a shadow: room for `before` and `after` elements along each axis before and
        after a rank's own ones. Moves leave it unchanged; `Plan.shadow` fills it. Not collective, but all ranks must
        pass the same widths.

        >>> reblock.Map((8, 8), "(BLOCK,*)").shadow((1, 0), (1, 0))
        <reblock.Map DISTRIBUTE (BLOCK,*) ONTO P(4), SHADOW (1:1,0:0) :: A(8,8)>
        """
        if self._is_partial():
            raise ArgumentError(f"a shadow of {self.layout}, expected values that are not partial")
        handle = Handle()
        widths = numbers_of(before, "a shadow of"), numbers_of(after, "a shadow of")
        if any(len(each) != len(self.shape) for each in widths):
            raise ArgumentError(f"a shadow of {widths[0]} and {widths[1]}, expected {len(self.shape)} axes")
        lists = (array_of(each) for each in widths)
        must(lib.reblock_map_shadow(self._handle, *lists, ctypes.byref(handle)))
        made = self._of(handle, self.comm, self.shape, self.layout)
        made._widths = widths
        return made

    def like(self, a: Any) -> Map:
        """Returns a copy of the map for parts that lie in memory as the array `a`, which has the shape of this rank's
        part: in Fortran's order, with gaps, or backwards. Plans of the copy move such arrays without copying them first,
        and make them. Not collective, and ranks may have arrays of different strides; a rank without a part may pass
        None.

            part = numpy.asfortranarray(part)
            plan = reblock.Plan(rows.like(part), columns, part.dtype)
        """
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
        made = self._of(handle, self.comm, self.shape, self.layout)
        made._widths, made._alike = self._widths, True
        return made

    def __copy__(self) -> Map:
        # A map never changes, and a second object would not own the library's map.
        return self

    def __deepcopy__(self, memo: object) -> Map:
        return self

    def _is_partial(self) -> bool:
        """Whether values are still to be combined, as `Partial` of `placements` says."""
        return self._placed is not None and bool(self._placed.partial_axes())

    def own(self) -> tuple[slice, ...]:
        """Returns the slices of this rank's own elements in its part: all of it if there is no shadow.

            part[map.own()] = 1
        """
        if self._boxes is not None or not self.has_part:
            return (slice(None),) * len(self.local_shape)
        return tuple(slice(before, before + own) for before, own in zip(self._before, self._extents))

    def equal(self, other: Map) -> bool:
        """Whether both maps put the same elements into the same places of the same ranks' parts. `==` also
        compares placements with partial values."""
        equal = ctypes.c_int32()
        must(lib.reblock_map_equal(self._handle, other._handle, ctypes.byref(equal)))
        return equal.value != 0

    def key(self) -> int:
        """Returns a hash that all ranks and all equal maps share, for caches of plans."""
        key = Number()
        must(lib.reblock_map_key(self._handle, ctypes.byref(key)))
        return key.value

    def indices(self) -> tuple[numpy.typing.NDArray[numpy.int64], ...]:
        """Returns the indices of this rank's elements along each axis. If the part has no elements, the indices give an
        array of the part's shape.

            part = whole[numpy.ix_(*map.indices())]
        """
        if self._boxes is not None:
            raise ArgumentError("an array in boxes has no indices along each axis: see split")
        check_mpi()
        axes = len(self.shape)
        first, last, place, index = ((Number * axes)() for _ in range(4))
        if not self.has_part or 0 in self._extents:
            own = self._extents if self.has_part else self.local_shape
            return tuple(numpy.arange(extent, dtype=numpy.int64) for extent in own)
        must(lib.reblock_map_part(self._handle, self.comm.rank, None, None, first, last, None))

        def index_at(axis: int, position: int) -> int:
            place[:] = [before + (position if k == axis else 0) for k, before in enumerate(self._before)]
            must(lib.reblock_map_global_index(self._handle, place, index, None))
            return index[axis]

        def along(axis: int, extent: int) -> numpy.typing.NDArray[numpy.int64]:
            if last[axis] - first[axis] + 1 == extent:
                return numpy.arange(first[axis], last[axis] + 1, dtype=numpy.int64)
            return numpy.array([index_at(axis, position) for position in range(extent)], numpy.int64)

        return tuple(along(axis, extent) for axis, extent in enumerate(self._extents))

    def split(self, part: numpy.typing.NDArray[Any]) -> list[numpy.typing.NDArray[Any]]:
        """Returns the boxes of an array in boxes, in the order of `map_from_boxes`: views of this rank's part.

            for box, elements in zip(boxes, map.split(part)):
                elements[...] = whole[box]
        """
        if self._boxes is None:
            raise ArgumentError(f"the layout {self.layout!r} has no boxes")
        ends = numpy.cumsum([0] + [numpy.prod(box, dtype=int) for box in self._boxes])
        return [part[start:end].reshape(box) for start, end, box in zip(ends, ends[1:], self._boxes)]


def _bounds(shape: tuple[int, ...], box: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the first index of a box and its extent along each axis. Indices are not clipped and do not count from
    the end."""
    box = box if isinstance(box, tuple) else (box,)
    if len(box) != len(shape) or any(not isinstance(along, slice) or along.step not in (None, 1) for along in box):
        raise ArgumentError(f"the box {box} of an array of shape {shape}, expected a slice in steps of 1 for each axis")
    starts = [0 if along.start is None else operator.index(along.start) for along in box]
    ends = [extent if along.stop is None else operator.index(along.stop) for along, extent in zip(box, shape)]
    sizes = [max(end - start, 0) for start, end in zip(starts, ends)]
    return numbers_of(starts, "a box from"), numbers_of(sizes, "a box of shape")


def map_from_boxes(shape: Iterable[int], boxes: Iterable[Any], comm: MPI.Comm | None = None) -> Map:
    """Makes the map of an array of this shape in boxes. Each rank passes a list of its own boxes, each a tuple of
    slices: `whole[box]` are its elements. The list may be empty. No element may be in two boxes, of one rank or of
    two; an element that is never moved may be in none. A rank's part has one axis, with the elements of one box after
    the other, each in C's order: `Map.split` takes it apart. Collective over `comm`.

        me = MPI.COMM_WORLD.rank
        map = reblock.map_from_boxes((100, 8), [numpy.s_[10 * me : 10 * me + 10, :]])
    """
    comm, communicator = comm_of(comm, "map_from_boxes(shape, boxes, comm=comm)", shape, boxes)
    made, handle, elements = Map.__new__(Map), Handle(), Number()
    try:
        made.comm, made.shape, made.layout = comm, shape_of(shape), "boxes"
        bounds = [_bounds(made.shape, box) for box in boxes]
        lists = made.shape, [number for box in bounds for number in box[0]], [number for box in bounds for number in box[1]]
        extents, starts, sizes = (array_of(each) for each in lists)
    except Exception as bad:
        nothing = -1, None, 0, None, None, 1, None, None, ctypes.byref(handle)
        raise refused(reason(bad), lib.reblock_map_from_boxes_fortran, communicator, *nothing) from bad
    arguments = len(made.shape), extents, len(bounds), starts, sizes, 1, None, None
    must(lib.reblock_map_from_boxes_fortran(communicator, *arguments, ctypes.byref(handle)))
    made._own(handle, lib.reblock_map_free)
    must(lib.reblock_map_elements(handle, ctypes.byref(elements)))
    made.has_part, made.local_shape, made._boxes = True, (elements.value,), [box[1] for box in bounds]
    return made
