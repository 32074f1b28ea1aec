"""One writer for each course: two graders must not interleave."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograde.errors import UsageError


@contextmanager
def course_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of the course whose ``autograded/`` folder this is.

    A record lock (not ``flock``): forked workers don't inherit it, and the system drops it when the
    holder dies, even by ``kill -9``.

    Raises:
        UsageError: Another process holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ".autograde.lock"
    with path.open("a+") as handle:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            handle.seek(0)
            holder = handle.read(32).strip() or "unknown"
            raise UsageError(
                f"another grader (process {holder}) is at work in {folder.parent}: "
                "wait until it has finished, or stop it, then run this command again"
            ) from error
        handle.truncate(0)
        handle.write(str(os.getpid()))
        handle.flush()
        yield
