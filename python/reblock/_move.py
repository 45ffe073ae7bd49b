"""Moves without a plan of the program's own, and files."""

from __future__ import annotations

import contextlib
import os
import zlib
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator

import numpy
from mpi4py import MPI

from ._arrays import Side, checked, room, side, sides, source_array, target_array
from ._calls import comm_of, must, refused
from ._device import call, common_stream
from ._errors import ArgumentError, Error, FileError, MismatchError, reason
from ._library import lib
from ._map import Map
from ._plan import End, ends_of
from ._prototypes import FileProgress

if TYPE_CHECKING:
    import numpy.typing

BYTES = numpy.dtype(numpy.uint8)


def common_type(comm: MPI.Comm, dtype: numpy.dtype[Any] | None, is_asked: bool) -> tuple[numpy.dtype[Any] | None, str | None]:
    """Returns the type of the ranks' arrays, and the reason for a failure if types differ: the library compares sizes
    only. Collective, with one result on all ranks. A rank without a type passes None; if it `is_asked`, it gets the
    type of another rank."""
    name = -1 if dtype is None else zlib.crc32(repr(dtype).encode())
    most = numpy.array([name, -1, -1, is_asked] if dtype is None else [name, (1 << 32) - name, comm.rank, is_asked], numpy.int64)
    comm.Allreduce(MPI.IN_PLACE, most, MPI.MAX)
    if most[0] >= 0 and most[:2].sum() != 1 << 32:
        return None, f"ranks have elements of different types, this one of {dtype or 'none'}"
    if most[3] and most[2] >= 0:
        dtype = comm.bcast(dtype, int(most[2]))
    return dtype, None


def agreed(
    comm: MPI.Comm, source: Map, a: Any, prepare: Callable[[numpy.dtype[Any]], Any], fail: Callable[[str], Error]
) -> tuple[numpy.dtype[Any], Any]:
    """Returns the type of the source's elements on all ranks, and what `prepare` makes of it. If that raises on some rank,
    or types differ, all ranks raise. Collective."""
    dtype = why = prepared = None
    empty = a is None and not source.has_part
    if not empty:
        try:
            dtype = source_array(source, a).dtype
            prepared = prepare(dtype)
        except Exception as bad:
            why = reason(bad)
    common, differs = common_type(comm, None if why else dtype, empty)
    if differs:
        raise MismatchError(why or differs)
    # If no rank has a type, the other ranks give their reasons.
    dtype = common or BYTES
    if empty:
        try:
            prepared = prepare(dtype)
        except Exception as bad:
            why = reason(bad)
    if why:
        raise fail(why)
    return dtype, prepared


def check_maps(*maps: Map) -> None:
    """Refuses closed maps, and maps of values that are still to be combined."""
    for map in maps:
        map._check_open()
        if map._is_partial():
            raise ArgumentError(f"{map.layout} is partial, and its values are not combined here: see redistribute")


def as_it_lies(map: Map, a: Any) -> Map:
    """Returns the map for an array of any strides, or the map itself if the array has to be copied."""
    try:
        return map if a is None else map.like(a)
    except Error:
        return map


def move(
    a: Any, source: End, target: End, shape: Iterable[int] | None = None, out: Any = None, comm: MPI.Comm | None = None
) -> Any:
    """Moves this rank's part `a` of an array from the layout `source` to the layout `target`. Returns its part
    afterwards: `out` if that is given, otherwise a new array.

        columns = reblock.move(rows, "(BLOCK,*)", "(*,BLOCK)", (100, 1000))

    The layouts are texts, maps, or sections of maps; texts stand for an array of shape `shape`, by default that of the
    other end. A rank that has no part passes None, or an empty array of the same type. Arrays may have any strides. The
    library keeps the plans of recent moves. Collective over `comm`, which is the communicator of the maps, or
    MPI.COMM_WORLD without maps, unless it is given.
    """
    comm, handle = comm_of(comm, "move(a, source, target, shape, comm=comm)", source, target, shape, out)
    before, after = ends_of(source, target, shape, comm)

    def prepare(dtype: numpy.dtype[Any]) -> tuple[Side, Side]:
        check_maps(before._map, after._map)
        return sides(a, out, dtype, as_it_lies(before._map, a), as_it_lies(after._map, out))

    def fail(why: str) -> Error:
        return refused(why, lib.reblock_move_fortran, handle, None, None, None, None, -1, None, None)

    dtype, (of_source, of_target) = agreed(comm, before._map, a, prepare, fail)
    ends = of_source.map._held, before._ranges, of_target.map._held, after._ranges
    stream = common_stream([of_source, of_target])
    call(stream, lib.reblock_move_fortran, handle, *ends, dtype.itemsize, of_source.address, of_target.address)
    return of_target.finish()


