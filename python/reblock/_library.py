"""Finds the library for the MPI that mpi4py uses, and loads it as `lib`.

It lies beside the package in a wheel, in the folder of `make install`, or in the paths of the system's loader."""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import struct
from typing import Iterable, Iterator

from mpi4py import MPI

from ._prototypes import PROTOTYPES

NAME = "libreblock_core.so.0.2"


def _abi() -> str:
    """Returns the suffix that packages put into the names of libraries for the ABI by which mpi4py calls MPI."""
    mpi, major, minor = ctypes.CDLL(MPI.__file__), ctypes.c_int(-1), ctypes.c_int()
    # MPIs have this function since MPI 5. If MPI is not called by the standard ABI, it reports no version.
    if hasattr(mpi, "PMPI_Abi_get_version"):
        mpi.PMPI_Abi_get_version(ctypes.byref(major), ctypes.byref(minor))
    if major.value > 0:
        return "_abi"
    return "-openmpi" if MPI.get_vendor()[0] == "Open MPI" else "-mpich"


def _needed(path: str) -> list[str]:
    """Returns the names of the libraries to which a library is linked (DT_NEEDED), if it is a 64-bit ELF file."""
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return []
        # The library is large, and these few tables lie far apart.
        elf = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
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
    return [elf[name : elf.find(b"\0", name)].decode() for name in names]


def _is_loaded(name: str) -> bool:
    try:
        return bool(ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_LAZY))
    except OSError:
        return False


def _check(path: str) -> None:
    """Refuses a library of another MPI before it is loaded: two MPIs in one process end it by a signal at exit."""
    mpi = [name for name in _needed(path) if name.startswith("libmpi")]
    if mpi and not any(map(_is_loaded, mpi)):
        ours = MPI.Get_library_version().splitlines()[0].partition(",")[0].replace("\t", " ").strip("\0 ")
        raise ImportError(f"{path} is built for another MPI ({mpi[0]}), but mpi4py uses {ours}: install reblock with that MPI, or set"
                          " LD_LIBRARY_PATH to such a library")


def _places(names: Iterable[str]) -> Iterator[str]:
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


def _found() -> ctypes.CDLL:
    """Loads the library from its installation or through the loader, also by the name that packages use for mpi4py's
    MPI."""
    here = os.path.dirname(os.path.abspath(__file__))
    names = [NAME, NAME.replace(".so", _abi() + ".so")]
    installed = [os.path.join(here, "..", "..", "..", "..", "lib", name) for name in names]
    packed = os.path.join(here, "..", "reblock.libs", names[1])
    for place in filter(os.path.exists, [packed, *installed, *_places(names[::-1])]):
        _check(place)
        return ctypes.CDLL(place)
    try:
        return ctypes.CDLL(names[1])
    except OSError:
        return ctypes.CDLL(names[0])


def _library() -> ctypes.CDLL:
    library = _found()
    text, length = ctypes.create_string_buffer(MPI.MAX_LIBRARY_VERSION_STRING + 1), ctypes.c_int()
    library.MPI_Get_library_version(text, ctypes.byref(length))
    its, ours = (version.strip("\0 \n") for version in (text.value.decode(), MPI.Get_library_version()))
    if its != ours:
        its, ours = (version.splitlines()[0].partition(",")[0].replace("\t", " ") for version in (its, ours))
        raise ImportError(f"{library._name} is built for {its}, but mpi4py uses {ours}")
    for name, arguments in PROTOTYPES.items():
        function = getattr(library, "reblock_" + name)
        function.argtypes, function.restype = arguments, ctypes.c_int32
    library.reblock_set_reason.argtypes = [ctypes.c_char_p]
    library.reblock_set_reason.restype = None
    for name in ("version", "message"):
        getattr(library, "reblock_" + name).restype = ctypes.c_char_p
    return library


lib = _library()
