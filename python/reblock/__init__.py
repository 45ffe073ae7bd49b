"""Moves distributed NumPy arrays from one layout to another over MPI, with the communicators of mpi4py.

    import numpy, reblock

    # This rank's rows of a 100 x 1000 array on 4 ranks become this rank's columns.
    rows = numpy.ones((25, 1000))
    columns = reblock.move(rows, "(BLOCK,*) ONTO P(4)", "(*,CYCLIC(8)) ONTO P(4)", (100, 1000))

A layout is a text in HPF's notation, one format per axis: `BLOCK`, `CYCLIC(k)`, or `*` for an axis that is not
distributed. `ONTO P(2,3)` names the process grid: the first 6 ranks, row by row. Without it one axis is distributed, over
all ranks.

An array may also lie in boxes: tiles with one owner each, or one box per rank. `map_from_boxes` makes its map.

Tensors on a mesh of ranks, as in PyTorch's DTensor or in JAX, have the maps that `from_placements` and `from_jax` make;
`redistribute` moves them.

Slices of a map are a section, `map[2:8:2, ::-1]`, which plans and moves take in place of the map.

For repeated moves, `Map` and `Plan` keep the objects that `move` makes in each call. `Plan.start` returns a `Request`;
`execute_many` executes several plans in one set of messages; `save` and `load` use NumPy's files. Plans also shift (`Plan.cshift`,
`Plan.eoshift`, `Plan.shift_lines`), gather and scatter elements named by lists (`Plan.gather`, `Plan.scatter`), and fill
shadows (`Plan.shadow`, for a map made by `Map.shadow`). A rank's part has its elements in ascending order of their indices.
Elements are moved as bytes, of any type without Python objects.

Arrays are NumPy's, with any strides, or other objects that show their memory by the buffer protocol,
`__array_interface__` or DLPack, as PyTorch's tensors. A new array is C-contiguous. Plans copy arrays
that are not C-contiguous, unless their maps say how the arrays lie: `Map.like`. `move` copies an array only if it is
not aligned, if its strides are no multiples of the element size, or if several of its elements have one address. With
REBLOCK_DEVICE=1, sources and targets may be in the memory of NVIDIA GPUs: objects with `__cuda_array_interface__` or
DLPack. There, arrays that would have to be copied are refused.

Every call that moves elements or makes a map or a plan is collective: all ranks of the communicator must call it. The
argument `comm`, the last one of each, is the communicator of the maps or else MPI.COMM_WORLD, unless it is given. A failure
raises an exception on all ranks, of one class: `ArgumentError`, `MismatchError` and so on, one for each kind of failure, all
derived from `Error`. Inquiries (`own`, `equal`, `key`, `indices`, `split`, `version`) and `Map.shadow` can be called by one
rank alone.

Jupyter shows maps and plans as drawings. `plot_map` draws a map with matplotlib.

The import loads `libreblock_core`: from the package, from the folder of `make install`, or from the paths of the system's
loader (`LD_LIBRARY_PATH`). The library must have been built for the MPI that mpi4py uses.
"""

from ._calls import version
from ._errors import (
    ArgumentError,
    BrokenError,
    CancelledError,
    DeviceError,
    Error,
    FileError,
    HandleError,
    InternalError,
    MismatchError,
    MPIError,
    OutOfMemoryError,
    OverlapError,
    SettingsError,
    StateError,
    TextError,
)
from ._jax import from_jax
from ._map import Map, map_from_boxes
from ._move import load, move, save
from ._plan import Plan, execute_many, start_many
from ._plot import plot_map
from ._redistribute import Redistribution, move_together, redistribute, redistribute_many
from ._request import Request
from ._section import Section
from .placements import Mesh, Partial, Replicate, Shard, StridedShard, from_placements

__all__ = [
    "ArgumentError",
    "BrokenError",
    "CancelledError",
    "DeviceError",
    "Error",
    "FileError",
    "HandleError",
    "InternalError",
    "MPIError",
    "Map",
    "Mesh",
    "MismatchError",
    "OutOfMemoryError",
    "OverlapError",
    "Partial",
    "Plan",
    "Redistribution",
    "Replicate",
    "Request",
    "Section",
    "SettingsError",
    "Shard",
    "StateError",
    "StridedShard",
    "TextError",
    "execute_many",
    "from_jax",
    "from_placements",
    "load",
    "map_from_boxes",
    "move",
    "move_together",
    "plot_map",
    "redistribute",
    "redistribute_many",
    "save",
    "start_many",
    "version",
]

# Users see the public names, not the modules in which they are.
for _name in __all__:
    globals()[_name].__module__ = __name__
