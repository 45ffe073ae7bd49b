"""mpi4py-fft with reblock: its pencils are moved by plans instead of MPI_Alltoallw.

    import reblock.contrib.mpi4py_fft
    from mpi4py_fft import PFFT

    reblock.contrib.mpi4py_fft.install()
    fft = PFFT(MPI.COMM_WORLD, (64, 64, 64))

Results are the same, bit for bit, because only elements move. Arrays may have any strides. A `PFFT` keeps the functions that
`Transfer` has when it is made: install first. A `Transfer` makes its plans in its first move.
"""

from __future__ import annotations

from typing import Any

from .._plan import Plan
from ._client import Client, Replacement, even_sizes, plan_between

__all__ = ["install", "installed", "moves", "uninstall"]


def _forward_plan(transfer: Any) -> Plan:
    """Returns the plan of a `Transfer`'s forward move. `transfer.shape` is the shape of the part of the array that the ranks of
    its communicator have together. A is cut along axis B, and whole along axis A; B is cut along axis A, and whole along axis B."""
    plan: Any = getattr(transfer, "_reblock_forward", None)
    if plan is None:
        axes, shape, ranks = (transfer.axisB, transfer.axisA), transfer.shape, transfer.comm.Get_size()
        a, b = ((axis % len(shape), even_sizes(shape[axis], ranks)) for axis in axes)
        plan = transfer._reblock_forward = plan_between(transfer.comm, shape, a, b, transfer.dtype)
    return plan  # type: ignore[no-any-return]


def _forward(self: Any, arrayA: Any, arrayB: Any) -> None:
    """Moves the elements of `arrayA` to `arrayB`, as `Transfer.forward` of mpi4py-fft. Collective."""
    _client.move(_forward_plan(self), arrayA, arrayB)


def _backward(self: Any, arrayB: Any, arrayA: Any) -> None:
    """Moves the elements of `arrayB` to `arrayA`, as `Transfer.backward` of mpi4py-fft. Collective."""
    plan = getattr(self, "_reblock_backward", None)
    if plan is None:
        plan = self._reblock_backward = _forward_plan(self).reverse()
    _client.move(plan, arrayB, arrayA)


def _replacements() -> list[Replacement]:
    from mpi4py_fft.pencil import Transfer

    return [(Transfer, "forward", _forward), (Transfer, "backward", _backward)]


_client = Client(_replacements)
install, uninstall, installed, moves = _client.install, _client.uninstall, _client.installed, _client.moves
