"""Who owns which part of an array: a plane of the array, divided into tiles. Asks the map only, so it is local, and takes the
same time for any number of elements."""

from __future__ import annotations

import bisect
import ctypes
from typing import TYPE_CHECKING, NamedTuple

from ._calls import must
from ._library import lib
from ._prototypes import Format, Number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._map import Map

# Most blocks of an axis that are tiles by themselves; of a vector, and of a magnified corner.
MAX_TILES, MAX_VECTOR_TILES, CORNER_TILES = 40, 96, 12
# Owners that are read of an element with several copies.
MAX_OWNERS = 64
# Indices of an INDIRECT axis whose owners are read: all of a short axis, or so many of each tile.
MAX_READ, SAMPLES = 1024, 16
INDIRECT, REPLICATED = 4, -(2**63)


class Band(NamedTuple):
    """Indices from `start` to `end - 1` of an axis. `pure` if all of them have one owner along the axis."""

    start: int
    end: int
    pure: bool


class Tile(NamedTuple):
    """A tile: its bands, and the ranks that have it. There are none if its elements have different owners. `copies` is the number
    of ranks that have it, which may be more than are listed."""

    row: Band
    column: Band
    ranks: tuple[int, ...]
    copies: int


class Tiles(NamedTuple):
    """The tiles of a plane. `exact` if each of them has one owner, `sampled` if that was not checked for every index."""

    tiles: list[Tile]
    exact: bool
    sampled: bool


