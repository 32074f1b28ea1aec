"""Writing one submission into nbgrader's database: a dozen statements in one transaction."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from nbgrader import api
from sqlalchemy import Connection, bindparam, insert, select, update

from autograde.gradebook.registration import GRADED_KINDS

STUDENT = api.Student.__table__
SUBMISSION = api.SubmittedAssignment.__table__
BOOK = api.SubmittedNotebook.__table__
GRADE = api.Grade.__table__
COMMENT = api.Comment.__table__

CellKey: TypeAlias = tuple[str, str]
"""A cell of an assignment: (notebook name, grade id)."""

LatePenalty: TypeAlias = Callable[[str, float, float], float | None]
"""(student id, score of a notebook, seconds late) -> points to take off, as nbgrader's plugin says."""

NO_RESPONSE = "No response."  # nbgrader's own text

# Built once: SQLAlchemy takes longer to build a statement than SQLite to run it.
_FIND_STUDENT = select(STUDENT.c.id).where(STUDENT.c.id == bindparam("student"))
_FIND_SUBMISSION = select(SUBMISSION.c.id, SUBMISSION.c.timestamp, SUBMISSION.c.extension).where(
    SUBMISSION.c.assignment_id == bindparam("assignment"), SUBMISSION.c.student_id == bindparam("student")
)
_SET_TIMESTAMP = (
    update(SUBMISSION).where(SUBMISSION.c.id == bindparam("row_id")).values(timestamp=bindparam("moment"))
)
_FIND_BOOKS = select(BOOK.c.id, BOOK.c.notebook_id).where(BOOK.c.assignment_id == bindparam("submission"))
_FIND_GRADES = (
    select(GRADE.c.id, GRADE.c.notebook_id, GRADE.c.cell_id, GRADE.c.manual_score, GRADE.c.extra_credit)
    .join(BOOK, BOOK.c.id == GRADE.c.notebook_id)
    .where(BOOK.c.assignment_id == bindparam("submission"))
)
_SET_GRADE = (
    update(GRADE)
    .where(GRADE.c.id == bindparam("row_id"))
    .values(
        {name: bindparam(name) for name in ("auto_score", "manual_score", "needs_manual_grade")},
    )
)
_FIND_COMMENTS = (
    select(COMMENT.c.id, COMMENT.c.notebook_id, COMMENT.c.cell_id)
    .join(BOOK, BOOK.c.id == COMMENT.c.notebook_id)
    .where(BOOK.c.assignment_id == bindparam("submission"))
)
_SET_COMMENT = (
    update(COMMENT).where(COMMENT.c.id == bindparam("row_id")).values(auto_comment=bindparam("text"))
)
_SET_PENALTY = (
    update(BOOK).where(BOOK.c.id == bindparam("row_id")).values(late_submission_penalty=bindparam("penalty"))
)


@dataclass(frozen=True, slots=True)
class Columns:
    """The ids of an assignment's rows.

    Attributes:
        assignment_id: Of the assignment.
        duedate: In UTC without a zone; None if there is none.
        books: Notebook name -> id.
        graded: Graded cell -> id.
        commented: Answer or task cell -> id.
    """

    assignment_id: str
    duedate: datetime | None
    books: Mapping[str, str]
    graded: Mapping[CellKey, str]
    commented: Mapping[CellKey, str]


