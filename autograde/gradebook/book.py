"""An open gradebook."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from autograde.course import Assignment
from autograde.errors import UsageError
from autograde.gradebook import reading, writing
from autograde.gradebook.database import database_errors, open_engine
from autograde.gradebook.registration import register
from autograde.gradebook.writing import BOOK, GRADE, STUDENT, SUBMISSION, CellKey, Columns, LatePenalty
from autograde.outcome import SubmissionResult


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the gradebook says about a submission after it was recorded.

    Attributes:
        score: Points, a person's scores and extra credit included, before the late penalty.
        seconds_late: Time past the due date (extension included); 0.0 if in time.
        late_penalty: Points that the course's late policy takes off.
    """

    score: float
    seconds_late: float
    late_penalty: float


class Gradebook:
    """An open gradebook; a context manager.

    Args:
        url: SQLAlchemy's URL, such as ``sqlite:////course/gradebook.db``.
        course_id: nbgrader's id of the course.
        late_penalty: The course's late policy; None takes nothing off.

    Raises:
        UsageError: The URL can't be understood.
        InfrastructureError: The database can't be opened.
    """

    def __init__(self, url: str, course_id: str = "", late_penalty: LatePenalty | None = None) -> None:
        """Open the database and create nbgrader's tables where there are none."""
        self.url = url
        self._engine = open_engine(url, course_id)
        self._course_id = course_id
        self._late_penalty = late_penalty
        self._columns: dict[str, Columns] = {}
        self._batch: Connection | None = None

    def __enter__(self) -> Self:
        """Return the gradebook itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the database."""
        self._engine.dispose()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make many small transactions cheap: SQLite then writes ahead, and waits for the disk once.

        A power cut may lose the last of them, never a part of one; :meth:`auto_scores` shows which.
        """
        if self._engine.dialect.name != "sqlite":
            yield
            return
        with database_errors(self.url):
            try:
                with self._engine.connect() as connection:
                    connection.exec_driver_sql("PRAGMA journal_mode=WAL")
                    connection.exec_driver_sql("PRAGMA synchronous=NORMAL")
                    connection.commit()
                    self._batch = connection
                    yield
            finally:
                self._batch = None
                self._engine.dispose()  # the mode can be changed by the only connection alone
                with suppress(OperationalError), self._engine.connect() as connection:
                    connection.exec_driver_sql("PRAGMA journal_mode=DELETE")

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        if self._batch is not None:
            with self._batch.begin():
                yield self._batch
        else:
            with self._engine.begin() as connection:
                yield connection

    def register(self, assignment: Assignment) -> tuple[str, ...]:
        """Make the gradebook's cells those of `assignment`, as ``nbgrader generate_assignment`` would.

        Returns:
            One line for each change to an assignment that was there already.

        Raises:
            CourseError: A cell that carries a person's score would have to go.
        """
        self._columns.pop(assignment.name, None)
        with database_errors(self.url), Session(self._engine) as session, session.begin():
            return register(session, self._course_id, assignment)

    def record(
        self,
        assignment: str,
        result: SubmissionResult,
        *,
        timestamp: datetime | None = None,
        unanswered: Collection[CellKey] = (),
        settled: Mapping[CellKey, float] | None = None,
        outdated: Mapping[CellKey, float] | None = None,
    ) -> Recorded:
        """Write one submission's grades, in one transaction.

        A test without points has no automatic score and waits for a person: nbgrader shows it as such,
        never as a zero that was earned. Scores and comments that a person gave are kept.

        Args:
            assignment: The name of a registered assignment.
            result: The outcome.
            timestamp: When it was submitted; None leaves what the gradebook has.
            unanswered: Answer cells whose text is still the released one.
            settled: Points that a person gave to exactly this content; they count as reviewed.
            outdated: Points that a person gave to other content of this submission: they are taken out.

        Raises:
            InfrastructureError: The database refused.
        """
        columns = self._assignment(assignment)
        points = {(book.name, test.grade_id): test.points for book in result.notebooks for test in book.tests}
        with database_errors(self.url), self._transaction() as connection:
            submission = writing.find_or_add(connection, columns, result.student_id, timestamp)
            books = writing.fill_books(connection, columns, submission)
            scores = writing.write_grades(
                connection, columns, submission, books, points, settled or {}, outdated or {}
            )
            writing.write_comments(connection, columns, submission, books, unanswered)
            late, penalty = submission.seconds_late, 0.0
            if late > 0 or not submission.is_new:
                penalty = writing.write_penalties(
                    connection, result.student_id, scores, late, self._late_penalty
                )
        return Recorded(sum(scores.values()), late, penalty)

    def settle(self, assignment: str, student_id: str, points: Mapping[CellKey, float]) -> None:
        """Write a person's scores for some cells of a recorded submission.

        Raises:
            UsageError: The student has no recorded submission, or a cell is not there.
        """
        columns = self._assignment(assignment)
        mine = (
            select(BOOK.c.id)
            .join(SUBMISSION, SUBMISSION.c.id == BOOK.c.assignment_id)
            .where(SUBMISSION.c.student_id == student_id)
        )
        with database_errors(self.url), self._engine.begin() as connection:
            for key, value in points.items():
                changed = connection.execute(
                    update(GRADE)
                    .where(GRADE.c.cell_id == columns.graded.get(key), GRADE.c.notebook_id.in_(mine))
                    .values(manual_score=value, needs_manual_grade=False)
                )
                if changed.rowcount != 1:
                    raise UsageError(
                        f"the gradebook has no grade of {student_id} for {key[1]} in {key[0]}: "
                        f"grade {assignment} first"
                    )

    def refresh_penalties(self, assignment: str) -> None:
        """Let the late penalties follow a due date, an extension or a score that changed after grading."""
        if self._late_penalty is None:
            return
        with database_errors(self.url), self._engine.begin() as connection:
            for student_id, late, scores in reading.read_lateness(connection, assignment):
                writing.write_penalties(connection, student_id, scores, late, self._late_penalty)

    def add_students(self, students: Iterable[reading.Student]) -> None:
        """Add students, or update their names and addresses."""
        rows = [
            {
                "row_id": student.id,
                "first_name": student.first_name,
                "last_name": student.last_name,
                "email": student.email,
            }
            for student in students
        ]
        with database_errors(self.url), self._engine.begin() as connection:
            known = set(connection.scalars(select(STUDENT.c.id)))
            if new := [row for row in rows if row["row_id"] not in known]:
                connection.execute(insert(STUDENT).values(id=bindparam("row_id")), new)
            if old := [row for row in rows if row["row_id"] in known]:
                names = ("first_name", "last_name", "email")
                connection.execute(
                    update(STUDENT)
                    .where(STUDENT.c.id == bindparam("row_id"))
                    .values({name: bindparam(name) for name in names}),
                    old,
                )

    def students(self) -> list[reading.Student]:
        """Return every student, by last name, first name and id."""
        with database_errors(self.url), self._engine.connect() as connection:
            return reading.read_students(connection)

    def auto_scores(self, assignment: str) -> dict[str, dict[CellKey, float | None]]:
        """Return student id -> automatic score of each graded cell, of every recorded submission."""
        with database_errors(self.url), self._engine.connect() as connection:
            return reading.read_auto_scores(connection, assignment)

    def scores(self, assignment: str) -> dict[str, reading.StudentScores]:
        """Return student id -> grades of every recorded submission of `assignment`."""
        with database_errors(self.url), self._engine.connect() as connection:
            return reading.read_scores(connection, assignment)

    def _assignment(self, name: str) -> Columns:
        if name not in self._columns:
            with database_errors(self.url), self._engine.connect() as connection:
                self._columns[name] = writing.read_columns(connection, name)
        return self._columns[name]
