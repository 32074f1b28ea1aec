"""What a course consists of: the cells and points of an assignment, and what a student sent."""

import hashlib
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
    TASK = "task"  # asks for cells of the student's own, which a person grades
    PROSE = "prose"  # markdown and raw


def normal_text(text: str) -> str:
    """Return a text without the white space that editors change by themselves."""
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def text_digest(text: str) -> str:
    """Return a hash of a text's normal form."""
    return hashlib.sha256(normal_text(text).encode("utf-8", "surrogatepass")).hexdigest()[:32]


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
        metadata: The cell's metadata in ``source/``; nbgrader's part upgraded to its current schema.
        in_release: False for a cell that ``nbgrader generate_assignment`` leaves out, as this course is
            configured (the other language's prose, cells for instructors only).
        own_id: False if the notebook format of ``source/`` has no cell ids and `cell_id` was made up.
        earlier: :func:`text_digest` of each other text that students may have received for this cell.
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
    in_release: bool = True
    own_id: bool = True
    earlier: frozenset[str] = frozenset()

    def was_released(self, text: str) -> bool:
        """Tell whether a text is what students received before ``source/`` was changed."""
        return bool(self.earlier) and text_digest(text) in self.earlier

    @property
    def locked(self) -> bool:
        """Whether the source's text replaces what the student made of this cell."""
        nbgrader = self.metadata.get("nbgrader", {})
        if nbgrader.get("solution"):
            return False
        return self.role is Role.TEST or bool(nbgrader.get("locked"))


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
        timestamp: When it was submitted (UTC, naive, as nbgrader keeps it), if ``timestamp.txt`` says so.
        timestamp_problem: Why the time stamp could not be used; "" if it could, or if there is none.
        fingerprint: Hash of the files.
    """

    student_id: str
    files: Mapping[str, bytes]
    refused: Mapping[str, str]
    timestamp: datetime | None
    timestamp_problem: str
    fingerprint: str
