"""Plans: how an array goes from one map to another."""

from __future__ import annotations

import ctypes
import operator
from typing import TYPE_CHECKING, Any, Callable, Iterable, Sequence, Union

import numpy
from mpi4py import MPI

from . import _draw
from ._arrays import Part, Side, sides
from ._calls import Owner, alike, check_host, comm_of, contiguous, list_of, must, numbers_of, refused, shape_of
from ._device import call, common_stream
from ._errors import ArgumentError, Error, reason
from ._library import lib
from ._map import Map
from ._prototypes import ALL_AXES, Handle, Number, Options, Update, array_of
from ._request import Request
from ._section import Section

if TYPE_CHECKING:
    import numpy.typing

COMBINATIONS = ["add", "minimum", "maximum", "and", "or"]
# Element types in the order of the library's numbers for them, from 1.
NUMBERS = [numpy.dtype(name) for name in ("int32", "int64", "float32", "float64", "complex64", "complex128")]

End = Union[Map, Section, str]


def options_of(
    axes: Iterable[int] | None = None,
    copies: bool = False,
    spread: Iterable[int] = (),
    overlap: bool = False,
    skip: bool = False,
    relabel: bool = False,
) -> Any:
    """Returns the address of the library's options."""
    options = Options()
    must(lib.reblock_plan_options_init_3(ctypes.byref(options)))
    if axes is not None:
        permutation = [operator.index(axis) for axis in axes]
        options.axes, options.axes_count = array_of(permutation), len(permutation)
    repeated = [operator.index(axis) for axis in spread]
    if repeated:
        options.spread, options.spread_count = (Number * len(repeated))(*repeated), len(repeated)
    options.copies, options.overlap, options.skip, options.relabel = bool(copies), bool(overlap), bool(skip), bool(relabel)
    return ctypes.byref(options)


def update_of(dtype: numpy.dtype[Any], alpha: Any, beta: Any, combine: str, conjugate: bool) -> tuple[Update, list[Any]]:
    """Returns the library's description of an update, and its factors, which live as long as it is used."""
    given = Update()
    must(lib.reblock_update_init(ctypes.byref(given)))
    if dtype not in NUMBERS:
        raise ArgumentError(f"elements of type {dtype} cannot be updated")
    for factor in (alpha, beta):
        check_host(factor, "a factor")
    factors = [numpy.array(factor, dtype) for factor in (alpha, beta)]
    given.type, given.conjugate = NUMBERS.index(dtype) + 1, bool(conjugate)
    if combine not in COMBINATIONS:
        raise ArgumentError(f"combine is {combine!r}, expected one of {', '.join(map(repr, COMBINATIONS))}")
    given.combine = COMBINATIONS.index(combine)
    given.alpha, given.beta = (factor.ctypes.data for factor in factors)
    return given, factors


def ends_of(
    source: Any, target: Any, shape: Iterable[int] | None, comm: MPI.Comm, axes: Iterable[int] | None = None
) -> tuple[Any, Any]:
    """Returns the maps or sections between which arrays move. Texts become maps: of an array of shape `shape`, which is the
    source's, or of the shape of the other end. Collective over `comm` if there are texts."""
    order = None if axes is None else list(axes)
    # Anything else than a map or a section is refused as a text, on all ranks.
    if not hasattr(source, "_map"):
        if shape is None and hasattr(target, "_map"):
            shape = target.shape if order is None else tuple(target.shape[axis] for axis in order)
        source = Map(shape, source, comm)
    if not hasattr(target, "_map"):
        extents = tuple(source.shape if shape is None else shape_of(shape))
        if order is not None and sorted(order) == list(range(len(extents))):
            extents = tuple(extents[order.index(axis)] for axis in range(len(extents)))
        target = Map(extents, target, comm)
    return source, target


class Local(Part):
    """The local array of a list of indices: this rank's alone."""

    has_part, layout = True, "a list of indices"

    def __init__(self, shape: tuple[int, ...], local_shape: tuple[int, ...]) -> None:
        self.shape, self.local_shape = shape, local_shape
        self._strides = tuple(contiguous(local_shape, 1))


