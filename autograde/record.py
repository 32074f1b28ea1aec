"""The side file of a graded submission: what nbgrader's schema has no column for.

It lies beside the autograded notebooks and is written last: a submission whose side file carries the
current key is done, however the grader ended.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from autograde.atomic import write_atomic
from autograde.errors import InfrastructureError
from autograde.outcome import Status, SubmissionResult, TestOutcome

FILE_NAME = ".autograde.json"
SCHEMA = 1
HISTORY_LIMIT = 20


@dataclass(frozen=True, slots=True)
class Settlement:
    """Points that a person gave to a test that could not be judged.

    Attributes:
        notebook: Name of the notebook.
        grade_id: Id of the test cell.
        points: What it earns.
        note: Why, in the person's words.
        submission: Fingerprint of the files that the person saw.
    """

    notebook: str
    grade_id: str
    points: float
    note: str
    submission: str


@dataclass(frozen=True, slots=True)
class Grading:
    """An earlier grading of the same student's submission.

    Attributes:
        graded_at: When, ISO 8601 in UTC.
        submission: Fingerprint of the files.
        assignment: Fingerprint of ``source/``.
        status: The outcome.
        score: As in :class:`SubmissionResult`.
        points: ``notebook/grade_id`` -> points.
    """

    graded_at: str
    submission: str
    assignment: str
    status: str
    score: float | None
    points: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Record:
    """Everything known about one graded submission.

    Attributes:
        key: Hash of what the grade depends on: files, ``source/``, grader.
        submission: Fingerprint of the files.
        assignment: Fingerprint of ``source/``.
        graded_at: When, ISO 8601 in UTC.
        result: The outcome as the grader saw it.
        timestamp: When it was submitted, ISO 8601; None if not known.
        seconds_late: Past the due date.
        answers: Hash of the answer cells' text; "" while it is the released text.
        unanswered: ``notebook/grade_id`` of the answers that are still the released text.
        settlements: What a person settled; kept over regrades.
        accepted: Fingerprint of the files whose points a person accepted as they stand; "" if none.
        history: Earlier gradings, oldest first.
    """

    key: str
    submission: str
    assignment: str
    graded_at: str
    result: SubmissionResult
    timestamp: str | None = None
    seconds_late: float = 0.0
    answers: str = ""
    unanswered: tuple[tuple[str, str], ...] = ()
    settlements: tuple[Settlement, ...] = ()
    accepted: str = ""
    history: tuple[Grading, ...] = ()

    def is_final(self, key: str) -> bool:
        """Tell whether a submission with this `key` need not run again."""
        return self.key == key and self.result.status is not Status.INFRASTRUCTURE_ERROR

    def settled(self) -> dict[tuple[str, str], float]:
        """Return (notebook, grade id) -> points of the settlements made on exactly these files."""
        return {
            (each.notebook, each.grade_id): each.points
            for each in self.settlements
            if each.submission == self.submission
        }

    def outdated(self) -> dict[tuple[str, str], float]:
        """Return (notebook, grade id) -> points of the settlements made on other files than these."""
        return {
            (each.notebook, each.grade_id): each.points
            for each in self.settlements
            if each.submission != self.submission
        }

    def settled_result(self) -> SubmissionResult:
        """Return the result with what a person settled in it; once nothing is undecided, it is graded."""
        settled = self.settled()
        accepted = self.accepted == self.submission
        if not settled and not accepted:
            return self.result
        books = tuple(
            replace(
                book,
                tests=tuple(
                    test
                    if test.points is not None or (book.name, test.grade_id) not in settled
                    else replace(
                        test,
                        points=settled[book.name, test.grade_id],
                        outcome=_settled_outcome(settled[book.name, test.grade_id], test.max_points),
                    )
                    for test in book.tests
                ),
            )
            for book in self.result.notebooks
        )
        tests = [test for book in books for test in book.tests]
        undecided = any(test.points is None and test.outcome is not TestOutcome.MANUAL for test in tests)
        if undecided or not tests or self.result.status is not Status.NEEDS_REVIEW:
            return replace(self.result, notebooks=books)
        return replace(
            self.result,
            notebooks=books,
            status=Status.GRADED_WITH_REPAIRS if self.result.repairs else Status.GRADED,
            score=sum(test.points or 0.0 for test in tests),
            notes=(
                *self.result.notes,
                *(["accepted by hand as it was scored"] if accepted else []),
                *(_settlement_note(each) for each in self.settlements if each.submission == self.submission),
            ),
        )

    def as_history(self) -> tuple[Grading, ...]:
        """Return the history with this grading appended, for the grading that replaces it."""
        result = self.settled_result()
        points = {
            f"{book.name}/{test.grade_id}": test.points for book in result.notebooks for test in book.tests
        }
        mine = Grading(self.graded_at, self.submission, self.assignment, result.status, result.score, points)
        return (*self.history, mine)[-HISTORY_LIMIT:]


def _settled_outcome(points: float, max_points: float) -> TestOutcome:
    if points >= max_points:
        return TestOutcome.PASSED
    return TestOutcome.PARTIAL if points > 0 else TestOutcome.FAILED


def _settlement_note(settlement: Settlement) -> str:
    reason = f" ({settlement.note})" if settlement.note else ""
    return f"settled by hand: {settlement.grade_id} earns {settlement.points:g}{reason}"


def save(folder: Path, record: Record) -> None:
    """Write the side file into a submission's folder under ``autograded/``."""
    data = {"schema": SCHEMA, **_fields(record)}
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, default=_fields)
    write_atomic(folder / FILE_NAME, text.encode("utf-8", "replace"))


