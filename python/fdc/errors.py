"""What goes wrong, with what to do about it."""

from typing import Optional


class FdcError(Exception):
    """Why a call cannot be answered.

    message: what is wrong: the place, what was expected, what was found.
    hint: what to do; None if the message says it all.
    """

    message: str
    hint: Optional[str]

    def __init__(self, message: str, hint: Optional[str] = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message


class InputError(FdcError, ValueError):
    """A value, or the content of a file, is not what it should be."""


class FileError(FdcError, OSError):
    """The operating system refused to read or write a file."""


class UnknownError(FdcError, KeyError):
    """There is no test, metric, formula or format of that name."""


class BugError(FdcError, RuntimeError):
    """A bug in fdc itself; please report it."""


class PackageError(FdcError, ImportError):
    """A Python package is missing that only what was called needs."""