@contextlib.contextmanager
def reported(progress: Callable[[int, int], object] | None) -> Iterator[None]:
    """Lets the saves and loads of the block report their progress. An exception of `progress` is raised when they are
    done, as other ranks rely on this one."""
    failed: list[BaseException] = []

    def report(_: int | None, done: int, every: int) -> None:
        if progress is not None and not failed:
            try:
                progress(done, every)
            except BaseException as bad:
                failed.append(bad)

    function = FileProgress(report) if progress is not None else FileProgress()
    must(lib.reblock_file_progress(function, None))
    try:
        yield
    finally:
        must(lib.reblock_file_progress(FileProgress(), None))
    if failed:
        raise failed[0]


def save(
    path: str | os.PathLike[str],
    a: Any,
    layout: Map | str,
    shape: Iterable[int] | None = None,
    comm: MPI.Comm | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> None:
    """Saves an array in NumPy's format: `numpy.load` reads the file, and `load` with any layout on any ranks. `a` is this
    rank's part in the layout; a text stands for an array of shape `shape`. The file replaces another one of its name
    when it is complete. `progress`, if given, is called with the bytes that all ranks have written and those of the whole
    array, after each part of the file. Collective over `comm`.

        reblock.save("a.npy", rows, "(BLOCK,*)", (100, 1000))
    """
    comm, handle = comm_of(comm, "save(path, a, layout, shape, comm=comm)", path, a, layout, shape)
    map = layout if isinstance(layout, Map) else Map(shape, layout, comm)

    def prepare(dtype: numpy.dtype[Any]) -> tuple[bytes, Map, Side]:
        check_maps(map)
        lying = as_it_lies(map, a)
        array = numpy.empty(map.local_shape, dtype) if a is None and not map.has_part else source_array(map, a)
        return os.fsencode(path), lying, side(lying, a, checked(lying, "the array", array, dtype))

    def fail(why: str) -> Error:
        return refused(why, lib.reblock_save_fortran, handle, None, None, None, -1, None)

    dtype, (name, lying, part) = agreed(comm, map, a, prepare, fail)
    with reported(progress):
        call(part.stream, lib.reblock_save_fortran, handle, name, lying._held, part.address, dtype.itemsize, described(dtype))


def load(
    path: str | os.PathLike[str],
    layout: Map | str,
    dtype: numpy.typing.DTypeLike | None = None,
    out: Any = None,
    comm: MPI.Comm | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> Any:
    """Loads an array from a file of `save` or of NumPy, and returns this rank's part in a layout: `out` if that is given,
    otherwise a new array. With `dtype`, the file must have this type. `progress` is called as by `save`;
    a file with a checksum is read twice, so its bytes count twice. Collective over `comm`.

        columns = reblock.load("a.npy", "(*,BLOCK)")
    """
    comm, handle = comm_of(comm, "load(path, layout, dtype, comm=comm)", path, layout, dtype)
    shape, kind = header(path, comm)
    map = layout if isinstance(layout, Map) else Map(shape, layout, comm)
    try:
        check_maps(map)
        kind = kind if dtype is None else numpy.dtype(dtype)
        lying, name = as_it_lies(map, out), os.fsencode(path)
        if out is None:
            new = room(map, kind)
            lying, part = map, Side(map, new, new, new)
        else:
            part = side(lying, out, target_array(lying, out, kind))
    except Exception as bad:
        raise refused(reason(bad), lib.reblock_load_fortran, handle, None, None, None, -1, None) from bad
    with reported(progress):
        call(part.stream, lib.reblock_load_fortran, handle, name, lying._held, part.address, kind.itemsize, described(kind))
    return part.finish()


def described(dtype: numpy.dtype[Any]) -> bytes:
    """Returns a type in the notation of NumPy's files."""
    return str(numpy.lib.format.dtype_to_descr(dtype)).encode()


def header(path: str | os.PathLike[str], comm: MPI.Comm) -> tuple[tuple[int, ...], numpy.dtype[Any]]:
    """Returns the shape and the type of a file's array, which rank 0 reads. Collective: all ranks raise if it cannot."""
    found: Any = None
    if comm.rank == 0:
        try:
            with open(path, "rb") as file:
                version = numpy.lib.format.read_magic(file)
                if version == (1, 0):
                    shape, _, dtype = numpy.lib.format.read_array_header_1_0(file)
                else:
                    shape, _, dtype = numpy.lib.format.read_array_header_2_0(file)
                found = shape, dtype
        except Exception as bad:
            found = f"cannot read {os.fspath(path)}: {bad}"
    found = comm.bcast(found)
    if isinstance(found, str):
        raise FileError(found)
    return found[0], found[1]
