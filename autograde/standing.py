"""Where each student of a class stands: the grader's outcomes and the gradebook's scores put together.

Feedback, the class report and the export all read this, so they cannot disagree.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from autograde import record as side_file
from autograde.gradebook import CellKey, Gradebook, Student, StudentScores
from autograde.layout import CourseLayout
from autograde.outcome import Status, SubmissionResult, TestOutcome
from autograde.record import Record


class Absence(StrEnum):
    """Why a student has no outcome."""

    MISSING = "missing"  # nothing was submitted
    NOT_GRADED = "not_graded"  # something was submitted, and not graded yet
    GRADED_ELSEWHERE = "graded_by_nbgrader"  # the gradebook has grades that this grader didn't write


@dataclass(frozen=True, slots=True)
class Standing:
    """One student's standing in one assignment.

    Attributes:
        student: Who.
        status: The outcome, or why there is none.
        score: Points after the late penalty; None where nothing may be called a score.
        max_score: Points of the assignment.
        scores: The gradebook's grades; None if there are none.
        record: What the grader wrote; None if it wrote nothing.
        waiting: Graded cells without any points: a person must decide.
    """

    student: Student
    status: Status | Absence
    score: float | None
    max_score: float
    scores: StudentScores | None = None
    record: Record | None = None
    waiting: tuple[CellKey, ...] = ()

    @property
    def result(self) -> SubmissionResult | None:
        """The grader's outcome, with what a person settled in it."""
        return None if self.record is None else self.record.settled_result()


def standing_of(
    student: Student, max_score: float, scores: StudentScores | None, record: Record | None, submitted: bool
) -> Standing:
    """Put together what is known about one student.

    Args:
        student: Who.
        max_score: Points of the assignment.
        scores: The gradebook's grades; None if there are none.
        record: What the grader wrote; None if it wrote nothing.
        submitted: Something lies under ``submitted/``.
    """
    if scores is None:
        absence = Absence.NOT_GRADED if submitted else Absence.MISSING
        return Standing(student, absence, None, max_score, None, record)
    if record is None:
        waiting = scores.undecided
        return Standing(student, Absence.GRADED_ELSEWHERE, scores.score, max_score, scores, None, waiting)
    result = record.settled_result()
    status = _decided_status(result, scores)
    scored = status in (Status.GRADED, Status.GRADED_WITH_REPAIRS)
    score = scores.score if scored else None
    return Standing(student, status, score, max_score, scores, record, scores.undecided)


def class_standings(
    layout: CourseLayout, name: str, max_score: float, gradebook: Gradebook, submitted: Iterable[str]
) -> list[Standing]:
    """Return every student's standing: those of the gradebook and those who submitted, by name and id.

    Args:
        layout: The course.
        name: The assignment's.
        max_score: Points of the assignment.
        gradebook: Open.
        submitted: Students with a folder under ``submitted/``.
    """
    present = set(submitted)
    scores = gradebook.scores(name)
    students = {student.id: student for student in gradebook.students()}
    students |= {student_id: Student(student_id) for student_id in sorted(present - students.keys())}
    return [
        standing_of(
            student,
            max_score,
            scores.get(student_id),
            side_file.load(layout.autograded(student_id, name)),
            student_id in present,
        )
        for student_id, student in students.items()
    ]


def effective_points(standing: Standing) -> Mapping[CellKey, float | None]:
    """Return the points of each graded cell: a person's where there are any, else the grader's."""
    if standing.scores is not None:
        return {key: cell.points for key, cell in standing.scores.cells.items()}
    result = standing.result
    if result is None:
        return {}
    return {(book.name, test.grade_id): test.points for book in result.notebooks for test in book.tests}


def _decided_status(result: SubmissionResult, scores: StudentScores) -> Status:
    """Return the outcome, or `graded` once a person has scored every test that could not be judged."""
    if result.status in (Status.GRADED, Status.GRADED_WITH_REPAIRS):
        return result.status
    manual = {
        (book.name, test.grade_id)
        for book in result.notebooks
        for test in book.tests
        if test.outcome is TestOutcome.MANUAL
    }
    if set(scores.undecided) - manual or not scores.cells:
        return result.status
    by_hand = any(cell.manual is not None for cell in scores.cells.values())
    if not by_hand:
        return result.status
    return Status.GRADED_WITH_REPAIRS if result.repairs else Status.GRADED
