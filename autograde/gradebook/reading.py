"""Reading scores and comments back: what feedback, the report and the export show."""

from dataclasses import dataclass, field
from datetime import datetime

from nbgrader import api
from sqlalchemy import Connection, func, select

from autograde.gradebook.writing import BOOK, COMMENT, GRADE, STUDENT, SUBMISSION, CellKey, seconds_late


@dataclass(frozen=True, slots=True)
class Student:
    """A student as the gradebook knows them."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""

    @property
    def full_name(self) -> str:
        """First and last name, Chinese names as they are written; "" if neither is known."""
        family_first = self.last_name + self.first_name
        if family_first and all("\u4e00" <= letter <= "\u9fff" for letter in family_first):
            return family_first
        return f"{self.first_name} {self.last_name}".strip()


@dataclass(frozen=True, slots=True)
class CellScore:
    """The grade of one cell.

    Attributes:
        auto: Points the grader gave; None if it could not.
        manual: Points a person gave; they count instead.
        extra: Extra credit a person gave.
        waits: A person must still look.
    """

    auto: float | None
    manual: float | None
    extra: float
    waits: bool

    @property
    def points(self) -> float | None:
        """What counts; None while nobody has decided."""
        decided = self.auto if self.manual is None else self.manual
        return None if decided is None else decided + self.extra


@dataclass(slots=True)
class StudentScores:
    """One submission's grades.

    Attributes:
        student: Whose.
        timestamp: When it was submitted, in UTC without a zone; None if not known.
        seconds_late: Past the due date, extension included.
        late_penalty: Points taken off for that.
        cells: The graded cells.
        comments: What a person (or nbgrader) wrote to an answer.
    """

    student: Student
    timestamp: datetime | None
    seconds_late: float
    late_penalty: float = 0.0
    cells: dict[CellKey, CellScore] = field(default_factory=dict)
    comments: dict[CellKey, str] = field(default_factory=dict)

    @property
    def raw_score(self) -> float:
        """Points that are decided, before the late penalty."""
        return sum(cell.points or 0.0 for cell in self.cells.values())

    @property
    def score(self) -> float:
        """Points that are decided, after the late penalty."""
        return max(0.0, self.raw_score - self.late_penalty)

    @property
    def undecided(self) -> tuple[CellKey, ...]:
        """Cells without any points: a person must decide."""
        return tuple(key for key, cell in self.cells.items() if cell.points is None)


def read_students(connection: Connection) -> list[Student]:
    """Return every student of the gradebook, by last name, first name and id."""
    rows = connection.execute(
        select(STUDENT.c.id, STUDENT.c.first_name, STUDENT.c.last_name, STUDENT.c.email)
    )
    students = [Student(row.id, row.first_name or "", row.last_name or "", row.email or "") for row in rows]
    return sorted(students, key=lambda student: (student.last_name, student.first_name, student.id))


def read_scores(connection: Connection, assignment: str) -> dict[str, StudentScores]:
    """Return student id -> grades of every recorded submission of `assignment`."""
    table, book, cell = api.Assignment.__table__, api.Notebook.__table__, api.BaseCell.__table__
    students = {student.id: student for student in read_students(connection)}
    submissions = connection.execute(
        select(SUBMISSION.c.student_id, SUBMISSION.c.timestamp, SUBMISSION.c.extension, table.c.duedate)
        .select_from(SUBMISSION.join(table))
        .where(table.c.name == assignment)
    )
    scores = {
        row.student_id: StudentScores(
            students[row.student_id], row.timestamp, seconds_late(row.timestamp, row.duedate, row.extension)
        )
        for row in submissions
    }
    mine = SUBMISSION.join(table, table.c.id == SUBMISSION.c.assignment_id).join(
        BOOK, BOOK.c.assignment_id == SUBMISSION.c.id
    )
    for row in connection.execute(
        select(SUBMISSION.c.student_id, BOOK.c.late_submission_penalty)
        .select_from(mine)
        .where(table.c.name == assignment)
    ):
        scores[row.student_id].late_penalty += row.late_submission_penalty or 0.0
    for row in connection.execute(
        select(
            SUBMISSION.c.student_id,
            book.c.name.label("book"),
            cell.c.name.label("cell"),
            GRADE.c.auto_score,
            GRADE.c.manual_score,
            GRADE.c.extra_credit,
            GRADE.c.needs_manual_grade,
        )
        .select_from(
            mine.join(GRADE, GRADE.c.notebook_id == BOOK.c.id)
            .join(cell, cell.c.id == GRADE.c.cell_id)
            .join(book, book.c.id == cell.c.notebook_id)
        )
        .where(table.c.name == assignment)
    ):
        scores[row.student_id].cells[row.book, row.cell] = CellScore(
            row.auto_score, row.manual_score, row.extra_credit or 0.0, row.needs_manual_grade
        )
    for row in connection.execute(
        select(
            SUBMISSION.c.student_id,
            book.c.name.label("book"),
            cell.c.name.label("cell"),
            COMMENT.c.auto_comment,
            COMMENT.c.manual_comment,
        )
        .select_from(
            mine.join(COMMENT, COMMENT.c.notebook_id == BOOK.c.id)
            .join(cell, cell.c.id == COMMENT.c.cell_id)
            .join(book, book.c.id == cell.c.notebook_id)
        )
        .where(table.c.name == assignment)
    ):
        text = row.auto_comment if row.manual_comment is None else row.manual_comment
        if text:
            scores[row.student_id].comments[row.book, row.cell] = text
    return scores


def read_auto_scores(connection: Connection, assignment: str) -> dict[str, dict[CellKey, float | None]]:
    """Return student id -> automatic score of each graded cell, of every recorded submission."""
    table, book, cell = api.Assignment.__table__, api.Notebook.__table__, api.BaseCell.__table__
    names = {
        row.id: (row.book, row.name)
        for row in connection.execute(
            select(cell.c.id, book.c.name.label("book"), cell.c.name)
            .select_from(cell.join(book).join(table))
            .where(table.c.name == assignment)
        )
    }
    found: dict[str, dict[CellKey, float | None]] = {}
    rows = connection.execute(
        select(SUBMISSION.c.student_id, GRADE.c.cell_id, GRADE.c.auto_score)
        .select_from(
            SUBMISSION.join(table, table.c.id == SUBMISSION.c.assignment_id)
            .join(BOOK, BOOK.c.assignment_id == SUBMISSION.c.id)
            .join(GRADE, GRADE.c.notebook_id == BOOK.c.id)
        )
        .where(table.c.name == assignment)
    )
    for student_id, cell_id, score in rows:
        found.setdefault(student_id, {})[names[cell_id]] = score
    return found


def read_lateness(connection: Connection, assignment: str) -> list[tuple[str, float, dict[str, float]]]:
    """Return student, seconds late, and score by the id of the row of each notebook, of every submission."""
    table = api.Assignment.__table__
    rows = connection.execute(
        select(
            SUBMISSION.c.student_id,
            SUBMISSION.c.timestamp,
            SUBMISSION.c.extension,
            table.c.duedate,
            BOOK.c.id,
            func.coalesce(func.sum(api.Grade.score), 0.0).label("score"),
        )
        .select_from(
            SUBMISSION.join(table, table.c.id == SUBMISSION.c.assignment_id)
            .join(BOOK, BOOK.c.assignment_id == SUBMISSION.c.id)
            .outerjoin(GRADE, GRADE.c.notebook_id == BOOK.c.id)
        )
        .where(table.c.name == assignment)
        .group_by(
            SUBMISSION.c.student_id,
            SUBMISSION.c.timestamp,
            SUBMISSION.c.extension,
            table.c.duedate,
            BOOK.c.id,
        )
    )
    found: dict[str, tuple[str, float, dict[str, float]]] = {}
    for row in rows:
        late = seconds_late(row.timestamp, row.duedate, row.extension)
        found.setdefault(row.student_id, (row.student_id, late, {}))[2][row.id] = row.score
    return list(found.values())
