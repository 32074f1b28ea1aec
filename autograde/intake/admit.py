"""Admit one submission: choose its notebooks, read them, lay them onto the source."""

import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from autograde.course import Assignment, Submission
from autograde.errors import InfrastructureError, IntakeError
from autograde.intake.apart import TooCostlyError, admit_apart
from autograde.intake.choose import Choice, Marks, choose, is_clutter, is_notebook_name
from autograde.intake.lay import lay
from autograde.intake.model import Intake, LaidNotebook
from autograde.intake.template import Template

_MAX_LINE = 400
_LARGE_BYTES = 4 * 2**20  # starting a process costs a second or so, reading this much less


def admit(assignment: Assignment, submission: Submission) -> Intake:
    """Lay a submission onto its assignment.

    What is certain is healed and noted in `repairs`; what is not is named in `problems`, and the submission
    needs review. No bytes of a student's make it raise.

    Raises:
        IntakeError: If there is a fault of ours; the traceback is on standard error.
    """
    try:
        if _size(submission) > _LARGE_BYTES:
            return admit_apart(assignment, submission)
        return admit_here(assignment, submission)
    except TooCostlyError as error:
        return _not_admitted(assignment, f"reading it takes {error}; look at its files by hand")
    except InfrastructureError as error:
        raise IntakeError(_line(f"the grader failed to read this submission: {error}")) from error
    except Exception as error:
        traceback.print_exception(error)
        cause = f"{type(error).__name__}: {error}"
        raise IntakeError(_line(f"the grader failed to read this submission: {cause}")) from error


def admit_here(assignment: Assignment, submission: Submission) -> Intake:
    """Do what `admit` does, in this process."""
    prepared = _prepare(assignment)
    try:
        return _admit(prepared, submission)
    except (RecursionError, MemoryError):
        return _not_admitted(
            assignment, "its files are nested too deeply or too large to be read; look at them by hand"
        )


def _size(submission: Submission) -> int:
    """Count the bytes that reading takes: of notebooks, and of what may be one."""
    return sum(
        len(content)
        for path, content in submission.files.items()
        if is_notebook_name(path) or path.lower().endswith(".json")
    )


def _not_admitted(assignment: Assignment, problem: str) -> Intake:
    return Intake(tuple(LaidNotebook(book.name, ()) for book in assignment.notebooks), {}, (), (problem,))


@dataclass(frozen=True, slots=True)
class _Prepared:
    assignment: Assignment
    templates: tuple[Template, ...]
    marks: Marks


# A class is graded one assignment at a time, and preparing it takes as long as ten submissions.
_latest: _Prepared | None = None


def _prepare(assignment: Assignment) -> _Prepared:
    global _latest
    if _latest is None or _latest.assignment is not assignment:
        templates = tuple(Template.of(book) for book in assignment.notebooks)
        _latest = _Prepared(assignment, templates, Marks(templates))
    return _latest


def _admit(prepared: _Prepared, submission: Submission) -> Intake:
    templates = prepared.templates
    choices = choose(templates, prepared.marks, submission)
    repairs: list[str] = []
    problems: list[str] = []
    notes = [submission.timestamp_problem] if submission.timestamp_problem else []
    books = []
    for template, choice in zip(templates, choices, strict=True):
        name = f"{template.name}.ipynb"
        found, wrong, remarks = list(choice.repairs), list(choice.problems), tuple[str, ...]()
        if choice.raw is None:
            books.append(LaidNotebook(template.name, ()))
        else:
            laid = lay(template, choice.raw.cells)
            books.append(laid.notebook)
            found += [*choice.raw.repairs, *laid.repairs]
            wrong += laid.problems
            remarks = laid.notes
        repairs += _lines(name, found)
        problems += _lines(name, wrong)
        notes += _lines(name, [*choice.notes, *remarks])
    files = _files(prepared.assignment, submission, choices, notes)
    return Intake(tuple(books), files, tuple(repairs), tuple(problems), tuple(notes))


def _lines(name: str, phrases: Iterable[str]) -> list[str]:
    """Make each phrase one printable line that begins with the notebook's name; repeats count once."""
    return [_line(f"{name}: {phrase}") for phrase in dict.fromkeys(phrases)]


def _line(text: str) -> str:
    text = "".join(char if char.isprintable() else "\ufffd" for char in " ".join(text.split()))
    return text if len(text) <= _MAX_LINE else text[: _MAX_LINE - 1] + "…"


def _files(
    assignment: Assignment, submission: Submission, choices: tuple[Choice, ...], notes: list[str]
) -> dict[str, bytes]:
    """Return the student's other files, relative to where their notebooks lie."""
    homes = {str(PurePosixPath(choice.path).parent) for choice in choices if choice.path}
    home = homes.pop() + "/" if len(homes) == 1 else "./"
    taken = frozenset(assignment.files) | {f"{book.name}.ipynb" for book in assignment.notebooks}
    folders = {str(parent) for path in taken for parent in PurePosixPath(path).parents}
    files: dict[str, bytes] = {}
    # What lies beside the notebooks comes first: it wins over what lies elsewhere and would fall on it.
    for path, content in sorted(submission.files.items(), key=lambda item: not item[0].startswith(home)):
        if is_notebook_name(path) or is_clutter(path):
            continue
        place = path.removeprefix(home)
        above = {str(parent) for parent in PurePosixPath(place).parents}
        if place in assignment.files:
            if content != assignment.files[place]:
                notes.append(_line(f"{place}: replaced by the assignment's own file"))
        elif place in files or place in folders or above & (taken | files.keys()):
            notes.append(_line(f"{path}: left out; another file or folder has its place"))
        else:
            files[place] = content
            folders |= above
    for path, reason in submission.refused.items():
        notes.append(_line(f"{path}: not read; {reason}"))
    return files
