"""What grading says: one outcome for each submission and for each test, as plain data.

The JSON of ``python -m autograde grade --json`` is :meth:`SubmissionResult.to_json`, and nothing else.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """The one outcome of a submission."""

    GRADED = "graded"
    GRADED_WITH_REPAIRS = "graded_with_repairs"
    NEEDS_REVIEW = "needs_review"
    INFRASTRUCTURE_ERROR = "infrastructure_error"


class TestOutcome(StrEnum):
    """The outcome of one test cell."""

    __test__ = False  # not a pytest class

    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"  # an assertion of the test did not hold
    ERROR = "error"  # the answer raised, crashed or left the process
    TIMED_OUT = "timed_out"
    NOT_REACHED = "not_reached"  # the submission's budget was spent before this test
    NEEDS_REVIEW = "needs_review"  # the answer could not be judged; earns nothing until a person settles it
    MANUAL = "manual"  # a cell that the instructor grades


@dataclass(frozen=True, slots=True)
class TestResult:
    """What one test cell said.

    Attributes:
        grade_id: nbgrader's id of the test cell (or of the answer cell that is graded itself).
        outcome: What happened.
        points: Points earned; None where a person must decide (`manual`, `needs_review`).
        max_points: Points of the cell in ``source/``.
        message: What the student may know: never hidden source, values, tracebacks or outputs.
    """

    __test__ = False  # not a pytest class

    grade_id: str
    outcome: TestOutcome
    points: float | None
    max_points: float
    message: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes as fast as a tuple."""
        values = (self.grade_id, self.outcome, self.points, self.max_points, self.message)
        return (TestResult, values)


@dataclass(frozen=True, slots=True)
class NotebookResult:
    """The tests of one notebook, in the order of ``source/``."""

    name: str
    tests: tuple[TestResult, ...]


@dataclass(frozen=True, slots=True)
class SubmissionResult:
    """What grading says about one submission.

    Attributes:
        student_id: The folder's name under ``submitted/``.
        status: The one outcome.
        score: Sum of the points that are decided; None where nothing may be called a score
            (`needs_review` of the whole submission, `infrastructure_error`).
        max_score: Points of the assignment.
        seconds: Wall time spent on this submission.
        peak_memory_mib: Largest resident memory of the student's processes; None if not measured.
        repairs: What intake repaired, one line each.
        notes: Anything else that the instructor should know (why a review is needed, integrity remarks).
        notebooks: One entry for each notebook of the assignment.
    """

    student_id: str
    status: Status
    score: float | None
    max_score: float
    seconds: float
    peak_memory_mib: float | None
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    notebooks: tuple[NotebookResult, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "SubmissionResult":
        """Rebuild a result from :meth:`to_json`'s data."""
        notebooks = tuple(
            NotebookResult(
                book["name"],
                tuple(TestResult(**{**t, "outcome": TestOutcome(t["outcome"])}) for t in book["tests"]),
            )
            for book in data["notebooks"]
        )
        return cls(
            **{
                **data,
                "status": Status(data["status"]),
                "repairs": tuple(data["repairs"]),
                "notes": tuple(data["notes"]),
                "notebooks": notebooks,
            }
        )
