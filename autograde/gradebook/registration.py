"""Making the gradebook's cells those of ``source/``, as ``nbgrader generate_assignment`` does."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader import api, utils
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from autograde.course import Assignment, SourceCell, SourceNotebook
from autograde.errors import CourseError

KINDS = {"grade": api.GradeCell, "solution": api.SolutionCell, "task": api.TaskCell}
GRADED_KINDS = frozenset({"GradeCell", "TaskCell"})


@dataclass(frozen=True, slots=True)
class CellSpec:
    """What the gradebook stores of one cell of ``source/``.

    Attributes:
        grade_id: nbgrader's id.
        kinds: Which of nbgrader's cell tables have it: ``grade``, ``solution``, ``task``.
        cell_type: ``code`` or ``markdown``.
        points: Points of a graded cell.
        locked: The source's text replaces the student's.
        source: The text that nbgrader keeps: solutions cleared, hidden tests still there.
        checksum: nbgrader's checksum of that text.
    """

    grade_id: str
    kinds: frozenset[str]
    cell_type: str
    points: float
    locked: bool
    source: str
    checksum: str


def cell_spec(cell: SourceCell) -> CellSpec | None:
    """Return what the gradebook stores of `cell`; None for a cell without nbgrader metadata."""
    meta = cell.metadata.get("nbgrader")
    if not isinstance(meta, Mapping) or cell.grade_id is None or cell.cell_type == "raw":
        return None
    kinds = frozenset(kind for kind in KINDS if meta.get(kind))
    source = cell.released if "solution" in kinds else cell.source
    node = NotebookNode(
        cell_type=cell.cell_type,
        source=source,
        metadata=NotebookNode(nbgrader={**meta, "grade_id": cell.grade_id, "points": cell.points}),
    )
    locked = bool(utils.is_locked(node))
    if not kinds and not locked:
        return None
    return CellSpec(
        cell.grade_id, kinds, cell.cell_type, cell.points, locked, source, utils.compute_checksum(node)
    )


def register(session: Session, course_id: str, assignment: Assignment) -> tuple[str, ...]:
    """Create or update `assignment`; return one line for each change to what was there before.

    Raises:
        CourseError: A cell that carries a person's score would have to go.
    """
    row = session.scalar(select(api.Assignment).where(api.Assignment.name == assignment.name))
    if row is None:
        row = api.Assignment(name=assignment.name, course_id=course_id)
        session.add(row)
    notes: list[str] = []
    known = {book.name: book for book in row.notebooks}
    for book in assignment.notebooks:
        notes += _register_notebook(session, row, known.pop(book.name, None), book)
    for name, gone in known.items():
        for cell in list(gone._base_cells):
            _drop_cell(session, name, cell)
        for submitted in list(gone.submissions):
            session.delete(submitted)
        for source in list(gone.source_cells):
            session.delete(source)
        session.flush()
        session.delete(gone)
        notes.append(f"{name}: no longer in source/, taken out of the gradebook")
    return tuple(notes)


def _register_notebook(session: Session, assignment: Any, row: Any | None, book: SourceNotebook) -> list[str]:
    specs = {spec.grade_id: spec for cell in book.cells if (spec := cell_spec(cell)) is not None}
    kernelspec = json.dumps(book.metadata.get("kernelspec", {}))
    is_new = row is None
    if row is None:
        row = api.Notebook(name=book.name, assignment=assignment)
        session.add(row)
    row.kernelspec = kernelspec
    cells = {(cell.name, cell.type): cell for cell in row._base_cells}
    sources = {cell.name: cell for cell in row.source_cells}
    notes: list[str] = []
    for spec in specs.values():
        notes += _register_cell(session, row, spec, cells, sources)
    for (name, _), cell in cells.items():
        _drop_cell(session, book.name, cell)
        notes.append(f"{book.name}: {name} is no longer in source/, its grades are taken out")
    for source in sources.values():
        session.delete(source)
    return [] if is_new else notes


def _register_cell(
    session: Session,
    book: Any,
    spec: CellSpec,
    cells: dict[tuple[str, str], Any],
    sources: dict[str, Any],
) -> list[str]:
    """Create or update the rows of one cell, taking those that it uses out of `cells` and `sources`."""
    notes: list[str] = []
    for kind in sorted(spec.kinds):
        model = KINDS[kind]
        row = cells.pop((spec.grade_id, model.__name__), None)
        if row is None:
            graded = {} if kind == "solution" else {"max_score": spec.points, "cell_type": spec.cell_type}
            session.add(model(name=spec.grade_id, notebook=book, **graded))
            notes.append(f"{book.name}: {spec.grade_id} is new")
        elif kind != "solution":
            if row.max_score != spec.points:
                notes.append(
                    f"{book.name}: {spec.grade_id} has {spec.points:g} points, had {row.max_score:g}"
                )
            row.max_score, row.cell_type = spec.points, spec.cell_type
    source = sources.pop(spec.grade_id, None)
    if source is None:
        source = api.SourceCell(name=spec.grade_id, notebook=book)
        session.add(source)
    source.cell_type, source.locked = spec.cell_type, spec.locked
    source.source, source.checksum = spec.source, spec.checksum
    return notes


def _drop_cell(session: Session, book: str, cell: Any) -> None:
    by_hand = session.scalar(
        select(api.Grade.id).where(
            api.Grade.cell_id == cell.id,
            or_(api.Grade.manual_score.is_not(None), api.Grade.extra_credit.is_not(None)),
        )
    ) or session.scalar(
        select(api.Comment.id).where(api.Comment.cell_id == cell.id, api.Comment.manual_comment.is_not(None))
    )
    if by_hand:
        raise CourseError(
            f"{book}: the cell {cell.name} is no longer in source/, but a person scored or commented it: "
            "put it back, or remove those scores in Formgrader first"
        )
    for model in (api.Grade, api.Comment):
        for row in session.scalars(select(model).where(model.cell_id == cell.id)).all():
            session.delete(row)
    session.flush()
    session.delete(cell)