def read_columns(connection: Connection, assignment: str) -> Columns:
    """Read the ids of a registered assignment's rows."""
    cell, book, table = api.BaseCell.__table__, api.Notebook.__table__, api.Assignment.__table__
    found = connection.execute(select(table.c.id, table.c.duedate).where(table.c.name == assignment)).one()
    books = connection.execute(select(book.c.name, book.c.id).where(book.c.assignment_id == found.id))
    cells = connection.execute(
        select(cell.c.id, cell.c.name, cell.c.type, book.c.name.label("book"))
        .join(book)
        .where(book.c.assignment_id == found.id)
    ).all()
    return Columns(
        assignment_id=found.id,
        duedate=found.duedate,
        books={row.name: row.id for row in books},
        graded={(row.book, row.name): row.id for row in cells if row.type in GRADED_KINDS},
        commented={(row.book, row.name): row.id for row in cells if row.type != api.GradeCell.__name__},
    )


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A submission's row.

    Attributes:
        id: Of the row.
        is_new: It was added just now, and nothing below it is there yet.
        seconds_late: Past the due date, extension included.
    """

    id: str
    is_new: bool
    seconds_late: float


def find_or_add(
    connection: Connection, columns: Columns, student_id: str, timestamp: datetime | None
) -> SubmissionRow:
    """Return a student's submission, adding it and the student where they are not there.

    Args:
        connection: Inside a transaction.
        columns: Of the assignment.
        student_id: Of the student.
        timestamp: When it was submitted; None leaves what the gradebook has.
    """
    moment = _naive_utc(timestamp)
    if connection.execute(_FIND_STUDENT, {"student": student_id}).first() is None:
        connection.execute(insert(STUDENT), {"id": student_id})
    found = connection.execute(
        _FIND_SUBMISSION, {"assignment": columns.assignment_id, "student": student_id}
    ).first()
    if found is None:
        row = {
            "id": api.new_uuid(),
            "assignment_id": columns.assignment_id,
            "student_id": student_id,
            "timestamp": moment,
        }
        connection.execute(insert(SUBMISSION), row)
        return SubmissionRow(row["id"], True, seconds_late(moment, columns.duedate, None))
    if moment is not None and moment != found.timestamp:
        connection.execute(_SET_TIMESTAMP, {"row_id": found.id, "moment": moment})
    late = seconds_late(moment or found.timestamp, columns.duedate, found.extension)
    return SubmissionRow(found.id, False, late)


def seconds_late(moment: datetime | None, due: datetime | None, extension: Any) -> float:
    """Return the seconds past the due date, an extension (a timedelta or None) included; 0.0 if in time."""
    if moment is None or due is None:
        return 0.0
    return max(0.0, (moment - (due if extension is None else due + extension)).total_seconds())


def fill_books(connection: Connection, columns: Columns, submission: SubmissionRow) -> dict[str, str]:
    """Return notebook name -> id of the submission's row for it, adding what isn't there."""
    names = {row_id: name for name, row_id in columns.books.items()}
    books: dict[str, str] = {}
    if not submission.is_new:
        rows = connection.execute(_FIND_BOOKS, {"submission": submission.id})
        books = {names[row.notebook_id]: row.id for row in rows}
    missing = [
        {"id": api.new_uuid(), "assignment_id": submission.id, "notebook_id": row_id, "flagged": False}
        for name, row_id in columns.books.items()
        if name not in books
    ]
    if missing:
        connection.execute(insert(BOOK), missing)
        books |= {names[row["notebook_id"]]: row["id"] for row in missing}
    return books


def write_grades(
    connection: Connection,
    columns: Columns,
    submission: SubmissionRow,
    books: Mapping[str, str],
    points: Mapping[CellKey, float | None],
    settled: Mapping[CellKey, float],
    outdated: Mapping[CellKey, float],
) -> dict[str, float]:
    """Write the grade rows; return the score of each of `books`' rows, a person's scores included.

    Args:
        connection: Inside a transaction.
        columns: Of the assignment.
        submission: Whose.
        books: Notebook name -> id of the submission's row for it.
        points: Automatic scores; None, or no entry, waits for a person.
        settled: Points that a person gave to exactly this content: they don't wait for another look.
        outdated: Points that a person gave to other content: they don't count for this.
    """
    found: dict[tuple[str, str], Any] = {}
    if not submission.is_new:
        rows = connection.execute(_FIND_GRADES, {"submission": submission.id})
        found = {(row.notebook_id, row.cell_id): row for row in rows}
    scores = dict.fromkeys(books.values(), 0.0)
    added, changed = [], []
    for key, cell_id in columns.graded.items():
        book_id = books[key[0]]
        row = found.get((book_id, cell_id))
        auto, settlement = points.get(key), settled.get(key)
        manual = None if row is None or row.manual_score == outdated.get(key) else row.manual_score
        manual = settlement if manual is None else manual
        decided = auto if manual is None else manual
        values = {
            "auto_score": auto,
            "manual_score": manual,
            "needs_manual_grade": auto is None if manual is None else manual != settlement,
        }
        if decided is not None:
            scores[book_id] += decided + (0.0 if row is None else row.extra_credit or 0.0)
        if row is None:
            added.append({"id": api.new_uuid(), "notebook_id": book_id, "cell_id": cell_id, **values})
        else:
            changed.append({"row_id": row.id, **values})
    if added:
        connection.execute(insert(GRADE), added)
    if changed:
        connection.execute(_SET_GRADE, changed)
    return scores


def write_comments(
    connection: Connection,
    columns: Columns,
    submission: SubmissionRow,
    books: Mapping[str, str],
    unanswered: Collection[CellKey],
) -> None:
    """Write the automatic comments; a person's comments are left alone."""
    found: dict[tuple[str, str], str] = {}
    if not submission.is_new:
        rows = connection.execute(_FIND_COMMENTS, {"submission": submission.id})
        found = {(row.notebook_id, row.cell_id): row.id for row in rows}
    added, changed = [], []
    for key, cell_id in columns.commented.items():
        text = NO_RESPONSE if key in unanswered else None
        row_id = found.get((books[key[0]], cell_id))
        if row_id is None:
            row = {"id": api.new_uuid(), "notebook_id": books[key[0]], "cell_id": cell_id}
            added.append({**row, "auto_comment": text})
        else:
            changed.append({"row_id": row_id, "text": text})
    if added:
        connection.execute(insert(COMMENT), added)
    if changed:
        connection.execute(_SET_COMMENT, changed)


def write_penalties(
    connection: Connection,
    student_id: str,
    scores: Mapping[str, float],
    late: float,
    policy: LatePenalty | None,
) -> float:
    """Write the late penalty of each notebook; return their sum, in points.

    Args:
        connection: Inside a transaction.
        student_id: Whose submission it is.
        scores: Id of the submission's row for a notebook -> its score.
        late: Seconds past the due date.
        policy: The course's late policy; None takes nothing off.
    """
    penalties: dict[str, float | None] = dict.fromkeys(scores)
    if late > 0 and policy is not None:
        for row_id, score in scores.items():
            penalty = policy(student_id, score, late)
            penalties[row_id] = None if penalty is None else min(max(penalty, 0.0), score)
    rows = [{"row_id": row_id, "penalty": penalty} for row_id, penalty in penalties.items()]
    if rows:
        connection.execute(_SET_PENALTY, rows)
    return sum(penalty or 0.0 for penalty in penalties.values())


def _naive_utc(moment: datetime | None) -> datetime | None:
    """The database holds UTC without a zone."""
    return moment if moment is None or moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
