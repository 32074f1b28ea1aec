"""The examiner's processes begin to warm up while the grader itself is still importing nbgrader."""

from contextlib import suppress
from pathlib import Path

from autograde.examiner.preload import modules_in_files
from autograde.examiner.remote import ServerProcess
from autograde.examiner.server import Start
from autograde.limits import Limits
from autograde.sandbox import Kind


def warm_up(course: Path, assignment: str, sandbox: Kind, limits: Limits) -> ServerProcess | None:
    """Start a server that an executor can use later, if there seems to be work for one.

    Whether there is, and what it will import, is a guess from nbgrader's usual folders: the configuration has
    not been read. A wrong guess costs time, nothing else.

    Args:
        course: The course folder.
        assignment: The assignment's name.
        sandbox: What its executor will run submissions in.
        limits: What the executor will let one use.
    """
    with suppress(OSError):
        if _has_ungraded(course, assignment):
            return ServerProcess(
                Start.of(sandbox, [course], limits, modules_in_files(course / "source" / assignment))
            )
    return None


def _has_ungraded(course: Path, assignment: str) -> bool:
    graded = course / "autograded"
    return any(
        folder.is_dir() and not (graded / folder.parent.name / assignment / ".autograde.json").is_file()
        for folder in (course / "submitted").glob(f"*/{assignment}")
    )
