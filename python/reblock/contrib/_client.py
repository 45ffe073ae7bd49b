"""Functions of another package that reblock replaces, and the moves that it makes in their place."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence, Tuple

from mpi4py import MPI

from .._map import Map
from .._plan import Plan
from ..placements import Replicate, from_placements

# The axis along which an array is cut into one block for each rank, and the extents of the blocks. None stands for a copy
# on each rank.
Split = Optional[Tuple[int, Sequence[int]]]
# An object, the name of one of its attributes, and the value that replaces it.
Replacement = Tuple[Any, str, Any]

# Plans that are kept with a communicator.
MAX_PLANS = 32


class Client:
    """A package whose functions can be replaced. `replacements` imports the package and returns what is replaced.

    >>> client = Client(lambda: [(package.Array, "redistribute", redistribute)])
    >>> client.install()
    """

    def __init__(self, replacements: Callable[[], Iterable[Replacement]]) -> None:
        self._replacements = replacements
        self._originals: list[Replacement] = []
        # Kept after `uninstall`: a program may have stored a function of reblock.
        self._functions: dict[str, Any] = {}
        self._moves = 0

    def install(self) -> None:
        """Lets reblock make the package's moves from here on. A second call does nothing. Call it on all ranks.

        >>> reblock.contrib.heat.install()
        """
        if self._originals:
            return
        for owner, name, value in list(self._replacements()):
            self._functions[name] = getattr(owner, name)
            self._originals.append((owner, name, self._functions[name]))
            setattr(owner, name, value)

    def uninstall(self) -> None:
        """Lets the package make its moves itself again. Call it on all ranks.

        >>> reblock.contrib.heat.uninstall()
        """
        while self._originals:
            owner, name, value = self._originals.pop()
            setattr(owner, name, value)

    def original(self, name: str) -> Any:
        """Returns the package's own function of this name."""
        return self._functions[name]

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Lets reblock make the package's moves during a `with` block.

        >>> with reblock.contrib.heat.installed():
        ...     rows.resplit_(1)
        """
        was_installed = bool(self._originals)
        self.install()
        try:
            yield
        finally:
            if not was_installed:
                self.uninstall()

    def moves(self) -> int:
        """Returns the number of moves that reblock has made on this rank in place of the package.

        >>> reblock.contrib.heat.moves()
        1
        """
        return self._moves

    def move(self, plan: Plan, a: Any, out: Any) -> None:
        """Moves this rank's part `a` to `out`, and counts the move."""
        plan.move(a, out)
        self._moves += 1


def map_of_split(comm: MPI.Comm, shape: Sequence[int], split: Split) -> Map:
    """Makes the map of an array that is cut into one block for each rank, or copied to each rank. Collective.

    >>> map_of_split(MPI.COMM_WORLD, (7, 5), (0, [4, 3])).local_shape     # on rank 0 of 2
    (4, 5)
    """
    if split is None:
        return from_placements((comm.size,), [Replicate()], shape, comm)
    axis, sizes = split
    formats = ["*"] * len(shape)
    formats[axis] = f"GEN_BLOCK({','.join(map(str, sizes))})"
    return Map(shape, f"({','.join(formats)})", comm)


def plan_between(comm: MPI.Comm, shape: Sequence[int], source: Split, target: Split, dtype: Any) -> Plan:
    """Makes the plan that moves an array from one split to another. Collective.

    >>> plan = plan_between(MPI.COMM_WORLD, (7, 5), (0, [4, 3]), (1, [3, 2]), float)
    """
    return Plan(map_of_split(comm, shape, source), map_of_split(comm, shape, target), dtype)


_key: Optional[int] = None


def kept_plan(comm: MPI.Comm, shape: Sequence[int], source: Split, target: Split, dtype: Any) -> Plan:
    """Returns the plan of `plan_between`. The last plans are an attribute of the communicator, so they end with it: MPI may
    use its handle for another communicator later. All ranks call with equal arguments, so all find a plan or none
    does. Collective.

    >>> kept_plan(comm, (7, 5), (0, [4, 3]), None, float) is kept_plan(comm, (7, 5), (0, [4, 3]), None, float)
    True
    """
    global _key
    if _key is None:
        _key = MPI.Comm.Create_keyval()
    plans: Any = comm.Get_attr(_key)
    if plans is None:
        plans = OrderedDict()
        comm.Set_attr(_key, plans)
    ends = tuple(split and (split[0], tuple(split[1])) for split in (source, target))
    name = tuple(shape), ends, dtype
    plan: Optional[Plan] = plans.get(name)
    if plan is None:
        plan = plans[name] = plan_between(comm, shape, source, target, dtype)
        if len(plans) > MAX_PLANS:
            plans.popitem(last=False)[1].close()
    plans.move_to_end(name)
    return plan


def even_sizes(extent: int, ranks: int) -> list[int]:
    """Returns the extents of `ranks` blocks, of which the first ones have one index more than the others.

    >>> even_sizes(7, 3)
    [3, 2, 2]
    """
    size, more = divmod(extent, ranks)
    return [size + (rank < more) for rank in range(ranks)]
