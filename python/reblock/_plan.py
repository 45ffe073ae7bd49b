"""Plans: how an array goes from one map to another; and moves without a plan."""

import ctypes
import operator
import zlib

import numpy
from mpi4py import MPI

from ._arrays import contiguous, sides, source_array
from ._calls import comm_of, list_of, must, numbers_of, owned, refused
from ._errors import ArgumentError, Error, MismatchError, reason
from ._library import lib
from ._map import Map
from ._prototypes import ALL_AXES, Handle, Number, Options, Update

COMBINATIONS = ["add", "minimum", "maximum", "and", "or"]
# Element types in the order of the library's numbers for them, from 1.
NUMBERS = [numpy.dtype(name) for name in ("int32", "int64", "float32", "float64", "complex64", "complex128")]


def options_of(axes=None, copies=False, spread=(), overlap=False, skip=False):
    options = Options()
    must(lib.reblock_plan_options_init_3(ctypes.byref(options)))
    spread = [operator.index(axis) for axis in spread]
    if axes is not None:
        axes = [operator.index(axis) for axis in axes]
        options.axes, options.axes_count = (Number * (len(axes) + 1))(*axes), len(axes)
    if spread:
        options.spread, options.spread_count = (Number * len(spread))(*spread), len(spread)
    options.copies, options.overlap, options.skip = bool(copies), bool(overlap), bool(skip)
    return ctypes.byref(options)


def update_of(dtype, alpha, beta, combine, conjugate):
    """Returns the library's description of an update, and its factors, which live as long as it is used."""
    given = Update()
    must(lib.reblock_update_init(ctypes.byref(given)))
    if dtype not in NUMBERS:
        raise ArgumentError(f"elements of type {dtype} cannot be updated")
    factors = [numpy.array(factor, dtype) for factor in (alpha, beta)]
    given.type, given.conjugate = NUMBERS.index(dtype) + 1, bool(conjugate)
    if combine not in COMBINATIONS:
        raise ArgumentError(f"combine is {combine!r}, expected one of {', '.join(map(repr, COMBINATIONS))}")
    given.combine = COMBINATIONS.index(combine)
    given.alpha, given.beta = (factor.ctypes.data for factor in factors)
    return given, factors


