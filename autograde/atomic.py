"""Files that are whole or absent: a temporary file beside the target, then one rename."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograde.errors import InfrastructureError


def write_atomic(path: Path, data: bytes) -> None:
    """Replace `path` with `data`; a reader sees the old content or the new one, never a part.

    Two writers at once don't meet: each has a temporary file of its own, and the last rename wins.

    Raises:
        OSError: The folder cannot be written.
    """
    # Unlike tempfile's, this file has the permissions that the user's umask asks for.
    temporary = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        handle = temporary.open("xb")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = temporary.open("xb")
    try:
        with handle:
            handle.write(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn what the system says while something is written below `folder` into one line.

    Raises:
        InfrastructureError: It could not be written.
    """
    try:
        yield
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else folder
        raise InfrastructureError(
            f"{where} can't be written ({error.strerror}): "
            "check its permissions and the free space, then run this command again"
        ) from error
