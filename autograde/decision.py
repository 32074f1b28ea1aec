"""The one rule for a submission's status, score and remarks."""

from collections.abc import Collection
from dataclasses import replace

from autograde.intake import Intake
from autograde.outcome import Status, SubmissionResult, TestOutcome


def decide(
    result: SubmissionResult, intake: Intake, unanswered: Collection[tuple[str, str]] = ()
) -> SubmissionResult:
    """Decide status, score and remarks from what the tests said and what intake knows.

    A submission that needs review has no score, whatever its other tests earned: it must not read as one.
    A manually graded answer that nobody wrote gets nbgrader's zero.
    """
    known = (*intake.problems, *intake.notes)  # the time stamp's problem is among them
    notes = (*known, *(note for note in result.notes if note not in known))
    books = tuple(
        replace(
            book,
            tests=tuple(
                replace(test, points=0.0)
                if test.outcome is TestOutcome.MANUAL and (book.name, test.grade_id) in unanswered
                else test
                for test in book.tests
            ),
        )
        for book in result.notebooks
    )
    tests = [test for book in books for test in book.tests]
    status = Status.GRADED_WITH_REPAIRS if intake.repairs else Status.GRADED
    if result.status is Status.INFRASTRUCTURE_ERROR:
        status = Status.INFRASTRUCTURE_ERROR
    elif intake.problems or any(test.outcome is TestOutcome.NEEDS_REVIEW for test in tests):
        status = Status.NEEDS_REVIEW
    scored = status in (Status.GRADED, Status.GRADED_WITH_REPAIRS)
    score = sum(test.points or 0.0 for test in tests) if scored else None
    return replace(result, status=status, score=score, repairs=intake.repairs, notes=notes, notebooks=books)