class Plan:
    """A plan to move arrays with elements of type `dtype` from one map to another; both have the same shape. With
    `axes`, axis k of the source goes to axis `axes[k]` of the target, and their shapes correspond accordingly. With
    `copies`, `update` combines the values of all copies of a replicated source. `spread` lists axes of the target that
    the source does not have: the source is repeated along them. With `overlap`, source and target may be the same
    array: the result is as if the whole source were read first."""

    def __init__(self, source, target, dtype, axes=None, copies=False, spread=(), overlap=False, comm=None):
        def given():
            return *self._between(source, target, dtype), options_of(axes, copies, spread, overlap)

        self._planned("create", ("Plan(source, target, dtype, comm=comm)", source, target, dtype), comm, given)

    def _make(self, source, target, dtype):
        self.source, self.target, self.dtype = source, target, numpy.dtype(dtype)
        self._handle = owned(self, Handle(), lib.reblock_plan_free)
        if self.dtype.hasobject:
            raise ArgumentError(f"elements of type {self.dtype} refer to Python objects")
        for map in (source, target):
            if isinstance(map, Map) and map._is_partial():
                raise ArgumentError(f"{map.layout} is partial, and plans do not combine its values: see redistribute")

    def _between(self, source, target, dtype):
        self._make(source, target, dtype)
        return source._handle, None, target._handle, None, self.dtype.itemsize

    def _planned(self, name, call, comm, given):
        """Makes the plan by the named call, with the arguments that `given()` returns. If that raises, the call fails
        on all ranks. `call` is the call's text and its first arguments."""
        self.comm, handle = comm_of(comm, *call)
        function = getattr(lib, f"reblock_plan_{name}_fortran")
        try:
            arguments = given()
        except Exception as bad:
            nothing = [-1 if kind in (Number, ctypes.c_int32) else None for kind in function.argtypes[1:-1]]
            raise refused(reason(bad), function, handle, *nothing, ctypes.byref(Handle())) from bad
        must(function(handle, *arguments, ctypes.byref(self._handle)))
        return self

    @classmethod
    def cshift(cls, source, target, dtype, shifts, axes=None, overlap=False, comm=None):
        """Makes a plan of a circular shift by one distance for each axis of the source, as Fortran's CSHIFT: index i of
        the target gets the element at index i + shift of the source. `numpy.roll` counts distances in the opposite
        direction."""
        plan = cls.__new__(cls)

        def given():
            distances, address = list_of(shifts, "shifts")
            plan._kept = distances
            return *plan._between(source, target, dtype), distances.size, address, options_of(axes, overlap=overlap)

        return plan._planned("cshift", ("Plan.cshift(source, target, dtype, shifts, comm=comm)", source, target, dtype), comm, given)

    @classmethod
    def eoshift(cls, source, target, dtype, shifts, boundary=None, axes=None, overlap=False, comm=None):
        """Makes a plan of an end-off shift, as Fortran's EOSHIFT: if the source has no such index, the target gets
        `boundary`, or stays unchanged without it."""
        plan = cls.__new__(cls)

        def given():
            distances, address = list_of(shifts, "shifts")
            ends = plan._between(source, target, dtype)
            element = None if boundary is None else numpy.array(boundary, plan.dtype)
            if element is not None and element.shape:
                raise ArgumentError(f"a boundary of shape {element.shape}, expected one element")
            plan._kept = distances, element
            data = None if element is None else element.ctypes.data
            return *ends, distances.size, address, data, options_of(axes, overlap=overlap)

        return plan._planned("eoshift", ("Plan.eoshift(source, target, dtype, shifts, comm=comm)", source, target, dtype), comm, given)

    @classmethod
    def shift_lines(cls, source, target, dtype, axis, shifts, circular=True, boundary=None, axes=None, overlap=False, comm=None):
        """Makes a plan of a shift along one axis of the source with its own distance for each line, as CSHIFT
        (`circular`) or EOSHIFT with an array of distances. `shifts` has the lines of the target on this rank, in an
        array of its part's shape without that axis. If the source has no such index, the target gets `boundary` (one
        element, or one for each line), or stays unchanged without it."""
        plan = cls.__new__(cls)

        def given():
            distances, address = list_of(shifts, "shifts")
            ends = plan._between(source, target, dtype)
            values = None if boundary is None else numpy.array(boundary, plan.dtype)
            if values is not None:
                values = numpy.ascontiguousarray(numpy.broadcast_to(values, distances.shape))
            plan._kept = distances, values
            data = None if values is None else values.ctypes.data
            along = operator.index(axis), bool(circular), distances.size, address, data
            return *ends, *along, options_of(axes, overlap=overlap)

        return plan._planned("shift_lines", ("Plan.shift_lines(source, target, dtype, axis, shifts, comm=comm)", source, target, dtype), comm, given)

    @classmethod
    def gather(cls, map, dtype, indices, axis=None, *, skip=False, comm=None):
        """Makes a plan that gathers the elements that this rank names, in the order of its list. `indices` are indices
        along `axis`; all other axes are whole, and `target.local_shape` has the number of indices along `axis`. Without
        `axis`, `indices` has a row for each element, with one index for each axis of the array. With `skip`, entries
        with a negative index are skipped: their places in `out` stay unchanged, and are 0 without an `out`."""
        return cls.__new__(cls)._listed("gather", map, dtype, indices, axis, skip, comm)

    @classmethod
    def scatter(cls, map, dtype, indices, axis=None, *, skip=False, comm=None):
        """Makes a plan that scatters a local array to the named elements, with the arguments of `gather`. If an element
        is named several times, a move writes the last value, in the order of ranks and lists; `update` combines all
        values. With `skip`, entries with a negative index are not sent."""
        return cls.__new__(cls)._listed("scatter", map, dtype, indices, axis, skip, comm)

    def _listed(self, name, array, dtype, indices, axis, skip, comm):
        def given():
            numbers, address = list_of(indices, "indices")
            axes, along = len(array.shape), ALL_AXES if axis is None else operator.index(axis)
            if axis is None:
                numbers = numbers.reshape(0, axes) if numbers.size == 0 else numbers
                if numbers.ndim != 2 or numbers.shape[1] != axes:
                    raise ArgumentError(f"indices of shape {numbers.shape}, expected a row of {axes} for each element")
            elif numbers.ndim != 1 or not 0 <= along < axes:
                raise ArgumentError(f"indices of shape {numbers.shape} along axis {along}, expected a list along one of {axes} axes")
            count = numbers.shape[0]
            local = Map.__new__(Map)
            local.comm, local.shape, local.layout, local.has_part = self.comm, array.shape, "a list of indices", True
            local.local_shape = (count,) if axis is None else (*array.shape[:along], count, *array.shape[along + 1 :])
            local._strides = tuple(contiguous(local.local_shape, 1))
            self._make(*((array, local) if name == "gather" else (local, array)), dtype)
            self._kept = numbers
            return array._handle, along, count, address, self.dtype.itemsize, options_of(skip=skip)

        return self._planned(name, (f"Plan.{name}(map, dtype, indices, comm=comm)", array, dtype), comm, given)

    @classmethod
    def shadow(cls, map, dtype, before=None, after=None, *, periodic=None, corners=False, comm=None):
        """Makes a plan that fills the shadows of an array with the elements of other ranks that they show:
        `plan.fill(a)`. Widths are at most the map's, which are the default. After the last index of a `periodic` axis
        comes the first one. `plan.reverse()` combines elements with the contents of the shadows that show them:
        `update(a, a, beta=1)`."""
        plan = cls.__new__(cls)

        def given():
            axes = len(map.shape)
            widths = [None if each is None else numbers_of(each, "a shadow of") for each in (before, after)]
            rings = None if periodic is None else [bool(ring) for ring in periodic]
            if any(each is not None and len(each) != axes for each in (*widths, rings)):
                raise ArgumentError(f"widths {before} and {after} and periodic axes {periodic}, expected {axes} of each")
            widths = [None if each is None else (Number * (axes + 1))(*each) for each in widths]
            rings = None if rings is None else (ctypes.c_int32 * (axes + 1))(*rings)
            plan._make(map, map, dtype)
            return map._handle, *widths, rings, bool(corners), plan.dtype.itemsize, options_of()

        return plan._planned("shadow", ("Plan.shadow(map, dtype, comm=comm)", map, dtype), comm, given)

    def _refused(self, why):
        return refused(why, lib.reblock_plan_execute_many, 1, ctypes.byref(self._handle), None, None)

    def _sides(self, a, out):
        """Returns both sides of a call. If this rank's arrays do not fit, the call fails on all ranks."""
        try:
            return sides(a, out, self.dtype, self.source, self.target)
        except Exception as bad:
            raise self._refused(reason(bad)) from bad

    def fill(self, a):
        """Executes the plan within one array, as for shadows, and returns the array."""
        return self.move(a, a)

    def move(self, a, out=None):
        """Moves this rank's part `a`, and returns its part of the target: `out` if that is given, otherwise a new
        array. Arrays that do not lie as the maps say are copied: see `Map.like`."""
        source, target = self._sides(a, out)
        must(lib.reblock_plan_execute(self._handle, source.address, target.address))
        return target.finish()

    def update(self, a, out, alpha=1, beta=0, combine="add", conjugate=False):
        """Updates this rank's part `out` of the target and returns it: combine(alpha * a, beta * out), or with the
        conjugate of `a`. `combine` is "add", "minimum", "maximum", "and" or "or". A side whose factor is 0 is not read;
        `a` may be None if alpha is 0. All ranks must pass the same update. Elements are of type int32, int64, float32,
        float64, complex64 or complex128."""
        try:
            given, factors = update_of(self.dtype, alpha, beta, combine, conjugate)
            if a is None and factors[0] == 0:
                a = numpy.empty(self.source.local_shape, self.dtype)
            if out is None:
                raise ArgumentError("out is None, expected this rank's part of the target")
        except Exception as bad:
            raise self._refused(reason(bad)) from bad
        source, target = self._sides(a, out)
        update = Handle(ctypes.addressof(given))
        lists = (ctypes.byref(entry) for entry in (self._handle, Handle(source.address), Handle(target.address), update))
        must(lib.reblock_plan_update_many(1, *lists))
        return target.finish()

    def reverse(self):
        """Makes the plan for the opposite direction."""
        back = Plan.__new__(Plan)
        back.comm = self.comm
        back._make(self.target, self.source, self.dtype)
        must(lib.reblock_plan_reverse(self._handle, ctypes.byref(back._handle)))
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