def owners(map: Map, index: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Returns the first ranks that have an element, and how many have it."""
    ranks, count = (Number * MAX_OWNERS)(), Number()
    must(lib.reblock_map_owners(map._handle, (Number * (len(index) + 1))(*index), MAX_OWNERS, ranks, ctypes.byref(count)))
    return tuple(ranks[: min(count.value, MAX_OWNERS)]), count.value


class View(NamedTuple):
    """The plane of a map that is drawn: the axes of its rows and of its columns. A vector has only columns."""

    map: Map
    rows: int | None
    columns: int

    @property
    def extents(self) -> tuple[int, int]:
        return 1 if self.rows is None else self.map.shape[self.rows], self.map.shape[self.columns]


def views(*maps: Map, axes: Sequence[int] | None = None) -> list[View]:
    """Returns the plane of each map: the first two axes that one of the maps distributes. Axis k of the first map is axis `axes[k]` of
    the others, by default k."""
    own = range(len(maps[0].shape))
    numbered = [(map, own if k == 0 or axes is None else axes) for k, map in enumerate(maps)]
    dealt = [k for k in own if any(format_of(map, numbers[k]).procs > 1 for map, numbers in numbered)]
    chosen = (dealt + [k for k in own if k not in dealt])[:2]
    planes = [(map, sorted(numbers[k] for k in chosen)) for map, numbers in numbered]
    return [View(map, None if len(plane) == 1 else plane[0], plane[-1]) for map, plane in planes]


def format_of(map: Map, axis: int) -> Format:
    """Returns the distribution of an axis."""
    format = Format()
    must(lib.reblock_format_init(ctypes.byref(format)))
    must(lib.reblock_map_format(map._handle, axis, ctypes.byref(format)))
    return format


class Axis:
    """The blocks of an axis of a map."""

    def __init__(self, map: Map, axis: int) -> None:
        self.extent, self.format, self.map, self.axis = map.shape[axis], format_of(map, axis), map, axis
        self.starts: list[int] | None = None
        self.sampled = False
        if self.format.procs == 1:
            self.starts = [0]
        elif self.format.block > 0:
            lower = (Number * 16)()
            must(lib.reblock_map_template(map._handle, None, lower, None, None, None))
            self.offset = self.format.offset - lower[self.format.template_axis]
        elif self.format.kind != INDIRECT:
            self.starts = self._parts()
        elif self.extent <= MAX_READ:
            read = [self._owner(index) for index in range(self.extent)]
            self.starts = [index for index in range(self.extent) if index == 0 or read[index] != read[index - 1]]
        else:
            self.sampled = True

    def _owner(self, index: int) -> tuple[tuple[int, ...], int]:
        return owners(self.map, tuple(index if axis == self.axis else 0 for axis in range(len(self.map.shape))))

    def _parts(self) -> list[int]:
        """Returns the first indices of the parts of all ranks, each of which has one block."""
        axes, starts, has_part = len(self.map.shape), {0}, ctypes.c_int32()
        extents, first, last = ((Number * axes)() for _ in range(3))
        for rank in range(self.map.comm.size):
            must(lib.reblock_map_part(self.map._handle, rank, extents, None, first, last, ctypes.byref(has_part)))
            if has_part.value and extents[self.axis]:
                starts.add(first[self.axis])
        return sorted(starts)

    def _block_end(self, index: int) -> int:
        """Returns the end of the block that has an index."""
        if self.starts is not None:
            return (*self.starts, self.extent)[bisect.bisect_right(self.starts, index)]
        block, stride = self.format.block, self.format.stride
        at = (stride * index + self.offset) // block
        # The first index whose index of the template is beyond the block, or before it if the axis is reversed.
        left = (at + 1) * block - self.offset if stride > 0 else self.offset - at * block + 1
        return int(min(max(-(-left // abs(stride)), index + 1), self.extent))

    def ends(self, most: int, extent: int) -> list[int]:
        """Returns the ends of the first blocks, at most `most`."""
        ends: list[int] = []
        while len(ends) < most and (not ends or ends[-1] < extent):
            ends.append(min(self._block_end(ends[-1] if ends else 0), extent))
        return ends

    def bands(self, most: int, extent: int) -> tuple[list[Band], bool]:
        """Divides the first `extent` indices into blocks or, if there are more than `most`, into equal parts. Returns whether
        they are blocks."""
        if not self.sampled:
            ends = self.ends(most + 1, extent)
            if len(ends) <= most:
                return [Band(start, end, True) for start, end in zip([0, *ends], ends)], True
        bounds = [extent * k // most for k in range(most + 1)]
        pairs = list(zip(bounds, bounds[1:]))
        if self.sampled:
            return [Band(start, end, self._is_pure(start, end)) for start, end in pairs], False
        return [Band(start, end, self._block_end(start) >= end) for start, end in pairs], False

    def _is_pure(self, start: int, end: int) -> bool:
        step = max(1, (end - start) // SAMPLES)
        return len({self._owner(index) for index in range(start, end, step)}) == 1


def tiles_of(view: View, part: tuple[int, int], most: int) -> Tiles:
    """Divides the first `part` indices of both axes into at most `most` times `most` tiles. All other axes are at index 0."""
    map, rows, columns = view
    down = None if rows is None else Axis(map, rows)
    across = Axis(map, columns)
    row_bands, rows_exact = ([Band(0, 1, True)], True) if down is None else down.bands(most, part[0])
    column_bands, columns_exact = across.bands(most, part[1])
    index = [0] * len(map.shape)
    tiles = []
    for row in row_bands:
        if rows is not None:
            index[rows] = row.start
        for column in column_bands:
            index[columns] = column.start
            ranks, copies = owners(map, tuple(index)) if row.pure and column.pure else ((), 0)
            tiles.append(Tile(row, column, ranks, copies))
    return Tiles(tiles, rows_exact and columns_exact, across.sampled or (down is not None and down.sampled))


def corner(view: View) -> tuple[int, int]:
    """Returns the number of rows and columns of the first blocks."""

    def end(axis: int | None) -> int:
        if axis is None:
            return 1
        found = Axis(view.map, axis)
        return found.extent if found.sampled else found.ends(CORNER_TILES, found.extent)[-1]

    return end(view.rows), end(view.columns)
