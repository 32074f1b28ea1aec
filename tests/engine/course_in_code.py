"""Assignments and submissions built in code: no disk, no intake."""

import hashlib
import re
from collections.abc import Iterator, Mapping

from autograde.course import Assignment, Role, SourceCell, SourceNotebook
from autograde.executors import Finished, Job
from autograde.intake import Intake, LaidCell, LaidNotebook
from autograde.outcome import TestResult

_HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS\n?", re.DOTALL)


def given(source: str) -> SourceCell:
    return _cell(Role.GIVEN, source, source)


def answer(
    source: str, stub: str = "raise NotImplementedError('TODO')", grade_id: str = "answer"
) -> SourceCell:
    return _cell(Role.ANSWER, source, stub, grade_id)


def check(grade_id: str, source: str, points: float = 1.0) -> SourceCell:
    return _cell(Role.TEST, source, _HIDDEN.sub("", source), grade_id, points)


def graded_answer(grade_id: str, source: str, stub: str, points: float = 1.0) -> SourceCell:
    return _cell(Role.GRADED_ANSWER, source, stub, grade_id, points, manual=True)


def prose(source: str) -> SourceCell:
    return SourceCell("prose", "markdown", Role.PROSE, source, source, None, 0.0, False)


def _cell(
    role: Role,
    source: str,
    released: str,
    grade_id: str | None = None,
    points: float = 0.0,
    manual: bool = False,
) -> SourceCell:
    return SourceCell(grade_id or "cell", "code", role, source, released, grade_id, points, manual)


def assignment(
    *cells: SourceCell,
    files: Mapping[str, bytes] | None = None,
    more: Mapping[str, list[SourceCell]] | None = None,
) -> Assignment:
    """Build an assignment of the notebook `book`, and of `more` notebooks by name."""
    named = {"book": cells, **(more or {})}
    books = tuple(SourceNotebook(name, tuple(others), {}) for name, others in named.items())
    fingerprint = hashlib.sha256(repr((books, files)).encode()).hexdigest()
    return Assignment("course", books, dict(files or {}), fingerprint)


def submission(
    task: Assignment,
    answers: Mapping[str, str] | None = None,
    *,
    student: str = "student",
    added: Mapping[int, str] | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Job:
    """Build a submission: the released text, answers by grade id, cells added before given indices."""
    answers = answers or {}
    books = []
    for book in task.notebooks:
        laid: list[LaidCell] = []
        for index, cell in enumerate(book.cells):
            if added and index in added:
                laid.append(LaidCell(None, "code", added[index], f"added-{index}"))
            text = answers.get(cell.grade_id or "", cell.released)
            laid.append(LaidCell(index, cell.cell_type, text, f"{cell.cell_id}-{index}"))
        books.append(LaidNotebook(book.name, tuple(laid)))
    return Job(student, Intake(tuple(books), dict(files or {})))


def results_of(finished: Finished) -> dict[str, TestResult]:
    return {test.grade_id: test for test in _tests(finished)}


def points_of(finished: Finished) -> dict[str, float | None]:
    return {test.grade_id: test.points for test in _tests(finished)}


def outcomes_of(finished: Finished) -> dict[str, str]:
    return {test.grade_id: test.outcome.value for test in _tests(finished)}


def _tests(finished: Finished) -> Iterator[TestResult]:
    for book in finished.result.notebooks:
        yield from book.tests
