"""Exceptions: one class for each code of the library."""

from __future__ import annotations


class Error(Exception):
    """A call that failed. `str(error)` is the text, `error.code` the number REBLOCK_ERR_... of include/reblock.h.

    Each code has a class of its own, derived from this one. All ranks of a collective call get the same class; the text
    names the rank that made the mistake.

        try:
            reblock.Map((100, 100), "(BLOK,*)")
        except reblock.TextError as error:
            print(error)
    """

    code: int = 0

    def __init__(self, text: str, code: int | None = None) -> None:
        super().__init__(text)
        if code is not None:
            self.code = code


class HandleError(Error):
    """An object has been freed, or is of another kind."""

    code = 1


class ArgumentError(Error, ValueError):
    """An argument has an invalid value, on this rank or on another."""

    code = 2


class StateError(Error):
    """The object is in a state in which the call is not allowed, or MPI is not running."""

    code = 3


class MismatchError(Error):
    """Ranks passed different arguments, or called different functions."""

    code = 4


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory, on this rank or on another."""

    code = 5


class MPIError(Error):
    """MPI failed on some rank, or other ranks did not arrive within REBLOCK_WAIT_SECONDS."""

    code = 6


class OverlapError(Error):
    """Source and target overlap in memory."""

    code = 7


class TextError(Error, ValueError):
    """A text has a syntax error."""

    code = 8


class SettingsError(Error):
    """The environment or the options have an invalid value."""

    code = 9


class BrokenError(Error):
    """An earlier failure of MPI, or of reblock itself, made the communicator unusable for reblock."""

    code = 10


class InternalError(Error):
    """An error in reblock itself."""

    code = 11


class FileError(Error, OSError):
    """A file cannot be read or written, or does not have the expected contents."""

    code = 12


class DeviceError(Error):
    """A copy from or to the memory of a GPU failed on some rank."""

    code = 13


class CancelledError(Error):
    """The resize for which this process was started has failed or was cancelled. Only jobs return this."""

    code = 14


KINDS: list[type[Error]] = Error.__subclasses__()


def error_of(code: int, text: str) -> Error:
    """Returns the exception for a code of the library."""
    kind = next((kind for kind in KINDS if kind.code == code), None)
    return kind(text) if kind else Error(text, code)


def reason(bad: BaseException) -> str:
    """Returns the text of an exception that this rank raised, for the other ranks and for its own error."""
    return str(bad) if isinstance(bad, Error) else f"{type(bad).__name__}: {bad}"
