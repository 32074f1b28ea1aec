"""``check``: check your own notebook against the visible tests, judged as in grading."""

import argparse
import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from autograde.commands.engine import add_engine_arguments, limits_of, status_of
from autograde.commands.naming import bare_name
from autograde.course import Assignment, Role, SourceCell, SourceNotebook, Submission, load_assignment
from autograde.course.config import CONFIG_NAME
from autograde.errors import SandboxUnavailableError, UsageError
from autograde.executors import UNSAFE_NOTE, Finished, Job, LocalExecutor
from autograde.exercises import exercises
from autograde.intake import admit
from autograde.intake.read import read_notebook
from autograde.layout import CourseLayout
from autograde.limits import Limits
from autograde.outcome import SubmissionResult, TestOutcome
from autograde.sandbox import Kind
from autograde.streams import say
from autograde.wording import OUTCOMES, exercise_title, test_title

_NOT_SANDBOXED = "未在沙箱中运行（运行的是你自己的代码） · not sandboxed here (your own code)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("notebook", type=Path, help="your notebook (*.ipynb)")
    parser.add_argument(
        "--assignment", metavar="NAME", type=bare_name, help="folder under source/, where it can't be guessed"
    )
    add_engine_arguments(parser, sandbox=None)
    parser.set_defaults(course=None)  # a folder that is named counts, even this one


def run(arguments: argparse.Namespace) -> int:
    """Judge the notebook and print each verdict; return the exit status."""
    path: Path = arguments.notebook
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; name a notebook (*.ipynb)") from error
    if problem := read_notebook(content).problem:
        raise UsageError(f"{path}: {problem}")
    layout = _course(path, arguments.course)
    name = _assignment_of(layout, path) if arguments.assignment is None else arguments.assignment
    full = load_assignment(layout.root, name)
    assignment, hidden = visible_only(full, path.stem)
    files = {f"{assignment.notebooks[0].name}.ipynb": content}
    intake = admit(assignment, Submission("you", files, {}, None, "", "check"))
    result = _judge(
        assignment, Job("you", intake), layout.root, arguments.sandbox, limits_of(arguments)
    ).result
    say("\n".join(verdict_lines(assignment, result)))
    if hidden:
        say(f"另有 {hidden} 项评分时才运行的检查 · {hidden} more checks run only when you are graded")
    return status_of([result])


def visible_only(assignment: Assignment, name: str) -> tuple[Assignment, int]:
    """Return one notebook of an assignment without hidden tests, and how many tests had hidden parts.

    Raises:
        UsageError: There is no such notebook.
    """
    found = [book for book in assignment.notebooks if book.name == name]
    if not found and len(assignment.notebooks) == 1:
        found = list(assignment.notebooks)
    if not found:
        names = ", ".join(f"{book.name}.ipynb" for book in assignment.notebooks)
        raise UsageError(f"{assignment.name} has no notebook {name}.ipynb; it has {names}: rename yours")
    hidden = sum(cell.role is Role.TEST and cell.source != cell.released for cell in found[0].cells)
    cells = tuple(_visible(cell) for cell in found[0].cells)
    book = SourceNotebook(found[0].name, cells, found[0].metadata)
    return replace(
        assignment, notebooks=(book,), fingerprint=f"{assignment.fingerprint}-{book.name}-visible"
    ), hidden


def verdict_lines(assignment: Assignment, result: SubmissionResult) -> Iterator[str]:
    """Yield what a student reads: a line for each test, and its message."""
    tests = {test.grade_id: test for book in result.notebooks for test in book.tests}
    for exercise in exercises(assignment):
        yield exercise_title(exercise.grade_id)
        for each in exercise.tests:
            test = tests.get(each.grade_id)
            if test is None:
                continue
            wording = OUTCOMES[test.outcome]
            mark = "✓" if test.outcome is TestOutcome.PASSED else "✗"
            yield f"  {mark} {test_title(each.grade_id, exercise.grade_id)}: {wording.zh} · {wording.en}"
            if test.message and test.outcome is not TestOutcome.PASSED:
                yield from (f"      {line}" for line in test.message.splitlines())
    for line in (*result.repairs, *result.notes):
        yield f"· {_NOT_SANDBOXED if line == UNSAFE_NOTE else line}"


def _visible(cell: SourceCell) -> SourceCell:
    """Return a test with its released text; one that has nothing visible to check becomes a given cell."""
    if cell.role is not Role.TEST:
        return cell
    role = Role.TEST if _checks_something(cell.released) else Role.GIVEN
    return replace(cell, source=cell.released, role=role, points=cell.points if role is Role.TEST else 0.0)


def _checks_something(code: str) -> bool:
    try:
        return bool(ast.parse(code).body)
    except SyntaxError:  # magics
        return bool(code.strip())


def _judge(assignment: Assignment, job: Job, course: Path, sandbox: Kind | None, limits: Limits) -> Finished:
    """Run the notebook; without a wish of the student's, in the sandbox where there is one."""
    kinds: tuple[Kind, ...] = ("bwrap", "none") if sandbox is None else (sandbox,)
    for kind in kinds:
        try:
            with LocalExecutor(assignment, jobs=1, sandbox=kind, limits=limits, hidden=(course,)) as executor:
                return next(iter(executor.run([job])))
        except SandboxUnavailableError:
            if kind == kinds[-1]:
                raise
    raise AssertionError("a sandbox is always tried")


def _course(notebook: Path, given: Path | None) -> CourseLayout:
    """Return the course that --course names, else the nearest one above the notebook, else this folder."""
    folders = (given,) if given is not None else (*notebook.resolve().parents, Path())
    for folder in folders:
        if (folder / CONFIG_NAME).is_file() or (folder / "source").is_dir():
            layout = CourseLayout.of(folder)
            if layout.source_root.is_dir():
                return layout
    if given is not None:
        raise UsageError(f"{given} holds no assignments (source/): name a course with --course DIR")
    raise UsageError(
        f"{notebook} lies in no course (no folder above it has source/): name it with --course DIR"
    )


def _assignment_of(layout: CourseLayout, notebook: Path) -> str:
    known = sorted(path for path in layout.source_root.iterdir() if path.is_dir())
    found = [path.name for path in known if (path / f"{notebook.stem}.ipynb").is_file()]
    if not found and len(known) == 1:
        return known[0].name
    if len(found) != 1:
        names = ", ".join(path.name for path in known)
        raise UsageError(
            f"can't tell which assignment {notebook.name} belongs to: add --assignment, one of {names}"
        )
    return found[0]
