"""Where each student of a class stands: the grader's outcomes and the gradebook's scores put together.

Feedback, the class report and the export all read this, so they cannot disagree.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from autograde import record as side_file
from autograde.course import Assignment, load_assignment, submitted_students
from autograde.errors import UsageError
from autograde.gradebook import CellKey, Gradebook, Student, StudentScores
from autograde.layout import CourseLayout
from autograde.outcome import Status, SubmissionResult, TestOutcome
from autograde.record import Record, RecordError


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
        trouble: Why what the grader wrote can't be used; "" if it can.
    """

    student: Student
    status: Status | Absence
    score: float | None
    max_score: float
    scores: StudentScores | None = None
    record: Record | None = None
    waiting: tuple[CellKey, ...] = ()
    trouble: str = ""

    @property
    def result(self) -> SubmissionResult | None:
        """The grader's outcome, with what a person settled in it."""
        return None if self.record is None else self.record.settled_result()


def standing_of(
    student: Student,
    max_score: float,
    scores: StudentScores | None,
    record: Record | RecordError | None,
    submitted: bool,
) -> Standing:
    """Put together what is known about one student.

    Args:
        student: Who.
        max_score: Points of the assignment.
        scores: The gradebook's grades; None if there are none.
        record: What the grader wrote, or why it can't be used; None if it wrote nothing.
        submitted: Something lies under ``submitted/``.
    """
    if scores is None:
        record = None if isinstance(record, RecordError) else record
        absence = Absence.NOT_GRADED if submitted else Absence.MISSING
        return Standing(student, absence, None, max_score, None, record)
    if isinstance(record, RecordError):
        status = Status.INFRASTRUCTURE_ERROR
        return Standing(student, status, None, max_score, scores, None, scores.undecided, str(record))
    if record is None:
        waiting = scores.undecided
        return Standing(student, Absence.GRADED_ELSEWHERE, scores.score, max_score, scores, None, waiting)
    result = record.settled_result()
    status = _decided_status(result, scores)
    scored = status in (Status.GRADED, Status.GRADED_WITH_REPAIRS)
    score = scores.score if scored else None
    return Standing(student, status, score, max_score, scores, record, scores.undecided)


class Named(Protocol):
    """An assignment, as ``source/`` or nbgrader's database knows it."""

    @property
    def name(self) -> str:
        """The folder's name."""
        ...

    @property
    def max_score(self) -> float:
        """Points of the whole assignment."""
        ...


def class_standings(layout: CourseLayout, assignment: Named, gradebook: Gradebook) -> list[Standing]:
    """Return every student's standing: those of the gradebook and those who submitted, by name and id."""
    name, max_score = assignment.name, assignment.max_score
    present = set(submitted_students(layout.root, name))
    scores = gradebook.scores(name)
    students = {student.id: student for student in gradebook.students()}
    students |= {student_id: Student(student_id) for student_id in sorted(present - students.keys())}
    return [
        standing_of(
            student,
            max_score,
            scores.get(student_id),
            _record(layout, student_id, name),
            student_id in present,
        )
        for student_id, student in students.items()
    ]


def _record(layout: CourseLayout, student_id: str, name: str) -> Record | RecordError | None:
    try:
        return side_file.load(layout.autograded(student_id, name))
    except RecordError as error:
        return error


def read_standings(
    layout: CourseLayout, name: str, db_url: str | None, students: Collection[str] | None = None
) -> tuple[Assignment, list[Standing]]:
    """Return an assignment and where its students stand.

    Raises:
        UsageError: Nothing has been graded yet, or one of `students` is not known.
    """
    assignment = load_assignment(layout.root, name)
    with Gradebook(db_url or layout.db_url, layout.course_id) as gradebook:
        standings = class_standings(layout, assignment, gradebook)
    if not any(standing.scores is not None for standing in standings):
        raise UsageError(f"nothing of {name} is graded yet: run `python -m autograde grade {name}` first")
    if students:
        known = {standing.student.id for standing in standings}
        if unknown := sorted(set(students) - known):
            raise UsageError(f"no such student: {', '.join(unknown)}; check --student and --course")
        standings = [standing for standing in standings if standing.student.id in students]
    return assignment, standings


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
    # A score from before the last grading waits for another look: the person saw other files.
    unseen = {key for key, cell in scores.cells.items() if cell.auto is None and cell.waits}
    if (unseen | set(scores.undecided)) - manual or not scores.cells:
        return result.status
    by_hand = any(cell.manual is not None for cell in scores.cells.values())
    if not by_hand:
        return result.status
    return Status.GRADED_WITH_REPAIRS if result.repairs else Status.GRADED
