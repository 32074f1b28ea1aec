"""Admit one submission: choose its notebooks, read them, lay them onto the source."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from autograde.course import Assignment, Submission
from autograde.intake.choose import Choice, Marks, choose, is_clutter, is_notebook_name
from autograde.intake.lay import lay
from autograde.intake.model import Intake, LaidNotebook
from autograde.intake.template import Template

_MAX_LINE = 400


def admit(assignment: Assignment, submission: Submission) -> Intake:
    """Lay a submission onto its assignment.

    What is certain is healed and noted in `repairs`; what is not is named in `problems`, and the submission
    needs review. Never raises: a fault of ours on one submission is a problem too, and the batch goes on.
    """
    try:
        return _admit(assignment, submission)
    except Exception as error:
        cause = _line(f"{type(error).__name__}: {error}")
        problem = f"the grader itself failed to read this submission ({cause}); report it, and grade by hand"
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


def _admit(assignment: Assignment, submission: Submission) -> Intake:
    prepared = _prepare(assignment)
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
    files = _files(assignment, submission, choices, notes)
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
    folders = {str(PurePosixPath(choice.path).parent) for choice in choices if choice.path}
    home = folders.pop() + "/" if len(folders) == 1 else "./"
    files = {}
    for path, content in submission.files.items():
        if is_notebook_name(path) or is_clutter(path):
            continue
        place = path.removeprefix(home)
        if place not in assignment.files:
            files[place] = content
        elif content != assignment.files[place]:
            notes.append(_line(f"{place}: replaced by the assignment's own file"))
    for path, reason in submission.refused.items():
        notes.append(_line(f"{path}: not read; {reason}"))
    return files
