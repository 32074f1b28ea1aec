"""Files that are whole or absent: a temporary file beside the target, then one rename."""

from pathlib import Path


def write_atomic(path: Path, data: bytes) -> None:
    """Replace `path` with `data`; a reader sees the old content or the new one, never a part.

    The temporary file's name is fixed, so one left by a killed run is overwritten by the next.

    Raises:
        OSError: The folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_bytes(data)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
    temporary.replace(path)
