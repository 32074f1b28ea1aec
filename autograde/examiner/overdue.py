"""What is known of a submission whose examiner had to be ended from outside."""

from autograde.examiner import visibility
from autograde.examiner.task import Report, Task
from autograde.outcome import TestOutcome, TestResult


def overdue_report(task: Task, progress: list[tuple[int, str | TestResult]]) -> Report:
    """Rebuild what is known of a submission whose examiner had to be ended: the test it hung in timed out."""
    verdicts = {(number, what.grade_id): what for number, what in progress if isinstance(what, TestResult)}
    begun = [(number, what) for number, what in progress if isinstance(what, str)]
    hung = begun[-1] if begun and begun[-1] not in verdicts else None
    report = Report(seconds=task.limits.submission_seconds)
    for number, book in enumerate(task.books):
        tests = []
        for cell in book.cells:
            if not cell.is_graded:
                continue
            known = verdicts.get((number, cell.grade_id))
            if known is None and (number, cell.grade_id) == hung:
                known = TestResult(
                    cell.grade_id, TestOutcome.TIMED_OUT, 0.0, cell.points, visibility.TIMED_OUT
                )
            elif known is None and not cell.is_test:
                known = TestResult(cell.grade_id, TestOutcome.MANUAL, None, cell.points)
            tests.append(
                known
                or TestResult(
                    cell.grade_id, TestOutcome.NOT_REACHED, 0.0, cell.points, visibility.NOT_REACHED
                )
            )
        report.tests.append(tests)
        report.runs.append([])
    report.notes.append(
        "its examiner had to be ended from outside: a test hung on what the student's code returned"
    )
    return report
