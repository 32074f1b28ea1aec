"""From how a test ended to its result."""

from autograde.examiner import visibility
from autograde.examiner.task import Cell, LaidText
from autograde.outcome import TestOutcome, TestResult
from autograde.student.score import Value


def verdict(cell: Cell, outcome: TestOutcome, points: float | None, message: str = "") -> TestResult:
    """Return a result of a cell."""
    return TestResult(cell.grade_id, outcome, points, cell.points, message)


def gives_points(cell: Cell, value: Value | None) -> bool:
    """Say whether a test's last value is the points that it gives, by the value in the instructor's own run.

    It is what nbgrader takes for points: a text that reads as a number, not negative. Or a number that
    equals full marks: numpy's, which nbgrader does not read, for one.
    """
    return value is not None and (_points_in(value.text) is not None or value.number == cell.points)


def passed(cell: Cell, value: Value | None, *, numeric: bool) -> TestResult:
    """Score a test that ended.

    Args:
        cell: The test.
        value: Its last value; None if it has none.
        numeric: The test gives points (:func:`gives_points`).

    Returns:
        For a test that gives points, these; `needs_review` if the value is no number, or none from 0 to full
        marks. For another test, nbgrader's rule: full marks unless the value's text reads as a number.
    """
    points = None if value is None else _points_in(value.text)
    if numeric and value is not None:
        points = points if value.number is None else value.number
    elif not numeric and points is None:
        points = cell.points
    if points is None or not 0.0 <= points <= cell.points:
        return verdict(cell, TestOutcome.NEEDS_REVIEW, None, visibility.REVIEW)
    if points == cell.points:
        return verdict(cell, TestOutcome.PASSED, points)
    if points:
        return verdict(cell, TestOutcome.PARTIAL, points, visibility.PARTIAL)
    return verdict(cell, TestOutcome.FAILED, 0.0, visibility.NO_CREDIT)


def _points_in(text: str) -> float | None:
    """Return the points that nbgrader reads in a value's text; None: it would give full marks."""
    try:
        points = float(text)
    except ValueError:
        return None
    return points if points >= 0.0 else None


def troubled(cell: Cell, trouble: TestOutcome) -> TestResult:
    """Return the result of a test that the student's process did not let come to an end."""
    if trouble is TestOutcome.NEEDS_REVIEW:
        return verdict(cell, trouble, None, visibility.REVIEW)
    message = {
        TestOutcome.TIMED_OUT: visibility.TIMED_OUT,
        TestOutcome.NOT_REACHED: visibility.NOT_REACHED,
    }.get(trouble, visibility.CRASHED)
    return verdict(cell, trouble, 0.0, message)


def by_hand(item: LaidText, cell: Cell) -> TestResult:
    """Return the result of a cell that a person grades; as in nbgrader, an untouched answer has none."""
    if cell.role == "graded_answer" and item.text.strip() == cell.released.strip():
        return verdict(cell, TestOutcome.FAILED, 0.0, visibility.NOT_ANSWERED)
    return verdict(cell, TestOutcome.MANUAL, None)
