"""What is wrong with an assignment itself, kept from the grading that found it to the report.

One file for each assignment beside the autograded submissions: nbgrader's schema has no place for it.
"""

import json
from pathlib import Path

from autograde.atomic import write_atomic, writing
from autograde.course import Assignment


def save_problems(autograded: Path, assignment: Assignment, problems: tuple[str, ...]) -> None:
    """Keep what an executor found wrong with `assignment`.

    Raises:
        InfrastructureError: The file can't be written.
    """
    data = {"assignment": assignment.fingerprint, "problems": problems}
    with writing(autograded):
        write_atomic(
            problems_path(autograded, assignment.name), json.dumps(data, ensure_ascii=False).encode()
        )


def load_problems(autograded: Path, assignment: Assignment) -> tuple[str, ...]:
    """Return what was found wrong with exactly this ``source/``; nothing if it was not looked at."""
    try:
        data = json.loads(problems_path(autograded, assignment.name).read_bytes())
        problems = data["problems"] if data["assignment"] == assignment.fingerprint else ()
        return tuple(str(problem) for problem in problems)
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def problems_path(autograded: Path, name: str) -> Path:
    """Return where they are kept for one assignment."""
    return autograded / f".autograde.{name}.json"
