"""Where submissions run: one small interface, local processes behind it.

A submission travels as plain data and so does its outcome: a worker needs no shared disk and no database.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from autograde.intake import Intake
from autograde.outcome import SubmissionResult


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
