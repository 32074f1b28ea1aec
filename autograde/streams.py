"""Standard streams that may be closed, full, a broken pipe or in another encoding than ours."""

import os
import sys
from contextlib import suppress

from autograde.errors import InfrastructureError

_PIPE_BROKEN = 141  # what a shell reports of a program that a closed pipe ended


class OutputError(InfrastructureError):
    """Standard output can't be written; if its reader has just seen enough, nobody need be told."""

    def __init__(self, error: OSError) -> None:
        """Remember what the system said."""
        super().__init__(f"the output can't be written ({error.strerror})")
        self.is_quiet = isinstance(error, BrokenPipeError)
        self.exit_status = _PIPE_BROKEN if self.is_quiet else InfrastructureError.exit_status


def prepare() -> None:
    """Make the standard streams usable: what can't be encoded is escaped, what is closed leads nowhere."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # or the next file opened, such as the gradebook, would be standard error
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def complain(text: str) -> None:
    """Write a line to standard error if that is possible."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Write what a command has to say to standard output.

    Raises:
        OutputError: It can't be written.
    """
    try:
        print(text, flush=True)
    except OSError as error:
        raise OutputError(error) from error


def finish() -> None:
    """Flush; what can't be written is dropped, so that Python's own exit doesn't stumble over it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