def _fields(value: Any) -> dict[str, Any]:
    """Return a dataclass's fields without copying them, which `asdict` spends most of its time on."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


class RecordError(InfrastructureError):
    """A side file can't be used; it concerns its student alone."""


class DamagedRecordError(RecordError):
    """A side file is not what this grader writes."""


def load(folder: Path) -> Record | None:
    """Read the side file; None if there is none.

    Raises:
        DamagedRecordError: It is not what this grader writes.
        RecordError: It can't be read, or it was written by another version.
    """
    path = folder / FILE_NAME
    try:
        data = json.loads(path.read_bytes())
        schema = data.pop("schema")
        if schema != SCHEMA:
            raise RecordError(
                f"{path} was written by another version of this grader: "
                "upgrade, or remove the file to grade this submission afresh"
            )
        return _checked(
            Record(
                **{
                    **data,
                    "result": SubmissionResult.from_json(data["result"]),
                    "unanswered": tuple((book, grade_id) for book, grade_id in data["unanswered"]),
                    "settlements": tuple(Settlement(**each) for each in data["settlements"]),
                    "history": tuple(Grading(**each) for each in data["history"]),
                }
            )
        )
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RecordError(f"{path} can't be read ({error.strerror}): check its permissions") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedRecordError(
            f"{path} is damaged: `grade` puts it aside and goes on; decisions by hand that it held must be "
            "made again"
        ) from error


def put_aside(folder: Path) -> str:
    """Rename a damaged side file, so that a person can still look at it; return its new name."""
    name, count = f"{FILE_NAME}.damaged", 1
    while (folder / name).exists():
        count += 1
        name = f"{FILE_NAME}.damaged-{count}"
    (folder / FILE_NAME).rename(folder / name)
    return name


def _checked(record: Record) -> Record:
    """Return the record if its numbers are numbers.

    Raises:
        TypeError: One of them is not.
    """
    tests = [test for book in record.result.notebooks for test in book.tests]
    wanted = [record.seconds_late, record.result.max_score, record.result.seconds]
    wanted += [test.max_points for test in tests] + [each.points for each in record.settlements]
    known = [test.points for test in tests] + [record.result.score, record.result.peak_memory_mib]
    for grading in record.history:
        known += [grading.score, *grading.points.values()]
    for number in (*wanted, *(value for value in known if value is not None)):
        if not isinstance(number, int | float):
            raise TypeError(f"{number!r} is not a number")
    return record
