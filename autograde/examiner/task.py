"""What the examiner is told, as plain data that travels between our own processes."""

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from autograde.limits import Limits
from autograde.outcome import TestResult

if TYPE_CHECKING:  # the examiner's processes start without what these two import
    from autograde.course import Assignment
    from autograde.intake import Intake


@dataclass(frozen=True, slots=True)
class Cell:
    """A source cell: what the examiner needs of it."""

    role: str
    code: bool
    source: str
    released: str
    grade_id: str
    points: float
    manual: bool

    @property
    def is_test(self) -> bool:
        """A code cell whose verdict the examiner gives."""
        return self.role == "test" and self.code and not self.manual

    @property
    def hides(self) -> bool:
        """A test with a part that the student's edition does not show."""
        return self.is_test and self.source != self.released

    @property
    def is_graded(self) -> bool:
        """A cell that has an outcome."""
        return self.role in ("test", "graded_answer") or (self.manual and bool(self.grade_id))


@dataclass(frozen=True, slots=True)
class Book:
    """A source notebook."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """An assignment to grade with."""

    name: str
    books: tuple[Book, ...]
    limits: Limits

    @classmethod
    def of(cls, assignment: "Assignment", limits: Limits) -> "Task":
        """Take what the examiner needs of an assignment."""
        books = tuple(
            Book(
                book.name,
                tuple(
                    Cell(
                        cell.role.value,
                        cell.cell_type == "code",
                        cell.source,
                        cell.released,
                        cell.grade_id or "",
                        cell.points,
                        cell.manual,
                    )
                    for cell in book.cells
                ),
            )
            for book in assignment.notebooks
        )
        return cls(assignment.name, books, limits)


class LaidText(NamedTuple):
    """A cell of a submission: which source cell it stands for (None: added), and what runs.

    Hundreds of these travel with each submission: as dataclasses they would take milliseconds.
    """

    source_index: int | None
    code: bool
    text: str


@dataclass(frozen=True, slots=True)
class Work:
    """One submission to examine.

    Attributes:
        books: One sequence of laid cells for each notebook of the assignment; empty: not there.
        files: The student's own files beside the notebooks.
        unreadable: Something in the submission could not be read: what is missing is not a zero.
    """

    student_id: str
    books: tuple[tuple[LaidText, ...], ...]
    files: dict[str, bytes]
    unreadable: bool

    @classmethod
    def of(cls, student_id: str, intake: "Intake") -> "Work":
        """Take what the examiner needs of an intake."""
        books = tuple(
            tuple(LaidText(c.source_index, c.cell_type == "code", c.text) for c in book.cells)
            for book in intake.notebooks
        )
        return cls(student_id, books, dict(intake.files), bool(intake.problems))


@dataclass(frozen=True, slots=True)
class CellPlan:
    """How one source cell is examined.

    Attributes:
        names: Names whose values are taken from the student's process before the cell runs.
        loads: Those that the cell itself reads.
        libraries: Names that the examiner imports itself: name -> ``module`` or ``module:name``.
        shared: The cell runs in the student's process: its score is not tamper-proof.
        seconds: What it took in the instructor's own run.
        skipped: An instructor's cell that no test needs: the examiner does not run it.
        undrawn: An instructor's cell that only shows figures: the student's process does not draw them.
        binds: Names that the cell binds and no library defines.
        numeric: A test whose last value is the points that it gives.
        seen: What the solution's answers were, or held, that a value may be only where it is expected.
    """

    names: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()
    libraries: tuple[tuple[str, str], ...] = ()
    shared: bool = False
    seconds: float = 0.0
    skipped: bool = False
    undrawn: bool = False
    binds: tuple[str, ...] = ()
    numeric: bool = False
    seen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How an assignment is examined, decided once by running the instructor's own solution.

    Attributes:
        fingerprint: The assignment's.
        books: For each notebook, one entry for each source cell.
        problems: Tests that the instructor's own solution does not pass, one line each.
        modules: Modules that the examiner needs, worth importing before it forks.
    """

    fingerprint: str
    books: tuple[tuple[CellPlan, ...], ...]
    problems: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Plan":
        """Rebuild a plan from :meth:`to_json`'s data."""

        def cell(item: dict[str, Any]) -> CellPlan:
            return CellPlan(
                tuple(item["names"]),
                tuple(item["loads"]),
                tuple((name, path) for name, path in item["libraries"]),
                bool(item["shared"]),
                float(item["seconds"]),
                bool(item["skipped"]),
                bool(item["undrawn"]),
                tuple(item["binds"]),
                bool(item["numeric"]),
                tuple(item["seen"]),
            )

        books = tuple(tuple(cell(item) for item in book) for book in data["books"])
        return cls(data["fingerprint"], books, tuple(data["problems"]), tuple(data["modules"]))


CellOutputs = tuple[tuple[dict[str, Any], ...], int | None]  # what a cell shows, and its number


@dataclass(slots=True)
class Examined:
    """What examining a notebook gave.

    Attributes:
        tests: One result for each graded cell, in the source's order.
        runs: Outputs and execution count of each laid cell.
        notes: Remarks for the instructor.
        modules: Modules worth preloading that were imported here.
        seen: For each source cell that ran here: a plan's `seen`.
    """

    tests: list[TestResult] = field(default_factory=list)
    runs: list[CellOutputs] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)
    seen: dict[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Report:
    """What examining a submission gave.

    Attributes:
        tests: Notebook by notebook, one result for each graded cell.
        runs: Notebook by notebook, outputs and execution count of each laid cell.
        notes: Remarks for the instructor.
        seconds: Wall time.
        peak_kib: Largest resident memory of a process of the student; 0 if none ran.
        modules: Of the modules worth importing before a fork, those that the examiner came to import.
        seen: Notebook by notebook, for the source's cells by index: a plan's `seen`.
    """

    tests: list[list[TestResult]] = field(default_factory=list)
    runs: list[list[CellOutputs]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_kib: int = 0
    modules: set[str] = field(default_factory=set)
    seen: list[dict[int, tuple[str, ...]]] = field(default_factory=list)
