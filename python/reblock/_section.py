"""Sections: some indices of each axis of an array."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ._errors import ArgumentError
from ._prototypes import Range

if TYPE_CHECKING:
    from ._map import Map

# The first and the last index and the step of a range without indices.
NONE = (0, -1, 1)


class Section:
    """A section of an array, which plans and moves take in place of its map.

        odd = reblock.Map((8, 8), "(BLOCK,*)")[1::2, ::-1]
        even = reblock.Map((8, 8), "(*,BLOCK)")[::2, :]
        part = reblock.move(part, odd, even)

    A rank passes its whole part. Elements outside of the target's section stay unchanged, and are 0 in a new array.
    Sections match if they have the same shape; axes of one index count only if both have them.
    """

    map: Map
    """The map of the whole array."""
    shape: tuple[int, ...]
    """The number of indices along each axis, as NumPy counts them: an axis that is indexed by a number is none."""

    def __init__(self, map: Map, index: Any) -> None:
        self.map = self._map = map
        entries = list(index) if isinstance(index, tuple) else [index]
        places = [place for place, entry in enumerate(entries) if entry is Ellipsis]
        missing = len(map.shape) - (len(entries) - len(places))
        if len(places) > 1 or missing < 0:
            raise ArgumentError(f"the section {index!r} of an array with {len(map.shape)} axes")
        place = places[0] if places else len(entries)
        entries[place : place + len(places)] = [slice(None)] * missing
        self._triplets = tuple(_triplet(entry, extent) for entry, extent in zip(entries, map.shape))
        counts = [len(range(first, last + step, step)) if (last - first) * step >= 0 else 0 for first, last, step in self._triplets]
        self.shape = tuple(count for count, entry in zip(counts, entries) if isinstance(entry, slice))

    @property
    def _ranges(self) -> Any:
        return (Range * max(1, len(self._triplets)))(*(Range(*triplet) for triplet in self._triplets))

    def __repr__(self) -> str:
        return f"<reblock.Section [{', '.join(map(_written, self._triplets))}] of {self.map!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Section) and self.map == other.map and self._triplets == other._triplets

    def __hash__(self) -> int:
        return hash((self.map, self._triplets))


def _triplet(entry: Any, extent: int) -> tuple[int, int, int]:
    if isinstance(entry, slice):
        indices = range(*entry.indices(extent))
        return (indices[0], indices[-1], indices.step) if indices else NONE
    index = operator.index(entry)
    if not -extent <= index < extent:
        raise ArgumentError(f"index {index} of an axis with {extent} indices")
    return index % extent, index % extent, 1


def _written(triplet: tuple[int, int, int]) -> str:
    first, last, step = triplet
    stop = last + (1 if step > 0 else -1)
    return f"{first}:{stop if stop >= 0 else ''}" + (f":{step}" if step != 1 else "")
