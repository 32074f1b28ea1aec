"""Opening nbgrader's database."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from nbgrader import api
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import Engine, create_engine, insert, inspect, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from autograde.errors import InfrastructureError, UsageError

SQLITE_BUSY_SECONDS = 30


@contextmanager
def database_errors(url: str) -> Iterator[None]:
    """Turn SQLAlchemy's errors into one line of ours.

    Raises:
        InfrastructureError: The database refused.
    """
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise InfrastructureError(
            f"the gradebook {shown(url)} can't be used ({reason}): check that it can be written and that no "
            "other program holds it; if nbgrader was upgraded, back it up and run `nbgrader db upgrade`"
        ) from error


def shown(url: str) -> str:
    """Return a URL as it may be printed: without password and options.

    >>> shown("postgresql+psycopg://ann:s3cret@db.example.org/grades?password=s3cret")
    'postgresql+psycopg://ann:***@db.example.org/grades'
    >>> shown("postgresql//ann:s3cret@db.example.org")
    'postgresql//***@db.example.org'
    """
    try:
        return make_url(url).set(query={}).render_as_string(hide_password=True)
    except ArgumentError:
        return re.sub(r"(?<=//).*@", "***@", url.partition("?")[0], flags=re.DOTALL)


def sqlite_file(url: str) -> Path | None:
    """Return the file of an SQLite database; None for any other, and where it depends on more than the URL.

    >>> sqlite_file("sqlite:////course/gradebook.db"), sqlite_file("sqlite:///gradebook.db")
    (PosixPath('/course/gradebook.db'), None)
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        return None
    if parsed.get_backend_name() != "sqlite" or parsed.query or parsed.database is None:
        return None
    path = Path(parsed.database)
    return path if path.is_absolute() else None


def open_engine(url: str, course_id: str) -> Engine:
    """Open the database at `url`, with nbgrader's tables and this course in it.

    Raises:
        UsageError: The URL can't be understood.
        InfrastructureError: The database can't be opened.
    """
    try:
        parsed = make_url(url)
        parsed.get_dialect().import_dbapi()
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise UsageError(
            f"--db {shown(url)}: {str(error).splitlines()[0]}; "
            "give a URL such as sqlite:////path/gradebook.db, with its driver installed"
        ) from error
    with database_errors(url):
        sqlite = parsed.get_backend_name() == "sqlite"
        engine = create_engine(url, connect_args={"timeout": SQLITE_BUSY_SECONDS} if sqlite else {})
        is_new = not inspect(engine).get_table_names()
        api.Base.metadata.create_all(engine)
        with engine.begin() as connection:
            if is_new:
                connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
                connection.execute(
                    text("INSERT INTO alembic_version (version_num) VALUES (:head)"),
                    {"head": _schema_version()},
                )
            # SQLite, and so nbgrader, does without the row of a course that has no id.
            is_needed = bool(course_id) or not sqlite
            if is_needed and connection.scalar(select(api.Course.id).filter_by(id=course_id)) is None:
                connection.execute(insert(api.Course).values(id=course_id))
        return engine


@cache
def _schema_version() -> str | None:
    """Return what ``nbgrader db upgrade`` compares with; nbgrader itself asks a new process for it."""
    from alembic.script import ScriptDirectory  # needed for a new gradebook only

    return ScriptDirectory(ALEMBIC_DIR).get_current_head()
