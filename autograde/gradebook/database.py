"""Opening nbgrader's database."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader import api
from sqlalchemy import Engine, create_engine
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
            f"the gradebook {url} can't be used ({reason}): check that it can be written and that no other "
            "program holds it; if nbgrader was upgraded, back it up and run `nbgrader db upgrade`"
        ) from error


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
            f"--db {url}: {error}; give a URL such as sqlite:////path/gradebook.db, with its driver installed"
        ) from error
    with database_errors(url):
        with _scripts_on_path():
            api.Gradebook(url, course_id).close()
        sqlite = parsed.get_backend_name() == "sqlite"
        return create_engine(url, connect_args={"timeout": SQLITE_BUSY_SECONDS} if sqlite else {})


@contextmanager
def _scripts_on_path() -> Iterator[None]:
    """For a new database nbgrader calls ``alembic`` by name: it lies beside this interpreter."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before
