"""What a grade depends on, as hashes: an unchanged submission is not run again."""

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PRESENTATION = frozenset(
    {
        "__main__.py",
        "commands",
        "lean_nbgrader.py",
        "warming.py",
        "unchanged.py",
        "watched.py",
        "feedback.py",
        "nbgrader_plugin.py",
        "nbgrader_parts.py",
        "progress.py",
        "assignment_notes.py",
        "environment.py",
        "spreadsheet.py",
        "streams.py",
        "templating.py",
        "report.py",
        "charts.py",
        "statistics.py",
        "wording.py",
        "standing.py",
        "exercises.py",
        "roster.py",
    }
)


def grading_key(submission: str, assignment: str, sandbox: str, limits: str) -> str:
    """Return the hash of what a grade depends on: files, ``source/``, grader, sandbox, limits, Python.

    Args:
        submission: Fingerprint of the files.
        assignment: Fingerprint of ``source/``.
        limits: What a submission may use.
        sandbox: What submissions run in: a grade made without protection doesn't stand for one made with it.
    """
    parts = (submission, assignment, grader_version(), sandbox, limits, platform.python_version())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def code_files() -> list[Path]:
    """Return the package's modules, but for those that only show results."""
    folder = Path(__file__).parent
    found = sorted(folder.rglob("*.py"))
    return [path for path in found if path.relative_to(folder).parts[0] not in _PRESENTATION]


@cache
def grader_version() -> str:
    """Return the package's version and a hash of the code that decides a grade."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in code_files()))
    try:
        release = version("serving-overlap-course")
    except PackageNotFoundError:  # on the path, not installed
        release = "0"
    return f"{release}+{digest.hexdigest()[:12]}"
