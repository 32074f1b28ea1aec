"""Find the root of the course, from the repository or from a notebook that was opened alone."""

import os
from pathlib import Path

MARKER = ".course-root"
WORKING_FOLDER = "overlap-course"


def resolve_project_root(start: str | os.PathLike[str]) -> Path:
    """Return the folder that holds the course's helpers, results and marker file.

    Looks in `start` and then in each folder above it, for the marker itself (the repository) and for
    the working folder that a notebook opened alone writes beside itself.

    Args:
        start: A folder, or a file in it; need not exist.

    Returns:
        The absolute path of the root.

    Raises:
        FileNotFoundError: If neither is there.

    Example:
        >>> resolve_project_root(Path(__file__)).joinpath(MARKER).is_file()
        True
    """
    origin = Path(start).resolve()
    for folder in (origin, *origin.parents):
        for root in (folder, folder / WORKING_FOLDER):
            if (root / MARKER).is_file():
                return root
    raise FileNotFoundError(
        f"no course root at or above {origin}: no {MARKER} file there. "
        "Open the notebook inside the repository, or run its set-up cell first."
    )