def move(a, source, target, shape, out=None, comm=None):
    """Moves this rank's part `a` of an array of shape `shape` from the layout `source` to the layout `target`. Returns
    its part afterwards: `out` if that is given, otherwise a new array. A rank that has no part passes None, or an empty
    array of the same type. Arrays may have any strides."""
    comm, handle = comm_of(comm, "move(a, source, target, shape, comm=comm)", source, target, shape, out)
    source, target = Map(shape, source, comm), Map(shape, target, comm)
    dtype = why = both = None
    empty = a is None and not source.has_part
    if not empty:
        try:
            dtype = source_array(source, a).dtype
            both = sides_as_they_lie(a, out, dtype, source, target)
        except Exception as bad:
            why = reason(bad)
    dtype, differs = _common_type(comm, None if why else dtype, empty)
    if differs:
        raise MismatchError(why or differs)
    if empty:
        # If no rank has a type, the other ranks give their reasons.
        try:
            dtype = numpy.dtype(numpy.uint8) if dtype is None else dtype
            both = sides_as_they_lie(a, out, dtype, source, target)
        except Exception as bad:
            why = reason(bad)
    if why:
        ends = source._handle, None, target._handle, None
        raise refused(why, lib.reblock_move_fortran, handle, *ends, -1, None, None)
    of_source, of_target = both
    ends = of_source.map._handle, None, of_target.map._handle, None
    must(lib.reblock_move_fortran(handle, *ends, dtype.itemsize, of_source.address, of_target.address))
    return of_target.finish()


def sides_as_they_lie(a, out, dtype, source, target):
    """Returns both sides of a call with maps of the arrays' own strides, so that few arrays are copied."""
    return sides(a, out, dtype, as_it_lies(source, a), as_it_lies(target, out))


def as_it_lies(map, a):
    try:
        return map if a is None else map.like(a)
    except Error:
        return map
