"""What can go wrong: an exception for every exit status of the program, with the program's own text.

The text calls options as the command line does: `--max-epsilon` is the keyword `max_epsilon`.
"""
from typing import Any


class Error(Exception):
    """A call that did not succeed; `status` is the exit status of the program, None where it did not run."""

    status: "int | None" = None


class LimitError(Error):
    """Done, but a limit (`max_epsilon`, `min_answered`, `require_releasable`) does not hold.

    `report` is the report all the same; None where the program made none.
    """

    status = 1
    report: Any = None


class UsageError(Error, ValueError):
    """The options are wrong, or do not go together."""

    status = 2


class InputError(Error, ValueError):
    """Unreadable or malformed input, named to the cell, or not enough memory."""

    status = 3


class NotValidError(Error):
    """The result would not be valid."""

    status = 4


class OutputError(Error, OSError):
    """An output cannot be written."""

    status = 5


class LedgerError(Error):
    """The ledger already contains a release, or belongs to another ensemble."""

    status = 6


class BugError(Error):
    """A bug of the program: please report it."""

    status = 70


class ProgramError(Error):
    """There is no program to run, it is of another version than this package, or a signal ended it."""


BY_STATUS = {error.status: error for error in (LimitError, UsageError, InputError, NotValidError, OutputError, LedgerError, BugError)}


def error_of(status, text):
    """The exception for an exit status other than 0 and what the program said, which is without numbers of the votes."""
    told = "\n".join(line.removeprefix("pate: ") for line in text.strip().splitlines() if not line.startswith(("pate: note: ", "report: ")))
    error = BY_STATUS.get(status, ProgramError)
    if error is ProgramError:
        told = f"the program was ended by signal {-status}" if status < 0 else f"the program ended with status {status}: {told}"
    result = error(told)
    result.status = status
    return result
