"""Where submissions run: one small interface, local processes behind it.

A submission travels as plain data and so does its outcome: a worker needs no shared disk and no database.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from autograde.course import Assignment
from autograde.decision import decide
from autograde.errors import InfrastructureError
from autograde.examiner.overdue import overdue_report
from autograde.examiner.preload import modules_to_preload
from autograde.examiner.remote import ServerProcess
from autograde.examiner.server import Setup, Start
from autograde.examiner.task import Plan, Report, Task, Work
from autograde.intake import Intake
from autograde.limits import Limits
from autograde.machine import check_machine, weaknesses
from autograde.outcome import NotebookResult, Status, SubmissionResult
from autograde.printable import one_line
from autograde.sandbox import Kind


@dataclass(frozen=True, slots=True)
class Job:
    """One submission to run."""

    student_id: str
    intake: Intake


@dataclass(frozen=True, slots=True)
class CellRun:
    """What one laid cell printed when it ran in the student process.

    Attributes:
        outputs: nbformat outputs, capped; images only in cells that a person grades.
        execution_count: As the student would see it; None if the cell did not run.
    """

    outputs: tuple[Mapping[str, Any], ...]
    execution_count: int | None


@dataclass(frozen=True, slots=True)
class Finished:
    """One submission's outcome, and what its cells printed.

    Attributes:
        result: The outcome; its `repairs` are the intake's.
        runs: Notebook name -> one entry for each laid cell, in order; empty if nothing ran.
    """

    result: SubmissionResult
    runs: Mapping[str, tuple[CellRun, ...]]


class Executor(Protocol):
    """Runs jobs and yields each outcome as soon as it is there (in any order)."""

    def run(self, jobs: Iterable[Job]) -> Iterator[Finished]:
        """Run every job; a job that we could not run is yielded as `infrastructure_error`."""
        ...


UNSAFE_NOTE = (
    "graded without a sandbox (--sandbox none): this submission could read and change files of this machine"
)


class LocalExecutor:
    """Runs submissions on this machine, `jobs` at a time, forked from processes that are warm already.

    Args:
        assignment: What they are submissions of.
        jobs: How many run at a time.
        sandbox: ``bwrap``, or ``none`` for a machine where it cannot start; each result then says so.
        limits: What one submission may use.
        plan: An earlier `plan` of the same assignment; it is made anew if it is None or does not fit.
        hidden: Folders that no submission may see even where they lie within the interpreter's (the course).
        warm: A server that has started to warm up, which belongs to this executor from now on.

    Raises:
        SandboxUnavailableError: If submissions cannot be run on this machine.

    Example:
        with LocalExecutor(assignment, jobs=2, sandbox="bwrap") as executor:
            for finished in executor.run(jobs):
                ...
    """

    def __init__(
        self,
        assignment: Assignment,
        *,
        jobs: int,
        sandbox: Kind,
        limits: Limits | None = None,
        plan: Plan | None = None,
        hidden: Sequence[Path] = (),
        warm: ServerProcess | None = None,
    ):
        self._assignment = assignment
        self._task = Task.of(assignment, limits or Limits())
        self._jobs = max(jobs, 1)
        self._sandbox: Kind = sandbox
        self._plan = plan if plan is not None and plan.fingerprint == assignment.fingerprint else None
        self._hidden = tuple(folder.resolve() for folder in hidden)
        check_machine(sandbox, self._hidden)
        self._weaknesses = [UNSAFE_NOTE] if sandbox == "none" else weaknesses()
        self._sent = 0
        self._server = warm
        self._start()

    @property
    def plan(self) -> Plan:
        """How the assignment is examined; waits until that is known.

        Raises:
            SandboxUnavailableError: If the sandbox cannot start here.
            InfrastructureError: If the plan could not be made.
        """
        if self._server is None:
            self._start()
        assert self._server is not None
        self._plan = self._server.wait_ready()
        return self._plan

    def __enter__(self) -> "LocalExecutor":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the warm processes."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def run(self, jobs: Iterable[Job]) -> Iterator[Finished]:
        """Run jobs and yield each outcome as soon as it is there, in any order.

        Raises:
            SandboxUnavailableError: If the sandbox cannot start here.
            InfrastructureError: If the plan could not be made.
        """
        plan = self.plan
        waiting = iter(jobs)
        active: dict[int, tuple[Job, int]] = {}  # number -> job, tries before
        again: list[tuple[Job, int]] = []
        while True:
            while len(active) < 2 * self._jobs:
                item = again.pop() if again else ((job, 0) if (job := next(waiting, None)) else None)
                if item is None:
                    break
                self._sent += 1
                active[self._sent] = item
                self._ready_server().send((self._sent, Work.of(item[0].student_id, item[0].intake)))
            if not active:
                return
            try:
                done, kind, payload = self._ready_server().receive()
            except InfrastructureError as error:
                self.close()  # the examiner's server is gone: start another, and give each job its second try
                lost, active = list(active.values()), {}
                for job, tries in lost:
                    if tries:
                        yield self._failed(job, str(error))
                    else:
                        again.append((job, 1))
                continue
            if done not in active:  # of an earlier run that nobody read to its end
                continue
            job, tries = active.pop(done)
            if kind == "report":
                yield self._finished(job, payload, plan)
            elif kind == "overdue":
                yield self._finished(job, overdue_report(self._task, payload), plan)
            elif tries:
                yield self._failed(job, payload)
            else:
                again.append((job, 1))

    def _start(self) -> None:
        preload = modules_to_preload(self._task, self._assignment.files)
        start = Start.of(self._sandbox, self._hidden, self._task.limits, preload)
        if self._server is not None and self._server.start != start:
            self.close()
        if self._server is None:
            self._server = ServerProcess(start)
        plan = None if self._plan is None else self._plan.to_json()
        files = dict(self._assignment.files)
        self._server.set_up(Setup(self._assignment.fingerprint, self._task, files, preload, self._jobs, plan))

    def _ready_server(self) -> ServerProcess:
        if self._server is None:
            self._start()
        assert self._server is not None
        self._server.wait_ready()
        return self._server

    def _finished(self, job: Job, report: Report, plan: Plan) -> Finished:
        books = tuple(
            NotebookResult(book.name, tuple(tests))
            for book, tests in zip(self._task.books, report.tests, strict=True)
        )
        notes = [*report.notes, *shared_notes(self._task, plan), *self._weaknesses]
        result = SubmissionResult(
            job.student_id,
            Status.GRADED,
            None,
            self._assignment.max_score,
            report.seconds,
            report.peak_kib / 1024 if report.peak_kib else None,
            notes=tuple(one_line(note) for note in notes),
            notebooks=books,
        )
        runs = {
            book.name: tuple(CellRun(outputs, count) for outputs, count in cells)
            for book, cells in zip(self._task.books, report.runs, strict=True)
        }
        return Finished(decide(result, job.intake), runs)

    def _failed(self, job: Job, text: str) -> Finished:
        why = text.strip().splitlines()[-1] if text.strip() else "no reason known"
        result = SubmissionResult(
            job.student_id,
            Status.INFRASTRUCTURE_ERROR,
            None,
            self._assignment.max_score,
            0.0,
            None,
            tuple(job.intake.repairs),
            (one_line(f"the grader failed twice on this submission: {why}"),),
        )
        return Finished(result, {})


def shared_notes(task: Task, plan: Plan) -> list[str]:
    """Return a line for each test whose score is not tamper-proof."""
    return [
        f"{cell.grade_id}: runs beside the student's code (shared mode), so its score is not tamper-proof"
        for book, cells in zip(task.books, plan.books, strict=True)
        for cell, how in zip(book.cells, cells, strict=True)
        if how.shared
    ]
