"""Requests: moves that are under way."""

from __future__ import annotations

import ctypes
import warnings
from typing import TYPE_CHECKING, Any

from ._calls import must
from ._device import call, common_stream
from ._errors import Error, error_of
from ._library import lib
from ._prototypes import Handle, Update

if TYPE_CHECKING:
    from ._arrays import Side
    from ._plan import Plan

# The memory of moves that are under way, which lives until they are complete, even if the program drops their requests.
_under_way: dict[int, Any] = {}


class Request:
    """A move that has been started, by `Plan.start`, `Plan.start_update` or `start_many`.

        with plan.start(rows) as request:
            compute()
        columns = request.out

    Every rank must wait for its request, or test it until it is complete. A `with` block waits at its end.
    """

    out: Any
    """The target: the array that was passed or made. It has its new contents when the request is complete."""

    def __init__(self) -> None:
        raise TypeError("requests are made by Plan.start, Plan.start_update and start_many")

    @classmethod
    def _started(cls, plans: list[Plan], sources: list[Side], targets: list[Side], update: Update | None, single: bool) -> Request:
        request = cls.__new__(cls)
        request._held, request._targets, request._error, request._is_single = Handle(), targets, None, single
        request.out = targets[0].given if single else [side.given for side in targets]
        lists = [[plan._held.value for plan in plans]] + [[side.address for side in each] for each in (sources, targets)]
        plans_of, sources_of, targets_of = ((Handle * len(plans))(*each) for each in lists)
        updates = None if update is None else (Handle * 1)(ctypes.addressof(update))
        arguments = len(plans), plans_of, sources_of, targets_of, updates, ctypes.byref(request._held)
        call(common_stream(sources + targets), lib.reblock_plan_start_update_many, *arguments)
        _under_way[id(request._held)] = request._held, sources, targets
        return request

    _held: Any
    _targets: list[Side]
    _error: Error | None
    _is_single: bool

    def __repr__(self) -> str:
        return f"<reblock.Request, {'complete' if self.done else 'under way'}>"

    @property
    def done(self) -> bool:
        """Whether the request is known to be complete. This makes no progress: see `test`."""
        return not self._held.value

    def _ended(self, code: int) -> None:
        _under_way.pop(id(self._held), None)
        if code:
            self._error = error_of(code, lib.reblock_message().decode())
            raise self._error
        for side in self._targets:
            side.finish()

    def test(self) -> bool:
        """Advances the move, and returns whether it is complete. Raises an exception if it has failed.

            while not request.test():
                compute()
        """
        if not self.done:
            done = ctypes.c_int32()
            code = lib.reblock_request_test(ctypes.byref(self._held), ctypes.byref(done))
            if not done.value:
                must(code)
                return False
            self._ended(code)
        elif self._error:
            raise self._error
        return True

    def wait(self) -> Any:
        """Waits until the move is complete on this rank, and returns the target: `out`. Raises an exception if it has
        failed, on all ranks.

            columns = plan.start(rows).wait()
        """
        if not self.done:
            self._ended(lib.reblock_request_wait(ctypes.byref(self._held)))
        elif self._error:
            raise self._error
        return self.out

    def __enter__(self) -> Request:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.wait()
        elif not self.done:
            # The exception of the block is the one to be raised.
            lib.reblock_request_free(ctypes.byref(self._held))
            _under_way.pop(id(self._held), None)

    def __del__(self) -> None:
        if getattr(self, "_held", None) is not None and not self.done:
            warnings.warn(f"{self!r}: the program has not waited for it", ResourceWarning, stacklevel=2, source=self)
