"""From how a test ended to its result."""

from autograde.examiner import visibility
from autograde.examiner.task import Cell, LaidText
from autograde.outcome import TestOutcome, TestResult


def verdict(cell: Cell, outcome: TestOutcome, points: float | None, message: str = "") -> TestResult:
    """Return a result of a cell."""
    return TestResult(cell.grade_id, outcome, points, cell.points, message)


def passed(cell: Cell, value: str | None) -> TestResult:
    """Score a test that ended, by nbgrader's rule: a number as its last value is partial credit.

    Args:
        cell: The test.
        value: ``text/plain`` of its last value; None if it has none.

    Returns:
        Full points if the value is no number, or negative; `needs_review` if it exceeds the cell's points.
    """
    try:
        points = cell.points if value is None else float(value)
    except ValueError:
        points = cell.points
    if not points >= 0.0:
        points = cell.points
    if points > cell.points:
        return verdict(cell, TestOutcome.NEEDS_REVIEW, None, visibility.REVIEW)
    if points == cell.points:
        return verdict(cell, TestOutcome.PASSED, points)
    if points:
        return verdict(cell, TestOutcome.PARTIAL, points, visibility.PARTIAL)
    return verdict(cell, TestOutcome.FAILED, 0.0, visibility.NO_CREDIT)


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