class Plan(Owner):
    """A plan to move arrays with elements of type `dtype` from one layout to another: made once, executed any number of
    times.

        plan = reblock.Plan("(BLOCK,*)", "(*,BLOCK)", float, (100, 1000))
        columns = plan.move(rows)
        rows = plan.reverse().move(columns)

    `source` and `target` are maps, sections of them, or texts; these stand for an array of shape `shape`, by default that
    of the other end. Both ends have the same shape.

    With `axes`, axis k of the source goes to axis `axes[k]` of the target, and their shapes correspond accordingly. With
    `copies`, `update` combines the values of all copies of a replicated source. `spread` lists axes of the target that
    the source does not have: the source is repeated along them. With `overlap`, source and target may be the same
    array: the result is as if the whole source were read first. With `relabel`, parts of the target may go to other
    ranks than its map says, so that less data moves: `plan.target` then is the new map.

    Plans with equal arguments are equal. Collective over `comm`, which is the communicator of the maps, or MPI.COMM_WORLD
    without maps, unless it is given. The methods that execute a plan are collective, too.
    """

    comm: MPI.Comm
    """The communicator."""
    dtype: numpy.dtype[Any]
    """The type of the elements."""
    source: Map | Local
    """The map of the source."""
    target: Map | Local
    """The map of the target, after relabelling."""

    def __init__(
        self,
        source: End,
        target: End,
        dtype: numpy.typing.DTypeLike,
        shape: Iterable[int] | None = None,
        *,
        axes: Iterable[int] | None = None,
        copies: bool = False,
        spread: Iterable[int] = (),
        overlap: bool = False,
        relabel: bool = False,
        comm: MPI.Comm | None = None,
    ) -> None:
        def given(source: Any, target: Any) -> Any:
            arguments = self._between(source, target, dtype)
            self._with(axes=axes, copies=copies, spread=tuple(spread), overlap=overlap, relabel=relabel)
            return *arguments, options_of(axes, copies, spread, overlap, relabel=relabel)

        self._from_ends("create", "Plan(source, target, dtype, comm=comm)", (source, target, dtype, shape, axes), comm, given)
        if relabel:
            handle = Handle()
            must(lib.reblock_plan_target(self._handle, ctypes.byref(handle)))
            if handle.value:
                self.target = Map._of(handle, self.comm, self.target.shape)

    def _make(self, source: Map | Local, target: Map | Local, dtype: numpy.typing.DTypeLike) -> None:
        self.source, self.target, self.dtype = source, target, numpy.dtype(dtype)
        self._own(Handle(), lib.reblock_plan_free)
        if self.dtype.hasobject:
            raise ArgumentError(f"elements of type {self.dtype} refer to Python objects")
        for map in (source, target):
            if isinstance(map, Map) and map._is_partial():
                raise ArgumentError(f"{map.layout} is partial, and plans do not combine its values: see redistribute")

    _kept: Any
    """Arrays that the library reads while it makes the plan."""

    def _between(self, source: Map | Section, target: Map | Section, dtype: numpy.typing.DTypeLike) -> tuple[Any, ...]:
        self._ends: tuple[Any, ...] = source, target
        self._make(source._map, target._map, dtype)
        return source._map._handle, source._ranges, target._map._handle, target._ranges, self.dtype.itemsize

    def _with(self, **options: Any) -> None:
        """Keeps the arguments that differ from the defaults, for comparisons and descriptions."""
        defaults = None, False, ()
        self._options = {name: value for name, value in options.items() if not any(value is default for default in defaults)}

    def _planned(self, name: str, given: Callable[[], Any]) -> None:
        """Makes the plan by the named call, with the arguments that `given()` returns. If that raises, the call fails on
        all ranks."""
        function, self._name = getattr(lib, f"reblock_plan_{name}_fortran"), name
        try:
            arguments = given()
        except Exception as bad:
            nothing = [-1 if kind in (Number, ctypes.c_int32) else None for kind in function.argtypes[1:-1]]
            raise refused(reason(bad), function, self.comm.py2f(), *nothing, ctypes.byref(Handle())) from bad
        must(function(self.comm.py2f(), *arguments, ctypes.byref(self._held)))

    def _from_ends(self, name: str, call: str, arguments: tuple[Any, ...], comm: MPI.Comm | None, given: Callable[..., Any]) -> None:
        """Makes a plan between two ends as `_planned` does; the ends are the arguments of `given`."""
        source, target, _, shape, axes = arguments
        self.comm, _ = comm_of(comm, call, *arguments)
        ends = ends_of(source, target, shape, self.comm, axes)
        self._planned(name, lambda: given(*ends))

    def __repr__(self) -> str:
        if not self._held.value:
            return "<reblock.Plan, closed>"
        name = "" if self._name == "create" else f".{self._name}"
        options = "".join(f", {name}={short(value)}" for name, value in self._options.items())
        return f"<reblock.Plan{name} of {self.dtype}: {' -> '.join(map(repr, self._ends))}{options}>"

    def _repr_svg_(self) -> str | None:
        """Returns a drawing of both maps and of who sends how much to whom, which Jupyter shows. Not collective."""
        return _draw.plan_svg(self)

    def _recipe(self) -> tuple[Any, ...]:
        options = tuple((name, frozen(value)) for name, value in sorted(self._options.items()))
        return self._name, self._ends, self.dtype, options

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Plan):
            return NotImplemented
        return self is other or (self._recipe() == other._recipe() and alike(self.comm, other.comm))

    def __hash__(self) -> int:
        return hash(self._recipe())

    @classmethod
    def cshift(
        cls,
        source: End,
        target: End,
        dtype: numpy.typing.DTypeLike,
        shifts: Sequence[int],
        shape: Iterable[int] | None = None,
        *,
        axes: Iterable[int] | None = None,
        overlap: bool = False,
        comm: MPI.Comm | None = None,
    ) -> Plan:
        """Makes a plan of a circular shift by one distance for each axis of the source, as Fortran's CSHIFT: index i of
        the target gets the element at index i + shift of the source. `numpy.roll` counts distances in the opposite
        direction.

            rolled = reblock.Plan.cshift(map, map, float, [0, 1]).move(part)
        """
        return cls._shifted("cshift", (source, target, dtype, shape, axes), shifts, overlap, comm)

    @classmethod
    def eoshift(
        cls,
        source: End,
        target: End,
        dtype: numpy.typing.DTypeLike,
        shifts: Sequence[int],
        boundary: Any = None,
        shape: Iterable[int] | None = None,
        *,
        axes: Iterable[int] | None = None,
        overlap: bool = False,
        comm: MPI.Comm | None = None,
    ) -> Plan:
        """Makes a plan of an end-off shift, as Fortran's EOSHIFT: if the source has no such index, the target gets
        `boundary`, or stays unchanged without it.

            shifted = reblock.Plan.eoshift(map, map, float, [0, 1], boundary=-1).move(part)
        """

        def of_one_element(values: numpy.typing.NDArray[Any], _: tuple[int, ...]) -> numpy.typing.NDArray[Any]:
            if values.shape:
                raise ArgumentError(f"a boundary of shape {values.shape}, expected one element")
            return values

        return cls._shifted("eoshift", (source, target, dtype, shape, axes), shifts, overlap, comm, (boundary, of_one_element))

    @classmethod
    def shift_lines(
        cls,
        source: End,
        target: End,
        dtype: numpy.typing.DTypeLike,
        axis: int,
        shifts: Any,
        circular: bool = True,
        boundary: Any = None,
        shape: Iterable[int] | None = None,
        *,
        axes: Iterable[int] | None = None,
        overlap: bool = False,
        comm: MPI.Comm | None = None,
    ) -> Plan:
        """Makes a plan of a shift along one axis of the source with its own distance for each line, as CSHIFT
        (`circular`) or EOSHIFT with an array of distances. `shifts` has the lines of the target on this rank, in an
        array of its part's shape without that axis. If the source has no such index, the target gets `boundary` (one
        element, or one for each line), or stays unchanged without it.

            rows = map.indices()[0]
            skewed = reblock.Plan.shift_lines(map, map, float, 1, rows).move(part)
        """

        def of_each_line(values: numpy.typing.NDArray[Any], lines: tuple[int, ...]) -> numpy.typing.NDArray[Any]:
            return numpy.ascontiguousarray(numpy.broadcast_to(values, lines))

        ends = source, target, dtype, shape, axes
        return cls._shifted("shift_lines", ends, shifts, overlap, comm, (boundary, of_each_line), axis=axis, circular=circular)

    @classmethod
    def _shifted(
        cls,
        name: str,
        ends: tuple[Any, ...],
        shifts: Any,
        overlap: bool,
        comm: MPI.Comm | None,
        boundary: tuple[Any, Callable[..., numpy.typing.NDArray[Any]]] | None = None,
        **lines: Any,
    ) -> Plan:
        """Makes a plan of a shift by the named call. `boundary`, if the call has one, is the program's, with a function
        that returns it as an array for distances of a shape. `lines` are the arguments of a shift line by line."""
        plan = cls.__new__(cls)
        _, _, dtype, _, axes = ends

        def given(source: Any, target: Any) -> Any:
            distances, address = list_of(shifts, "shifts")
            arguments = plan._between(source, target, dtype)
            values = None
            if boundary and boundary[0] is not None:
                check_host(boundary[0], "a boundary")
                values = boundary[1](numpy.array(boundary[0], plan.dtype), distances.shape)
            plan._kept = distances, values
            plan._with(**lines, shifts=distances, boundary=values, axes=axes, overlap=overlap)
            along = (operator.index(lines["axis"]), bool(lines["circular"])) if lines else ()
            outside = (None if values is None else values.ctypes.data,) if boundary else ()
            return *arguments, *along, distances.size, address, *outside, options_of(axes, overlap=overlap)

        call = f"Plan.{name}(source, target, dtype, {'axis, ' if lines else ''}shifts, comm=comm)"
        plan._from_ends(name, call, ends, comm, given)
        return plan

    @classmethod
    def gather(
        cls,
        map: Map,
        dtype: numpy.typing.DTypeLike,
        indices: Any,
        axis: int | None = None,
        *,
        skip: bool = False,
        comm: MPI.Comm | None = None,
    ) -> Plan:
        """Makes a plan that gathers the elements that this rank names, in the order of its list. `indices` are indices
        along `axis`; all other axes are whole, and `target.local_shape` has the number of indices along `axis`. Without
        `axis`, `indices` has a row for each element, with one index for each axis of the array. With `skip`, entries
        with a negative index are skipped: their places in `out` stay unchanged, and are 0 without an `out`.

            corners = reblock.Plan.gather(map, float, [[0, 0], [0, 99]]).move(part)
        """
        return cls.__new__(cls)._listed("gather", map, dtype, indices, axis, skip, comm)

    @classmethod
    def scatter(
        cls,
        map: Map,
        dtype: numpy.typing.DTypeLike,
        indices: Any,
        axis: int | None = None,
        *,
        skip: bool = False,
        comm: MPI.Comm | None = None,
    ) -> Plan:
        """Makes a plan that scatters a local array to the named elements, with the arguments of `gather`. If an element
        is named several times, a move writes the last value, in the order of ranks and lists; `update` combines all
        values. With `skip`, entries with a negative index are not sent.

            reblock.Plan.scatter(map, float, [3, 5, 3], axis=0).update(rows, part, beta=1)
        """
        return cls.__new__(cls)._listed("scatter", map, dtype, indices, axis, skip, comm)

    def _listed(
        self, name: str, array: Map, dtype: numpy.typing.DTypeLike, indices: Any, axis: int | None, skip: bool, comm: MPI.Comm | None
    ) -> Plan:
        self.comm, _ = comm_of(comm, f"Plan.{name}(map, dtype, indices, comm=comm)", array, dtype, indices)

        def given() -> Any:
            numbers, address = list_of(indices, "indices")
            axes, along = len(array.shape), ALL_AXES if axis is None else operator.index(axis)
            if axis is None:
                numbers = numbers.reshape(0, axes) if numbers.size == 0 else numbers
                if numbers.ndim != 2 or numbers.shape[1] != axes:
                    raise ArgumentError(f"indices of shape {numbers.shape}, expected a row of {axes} for each element")
            elif numbers.ndim != 1 or not 0 <= along < axes:
                raise ArgumentError(f"indices of shape {numbers.shape} along axis {along}, expected a list along one of {axes} axes")
            count = numbers.shape[0]
            local = Local(array.shape, (count,) if axis is None else (*array.shape[:along], count, *array.shape[along + 1 :]))
            self._ends = (array,)
            ends = (array, local) if name == "gather" else (local, array)
            self._make(ends[0], ends[1], dtype)
            self._kept = numbers
            self._with(indices=numbers, axis=axis, skip=skip)
            return array._handle, along, count, address, self.dtype.itemsize, options_of(skip=skip)

        self._planned(name, given)
        return self

    @classmethod
    def shadow(
        cls,
        map: Map,
        dtype: numpy.typing.DTypeLike,
        before: Sequence[int] | None = None,
        after: Sequence[int] | None = None,
        *,
        periodic: Sequence[bool] | None = None,
        corners: bool = False,
        comm: MPI.Comm | None = None,
    ) -> Plan:
        """Makes a plan that fills the shadows of an array with the elements of other ranks that they show. Widths are at
        most the map's, which are the default. After the last index of a `periodic` axis comes the first one.

            map = reblock.Map((100, 100), "(BLOCK,*)").shadow((1, 0), (1, 0))
            part = reblock.Plan.shadow(map, float).fill(numpy.zeros(map.local_shape))

        `plan.reverse()` combines elements with the contents of the shadows that show them: `update(a, a, beta=1)`."""
        plan = cls.__new__(cls)
        plan.comm, _ = comm_of(comm, "Plan.shadow(map, dtype, comm=comm)", map, dtype)

        def given() -> Any:
            axes = len(map.shape)
            widths = [None if each is None else numbers_of(each, "a shadow of") for each in (before, after)]
            rings = None if periodic is None else [bool(ring) for ring in periodic]
            if any(each is not None and len(each) != axes for each in (*widths, rings)):
                raise ArgumentError(f"widths {before} and {after} and periodic axes {periodic}, expected {axes} of each")
            lists = [None if each is None else array_of(each) for each in widths]
            flags = None if rings is None else (ctypes.c_int32 * (axes + 1))(*rings)
            plan._ends = (map,)
            plan._make(map, map, dtype)
            plan._with(before=before, after=after, periodic=periodic, corners=corners)
            return map._handle, *lists, flags, bool(corners), plan.dtype.itemsize, options_of()

        plan._planned("shadow", given)
        return plan

    def _refused(self, why: str) -> Exception:
        return refused(why, lib.reblock_plan_execute_many, 1, ctypes.byref(self._held), None, None)

    def _sides(self, a: Any, out: Any) -> tuple[Side, Side]:
        """Returns both sides of a call. If the plan is closed here, or this rank's arrays do not fit, the call fails on all
        ranks."""
        try:
            self._check_open()
            return sides(a, out, self.dtype, self.source, self.target)
        except Exception as bad:
            raise self._refused(reason(bad)) from bad

    def _update(self, a: Any, out: Any, *update: Any) -> tuple[Side, Side, Update, Any]:
        try:
            self._check_open()
            given, factors = update_of(self.dtype, *update)
            if a is None and factors[0] == 0:
                a = numpy.empty(self.source.local_shape, self.dtype)
            if out is None:
                raise ArgumentError("out is None, expected this rank's part of the target")
        except Exception as bad:
            raise self._refused(reason(bad)) from bad
        return (*self._sides(a, out), given, factors)

    # Shapes of the source and the target of a move whose arrays are C-contiguous, if that is how they lie by their maps. Empty if
    # it is not, if this rank has no part of one of them, or if MPI.Get_address may refuse their type. None if not known yet.
    _shapes: tuple[tuple[int, ...], ...] | None = None

    def _find_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Returns `_shapes`, and keeps them."""
        ends: tuple[Part, Part] = (self.source, self.target)
        is_plain = self.dtype.kind in "biufc" and all(
            end.has_part and 0 not in end.local_shape and list(end._strides) == contiguous(end.local_shape, 1) for end in ends
        )
        self._shapes = tuple(end.local_shape for end in ends) if is_plain else ()
        return self._shapes

    def move(self, a: Any, out: Any = None) -> Any:
        """Moves this rank's part `a`, and returns its part of the target: `out` if that is given, otherwise a new
        array. Arrays that do not lie as the maps say are copied: see `Map.like`.

            plan.move(rows, out=columns)
        """
        # A short way to the same call: small moves take most of their time in Python.
        if type(a) is type(out) is numpy.ndarray:
            shapes, flags = self._find_shapes() if self._shapes is None else self._shapes, a.flags
            if (
                shapes
                and shapes == (a.shape, out.shape)
                and a.dtype == self.dtype == out.dtype
                and flags.c_contiguous
                and flags.aligned
                and out.flags.carray
                and self._held.value
                and not MPI.Is_finalized()
            ):
                code = lib.reblock_plan_execute(self._held, MPI.Get_address(a), MPI.Get_address(out))
                if code:
                    must(code)
                return out
        source, target = self._sides(a, out)
        # If another thread has closed the plan meanwhile, the library refuses it on all ranks.
        call(common_stream([source, target]), lib.reblock_plan_execute, self._held, source.address, target.address)
        return target.finish()

    def fill(self, a: Any) -> Any:
        """Executes the plan within one array, as for shadows, and returns the array.

            reblock.Plan.shadow(map, float).fill(part)
        """
        return self.move(a, a)

    def update(self, a: Any, out: Any, alpha: Any = 1, beta: Any = 0, combine: str = "add", conjugate: bool = False) -> Any:
        """Updates this rank's part `out` of the target and returns it: combine(alpha * a, beta * out), or with the
        conjugate of `a`. `combine` is "add", "minimum", "maximum", "and" or "or". A side whose factor is 0 is not read;
        `a` may be None if alpha is 0. All ranks must pass the same update. Elements are of type int32, int64, float32,
        float64, complex64 or complex128.

            plan.update(rows, columns, alpha=2, beta=1)
        """
        source, target, given, _ = self._update(a, out, alpha, beta, combine, conjugate)
        entries = self._held, Handle(source.address), Handle(target.address), Handle(ctypes.addressof(given))
        call(common_stream([source, target]), lib.reblock_plan_update_many, 1, *map(ctypes.byref, entries))
        return target.finish()

    def start(self, a: Any, out: Any = None) -> Request:
        """Starts a move, and returns a request for it. Nothing else may use the arrays until it is complete. Data moves
        while the program waits or tests, or makes other calls on the communicator. If one rank's arrays do not fit, it
        raises the exception here, and the others do when they wait.

            with plan.start(rows) as request:
                compute()
            columns = request.out
        """
        source, target = self._sides(a, out)
        return Request._started([self], [source], [target], None, single=True)

    def start_update(
        self, a: Any, out: Any, alpha: Any = 1, beta: Any = 0, combine: str = "add", conjugate: bool = False
    ) -> Request:
        """Starts an update, with the arguments of `update`, and returns a request for it.

            plan.start_update(rows, columns, beta=1).wait()
        """
        source, target, given, _ = self._update(a, out, alpha, beta, combine, conjugate)
        return Request._started([self], [source], [target], given, single=True)

    def reverse(self) -> Plan:
        """Makes the plan for the opposite direction. Collective.

            rows = plan.reverse().move(columns)
        """
        back = Plan.__new__(Plan)
        back.comm, back._name, back._ends = self.comm, "reverse", (self,)
        back._with()
        back._make(self.target, self.source, self.dtype)
        try:
            self._check_open()
        except Error as bad:
            raise refused(str(bad), lib.reblock_plan_reverse, self._held, ctypes.byref(back._held)) from bad
        must(lib.reblock_plan_reverse(self._held, ctypes.byref(back._held)))
        return back


def short(value: Any) -> str:
    """Returns the text of an option, cut if it is long."""
    text = repr(value.tolist() if isinstance(value, numpy.ndarray) else value)
    return text if len(text) <= 60 else text[:57] + "..."


def frozen(value: Any) -> Any:
    """Returns an option's value as an object that has a hash."""
    if isinstance(value, numpy.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return tuple(value) if isinstance(value, (list, tuple, range)) else value


def listed(plans: Iterable[Plan], sources: Iterable[Any], targets: Iterable[Any] | None) -> tuple[list[Plan], list[Side], list[Side]]:
    """Returns both sides of each plan of a batch. If this rank's arrays do not fit, the call fails on all ranks."""
    every, given = list(plans), list(sources)
    outs = [None] * len(every) if targets is None else list(targets)
    if not every:
        raise ArgumentError("no plans, expected at least one")
    if not len(every) == len(given) == len(outs):
        raise every[0]._refused(f"{len(every)} plans with {len(given)} sources and {len(outs)} targets, expected as many of each")
    both = [plan._sides(a, out) for plan, a, out in zip(every, given, outs)]
    try:
        common_stream([each for pair in both for each in pair])
    except ArgumentError as bad:
        raise every[0]._refused(reason(bad)) from bad
    return every, [side[0] for side in both], [side[1] for side in both]


def execute_many(plans: Iterable[Plan], sources: Iterable[Any], targets: Iterable[Any] | None = None) -> list[Any]:
    """Executes several plans in one set of messages: moves each source, and returns the list of the targets, those of
    `targets` or new arrays (also for an entry None). All plans must have one communicator. Collective over it.

        a, b = reblock.execute_many([plan, other], [a, b])
    """
    every, before, after = listed(plans, sources, targets)
    handles = (Handle * len(every))(*(plan._held.value for plan in every))
    addresses = ((Handle * len(every))(*(side.address for side in each)) for each in (before, after))
    call(common_stream(before + after), lib.reblock_plan_execute_many, len(every), handles, *addresses)
    return [side.finish() for side in after]


def start_many(plans: Iterable[Plan], sources: Iterable[Any], targets: Iterable[Any] | None = None) -> Request:
    """Starts what `execute_many` does, and returns a request for it, whose `out` is the list of the targets.

        request = reblock.start_many([plan, other], [a, b])
        a, b = request.wait()
    """
    return Request._started(*listed(plans, sources, targets), None, single=False)
