"""The pipeline: a course's submissions through intake and executor into the gradebook, resumable.

Each finished submission is written at once, by this process alone: its notebooks, then one transaction in
the gradebook, then its side file. Whatever a killed run left half done lacks the current key in its side
file, so the next run does it again.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from autograde import record as side_file
from autograde.atomic import writing
from autograde.autograded import AutogradedWriter
from autograde.course import Assignment, Role, SourceCell, Submission, find_submissions
from autograde.decision import decide
from autograde.errors import IntakeError
from autograde.executors import Executor, Finished, Job
from autograde.gradebook import CellKey, Gradebook
from autograde.intake import Intake, admit
from autograde.layout import CourseLayout
from autograde.limits import DEFAULT, Limits
from autograde.outcome import Status, SubmissionResult
from autograde.printable import is_name
from autograde.record import DamagedRecordError, Grading, Record, RecordError
from autograde.sandbox import Kind
from autograde.versions import grading_key


@dataclass(frozen=True, slots=True)
class Graded:
    """One submission's outcome in a batch.

    Attributes:
        result: The outcome, with what a person settled in it.
        previous: The grading before this one; None for the first.
        reused: Nothing had changed, so it was not run.
        resubmitted: The files differ from the previous grading's.
    """

    result: SubmissionResult
    previous: Grading | None
    reused: bool
    resubmitted: bool


@dataclass(frozen=True, slots=True)
class _Pending:
    submission: Submission
    intake: Intake
    key: str
    previous: Record | None
    notes: tuple[str, ...] = ()


class Grader:
    """Grades one assignment of one course.

    Args:
        layout: The course.
        assignment: The assignment, as loaded.
        gradebook: Open, with the assignment registered.
        sandbox: What the executor runs submissions in.
        limits: What it lets one use.
    """

    def __init__(
        self,
        layout: CourseLayout,
        assignment: Assignment,
        gradebook: Gradebook,
        sandbox: Kind,
        limits: Limits,
    ) -> None:
        """Prepare what all submissions share."""
        self._layout = layout
        self._assignment = assignment
        self._gradebook = gradebook
        self._sandbox = sandbox
        self._limits = repr(limits)
        self._writer = AutogradedWriter(assignment)
        self._recorded = gradebook.auto_scores(assignment.name)
        self._answers = _answer_cells(assignment)

    def run(
        self, submissions: Iterator[Submission], executor: Executor, *, force: bool = False
    ) -> Iterator[Graded]:
        """Grade what changed and yield each outcome once it is recorded, in the order of finishing.

        Args:
            submissions: Read lazily, so that a large class does not lie in memory.
            executor: Runs them.
            force: Run unchanged submissions too.

        Raises:
            InfrastructureError: Results can't be written.
        """
        pending: dict[str, _Pending] = {}
        reused: list[Graded] = []

        def jobs() -> Iterator[Job]:
            for submission in submissions:
                plan = self._plan(submission, force)
                if isinstance(plan, Graded):
                    reused.append(plan)
                    continue
                pending[submission.student_id] = plan
                yield Job(submission.student_id, plan.intake)

        for finished in executor.run(jobs()):
            yield from _drain(reused)
            yield self._finish(pending.pop(finished.result.student_id), finished)
        yield from _drain(reused)

    def _plan(self, submission: Submission, force: bool) -> Graded | _Pending:
        if not is_name(submission.student_id):
            why = "the name of its folder holds characters that no id can have: rename the folder"
            result = self._ungraded(submission.student_id, why)
            return Graded(result, None, reused=False, resubmitted=False)
        key = grading_key(submission.fingerprint, self._assignment.fingerprint, self._sandbox, self._limits)
        folder = self._folder(submission.student_id)
        notes: tuple[str, ...] = ()
        try:
            previous = side_file.load(folder)
        except DamagedRecordError:
            with writing(folder):
                aside = side_file.put_aside(folder)
            previous = None
            notes = (
                f"the record of earlier gradings was damaged and is now {aside}: check decisions by hand",
            )
        except RecordError as error:
            return Graded(
                self._ungraded(submission.student_id, str(error)), None, reused=False, resubmitted=False
            )
        if previous is not None and previous.is_final(key) and not force:
            return self._reuse(submission, previous)
        try:
            intake = admit(self._assignment, submission)
        except IntakeError as error:
            return Graded(
                self._ungraded(submission.student_id, str(error)), None, reused=False, resubmitted=False
            )
        return _Pending(submission, intake, key, previous, notes)

    def _ungraded(self, student_id: str, why: str) -> SubmissionResult:
        return SubmissionResult(
            student_id, Status.INFRASTRUCTURE_ERROR, None, self._assignment.max_score, 0.0, None, notes=(why,)
        )

    def _reuse(self, submission: Submission, record: Record) -> Graded:
        timestamp = _iso(submission.timestamp)
        if timestamp != record.timestamp or not is_recorded(self._recorded, record.result):
            record = self._commit(replace(record, timestamp=timestamp), submission.timestamp)
        previous = record.history[-1] if record.history else None
        return Graded(record.settled_result(), previous, reused=True, resubmitted=False)

    def _finish(self, pending: _Pending, finished: Finished) -> Graded:
        submission, before = pending.submission, pending.previous
        unanswered = self._unanswered(pending.intake)
        result = decide(finished.result, pending.intake, unanswered)
        history = () if before is None else before.as_history()
        previous = history[-1] if history else None
        resubmitted = before is not None and before.submission != submission.fingerprint
        failed = result.status is Status.INFRASTRUCTURE_ERROR
        if failed and before is not None and before.key == pending.key:
            return Graded(result, previous, reused=False, resubmitted=False)  # the forced run lost nothing
        folder = self._folder(submission.student_id)
        with writing(folder):
            uncopied = self._writer.write(folder, pending.intake, result, finished.runs, submission.timestamp)
        if uncopied:
            note = f"not copied to autograded/ because of their names: {', '.join(uncopied)}"
            result = replace(result, notes=(*result.notes, note))
        result = replace(result, notes=(*pending.notes, *result.notes))
        record = Record(
            key=pending.key,
            submission=submission.fingerprint,
            assignment=self._assignment.fingerprint,
            graded_at=datetime.now(UTC).isoformat(timespec="seconds"),
            result=result,
            timestamp=_iso(submission.timestamp),
            answers=self._answers_hash(pending.intake, unanswered),
            unanswered=tuple(sorted(unanswered)),
            settlements=() if before is None else before.settlements,
            accepted="" if before is None else before.accepted,
            history=history,
        )
        record = self._commit(record, submission.timestamp)
        return Graded(record.settled_result(), previous, reused=False, resubmitted=resubmitted)

    def _commit(self, record: Record, timestamp: datetime | None) -> Record:
        recorded = self._gradebook.record(
            self._assignment.name,
            record.result,
            timestamp=timestamp,
            unanswered=record.unanswered,
            settled=record.settled(),
            outdated=record.outdated(),
        )
        record = replace(record, seconds_late=recorded.seconds_late)
        folder = self._folder(record.result.student_id)
        with writing(folder):
            side_file.save(folder, record)
        return record

    def _folder(self, student_id: str) -> Path:
        return self._layout.autograded(student_id, self._assignment.name)

    def _unanswered(self, intake: Intake) -> frozenset[CellKey]:
        return frozenset(
            (book.name, str(found.grade_id))
            for book in intake.notebooks
            for cell in book.cells
            if (found := self._answers.get((book.name, cell.source_index))) is not None
            if cell.text == found.released or found.was_released(cell.text)
        )

    def _answers_hash(self, intake: Intake, unanswered: Collection[CellKey]) -> str:
        texts = [
            (book.name, str(found.grade_id), cell.text)
            for book in intake.notebooks
            for cell in book.cells
            if (found := self._answers.get((book.name, cell.source_index))) is not None
            if (book.name, str(found.grade_id)) not in unanswered
        ]
        return hashlib.sha256(json.dumps(texts).encode()).hexdigest() if texts else ""


def grade(
    layout: CourseLayout,
    assignment: Assignment,
    gradebook: Gradebook,
    executor: Executor,
    *,
    sandbox: Kind = "bwrap",
    limits: Limits = DEFAULT,
    students: Collection[str] | None = None,
    force: bool = False,
) -> Iterator[Graded]:
    """Grade an assignment that the gradebook knows; yield each outcome once it is recorded.

    Raises:
        CourseError: One of `students` has sent nothing.
        InfrastructureError: Results can't be written.
    """
    submissions = find_submissions(layout.root, assignment.name, students)
    yield from Grader(layout, assignment, gradebook, sandbox, limits).run(submissions, executor, force=force)


def is_recorded(recorded: Mapping[str, Mapping[CellKey, float | None]], result: SubmissionResult) -> bool:
    """Tell whether the gradebook has these points: it may have been lost, or put back from a copy."""
    mine = recorded.get(result.student_id)
    points = {(book.name, test.grade_id): test.points for book in result.notebooks for test in book.tests}
    return mine is not None and all(points.get(key) == score for key, score in mine.items())


def _answer_cells(assignment: Assignment) -> Mapping[tuple[str, int | None], SourceCell]:
    """Return (notebook, index) -> the cells that a student writes."""
    return {
        (book.name, index): cell
        for book in assignment.notebooks
        for index, cell in enumerate(book.cells)
        if cell.grade_id is not None
        and cell.role in (Role.ANSWER, Role.GRADED_ANSWER)
        and not cell.metadata.get("nbgrader", {}).get("task")
    }


def _drain(waiting: list[Graded]) -> Iterator[Graded]:
    while waiting:
        yield waiting.pop(0)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
