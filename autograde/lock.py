"""One writer for each course: two graders must not interleave."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from autograde.atomic import writing
from autograde.errors import InfrastructureError, UsageError


@contextmanager
def course_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of the course whose ``autograded/`` folder this is.

    A record lock (not ``flock``): forked workers don't inherit it, and the system drops it when the
    holder dies, even by ``kill -9``.

    Raises:
        UsageError: Another process holds it.
        InfrastructureError: The folder can't be written, or its file system has no locks.
    """
    path = folder / ".autograde.lock"
    with ExitStack() as stack:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            handle = stack.enter_context(path.open("a+"))
        _lock(handle, folder)
        with writing(folder):
            handle.truncate(0)
            handle.write(str(os.getpid()))
            handle.flush()
        yield


def _lock(handle: TextIO, folder: Path) -> None:
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            raise InfrastructureError(
                f"{handle.name} can't be locked ({error.strerror}): "
                "keep the course on a file system that has locks, such as a local disk"
            ) from error
        handle.seek(0)
        holder = handle.read(32).strip() or "unknown"
        raise UsageError(
            f"another grader (process {holder}) is at work in {folder.parent}: "
            "wait until it has finished, or stop it, then run this command again"
        ) from error
