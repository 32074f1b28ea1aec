"""A course on disk: the cells and points of an assignment, and where submissions lie."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """What a cell of ``source/`` is for."""

    GIVEN = "given"  # code that the instructor wrote: set-up, helpers, read-only cells
    ANSWER = "answer"  # code that the student writes
    TEST = "test"  # graded and not a solution: only the source's text is ever judged
    GRADED_ANSWER = "graded_answer"  # an answer cell that carries points itself
    PROSE = "prose"  # markdown and raw


@dataclass(frozen=True, slots=True)
class SourceCell:
    """One cell of the instructor's notebook.

    Attributes:
        cell_id: The nbformat id.
        cell_type: ``code``, ``markdown`` or ``raw``.
        role: What the cell is for.
        source: The instructor's text, with solution and hidden tests.
        released: The text that the student received (stub, no hidden tests).
        grade_id: nbgrader's id; None for a cell without nbgrader metadata.
        points: Points of the cell; 0.0 where it is not graded.
        manual: A person grades this cell.
        metadata: The cell's metadata in ``source/``.
    """

    cell_id: str
    cell_type: str
    role: Role
    source: str
    released: str
    grade_id: str | None
    points: float
    manual: bool
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceNotebook:
    """One notebook of an assignment, as ``source/`` has it."""

    name: str
    cells: tuple[SourceCell, ...]
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Assignment:
    """An assignment: its notebooks and the files beside them.

    Attributes:
        name: The folder's name under ``source/``.
        notebooks: In the order of their file names.
        files: What lies beside the notebooks (data, helper modules): relative path -> content.
        fingerprint: Hash of everything in ``source/`` that a grade depends on.
    """

    name: str
    notebooks: tuple[SourceNotebook, ...]
    files: Mapping[str, bytes]
    fingerprint: str

    @property
    def max_score(self) -> float:
        """Points of the whole assignment."""
        return sum(cell.points for book in self.notebooks for cell in book.cells)


@dataclass(frozen=True, slots=True)
class Submission:
    """What one student sent, as bytes: nothing in it has been believed yet.

    Attributes:
        student_id: The folder's name under ``submitted/``.
        files: Relative path -> content; a file too large to read is absent and named in `refused`.
        refused: Relative path -> why it was not read.
        timestamp: When it was submitted, if the course says so and it can be parsed.
        timestamp_problem: Why the time stamp could not be used; "" if it could, or if there is none.
        fingerprint: Hash of the files.
    """

    student_id: str
    files: Mapping[str, bytes]
    refused: Mapping[str, str]
    timestamp: datetime | None
    timestamp_problem: str
    fingerprint: str
