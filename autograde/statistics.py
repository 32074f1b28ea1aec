"""What a class report counts."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from autograde.exercises import Exercise
from autograde.outcome import Status, TestOutcome
from autograde.record import Grading, Record
from autograde.standing import Standing

SCORED = (Status.GRADED, Status.GRADED_WITH_REPAIRS)


@dataclass(frozen=True, slots=True)
class TestCount:
    """How a class did on one test; `counts` is by outcome."""

    notebook: str
    exercise: str
    grade_id: str
    points: float
    counts: Mapping[TestOutcome, int]

    @property
    def total(self) -> int:
        """Submissions in which the test has an outcome."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Change:
    """A submission whose points differ from its previous grading's.

    Attributes:
        student_id: Whose.
        why: What made it be graded again.
        old: Previous score.
        new: Score now, before any late penalty.
        tests: (test, points before, points now) where they differ.
    """

    student_id: str
    why: str
    old: float | None
    new: float | None
    tests: tuple[tuple[str, float | None, float | None], ...]


def count_statuses(standings: Sequence[Standing]) -> dict[str, int]:
    """Return how many students have each status, in the order of their first appearance."""
    return dict(Counter(standing.status.value for standing in standings))


def scores_of(standings: Sequence[Standing]) -> list[float]:
    """Return the scores that are scores: of submissions graded to the end."""
    return [each.score for each in standings if each.score is not None and each.status in SCORED]


def middle(values: Sequence[float]) -> float | None:
    """Return the median; None of nothing."""
    return median(values) if values else None


def count_tests(exercises: Sequence[Exercise], standings: Sequence[Standing]) -> list[TestCount]:
    """Return how the class did on each test, in the order of the assignment."""
    counts: dict[tuple[str, str], Counter[TestOutcome]] = defaultdict(Counter)
    for standing in standings:
        result = standing.result
        for book in () if result is None else result.notebooks:
            for test in book.tests:
                counts[book.name, test.grade_id][test.outcome] += 1
    return [
        TestCount(
            exercise.notebook,
            exercise.grade_id,
            test.grade_id,
            test.points,
            dict(counts[exercise.notebook, test.grade_id]),
        )
        for exercise in exercises
        for test in exercise.tests
    ]


def changes(standings: Sequence[Standing]) -> list[Change]:
    """Return what the last grading changed, for those submissions that it changed."""
    found = (
        _change(standing.student.id, standing.record, standing.record.history[-1])
        for standing in standings
        if standing.record is not None and standing.record.history
    )
    return [change for change in found if change.tests or change.old != change.new]


def same_answers(standings: Sequence[Standing]) -> list[tuple[str, ...]]:
    """Return groups of students whose answers are the same, character for character."""
    groups: dict[str, list[str]] = defaultdict(list)
    for standing in standings:
        if standing.record is not None and standing.record.answers:
            groups[standing.record.answers].append(standing.student.id)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def attempts(record: Record | None) -> int:
    """Return how many different versions a student has sent that were graded."""
    if record is None:
        return 0
    return len({record.submission, *(grading.submission for grading in record.history)})


def shared_notes(standings: Sequence[Standing]) -> tuple[str, ...]:
    """Return the remarks that every graded submission carries: they are said once."""
    notes = [set(each.result.notes) for each in standings if each.result is not None]
    return tuple(sorted(set.intersection(*notes))) if len(notes) > 1 else ()


def _change(student_id: str, record: Record, before: Grading) -> Change:
    result = record.settled_result()
    now = {f"{book.name}/{test.grade_id}": test.points for book in result.notebooks for test in book.tests}
    names = [*now, *(name for name in before.points if name not in now)]
    tests = tuple(
        (name, before.points.get(name), now.get(name))
        for name in names
        if before.points.get(name) != now.get(name)
    )
    return Change(student_id, _why(record, before), before.score, result.score, tests)


def _why(record: Record, before: Grading) -> str:
    if record.submission != before.submission:
        return "resubmitted"
    return "tests changed" if record.assignment != before.assignment else "graded again"
